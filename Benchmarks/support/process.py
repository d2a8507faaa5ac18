"""Runs programs and says what they cost, as the kernel accounts for it."""

import dataclasses
import os
import pathlib
import statistics
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Cost:
    wall: float
    """Seconds from before the spawn to after the wait."""
    cpu: float
    """User and system seconds, children included (wait4)."""


def run(command, stdin=os.devnull, stdout=os.devnull, expect=(0,)):
    """One run; ends the benchmark where the program ends otherwise than expected."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(stdin), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(stdout), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    began = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - began
    code = os.waitstatus_to_exitcode(status)
    if code not in expect:
        sys.exit(f"bench: exit status {code} of: {' '.join(command)}")
    return Cost(wall, usage.ru_utime + usage.ru_stime)


def run_after(command, first, rest, answers):
    """The cost of a run from when the lines of the file `first` are answered, each with a line, to its end; the lines of `rest`
    follow then. What the start costs is left out within one run: it may be longer than the rest and differ between runs."""
    count = first.read_bytes().count(b"\n")
    with open(answers, "wb") as output:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output)
    process.stdin.write(first.read_bytes())
    process.stdin.flush()
    while answers.read_bytes().count(b"\n") < count:
        if process.poll() is not None or time.perf_counter() > began + 120:
            sys.exit(f"bench: {count} lines are not answered: {' '.join(command)}")
        time.sleep(0.005)
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    spent = sum(map(int, fields[11:13])) / TICKS
    began = time.perf_counter()
    with open(rest, "rb") as source:
        while os.sendfile(process.stdin.fileno(), source.fileno(), None, 1 << 20):
            pass
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: exit status {process.returncode} of: {' '.join(command)}")
    return Cost(wall, usage.ru_utime + usage.ru_stime - spent)


def peak(command, note, stdin=os.devnull, expect=(0,)):
    """Peak resident memory in MB.

    In a run of its own under time(1): Linux folds the spawning process's memory into a child's ru_maxrss, and this
    interpreter is larger than what it measures; time(1) is small.
    """
    with open(stdin, "rb") as source:
        code = subprocess.run(
            ["/usr/bin/time", "--quiet", "--format", "%M", "--output", str(note), *command],
            stdin=source,
            stdout=subprocess.DEVNULL,
        ).returncode
    if code not in expect:
        sys.exit(f"bench: exit status {code} of: {' '.join(command)}")
    return int(note.read_text().split()[-1]) / 1024


def interleaved(repetitions, runs):
    """Runs each of `runs` (name → closure that returns a Cost) in turn, `repetitions` times; medians by name.

    Taking turns lets a slow moment of the machine hit all of them.
    """
    costs = {name: [] for name in runs}
    for _ in range(repetitions):
        for name, body in runs.items():
            costs[name].append(body())
    return {
        name: Cost(statistics.median(c.wall for c in list_), statistics.median(c.cpu for c in list_))
        for name, list_ in costs.items()
    }
