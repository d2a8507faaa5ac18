"""Focus on a headless GNOME Shell: the window system of the daemon within one process, and calls of the extension beside it.

The extension takes calls of one program only: here that is the one which measures. Each answer counts only where the window was
seen to have the keyboard.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

from .report import Table
from .sway import wait

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UUID = "windows@usher.org"


class Shell:
    """A shell of this run's own, and what runs on it."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="usher-bench-gnome-")
        self.programs = []
        run = os.path.join(self.folder, "run")
        os.mkdir(run, 0o700)
        bus = f"unix:path={run}/bus"
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": run, "XDG_RUNTIME_DIR": run, "LANG": "C.UTF-8", "GSETTINGS_BACKEND": "keyfile",
            "XDG_CURRENT_DESKTOP": "GNOME", "XDG_SESSION_TYPE": "wayland", "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1",
            "DBUS_SESSION_BUS_ADDRESS": bus, "DBUS_SYSTEM_BUS_ADDRESS": bus,
        }
        self.install(pathlib.Path(run, ".local/share/gnome-shell/extensions", UUID), program)
        self.start(["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={bus}"])
        wait(lambda: os.path.exists(f"{run}/bus"), "dbus-daemon did not start")
        for key, value in (("enabled-extensions", f"['{UUID}']"), ("welcome-dialog-last-shown-version", "'999'")):
            subprocess.run(["gsettings", "set", "org.gnome.shell", key, value], env=self.environment, check=True)
        self.start(["gnome-shell", "--headless", "--wayland", "--no-x11", "--wayland-display", "usher-bench",
                    "--virtual-monitor", "1280x800"])
        self.environment["WAYLAND_DISPLAY"] = "usher-bench"
        wait(lambda: os.path.exists(f"{run}/usher-bench"), "GNOME Shell did not start")

    @staticmethod
    def install(folder, program):
        folder.mkdir(parents=True)
        source = ROOT / "Extension/gnome"
        version = subprocess.run(["gnome-shell", "--version"], capture_output=True, check=True, text=True).stdout
        base = source / ("43" if int(version.split()[-1].split(".")[0]) < 45 else "45")
        (folder / "extension.js").write_text((base / "head.js").read_text() + (source / "windows.js").read_text())
        metadata = json.loads((base / "metadata.json").read_text())
        (folder / "metadata.json").write_text(json.dumps(dict(metadata, usherd=str(program))))

    def start(self, command):
        self.programs.append(subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def end(self):
        for program in reversed(self.programs):
            program.terminate()
        for program in self.programs:
            program.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def focus(shell, program, handles, *options):
    lines = subprocess.run(
        [program, "shell", *options], env=shell.environment, capture_output=True, check=True, text=True,
        input="".join(f"{handle}\n" for handle in handles)).stdout.splitlines()
    answers = [line.split(maxsplit=1) for line in lines]
    if len(answers) != len(handles) or any(seen != "shown" for _, seen in answers):
        raise SystemExit(f"bench: gnome: not every window was seen in front: {lines}")
    times = sorted(int(taken) / 1e6 for taken, _ in answers)
    return statistics.median(times), times[int((len(times) - 1) * 0.9)]


LIMITS = {
    "usher, in process, seen to have the keyboard": "the shell restacks its windows and draws",
    "calls of the extension, and its signal": "the shell restacks its windows and draws",
}


def measure(program, count, rounds):
    program = os.path.realpath(program)
    shell = Shell(program)
    try:
        def listed():
            ran = subprocess.run([program, "shell", "--handles"], env=shell.environment, capture_output=True, text=True, check=False)
            return ran.stdout.split() if ran.returncode == 0 else []
        for number in range(count):
            shell.start(["foot", "-T", f"window {number}", "sleep", "600"])
            wait(lambda: len(listed()) == number + 1, "GNOME Shell: the windows did not open")
        handles = listed()
        seen = {name: [] for name in LIMITS}
        # They take turns, so that a slow moment hits all.
        for _ in range(rounds):
            for name, options in zip(seen, ((), ("--raw",))):
                seen[name].append(focus(shell, program, handles, *options))
    finally:
        shell.end()
    table, figures = Table("gnome", [f"GNOME Shell, {count} windows", "median ms", "p90 ms", "limited by"]), []
    for name, rounds_of in seen.items():
        median, tail = (statistics.median(values) for values in zip(*rounds_of))
        figures.append({"row": name, "median_ms": median, "p90_ms": tail})
        table.add(name, median, tail, LIMITS[name])
    return [table], {"gnome": figures}
