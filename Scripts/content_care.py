"""Sections of `check-content`: notes carried elsewhere and back, files that were cut, a store that is looked after."""

import json
import os
import sqlite3
import threading

from checklist import eventually
from content import ContentSection, Desk, listed, shown


class Care(ContentSection):
    def filled(self, desk, count=6):
        """Notes of every kind, with links of every kind. Gives their ids."""
        ids = []
        for number in range(count):
            ids.append(desk.note(f"Note {number}\n“quoted” \\ 舊金山 \u0301 {'x' * 200 * number}",
                desk.id_of("maps", number)))
        session = desk.connect(page="whole")
        desk.become(
            session, "Whole", target=desk.id_of("maps", "whole"), persistent="maps:whole",
            webpage="https://maps.example/w", user_info='{"b":1.50,"a":[1e2,null],"z":18446744073709551616}')
        desk.run("link", "add", "--note", ids[1], "--from-current")
        desk.run("note", "done", ids[2])
        desk.run("note", "attach", ids[3], desk.write("file.txt", "attached"))
        desk.run("note", "attach", ids[3], "sha256:" + "cd" * 32)
        return ids

    def transfer(self):
        with self.desk() as desk, self.desk() as other:
            ids = self.filled(desk)
            exported = desk.run("note", "export", is_kept=False)
            self.holds(exported, "note export")
            lines = exported.out.splitlines()
            self.check(
                len(lines) >= len(ids) and all(isinstance(json.loads(line), dict) for line in lines), "is JSON Lines",
                shown(exported.out))
            self.check('18446744073709551616' in exported.out and '1.50' in exported.out,
                "with numbers as they were written")
            file = other.write("notes.jsonl", exported.out)
            said = other.run("note", "import", file)
            self.holds(said, "note import")
            again = other.run("note", "export", is_kept=False)
            self.check(body(again) == body(exported), "export, import, export: the same bytes",
                lambda: first_difference(exported.out, again.out))
            self.check(
                listed(other.ask("note", "list", is_kept=False), "notes")
                == listed(desk.ask("note", "list", is_kept=False), "notes"), "the same list")
            self.check(
                len(listed(other.ask("note", "search", "舊金山"), "notes")) == len(ids), "what was imported is found")
            twice = other.run("note", "import", file)
            third = other.run("note", "export", is_kept=False)
            self.check(
                body(third) == body(exported) and twice.status in (0, 2), "imported twice: no note is there twice",
                str(twice))
            piped = other.run("note", "import", "-", input=exported.out)
            self.check(piped.status in (0, 2), "from standard input, too", str(piped))
            target = desk.id_of("maps", 0)
            found = listed(other.ask("link", "suggest", "--target", target, "--json"), "suggestions")
            self.check([one["note"] for one in found] == [ids[0]], "links are live again", str(found))

    def cutting(self):
        with self.desk() as desk:
            self.filled(desk, count=4)
            whole = desk.run("note", "export", is_kept=False).out.encode("utf-8", "surrogateescape")
            lines = whole.splitlines(keepends=True)
            cuts = [sum(map(len, lines[:number])) for number in range(1, len(lines))]
            middles = [cut - len(lines[place]) // 2 for place, cut in enumerate(cuts)]
            with self.desk() as other:
                keeper = other.note("was here before")
                before = body(other.run("note", "export", is_kept=False))
                for place, cut in enumerate(sorted(cuts + middles + [len(whole) - 2, 1])):
                    at_line = cut in cuts
                    path = other.write(f"cut-{place}.jsonl", whole[:cut])
                    said = other.run("note", "import", path, is_kept=False)
                    self.refused(said, f"cut {'after' if at_line else 'within'} line {whole[:cut].count(10)}")
                    after = body(other.run("note", "export", is_kept=False))
                    self.check(after == before, f"cut at byte {cut}: nothing is written", shown(str(after), 600))
                strange = [
                    ("another program's JSON", b'{"hello":1}\n'), ("no JSON", b"note\n"), ("nothing", b""),
                    ("a line that is twice as good", lines[0] + b"[]\n" + b"".join(lines[1:])),
                    ("NUL bytes", b"\0" * 100), ("Latin-1", b'{"text":"\xe9"}\n'),
                ]
                for name, data in strange:
                    said = other.run("note", "import", other.write("strange.jsonl", data), is_kept=False)
                    self.refused(said, f"a file of {name}")
                    self.check(body(other.run("note", "export", is_kept=False)) == before,
                        f"{name}: nothing is written")
                self.refused(other.run("note", "import", other.path("nowhere.jsonl")), "a file that is not there",
                    "nowhere")
                self.check(other.ask("note", "show", keeper).get("id") == keeper and other.is_sound,
                    "what was there stays")

    def care(self):
        with self.desk() as desk:
            ids = self.filled(desk)
            said = desk.run("doctor")
            self.check(said.status == 0, "doctor finds nothing wrong in a sound store", str(said))
            self.backup(desk)
            if desk.served:
                self.check(desk.stop() == 0, "the daemon ends")
            # An index that tells something else than the notes.
            path = desk.path("state/usher.db")
            store = sqlite3.connect(path)
            store.execute("DELETE FROM note_text_data WHERE id > 10")
            store.commit()
            store.close()
            said = desk.run("doctor", is_kept=False)
            self.check(said.status == 1 and said.out + said.err, "doctor finds a broken search index", str(said))
            said = desk.run("doctor", "--repair", is_kept=False)
            self.check(said.status == 0, "and repairs it", str(said))
            found = {one["id"] for one in listed(desk.ask("note", "search", "舊金山", is_kept=False), "notes")}
            self.check(found == set(ids), "without losing a note: all are found again", f"{len(found)} of {len(ids)}")
            # Pages that were overwritten.
            size = os.path.getsize(path)
            with open(path, "r+b") as file:
                # Every second one: what is free may be damaged without harm.
                for place in range(8 * 4096, size - 4096, 2 * 4096):
                    file.seek(place)
                    file.write(b"\xff" * 512)
            said = desk.run("doctor", is_kept=False)
            self.check(
                said.status in (1, 2) and said.out + said.err and "Traceback" not in said.err,
                "damage to the file is found, and told", str(said))
            desk.write("state/usher.db", b"this is no database\n" * 100)
            for suffix in ("-wal", "-shm"):
                if os.path.exists(path + suffix):
                    os.unlink(path + suffix)
            said = desk.run("doctor", is_kept=False)
            self.check(said.status in (1, 2) and "help" in said.err + said.out, "a file that is no store", str(said))

    def backup(self, desk):
        stop, acknowledged = threading.Event(), []

        def write():
            while not stop.is_set():
                said = desk.run("note", "new", f"under load {len(acknowledged)}", is_kept=False)
                if said.status == 0:
                    acknowledged.append(said.out.strip())

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        try:
            eventually(lambda: len(acknowledged) > 5)
            known = list(acknowledged)
            copy = desk.path("backup.db")
            said = desk.run("doctor", "--backup", copy, is_kept=False)
            self.check(said.status == 0 and os.path.exists(copy), "an online backup, while notes are written",
                str(said))
        finally:
            stop.set()
            writer.join(60)
        if not os.path.exists(copy):
            return
        with Desk(*self.programs, []) as restored:
            os.makedirs(restored.path("state"), mode=0o700)
            os.rename(copy, restored.path("state/usher.db"))
            self.check(restored.is_sound, "the copy is sound")
            kept = {one["id"] for one in listed(restored.ask("note", "list", "--limit", "1000"), "notes")}
            self.check(set(known) <= kept, "and has all that was acknowledged before it",
                f"{len(kept)} of {len(known)}")
            said = restored.run("doctor")
            self.check(said.status == 0, "doctor says so, too", str(said))


def body(said):
    """What was exported: the same of the same, byte for byte."""
    return said.out


def first_difference(one, other):
    for place, (left, right) in enumerate(zip(one.splitlines(), other.splitlines())):
        if left != right:
            return f"line {place + 1}\n        {shown(left)}\n        {shown(right)}"
    return f"{len(one.splitlines())} and {len(other.splitlines())} lines"
