"""What the threads of a process wait for, as the kernel tells it: whether anything would wake them by itself.

Context switches cannot tell: a busy machine adds some, and what others do wakes a process that has no timer. So this looks at
the system call that each thread sleeps in, and at its time limit. Needs the right to trace the process.
"""

import glob
import os
import platform
import re
import struct
import time

from checklist import eventually

# System call → name, place of the limit among its arguments, and what stands there. Calls that are not named have no limit.
CALLS = {
    "x86_64": {
        7: ("poll", 2, "milliseconds"), 23: ("select", 4, "timeval"), 35: ("nanosleep", 0, "timespec"),
        128: ("rt_sigtimedwait", 2, "timespec"), 202: ("futex", 3, "timespec"), 220: ("semtimedop", 3, "timespec"), 230: ("clock_nanosleep", 2, "timespec"),
        232: ("epoll_wait", 3, "milliseconds"), 270: ("pselect6", 4, "timespec"), 271: ("ppoll", 2, "timespec"),
        281: ("epoll_pwait", 3, "milliseconds"), 299: ("recvmmsg", 4, "timespec"), 441: ("epoll_pwait2", 3, "timespec"),
    },
    "aarch64": {
        22: ("epoll_pwait", 3, "milliseconds"), 72: ("pselect6", 4, "timespec"), 73: ("ppoll", 2, "timespec"),
        98: ("futex", 3, "timespec"), 101: ("nanosleep", 0, "timespec"), 115: ("clock_nanosleep", 2, "timespec"),
        137: ("rt_sigtimedwait", 2, "timespec"),
        192: ("semtimedop", 3, "timespec"), 243: ("recvmmsg", 4, "timespec"), 441: ("epoll_pwait2", 3, "timespec"),
    },
}[platform.machine()]
# What a wait becomes that a signal has interrupted; its arguments stay.
RESTARTED = {"x86_64": 219, "aarch64": 128}[platform.machine()]
POLL = {"x86_64": 7, "aarch64": 73}[platform.machine()]
FUTEX_CLOCK_REALTIME = 256
# FUTEX_LOCK_PI, FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI: these take a point of time.
ABSOLUTE_FUTEXES = {6, 9, 11}
TIMER_ABSTIME = 1


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def restless(pid, seconds):
    """What would wake a process within so many seconds though nothing happens: a line each, none where it sleeps."""
    found = []
    for task in glob.glob(f"/proc/{pid}/task/*"):
        try:
            name, call = read(f"{task}/comm").strip(), read(f"{task}/syscall").split()
            if call[0] == str(RESTARTED) and read(f"{task}/wchan").startswith("poll_"):
                call[0] = str(POLL)
            reason = awake(pid, call, seconds)
        except (FileNotFoundError, ProcessLookupError):
            # It has just ended.
            continue
        if reason:
            found.append(f"{name}: {reason}")
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            value = re.search(r"^it_value: \((\d+), (\d+)\)", read(path), flags=re.M)
        except OSError:
            continue
        if value and any(map(int, value.groups())) and int(value[1]) < seconds:
            found.append(f"timerfd {os.path.basename(path)}: due in {value[1]}.{int(value[2]):09} s")
    if read(f"/proc/{pid}/timers"):
        found.append("timer_create: a timer")
    return found


def wakers(pid, seconds, patience):
    """What would still wake it after so much patience; none once it sleeps."""
    found = []

    def is_asleep():
        nonlocal found
        found = restless(pid, seconds)
        return not found
    eventually(is_asleep, patience, pause=0.1)
    return found


def awake(pid, call, seconds):
    """Why a thread would not sleep for so long; None where it would."""
    if call[0] == "running":
        return "runs"
    number, arguments = int(call[0]), [int(word, 16) for word in call[1:7]]
    if number in (-1, RESTARTED):
        return "is not in a system call" if number == -1 else "sleeps again after a signal, with a limit"
    if number not in CALLS:
        return None
    name, place, kind = CALLS[number]
    value = arguments[place]
    if kind == "milliseconds":
        # An int: the upper half of the register may hold anything.
        value &= 0xFFFFFFFF
        limit = None if value >= 0x80000000 else value / 1000
    elif value == 0:
        limit = None
    else:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(value)
            whole, part = struct.unpack("qq", memory.read(16))
        limit = whole + part / (1e6 if kind == "timeval" else 1e9)
        if name == "futex" and arguments[1] & 0x7F in ABSOLUTE_FUTEXES:
            clock = time.CLOCK_REALTIME if arguments[1] & FUTEX_CLOCK_REALTIME else time.CLOCK_MONOTONIC
            limit -= time.clock_gettime(clock)
        elif name == "clock_nanosleep" and arguments[1] & TIMER_ABSTIME:
            limit -= time.clock_gettime(arguments[0])
    return None if limit is None or limit >= seconds else f"{name} for {limit:.3f} s"
