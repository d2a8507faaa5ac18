"""Instructions of the hot paths, by callgrind: the same on a busy machine as on an idle one.

Counted are the instructions of the program, its children and their libraries, not those of the kernel.
"""

import contextlib
import ctypes
import json
import os
import re
import subprocess

from . import generate, report, suggestions
from .workspace import fail

# A path whose instructions have grown by more than this share is a fault.
TOLERANCE = 0.03
# Of linux/prctl.h.
PR_SET_CHILD_SUBREAPER = 36


def measure(workspace):
    """Path → instructions."""
    programs = {name: stripped(workspace, name) for name in ("usher", "usherd")}
    activities = suggestions.make(workspace, suggestions.COUNT)
    apps = suggestions.configuration(workspace)
    none, mixed, large = workspace.state(0), workspace.state(1_000, True), workspace.state(1_000)
    paths = {
        "usher --version": lambda: count(workspace, [programs["usher"], "--version"]),
        "explain, 1000 sessions": lambda: count(
            workspace, usher(workspace, programs, "explain", generate.clown(777), "--json", state=large)),
        "a payload on stdin, no session": lambda: payload(workspace, programs, none, 0, False, (100, 600)),
        "a decision, 1000 sessions, a mix of conditions": lambda: payload(
            workspace, programs, mixed, 1_000, True, (50, 200)),
        "a durable delivery on stdin, 1000 sessions": lambda: delivery(workspace, programs, large, 1_000, (50, 250)),
        **{
            f"suggest {name}, 100000 activities": lambda command=command: count(
                workspace, [programs["usher"], *command[1:]])
            for name, (command, _) in suggestions.questions(workspace, activities, apps).items()
        },
    }
    found = {}
    for name, make in paths.items():
        found[name] = round(make())
        print(f"{found[name]:>12}  {name}", flush=True)
    return found


def usher(workspace, programs, *arguments, state):
    return [programs["usher"], *workspace.usher(*arguments, state=state)[1:]]


def stripped(workspace, name):
    """callgrind of Debian 12 cannot read the DWARF 5 of a program that is not stripped; beside each other, since one may start
    the other."""
    folder = workspace.path("stripped")
    folder.mkdir(exist_ok=True)
    subprocess.run(["strip", "-s", "-o", folder / name, workspace.program.parent / name], check=True)
    return str(folder / name)


def payload(workspace, programs, state, sessions, is_mixed, sizes):
    """Of one payload of `dispatch --dry-run`."""
    lines = [line for line, _ in generate.payloads(sizes[1], sessions, is_mixed)]
    return difference(workspace, lines, sizes, lambda file: usher(
        workspace, programs, "dispatch", "--dry-run", file, state=state))


def delivery(workspace, programs, state, sessions, sizes):
    """Of one push without an effect: stored, decided, recorded, each time in a store of its own."""
    lines = [generate.push(number, sessions) for number in range(sizes[1])]
    return difference(workspace, lines, sizes, lambda file: usher(
        workspace, programs, "dispatch", file, state=workspace.new_state(state)))


def difference(workspace, lines, sizes, command):
    """Of one line more: what two sizes differ by has no start-up in it."""
    counts = []
    for size in sizes:
        file = workspace.path("counted.ndjson")
        file.write_text("".join(line + "\n" for line in lines[:size]))
        counts.append(count(workspace, command(str(file))))
    return (counts[1] - counts[0]) / (sizes[1] - sizes[0])


def count(workspace, command):
    for old in workspace.folder.glob("callgrind.*"):
        old.unlink()
    # An engine on demand ends after the command: its counts are there when it has ended, as a child of this process.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    ended = subprocess.run(
        ["valgrind", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={workspace.path('callgrind')}.%p",
         *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        # Else each process hashes with another seed, and a decision of 1,000 sessions takes 60,000 to 74,000 instructions.
        env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"})
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    files = list(workspace.folder.glob("callgrind.*"))
    if ended.returncode != 0 or not files:
        fail(f"callgrind failed: {ended.stderr[-400:]}")
    return sum(total(file) for file in files)


def total(file):
    found = re.findall(r"^(?:summary|totals): (\d+)", file.read_text(), re.M)
    return max(map(int, found)) if found else 0


def toolchain():
    machine = report.machine()
    return {"swift": machine["swift"], "architecture": machine["architecture"]}


def store(path, found):
    """Of two figures of one toolchain the smaller one stays: what has grown for a reason is deleted from the file first."""
    stored = json.loads(path.read_text())
    if stored["toolchain"] == toolchain():
        found = {name: min(value, stored["instructions"].get(name, value)) for name, value in found.items()}
    path.write_text(json.dumps({"toolchain": toolchain(), "instructions": found}, indent=1) + "\n")


def compare(path, found):
    """Lines about what has grown too much. Less is not a fault; it is worth storing."""
    stored = json.loads(path.read_text())
    if stored["toolchain"] != toolchain():
        return [f"the stored figures are of {stored['toolchain']}, this is {toolchain()}: make bench-store"]
    faults = []
    for name, value in found.items():
        before = stored["instructions"].get(name)
        if before is None:
            faults.append(f"{name}: no figure is stored: make bench-store")
        elif value > before * (1 + TOLERANCE):
            faults.append(f"{name}: {value} instructions, {before} are stored: {value / before - 1:+.1%}")
        elif value < before * (1 - TOLERANCE):
            print(f"less than is stored ({value / before - 1:+.1%}): {name}: make bench-store")
    return faults
