"""Focus on a headless sway: the window system of the daemon within one process, and swaymsg beside it.

sway refuses to run for root, so for root it runs as nobody. Each answer of ours counts only where the window was seen to have
the keyboard, and sway's own word is asked at the end; swaymsg checks nothing, so a further row reads back what it did.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from .report import Table

NOBODY = 65534


class Sway:
    """A compositor of this run's own, and what runs on it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="usher-bench-sway-")
        self.programs = []
        run = os.path.join(self.folder, "run")
        os.mkdir(run, 0o700)
        self.user = []
        if os.getuid() == 0:
            self.user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
            for path in (self.folder, run):
                os.chown(path, NOBODY, NOBODY)
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": run, "XDG_RUNTIME_DIR": run, "LANG": "C.UTF-8",
            "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
        }
        answer = os.path.join(run, "variables")
        with open(os.path.join(self.folder, "config"), "w") as file:
            file.write("xwayland disable\ndefault_border none\n")
            file.write(f"exec env > {answer}.part && mv {answer}.part {answer}\n")
        self.start(["sway", "-c", os.path.join(self.folder, "config")])
        wait(lambda: os.path.exists(answer), "sway did not start")
        with open(answer) as file:
            said = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
        for name in ("SWAYSOCK", "WAYLAND_DISPLAY"):
            self.environment[name] = said[name]

    def start(self, command):
        self.programs.append(subprocess.Popen(
            self.user + command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL))

    def ask(self, kind):
        return json.loads(subprocess.run(
            ["swaymsg", "-r", "-t", kind], env=self.environment, capture_output=True, check=True).stdout)

    def windows(self):
        waiting, found = [self.ask("get_tree")], []
        while waiting:
            node = waiting.pop()
            if node.get("pid"):
                found.append(node["id"])
            waiting += node["nodes"] + node["floating_nodes"]
        return sorted(found)

    def focused(self):
        return self.ask("get_seats")[0]["focus"]

    def end(self):
        for program in self.programs:
            program.terminate()
        for program in self.programs:
            program.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def wait(condition, problem):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"bench: {problem}")
        time.sleep(0.02)


def ours(sway, program, windows, rounds, *options, system="sway"):
    """By `wlr`, windows have the numbers of their connection, and only their count is known."""
    names = [f"sway:{window}" for window in windows]
    if system == "wlr":
        names = [f"wlr:{number + 1}" for number in range(len(windows))]
    lines = subprocess.run(
        [program, system, *options], env=sway.environment, capture_output=True, check=True, text=True,
        input="".join(f"{name}\n" for name in names * rounds)).stdout.splitlines()
    answers = [line.split(maxsplit=1) for line in lines]
    focused = sway.focused()
    is_last = focused == windows[-1] if system == "sway" else focused in windows
    if len(answers) != len(names) * rounds or any(seen != "shown" for _, seen in answers) or not is_last:
        sys.exit(f"bench: sway: not every window was seen in front: {lines}")
    times = sorted(int(taken) / 1e6 for taken, _ in answers)
    return statistics.median(times), times[int((len(times) - 1) * 0.9)]


def swaymsg(sway, windows, reads_back):
    times = []
    for window in windows:
        began = time.perf_counter()
        subprocess.run(
            ["swaymsg", "-q", f"[con_id={window}] focus"], env=sway.environment, check=True)
        if reads_back and sway.focused() != window:
            sys.exit("bench: sway: swaymsg did not bring a window forward")
        times.append((time.perf_counter() - began) * 1e3)
    times.sort()
    return statistics.median(times), times[int((len(times) - 1) * 0.9)]


LIMITS = {
    "usher, in process, seen to have the keyboard": "one round trip",
    "usher, by `zwlr_foreign_toplevel_management_v1` alone": "one round trip, two threads",
    "usher, the first request after a start": "sway writes its windows down",
    "`swaymsg`, a command understood": "starting a process; checks nothing",
    "`swaymsg`, and asked where the keyboard is": "starting two processes",
}


def measure(program, count, rounds):
    sway = Sway()
    try:
        for number in range(count):
            sway.start(["foot", "-T", f"window {number}", "sleep", "600"])
        wait(lambda: len(sway.windows()) == count, "sway: the windows did not open")
        windows = sway.windows()
        ways = [
            lambda: ours(sway, program, windows, 4), lambda: ours(sway, program, windows, 4, system="wlr"),
            lambda: ours(sway, program, windows, 1, "--fresh"),
            lambda: swaymsg(sway, windows, False), lambda: swaymsg(sway, windows, True),
        ]
        seen = {name: [] for name in LIMITS}
        # They take turns, so that a slow moment hits all.
        for _ in range(rounds):
            for name, way in zip(seen, ways):
                seen[name].append(way())
    finally:
        sway.end()
    table, figures = Table("sway", [f"sway, {count} windows", "median ms", "p90 ms", "limited by"]), []
    for name, rounds_of in seen.items():
        median, tail = (statistics.median(values) for values in zip(*rounds_of))
        figures.append({"row": name, "median_ms": median, "p90_ms": tail})
        table.add(name, median, tail, LIMITS[name])
    return [table], {"sway": figures}
