"""A store of a million links: made in its own schema, asked through the program and by its peers."""

import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import time
import uuid

from . import process, report
from .report import Table

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


def document(number, app, title, target):
    """The activity that a link was made from, as an app writes it."""
    words = [WORDS[(number * step + step) % len(WORDS)] for step in range(1, 16)]
    value = {
        "activityType": f"{app}.view",
        "title": title,
        "targetContentIdentifier": target,
        "userInfo": {"page": number, "scroll": number % 1000 / 1000, "selection": words[:4]},
        "requiredUserInfoKeys": ["page"],
        "keywords": words[4:7],
        "contentAttributeSet": {"contentDescription": " ".join(words[7:])},
        "isEligibleForSearch": True,
        "version": "2.1",
    }
    return json.dumps(value, separators=(",", ":")).encode()


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
            app = "example." + HOSTS[link % len(HOSTS)].split(".")[0]
            target = identifier(link)
            title = f"{WORDS[link % len(WORDS)].title()} {WORDS[link * 7 % len(WORDS)]} {link}"
            db.execute(
                "INSERT INTO link (number, id, note, app, title, created, document) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (link + 1, key(2, link), row, app, title, time_ + place, document(link, app, title, target)))
            db.execute("INSERT INTO link_text (rowid, title) VALUES (?, ?)", (link + 1, title))
            db.execute("INSERT INTO link_identifier VALUES (?, 1, ?)", (link + 1, target))
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    integrity = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    db.close()
    if integrity != "ok":
        sys.exit(f"bench: the store is not whole: {integrity}")
    return state


def environment(folder):
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)}


def measure(program, look_ups, folder, notes, rounds):
    kept = dict(os.environ)
    os.environ.update(environment(folder))
    try:
        return results(program, look_ups, folder, notes, rounds)
    finally:
        os.environ.clear()
        os.environ.update(kept)


def results(program, look_ups, folder, notes, rounds):
    print(f"bench: a store of {notes * LINKS_A_NOTE} links …", file=sys.stderr)
    state = make(program, folder, notes)
    measurement = Measurement(program, folder, state, notes, rounds)
    measurement.size()
    measurement.look_up()
    measurement.suggest(look_ups)
    measurement.become_current()
    measurement.search()
    return measurement.results


class Measurement:
    """The rows of the table; each checks the answers of both sides before it measures."""

    def __init__(self, program, folder, state, notes, rounds):
        self.program, self.folder, self.state, self.rounds = program, folder, state, rounds
        self.notes, self.links = notes, notes * LINKS_A_NOTE
        self.database = str(state / "usher.db")
        self.random = random.Random(notes)
        self.results = []

    def usher(self, *arguments):
        return [str(self.program), *arguments, "--state", str(self.state), "--json", "--quiet"]

    def shell(self, sql, *options):
        return ["sqlite3", *(options or ["-readonly"]), self.database, sql]

    def row(self, name, own, peer, peer_name, expected, unit="ms", rounds=None):
        answers = self.folder / "answers"
        for side, command in (("usher", own), ("the peer", peer)):
            process.run(command, stdout=answers)
            if expected not in answers.read_text():
                sys.exit(f"bench: wrong answer of {side}: {name}: {answers.read_text()[:300]}")
        medians = process.interleaved(
            rounds or self.rounds, {"usher": lambda: process.run(own), "peer": lambda: process.run(peer)})
        scale = {"s": 1, "ms": 1e3}[unit]
        self.results.append(
            {"row": name, "unit": unit, "usher": medians["usher"].wall * scale, "peer": medians["peer"].wall * scale,
             "usher_cpu": medians["usher"].cpu * scale, "peer_cpu": medians["peer"].cpu * scale, "peer_name": peer_name})

    def size(self):
        size = os.path.getsize(self.database)
        self.results.append(
            {"row": "size of the store", "unit": "MB", "usher": size / 1e6, "peer": None,
             "note": f"{size // self.links} bytes a link, its activity and its share of a note included"})
        self.exported = self.folder / "export.jsonl"
        self.row(
            "export of everything", self.usher("note", "export", "-"), self.shell(".dump"), "sqlite3 .dump",
            text_of(self.notes - 1).split("\n")[0], "s", 1)
        process.run(self.usher("note", "export", str(self.exported)))
        self.row(
            "check of everything", self.usher("doctor"), self.shell("SELECT 'findings'; PRAGMA integrity_check"),
            "sqlite3, integrity_check", "findings", "s", 1)

    def look_up(self):
        number = self.random.randrange(self.links)
        note = number // LINKS_A_NOTE
        self.row(
            "open, one note by its id, end", self.usher("note", "show", str(uuid.UUID(bytes=key(1, note)))),
            self.shell(f"SELECT text FROM note WHERE id = x'{key(1, note).hex()}'"), "sqlite3 shell", f"Note {note}")
        self.row(
            "open, one link by its id, end", self.usher("link", "show", str(uuid.UUID(bytes=key(2, number)))),
            self.shell(
                f"SELECT identifier FROM link JOIN link_identifier ON link = number WHERE id = x'{key(2, number).hex()}'"),
            "sqlite3 shell", identifier(number))

    def suggest(self, look_ups):
        number = self.random.randrange(self.links)
        self.row(
            "open, suggest for one identifier, end", self.usher("link", "suggest", "--target", identifier(number)),
            self.shell(LOOK_UP.replace("?", f"'{identifier(number)}'")), "sqlite3 shell", f"Note {number // LINKS_A_NOTE}")
        # Inside one process, as the daemon and `--watch` do: what each change of focus costs.
        known = [identifier(self.random.randrange(self.links)) for _ in range(2000)]
        for name, wanted, each in (
            ("suggest in a process, a note has it", known, 1),
            ("suggest in a process, nobody has it", [id_ + "x" for id_ in known], 0),
        ):
            file = self.folder / "identifiers"
            file.write_text("".join(id_ + "\n" for id_ in wanted))
            own, peer = [], []
            for _ in range(self.rounds):
                own.append(self.ask(look_ups, file, len(wanted) * each))
                peer.append(self.ask_directly(wanted, len(wanted) * each))
            slow = statistics.median(one["p99_ns"] for one in own) / 1e3
            self.results.append(
                {"row": name, "unit": "µs", "usher": statistics.median(one["median_ns"] for one in own) / 1e3,
                 "peer": statistics.median(peer), "peer_name": "Python's sqlite3, the bare query",
                 "note": f"99 of 100 within {report.number(slow)} µs; nothing written"})

    def ask(self, look_ups, file, expected):
        with open(file, "rb") as identifiers:
            ended = subprocess.run([str(look_ups), str(self.state)], stdin=identifiers, capture_output=True, text=True)
        answer = json.loads(ended.stdout) if ended.returncode == 0 else sys.exit(f"bench: {ended.stdout}{ended.stderr}")
        if answer["found"] != expected or answer["wrote"]:
            sys.exit(f"bench: wrong answer of the look-ups: {answer}")
        return answer

    def ask_directly(self, wanted, expected):
        """The median of the same query, compiled once, each in a transaction of its own."""
        db = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, isolation_level=None)
        db.execute("PRAGMA cache_size = -16000")
        times, found = [], 0
        for id_ in wanted:
            began = time.perf_counter()
            found += len(db.execute(LOOK_UP, (id_,)).fetchall())
            times.append(time.perf_counter() - began)
        db.close()
        if found != expected:
            sys.exit(f"bench: the peer found {found} of {expected}")
        return statistics.median(times) * 1e6

    def become_current(self):
        """A process that makes an activity the current one, synced, and answers with the notes about it."""
        configuration = self.folder / "config"
        (configuration / "apps").mkdir(parents=True)
        (configuration / "apps" / "clowns.toml").write_text(
            'id = "example.clowntown"\nname = "Clown Town"\nactivity-types = ["example.clowntown.view"]\n'
            '[[scenes]]\nname = "main"\nlaunch = { exec = ["true"] }\n')
        target = identifier(self.random.randrange(self.links))
        os.environ["USHER_CONFIG"] = str(configuration)
        process.run(self.usher("scene", "connect", "--app", "example.clowntown", "--scene", "main", "--session", "one"))
        activity = json.dumps({"activityType": "example.clowntown.view", "title": "A", "targetContentIdentifier": target})
        self.row(
            "open, become current, suggest, end",
            self.usher("activity", "become-current", "--session", "one", "--activity", activity),
            self.shell(
                "PRAGMA synchronous = FULL; UPDATE session SET used = used + 1 WHERE id = 'one'; "
                + LOOK_UP.replace("?", f"'{target}'"), "-bail"),
            "sqlite3 shell, one update", "Note ")

    def search(self):
        rare = self.notes // 10_000 * 10_000 - 10_000 + 17 if self.notes >= 10_000 else 17
        self.row(
            "search of all notes for a rare word", self.usher("note", "search", f"unicycle{rare}"),
            ["grep", "-F", f"unicycle{rare}", str(self.exported)], "grep over the export", f"Note {rare}")
        words = "'\"clown\"* \"bicycle\"*'"
        self.row(
            "search for two common words, the best 20", self.usher("note", "search", "clown bicycle", "--limit", "20"),
            self.shell("".join(
                f"SELECT highlight({table}, 0, '[', ']') FROM {table} WHERE {table} MATCH {words} ORDER BY rank LIMIT 20;"
                for table in ("note_text", "link_text"))),
            "sqlite3 shell, the same index", "clown")


# What a suggestion needs to know.
LOOK_UP = (
    "SELECT hex(note.id), note.text, hex(link.id), link.title FROM link_identifier JOIN link ON link.number = link_identifier.link"
    " JOIN note ON note.number = link.note WHERE identifier = ?")


def table(results, links):
    table = Table("links", [f"a store of {links} links", "usher", "peer", "peer / usher", "CPU", "peer's", "by CPU",
                            "the peer is; limited by"])
    for result in results:
        usher, peer, cpu, other = (result.get(key) for key in ("usher", "peer", "usher_cpu", "peer_cpu"))
        notes = "; ".join(text for text in (result.get("peer_name"), result.get("note")) if text)
        table.add(result["row"], f"{report.number(usher)} {result['unit']}", peer, peer / usher if peer else None, cpu, other,
                  other / cpu if cpu and other else None, notes)
    return [table], {"links": results}
