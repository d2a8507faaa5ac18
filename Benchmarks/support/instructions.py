"""Instructions and allocations a line, by callgrind: the same on a busy machine as on an idle one."""

import re
import subprocess
import sys

from . import generate

# Two sizes: their difference has no start-up in it.
SIZES = {0: (100, 1_100), 1_000: (20, 120), 100_000: (2, 6)}


def measure(workspace, only=None):
    results = []
    for sessions, sizes in SIZES.items():
        name = f"dispatch --dry-run, {sessions} sessions"
        if only is not None and only not in name:
            continue
        command = workspace.usher("dispatch", "--dry-run", "-", state=workspace.state(sessions))
        results.append(
            {"row": name, **beside(workspace, sizes, lambda n: generate.payloads(n, sessions), command, jq_target())}
        )
    name = "predicate eval"
    if only is None or only in name:
        command = [str(workspace.program), "predicate", "eval"]
        results.append(
            {"row": name, **beside(workspace, (100, 1_100), generate.predicates, command, ["jq", "-c", ".self"])}
        )
    name = "explain, cold, 1000 sessions"
    if only is None or only in name:
        command = workspace.usher("explain", generate.clown(777), "--json", state=workspace.state(1_000))
        usher, other = count(workspace, command), count(workspace, ["jq", "-n", "1"])
        results.append(row_of(name, "run", 1, usher, other, "jq -n 1"))
    return results


def jq_target():
    return ["jq", "-c", '.aps["target-content-id"]']


def beside(workspace, sizes, make, command, peer):
    pairs = list(make(sizes[1]))
    usher = difference(workspace, sizes, pairs, command)
    other = difference(workspace, sizes, pairs, peer)
    return row_of(None, "line", sizes[1] - sizes[0], usher, other, " ".join(peer))


def row_of(name, per, lines, usher, other, peer):
    row = {
        "count": lines,
        "unit": f"instructions/{per}",
        "usher": {"value": usher[0], "allocations": usher[1]},
        "peer": {"name": peer, "value": other[0], "allocations": other[1]},
        "ratio": usher[0] / other[0],
    }
    return {"row": name, **row} if name else row


def difference(workspace, sizes, pairs, command):
    """Instructions and calls of malloc a line."""
    counts = []
    for size in sizes:
        file = workspace.path("counted.ndjson")
        file.write_text("".join(line + "\n" for line, _ in pairs[:size]))
        counts.append(count(workspace, command, file))
    lines = sizes[1] - sizes[0]
    return tuple((large - small) / lines for small, large in zip(*counts))


def count(workspace, command, file=None):
    out = workspace.path("callgrind.out")
    out.unlink(missing_ok=True)
    # callgrind of Debian 12 cannot read the DWARF 5 of an unstripped program.
    program = workspace.path("stripped")
    if command[0] == str(workspace.program):
        subprocess.run(["strip", "-s", "-o", str(program), command[0]], check=True)
        command = [str(program), *command[1:]]
    ended = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *command],
        stdin=open(file, "rb") if file else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if ended.returncode != 0 or not out.exists():
        sys.exit(f"bench: callgrind failed: {ended.stderr[-400:]}")
    return totals(out)


def totals(out):
    """All instructions, and all calls of malloc, calloc and realloc (cost lines follow: see callgrind's manual)."""
    names = {}
    instructions = allocations = 0
    callee = None
    with open(out) as lines:
        for line in lines:
            if line.startswith("cfn=") or line.startswith("fn="):
                number, name = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line).groups()
                if name:
                    names[number] = name
                if line.startswith("cfn="):
                    callee = names[number]
            elif line.startswith("calls="):
                if callee in ("malloc", "calloc", "realloc"):
                    allocations += int(line[6:].split()[0])
            elif line.startswith(("summary:", "totals:")):
                instructions = max(instructions, int(line.split()[1]))
    return instructions, allocations
