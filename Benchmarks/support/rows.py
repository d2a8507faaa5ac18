"""The rows of the table. Each checks its answers before it is timed."""

import json
import os
import subprocess
import sys
import time

from . import generate, process

EXTRACT = '.aps["target-content-id"]'
LARGEST = 200_000
# A peer gets at least this many lines, where usher is given few.
PEER_LINES = 30_000
SECONDS_A_RUN = 1.2


def measure(workspace, repetitions, only=None):
    makers = [
        ("dispatch --dry-run, 0 sessions", lambda: dry_run(workspace, 0, repetitions)),
        ("dispatch --dry-run, 1000 sessions", lambda: dry_run(workspace, 1_000, repetitions)),
        ("dispatch --dry-run, 100000 sessions", lambda: dry_run(workspace, 100_000, repetitions)),
        ("explain, cold, 1000 sessions", lambda: explain(workspace, repetitions)),
        ("predicate eval", lambda: predicates(workspace, repetitions)),
        ("check of Config", lambda: check(workspace, repetitions)),
        ("dispatch, durable, one exec a payload", lambda: deliver(workspace, repetitions)),
    ]
    results = []
    for name, make in makers:
        if only is None or only in name:
            print(f"bench: {name} …", file=sys.stderr)
            results.append({"row": name, **make()})
    return results


def fail(row, text):
    sys.exit(f"bench: wrong answer: {row}: {text}")


# MARK: Streams


def dry_run(workspace, session_count, repetitions):
    row = f"dispatch --dry-run, {session_count} sessions"
    state = workspace.state(session_count)
    command = workspace.usher("dispatch", "--dry-run", "-", state=state)
    peer = ["jq", "-c", EXTRACT]
    count = stream_size(workspace, lambda n: generate.payloads(n, session_count), command)
    pairs = list(generate.payloads(max(count, PEER_LINES), session_count))
    files = write_stream(workspace, pairs, count)
    check_decisions(row, workspace, command, peer, files["usher"], [expected for _, expected in pairs[:count]])
    return stream(workspace, repetitions, command, peer, files, count, "payloads/s", "jq -c " + EXTRACT)


def predicates(workspace, repetitions):
    command = [str(workspace.program), "predicate", "eval"]
    peer = ["jq", "-c", ".self"]
    count = stream_size(workspace, generate.predicates, command)
    pairs = list(generate.predicates(max(count, PEER_LINES)))
    files = write_stream(workspace, pairs, count)
    answers = workspace.path("answers")
    process.run(command, files["usher"], answers)
    with open(answers) as lines:
        records = [json.loads(line) for line in lines]
    if len(records) != count:
        fail("predicate eval", f"{len(records)} answers to {count} lines")
    for record, (line, truth) in zip(records, pairs):
        if record["result"] is not truth:
            fail("predicate eval", f"{record['result']} for {line}")
    return stream(workspace, repetitions, command, peer, files, count, "lines/s", "jq -c .self (reads, evaluates nothing)")


def write_stream(workspace, pairs, count):
    """One line, usher's lines, and the peer's: the same ones and more where usher's are few."""
    sizes = {"one": 1, "usher": count, "peer": len(pairs)}
    files = {name: workspace.path(f"{name}.ndjson") for name in sizes}
    for name, size in sizes.items():
        files[name].write_text("".join(line + "\n" for line, _ in pairs[:size]))
    return {**files, "lines": sizes}


def stream_size(workspace, make, command):
    """How many lines make a run take about a second: found by two small runs, so that a faster program gets more."""
    lines = [line + "\n" for line, _ in make(2_000)]
    trial = workspace.path("trial.ndjson")
    trial.write_text(lines[0])
    process.run(command, trial)
    start = process.run(command, trial).wall
    size = 20
    while True:
        trial.write_text("".join(lines[:size]))
        taken = process.run(command, trial).wall - start
        if taken > 0.1 or size == len(lines):
            return max(20, min(LARGEST, int(size / max(taken, 0.001) * SECONDS_A_RUN)))
        size = min(len(lines), size * 10)


def stream(workspace, repetitions, command, peer, files, count, unit, peer_name):
    """Lines a second after start-up: the time for all lines less the time for one."""
    medians = process.interleaved(
        repetitions,
        {
            "usher one": lambda: process.run(command, files["one"]),
            "usher all": lambda: process.run(command, files["usher"]),
            "peer one": lambda: process.run(peer, files["one"]),
            "peer all": lambda: process.run(peer, files["peer"]),
        },
    )

    def side(name, command):
        one, all_ = medians[name + " one"], medians[name + " all"]
        lines = files["lines"][name] - 1
        return {
            "value": lines / (all_.wall - one.wall),
            "cpu_us": (all_.cpu - one.cpu) / lines * 1e6,
            "start_ms": one.wall * 1e3,
            "peak_mb": process.peak(command, workspace.path("peak"), files[name]),
        }

    return row_of(count, unit, side("usher", command), peer_name, side("peer", peer))


def row_of(count, unit, usher, peer_name, peer):
    """A row; both ratios say how much usher does in the time, or the CPU time, of its peer: more is better."""
    inverse = unit == "ms"
    wall = usher["value"] / peer["value"]
    return {
        "count": count,
        "unit": unit,
        "usher": usher,
        "peer": {"name": peer_name, **peer},
        "ratio": 1 / wall if inverse else wall,
        "cpu_ratio": peer["cpu_us"] / usher["cpu_us"],
    }


def check_decisions(row, workspace, command, peer, file, expected):
    answers, targets = workspace.path("answers"), workspace.path("targets")
    process.run(command, file, answers)
    process.run(peer, file, targets)
    count = 0
    with open(answers) as records, open(targets) as others:
        for record, other, wanted in zip(records, others, expected):
            count += 1
            record = json.loads(record)
            if record["target"] != json.loads(other):
                fail(row, f"target of line {count}: {record['target']}, jq says {other.strip()}")
            decided = tuple(record[key] for key in ("target", "scene", "session", "action", "reason"))
            if decided != wanted or record["error"] is not None or record["seq"] != count:
                fail(row, f"line {count}: decided {decided}, must be {wanted}; error {record['error']}")
        if count != len(expected) or records.readline():
            fail(row, f"the number of records is not {len(expected)}")


# MARK: Cold starts


def explain(workspace, repetitions):
    row = "explain, cold, 1000 sessions"
    number = 777
    command = workspace.usher("explain", generate.clown(number), "--json", state=workspace.state(1_000))
    answers = workspace.path("answers")
    process.run(command, stdout=answers)
    answer = json.loads(answers.read_text())
    decision = answer["decision"]
    wanted = ("focus", "prefers", "clown", generate.session_id(number))
    if tuple(decision[key] for key in ("action", "reason", "scene", "session")) != wanted:
        fail(row, f"decided {decision}, must be {wanted}")
    winner = [one for one in answer["candidates"] if one["session"] == generate.session_id(number)]
    if len(winner) != 1 or winner[0]["prefers"]["result"] is not True:
        fail(row, "the winner is not among the candidates, or does not prefer the target")
    return cold(workspace, repetitions, command)


def check(workspace, repetitions):
    command = [
        str(workspace.program), "check", "--json",
        "--config", str(workspace.root / "Config"), "--state", str(workspace.state(0)),
    ]  # fmt: skip
    checked = subprocess.run(command, capture_output=True, text=True)
    if checked.returncode != 0:
        fail("check of Config", f"exit status {checked.returncode}: {checked.stdout[:400]}")
    return cold(workspace, repetitions, command)


def cold(workspace, repetitions, command):
    """A process start, its work and its end; beside what any process start costs here."""
    floor = ["jq", "-n", "1"]
    medians = process.interleaved(
        repetitions * 6,
        {
            "usher": lambda: process.run(command),
            "peer": lambda: process.run(floor),
            "floor": lambda: process.run(["/bin/true"]),
        },
    )

    def side(name, command):
        return {
            "value": medians[name].wall * 1e3,
            "cpu_us": medians[name].cpu * 1e6,
            "start_ms": medians["floor"].wall * 1e3,
            "peak_mb": process.peak(command, workspace.path("peak")),
        }

    return row_of(repetitions * 6, "ms", side("usher", command), "jq -n 1", side("peer", floor))


# MARK: Real deliveries


def deliver(workspace, repetitions):
    """Payloads for distinct windows, each launched by /bin/true, journalled before and after.

    Beside a script that does the least that could be called durable: append and fsync, run, append and fsync.
    """
    row = "dispatch, durable, one exec a payload"
    count = 200
    lines = [line for line, expected in generate.payloads(count * 4, 0) if expected[1] == "clown"][:count]
    file = workspace.path("deliveries.ndjson")
    file.write_text("".join(line + "\n" for line in lines))
    targets = [json.loads(line)["aps"]["target-content-id"] for line in lines]
    if len(set(targets)) != count:
        sys.exit("bench: the targets of the deliveries are not distinct")
    answers = workspace.path("answers")
    state = workspace.new_state()
    process.run(workspace.usher("dispatch", "-", state=state), file, answers)
    with open(answers) as answered:
        records = [json.loads(line) for line in answered]
    if [record["target"] for record in records] != targets:
        fail(row, "the records are not one a payload, in order")
    for record in records:
        if (record["action"], record["reason"], record["outcome"]) != ("launch", "opens", "done"):
            fail(row, f"a record says {record['action']}, {record['reason']}, {record['outcome']}")
    listed = subprocess.run(
        workspace.usher("scene", "list", "--json", state=state), capture_output=True, text=True, check=True
    )
    if sorted(session["target"] for session in json.loads(listed.stdout)) != sorted(targets):
        fail(row, "the store does not have one session a target")

    medians = process.interleaved(
        repetitions,
        {
            "usher": lambda: process.run(workspace.usher("dispatch", "-", state=workspace.new_state()), file),
            "peer": lambda: script(workspace, lines),
        },
    )
    usher = {
        "value": count / medians["usher"].wall,
        "cpu_us": medians["usher"].cpu / count * 1e6,
        "start_ms": None,
        "peak_mb": process.peak(
            workspace.usher("dispatch", "-", state=workspace.new_state()), workspace.path("peak"), file
        ),
    }
    other = {
        "value": count / medians["peer"].wall,
        "cpu_us": medians["peer"].cpu / count * 1e6,
        "start_ms": None,
        "peak_mb": None,
    }
    return row_of(count, "deliveries/s", usher, "append+fsync, spawn /bin/true, append+fsync", other)


def script(workspace, lines):
    journal = os.open(workspace.path("journal"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    cpu, began = sum(os.times()[:4]), time.perf_counter()
    for line in lines:
        os.write(journal, line.encode() + b"\n")
        os.fsync(journal)
        child = os.posix_spawn("/bin/true", ["true"], os.environ)
        os.waitpid(child, 0)
        os.write(journal, b"done\n")
        os.fsync(journal)
    wall = time.perf_counter() - began
    os.close(journal)
    return process.Cost(wall, sum(os.times()[:4]) - cpu)
