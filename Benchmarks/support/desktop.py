"""An X server with a window manager and windows, and what it costs to bring one forward."""

import contextlib
import os
import pathlib
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from .report import Table

PATIENCE = 30
# What is not in front so long after its command has ended was not brought there.
HEED = 1
MANAGERS = ("openbox", "i3")


def fail(text):
    sys.exit(f"bench: {text}")


class Display:
    """A connection to an X server: opens windows, and reads which one is active. The protocol in a page."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"/tmp/.X11-unix/X{name.lstrip(':')}")
        self.socket.sendall(struct.pack("<BxHHHHxx", 0x6C, 11, 0, 0, 0))
        setup = self.take(struct.unpack("<xxxxxxH", self.take(8))[0] * 4)
        (self.base,) = struct.unpack_from("<I", setup, 4)
        (vendor,) = struct.unpack_from("<H", setup, 16)
        (self.root,) = struct.unpack_from("<I", setup, 32 + (vendor + 3 & ~3) + 8 * setup[21])
        self.active_atom = self.atom(b"_NET_ACTIVE_WINDOW")
        self.list_atom = self.atom(b"_NET_CLIENT_LIST")

    def atom(self, name):
        self.request(16, 0, struct.pack("<Hxx", len(name)) + name)
        return struct.unpack_from("<I", self.answer(), 8)[0]

    def take(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                fail("the X server went away")
            data += part
        return data

    def request(self, code, detail, data):
        data += b"\0" * (-len(data) % 4)
        self.socket.sendall(struct.pack("<BBH", code, detail, 1 + len(data) // 4) + data)

    def answer(self):
        while True:
            data = self.take(32)
            if data[0] == 1:
                return data + self.take(struct.unpack_from("<I", data, 4)[0] * 4)

    def open(self, place, title):
        window = self.base + place
        self.request(1, 0, struct.pack("<IIhhHHHHII", window, self.root, 0, 0, 200, 150, 0, 1, 0, 0))
        for name, kind, text in ((39, 31, title), (67, 31, "client\0Client\0")):
            data = text.encode()
            self.request(18, 0, struct.pack("<IIIBxxxI", window, name, kind, 8, len(data)) + data)
        self.request(8, 0, struct.pack("<I", window))
        return window

    def numbers(self, atom):
        self.request(20, 0, struct.pack("<IIIII", self.root, atom, 0, 0, 4096))
        data = self.answer()
        return struct.unpack_from(f"<{len(data) // 4 - 8}I", data, 32)

    def active(self):
        return next(iter(self.numbers(self.active_atom)), 0)

    def wait_for(self, window):
        end = time.monotonic() + HEED
        while self.active() != window:
            if time.monotonic() > end:
                return False
            time.sleep(0.0005)
        return True


@contextlib.contextmanager
def desktop(manager):
    """The environment of its programs; the server's and the window manager's processes end with it."""
    with tempfile.TemporaryDirectory(prefix="usher-bench-") as folder, contextlib.ExitStack() as stack:
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8"}

        def start(command, **more):
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, **more)
            stack.callback(lambda: (process.terminate(), process.wait()))

        (ready, write) = os.pipe()
        name = f":{random.randint(2000, 50000)}"
        start(
            ["Xvfb", name, "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write])
        os.close(write)
        with os.fdopen(ready) as numbers:
            if not numbers.readline():
                fail("Xvfb does not start")
        environment["DISPLAY"] = name
        if manager == "i3":
            rules = pathlib.Path(folder, "i3.conf")
            rules.write_text(
                f"font pango:DejaVu Sans Mono 8\nipc-socket {folder}/i3.socket\nworkspace_layout tabbed\n"
                "focus_on_window_activation urgent\n")
            environment["I3SOCK"] = f"{folder}/i3.socket"
            start(["i3", "-c", str(rules)])
        else:
            start(["openbox", "--sm-disable"])
        end = time.monotonic() + PATIENCE
        while b"window id" not in subprocess.run(
            ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], env=environment, capture_output=True
        ).stdout:
            if time.monotonic() > end:
                fail(f"{manager} does not start")
            time.sleep(0.05)
        yield environment


def run(command, environment):
    """Milliseconds from before the start to after the end."""
    began = time.perf_counter()
    process = os.posix_spawnp(command[0], command, environment, file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    _, status = os.waitpid(process, 0)
    taken = (time.perf_counter() - began) * 1000
    return taken if os.waitstatus_to_exitcode(status) == 0 else None


def measure(manager, program, count, rounds):
    """Each row brings each window forward in each round; the rows take turns, so a slow moment hits all."""
    with desktop(manager) as environment, contextlib.ExitStack() as stack:
        display = Display(environment["DISPLAY"])
        windows = []
        for place in range(count):
            windows.append(display.open(place, f"window {place + 1}"))
        end = time.monotonic() + PATIENCE
        while len(display.numbers(display.list_atom)) < count:
            if time.monotonic() > end:
                fail(f"{manager} does not take the windows")
            # One that is just beginning overlooks who asks early.
            time.sleep(0.5)
            for window in windows:
                display.request(8, 0, struct.pack("<I", window))
        held = subprocess.Popen(
            [str(program), "x11"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        stack.callback(lambda: (held.stdin.close(), held.wait()))

        def in_process(window):
            held.stdin.write(f"x11:{window:#x}\n")
            held.stdin.flush()
            taken, seen = held.stdout.readline().split(maxsplit=1)
            return int(taken) / 1e6 if seen.strip() == "shown" else None

        rows = {
            "usher, in the daemon": in_process,
            "usher, a process each": lambda window: run(
                [str(program), "x11", f"x11:{window:#x}"], environment),
            "wmctrl -ia": lambda window: run(["wmctrl", "-ia", f"{window:#x}"], environment),
            "xdotool windowactivate --sync": lambda window: run(
                ["xdotool", "windowactivate", "--sync", str(window)], environment),
        }
        if manager == "i3":
            rows["i3-msg '[id=…] focus'"] = lambda window: run(["i3-msg", f"[id={window}] focus"], environment)
        results = {name: {"times": [], "early": 0, "failed": 0} for name in rows}
        names = list(rows)
        for turn in range(rounds):
            for place in range(count):
                for step in range(len(names)):
                    name = names[(turn + place + step) % len(names)]
                    # Never the one that is in front.
                    window = windows[(place + step * 7 + turn) % count]
                    if display.active() == window:
                        window = windows[(place + step * 7 + turn + 1) % count]
                    taken = rows[name](window)
                    result = results[name]
                    if taken is None:
                        result["failed"] += 1
                    else:
                        result["times"].append(taken)
                        result["early"] += display.active() != window
                    if not display.wait_for(window):
                        result["failed"] += 1
                    time.sleep(0.003)
        return [
            {
                "row": name, "manager": manager, "count": len(result["times"]),
                "median_ms": statistics.median(result["times"]) if result["times"] else None,
                "p90_ms": statistics.quantiles(result["times"], n=10)[-1] if len(result["times"]) > 1 else None,
                "early": result["early"], "failed": result["failed"],
            }
            for name, result in results.items()
        ]


LIMITS = {
    "usher, in the daemon": "two round trips, and the window manager",
    "usher, a process each": "starting a process",
    "wmctrl -ia": "starting a process; does not wait",
    "xdotool windowactivate --sync": "its own pauses",
    "i3-msg '[id=…] focus'": "i3 draws thirty tabs",
}


def table(results, count):
    table = Table("windows", [
        f"X11, {count} windows", "window manager", "n", "median ms", "p90 ms", "not yet in front", "failed", "limited by"])
    for result in results:
        table.add(f"`{result['row']}`" if "usher" not in result["row"] else result["row"], result["manager"],
                  result["count"], result["median_ms"], result["p90_ms"], result["early"], result["failed"],
                  LIMITS[result["row"]])
    return [table], {"windows": results}
