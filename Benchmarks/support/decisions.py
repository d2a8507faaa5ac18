"""Decisions: payloads on standard input to records, beside jq and beside a floor; and how they grow with the sessions."""

import json
import subprocess
import sys

from . import chart, generate, process
from .report import Table
from .workspace import fail

EXTRACT = '.aps["target-content-id"]'
LARGEST = 100_000
# A peer gets at least this many lines, where usher is given few.
PEER_LINES = 60_000
SECONDS_A_RUN = 1.0
# What a long run is compared with. A dry run builds its index of the sessions at the fifth payload: that belongs to the
# start.
FEW_LINES = 8

# Name, sessions, whether their conditions are a mix, what limits the row.
ROWS = [
    ("no session", 0, False, "reading the payload and writing the record"),
    ("1 000 sessions, a mix of conditions", 1_000, True, "reading the payload and writing the record"),
    ("100 000 sessions, each `SELF == $TARGET`", 100_000, False, "reading the payload and writing the record"),
]


def measure(workspace, repetitions):
    table = Table("decisions", [
        "stdin to records, `--dry-run`", "payloads/s", "CPU µs", "jq: CPU µs", "floor: CPU µs", "jq / usher",
        "usher / floor", "MB", "limited by"])
    figures = []
    for name, count, is_mixed, limit in ROWS:
        print(f"bench: decisions, {name} …", file=sys.stderr)
        figure = row(workspace, name, count, is_mixed, repetitions)
        figures.append(figure)
        table.add(
            name, 1e6 / figure["usher"]["wall_us"], figure["usher"]["cpu_us"], figure["jq"]["cpu_us"],
            figure["floor"]["cpu_us"], figure["jq"]["cpu_us"] / figure["usher"]["cpu_us"],
            figure["usher"]["cpu_us"] / figure["floor"]["cpu_us"], figure["peak_mb"], limit)
    return [table], {"decisions": figures}


def row(workspace, name, count, is_mixed, repetitions):
    command = dry_run(workspace, count, is_mixed)
    lines = stream_size(workspace, count, is_mixed, command)
    pairs = list(generate.payloads(max(lines, PEER_LINES), count, is_mixed))
    files = {}
    for label, part in {"few": pairs[:FEW_LINES], "usher": pairs[:lines], "rest": pairs[FEW_LINES:lines], "peer": pairs}.items():
        files[label] = workspace.path(f"{label}.ndjson")
        files[label].write_text("".join(line + "\n" for line, _ in part))
    sides = {
        "usher": (command, "usher", lines),
        "jq": (["jq", "-c", EXTRACT], "peer", len(pairs)),
        # Its table knows no conditions: as many targets.
        "floor": ([str(workspace.floor("decide")), str(count)], "peer", len(pairs)),
    }
    check(name, workspace, sides, files["usher"], [expected for _, expected in pairs[:lines]], is_mixed)
    runs = {"usher": lambda: process.run_after(command, files["few"], files["rest"], workspace.path("answers"))}
    for side in ("jq", "floor"):
        words, file, _ = sides[side]
        # They start in milliseconds.
        runs[f"{side} few"] = lambda words=words: process.run(words, files["few"])
        runs[f"{side} all"] = lambda words=words, file=file: process.run(words, files[file])
    medians = process.interleaved(repetitions, runs)
    more = lines - FEW_LINES
    figure = {"row": name, "sessions": count, "payloads": lines,
              "usher": {"wall_us": medians["usher"].wall / more * 1e6, "cpu_us": medians["usher"].cpu / more * 1e6}}
    for side in ("jq", "floor"):
        few, all_ = medians[f"{side} few"], medians[f"{side} all"]
        more = len(pairs) - FEW_LINES
        figure[side] = {
            "wall_us": (all_.wall - few.wall) / more * 1e6, "cpu_us": (all_.cpu - few.cpu) / more * 1e6}
    figure["peak_mb"] = process.peak(command, workspace.path("peak"), files["usher"])
    return figure


def dry_run(workspace, count, is_mixed):
    return workspace.usher("dispatch", "--dry-run", "-", state=workspace.state(count, is_mixed))


def stream_size(workspace, count, is_mixed, command):
    """How many lines make a run take a second longer than its start: found by small runs, so that a faster program gets more."""
    trial = workspace.path("trial.ndjson")

    def taken(size):
        trial.write_text("".join(line + "\n" for line, _ in generate.payloads(size, count, is_mixed)))
        return process.run(command, trial).wall

    start = min(taken(FEW_LINES) for _ in range(2))
    if start > SECONDS_A_RUN / 2:
        # Small runs would show the noise of the start.
        return LARGEST
    size = FEW_LINES * 2
    while True:
        more = taken(size) - start
        if more > 0.1 or size >= LARGEST:
            return max(FEW_LINES * 2, min(LARGEST, int(size / max(more, 0.001) * SECONDS_A_RUN)))
        size = min(LARGEST, size * 8)


def check(name, workspace, sides, file, expected, is_mixed):
    """Every record is what it must be, and the peers say the same of the target, the floor of the session too."""
    answers = {side: workspace.path(f"answers-{side}") for side in sides}
    for side, (command, _, _) in sides.items():
        process.run(command, file, answers[side])
    with open(answers["usher"]) as records, open(answers["jq"]) as targets, open(answers["floor"]) as others:
        count = 0
        for record, target, other, wanted in zip(records, targets, others, expected):
            count += 1
            record, other = json.loads(record), json.loads(other)
            decided = tuple(record[key] for key in ("target", "scene", "session", "action", "reason"))
            if decided != wanted or record["error"] is not None or record["seq"] != count:
                fail(f"{name}: line {count}: decided {decided}, must be {wanted}; error {record['error']}")
            if json.loads(target) != record["target"] or other["target"] != record["target"]:
                fail(f"{name}: line {count}: jq and the floor find {target.strip()} and {other['target']}")
            if not is_mixed and other["session"] != record["session"]:
                fail(f"{name}: line {count}: the floor finds {other['session']}")
        if count != len(expected) or records.readline():
            fail(f"{name}: the number of records is not {len(expected)}")


# MARK: - Growth


def growth(workspace, repetitions, is_long):
    """CPU of one decision with its record by the number of sessions, a mix of conditions."""
    table = Table("growth", [
        "sessions, a mix of conditions", "CPU µs a payload", "of it the decision", "start ms", "MB"])
    figures = []
    for count in [100, 1_000, 10_000, 100_000] + ([1_000_000] if is_long else []):
        print(f"bench: growth, {count} sessions …", file=sys.stderr)
        command = dry_run(workspace, count, True)
        lines = stream_size(workspace, count, True, command)
        files = {}
        pairs = list(generate.payloads(lines, count, True))
        for label, part in {"few": pairs[:FEW_LINES], "rest": pairs[FEW_LINES:]}.items():
            files[label] = workspace.path(f"{label}.ndjson")
            files[label].write_text("".join(line + "\n" for line, _ in part))
        runs = {
            "few": lambda: process.run(command, files["few"]),
            "rest": lambda: process.run_after(command, files["few"], files["rest"], workspace.path("answers"))}
        medians = process.interleaved(min(repetitions, 3) if count > 10_000 else repetitions, runs)
        cpu = medians["rest"].cpu / (lines - FEW_LINES) * 1e6
        figure = {"sessions": count, "cpu_us": cpu, "decision_us": decision(workspace, "mixed", count),
                  "start_ms": medians["few"].wall * 1e3, "peak_mb": process.peak(command, workspace.path("peak"), files["few"])}
        figures.append(figure)
        table.add(f"{count:,}".replace(",", " "), *(figure[key] for key in ("cpu_us", "decision_us", "start_ms", "peak_mb")))
    return [table, *unindexed(workspace)], {"growth": figures}


def unindexed(workspace):
    """What a decision costs among conditions that no index finds: each of them is evaluated. A store has at most 10,000."""
    table = Table("unindexed", ["different conditions that cannot be looked up", "CPU µs a decision", "ns a condition"])
    for count in [1_000, 10_000]:
        each = decision(workspace, "unindexed", count, max(20, 5_000_000 // count))
        if each is None:
            return []
        table.add(f"{count:,}".replace(",", " "), each, each * 1e3 / count)
    return [table]


def decision(workspace, mix, count, decisions=200_000):
    """CPU of a decision alone, in a process that has the sessions; a mix has conditions with more terms. None where the program
    for it is not built."""
    program = workspace.program.parent / "usher-decisions"
    if not program.exists():
        return None
    answer = json.loads(subprocess.run([program, mix, str(count), str(decisions)], capture_output=True, text=True, check=True).stdout)
    if answer["wrong"]:
        fail(f"usher-decisions: {answer['wrong']} wrong answers among {count} sessions")
    return answer["decision_ns"] / 1e3


def draw(figures, path):
    """The chart of what is stored: growth, and jq beside it."""
    jq = next((row["jq"]["cpu_us"] for row in figures.get("decisions", {}).get("figures", [])), None)
    points = [(row["sessions"], row["cpu_us"]) for row in figures["growth"]["figures"]]
    lines = {"usher dispatch --dry-run, a payload": points}
    decisions = [(row["sessions"], row["decision_us"]) for row in figures["growth"]["figures"] if row["decision_us"]]
    if decisions:
        lines["of it the decision"] = decisions
    if jq:
        lines["jq, which only finds the target"] = [(points[0][0], jq), (points[-1][0], jq)]
    path.write_text(chart.logarithmic(lines, "sessions", "CPU µs"))
