"""A store of a million links: made in its own schema, asked through the program and by its peers."""

import os
import random
import sqlite3
import subprocess
import sys
import uuid

from . import process, report

LINKS_A_NOTE = 5
START = 1_700_000_000_000_000
HOSTS = ["clowntown.example", "wiki.example", "maps.example", "mail.example", "code.example", "shop.example"]
WORDS = (
    "clown circus nose meeting report ticket invoice draft review garden station museum concert recipe bicycle winter"
    " harbour bridge letter window picture travel budget lecture theory proof result question answer summary agenda"
    " release branch failure deploy server backup quarter customer contract license harvest orchard kitchen ceiling"
).split()


def identifier(number):
    """What pages are called: a host, a path of words, a number."""
    some = random.Random(number)
    host = HOSTS[number % len(HOSTS)]
    path = "/".join(some.choice(WORDS) for _ in range(some.randint(1, 3)))
    return f"https://{host}/{path}/{number:07d}" + (f"?ref={some.choice(WORDS)}" if number % 4 == 0 else "")


def key(kind, number):
    """A UUIDv7 of that time."""
    milliseconds = START // 1000 + number * 20
    noise = random.Random(kind * 10_000_019 + number).getrandbits(74)
    value = milliseconds << 80 | 7 << 76 | (noise >> 62) << 64 | 2 << 62 | noise & (1 << 62) - 1
    return value.to_bytes(16, "big")


def text_of(number):
    some = random.Random(-number - 1)
    words = " ".join(some.choice(WORDS) for _ in range(some.randint(4, 40)))
    # One in ten thousand is about something that nobody else is about.
    return f"Note {number}\n{words}" + (f" unicycle{number}" if number % 10_000 == 17 else "")


def make(program, folder, notes):
    """The program makes the empty store, with its own schema; the rows are written beside it."""
    state = folder / "state"
    made = subprocess.run(
        [str(program), "note", "new", "the first", "--state", str(state), "--json"],
        capture_output=True, text=True, env=environment(folder))
    if made.returncode != 0:
        sys.exit(f"bench: the store cannot be made: {made.stderr.strip()}")
    path = state / "usher.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN")
    first = db.execute("SELECT max(number) FROM note").fetchone()[0] + 1
    for number in range(notes):
        time_ = START + number * 100_000
        text = text_of(number)
        row = first + number
        db.execute(
            "INSERT INTO note VALUES (?, ?, ?, 'done', 1, ?, ?)", (row, key(1, number), text, time_, time_ + 1000))
        db.execute("INSERT INTO note_text (rowid, text) VALUES (?, ?)", (row, text))
        for place in range(LINKS_A_NOTE):
            link = number * LINKS_A_NOTE + place
            title = f"{WORDS[link % len(WORDS)].title()} {WORDS[link * 7 % len(WORDS)]} {link}"
            db.execute(
                "INSERT INTO link VALUES (?, ?, ?, ?, ?, ?, NULL)",
                (link + 1, key(2, link), row, "example." + HOSTS[link % len(HOSTS)].split(".")[0], title, time_ + place))
            db.execute("INSERT INTO link_text (rowid, title) VALUES (?, ?)", (link + 1, title))
            db.execute("INSERT INTO link_identifier VALUES (?, 1, ?)", (link + 1, identifier(link)))
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    integrity = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    db.close()
    if integrity != "ok":
        sys.exit(f"bench: the store is not whole: {integrity}")
    return state


def environment(folder):
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)}


def versions():
    return {
        "sqlite3": report.version(["sqlite3", "--version"], r"^([\d.]+)"),
        "grep": report.version(["grep", "--version"], r"([\d.]+)"),
    }


def measure(program, folder, notes, rounds):
    print(f"bench: a store of {notes * LINKS_A_NOTE} links …", file=sys.stderr)
    os.environ.update(environment(folder))
    state = make(program, folder, notes)
    database = str(state / "usher.db")
    usher = lambda *arguments: [str(program), *arguments, "--state", str(state), "--json", "--quiet"]  # noqa: E731
    shell = lambda sql: ["sqlite3", "-readonly", database, sql]  # noqa: E731
    count = notes * LINKS_A_NOTE
    some = random.Random(notes)
    results = [{"row": "size of the store", "unit": "MB", "usher": os.path.getsize(database) / 1e6, "peer": None}]

    exported = folder / "export.jsonl"
    cost = process.run(usher("note", "export", str(exported)))
    results.append(
        {"row": "export of everything", "unit": "s", "usher": cost.wall, "peer": None,
         "note": f"{os.path.getsize(exported) / 1e6:.0f} MB"})

    def row(name, own, peer, peer_name, expected, check):
        answers = folder / "answers"
        process.run(own, stdout=answers)
        check(answers.read_text(), expected)
        process.run(peer, stdout=answers)
        if expected not in answers.read_text():
            sys.exit(f"bench: wrong answer of the peer: {name}")
        medians = process.interleaved(
            rounds, {"usher": lambda: process.run(own), "peer": lambda: process.run(peer)})
        results.append(
            {"row": name, "unit": "ms", "usher": medians["usher"].wall * 1e3, "peer": medians["peer"].wall * 1e3,
             "peer_name": peer_name})

    def holds(text, expected):
        if expected not in text:
            sys.exit(f"bench: wrong answer: {expected} is not in {text[:300]}")

    number = some.randrange(count)
    id_ = str(uuid.UUID(bytes=key(2, number)))
    target = identifier(number)
    row("open, read one note, end", usher("note", "show", str(uuid.UUID(bytes=key(1, number // 5)))),
        shell(f"SELECT text FROM note WHERE id = x'{key(1, number // 5).hex()}'"), "sqlite3 shell",
        f"Note {number // 5}", holds)
    row("open, one link by its id, end", usher("link", "show", id_),
        shell(f"SELECT identifier FROM link JOIN link_identifier ON link = number WHERE id = x'{key(2, number).hex()}'"),
        "sqlite3 shell", target, holds)
    row("open, suggest for one identifier, end", usher("link", "suggest", "--target", target),
        shell("SELECT note.text FROM link_identifier JOIN link ON link.number = link JOIN note ON note.number = link.note"
              f" WHERE identifier = '{target}'"), "sqlite3 shell", f"Note {number // 5}", holds)
    rare = notes // 10_000 * 10_000 - 10_000 + 17 if notes >= 10_000 else 17
    row("search of all notes for a rare word", usher("note", "search", f"unicycle{rare}"),
        ["grep", "-F", f"unicycle{rare}", str(exported)], "grep over the export", f"Note {rare}", holds)
    row("search of all notes for two common words", usher("note", "search", "clown bicycle", "--limit", "20"),
        ["grep", "-m", "20", "-E", "clown.*bicycle|bicycle.*clown", str(exported)], "grep -m 20", "clown", holds)

    # Inside one process: what a look-up costs once the store is open.
    # Of content that no note is about, as most of what people look at: an answer ends after 32 suggestions.
    targets = [identifier(some.randrange(count)) + "x" for _ in range(500)]
    results.append(inside(usher, folder, targets, rounds))
    return results


def inside(usher, folder, targets, rounds):
    """The difference of many look-ups and one, by one command that takes them all."""
    cost = {}
    for name, some in (("one", targets[:1]), ("many", targets)):
        command = usher("link", "suggest", *(word for target in some for word in ("--target", target)))
        process.run(command)
        cost[name] = process.interleaved(rounds * 3, {"usher": lambda: process.run(command)})["usher"]
    each = (cost["many"].wall - cost["one"].wall) / (len(targets) - 1) * 1e6
    return {"row": "suggest, one of many identifiers", "unit": "µs", "usher": each, "peer": None,
            "note": "no note has them; within one process"}


def text(machine, results):
    head = "{cores} cores {architecture}, {processor}, {memory_gb} GB, Linux {kernel}, Swift {swift}".format(**machine)
    table = [["row", "usher", "peer", "ratio", "the peer is"]]
    for result in results:
        peer = result["peer"]
        table.append([
            result["row"], f"{report.number(result['usher'])} {result['unit']}",
            report.number(peer) if peer is not None else "–",
            f"{report.number(peer / result['usher'])} ×" if peer is not None else "–",
            result.get("peer_name") or result.get("note", ""),
        ])
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
    peers = ", ".join(f"{name} {version}" for name, version in machine["peers"].items())
    return "\n".join([f"{head}, {peers}", "", *lines, "",
                      "Every answer was checked. Medians of interleaved runs, processes from start to end. Ratio: the peer's time by usher's; more is better."])
