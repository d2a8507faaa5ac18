"""Sections of `check-content`: notes in progress and aside, in tmux, with attachments, found again.

Editors and what is refused are NotesTests' and NoteLinksTests' of commands.
"""

import hashlib
import os

from checklist import eventually
from content import ContentSection, UUID, listed, shown

# Stays open, as an editor does, where its arguments can be read.
SCREEN = """#!/bin/sh
for file; do :; done
printf '%s\\n' "$*" >> '{trace}'
echo "EDITING"; cat "$file"
read -r _
"""


def texts(notes):
    return [one.get("text") or one.get("title") for one in listed(notes, "notes")]


class Notes(ContentSection):
    def notes(self):
        with self.desk() as desk:
            said = desk.run("note", "new", "First thought")
            self.check(
                said.status == 0 and UUID.fullmatch(said.out.strip()), "note new prints the bare id", str(said))
            first = said.id
            said = desk.run("note", "new", "Second thought\nwith more", "--json")
            second = said.id
            note = (said.json.get("note") or said.json) if isinstance(said.json, dict) else {}
            self.check(
                note.get("state") == "current" and note.get("target") == f"usher-note:{second}",
                "--json prints the note, which has a target of its own", str(said))
            self.states(desk, {first: "aside", second: "current"}, "a new note is the one in progress")
            self.holds(desk.run("note", "aside"), "put aside")
            self.states(desk, {first: "aside", second: "aside"}, "none is in progress then")
            self.refused(desk.run("link", "add", "--note", "current", "--target", "https://maps.example/pages/a"),
                         "--note current without one")
            self.holds(desk.run("note", "resume", first), "pulled out again")
            self.states(desk, {first: "current", second: "aside"}, "resume names it")
            self.holds(desk.run("note", "resume", f"usher-note:{second}"), "by its target")
            self.states(desk, {first: "aside", second: "current"}, "only one is in progress")
            self.holds(desk.run("link", "add", "--note", "current", "--target", desk.id_of("maps", "a")),
                       "a link for the current note")
            shown_note = desk.ask("note", "show", "current")
            self.check(
                shown_note.get("id") == second and len(listed(shown_note, "links")) == 1, "is in that note",
                str(shown_note))
            self.holds(desk.run("note", "done"), "done")
            self.states(desk, {first: "aside", second: "done"}, "and done")
            for state, count in (("aside", 1), ("done", 1), ("current", 0)):
                found = listed(desk.ask("note", "list", "--only", state), "notes")
                self.check(len(found) == count, f"note list --only {state}", str(found))
            for number in range(5):
                desk.note(f"Number {number}")
            page = listed(desk.ask("note", "list", "--limit", "3"), "notes")
            self.check(len(page) == 3 and texts(page)[0] == "Number 4", "the newest first, as many as asked for",
                str(page))
            rest = listed(desk.ask("note", "list", "--before", page[-1]["id"]) if page else [], "notes")
            self.check(
                len(rest) == 4 and not {one["id"] for one in rest} & {one["id"] for one in page}, "and the next page",
                str(rest))
            self.search(desk)
            self.attachments(desk, first)
            self.holds(desk.run("note", "delete", second), "deleted")
            self.check(
                listed(desk.ask("link", "list", "--target", desk.id_of("maps", "a")), "links") == [],
                "its links went with it")

    def states(self, desk, expected, name):
        found = {one["id"]: one["state"] for one in listed(desk.ask("note", "list"), "notes")}
        self.check(found == expected, name, str(found))

    def search(self, desk):
        for text in ("Buy crème brûlée", "舊金山的地圖 map", "Straße nach Süden", "Ünïcödé\nsecond line"):
            desk.note(text)
        tagged = desk.note("An untitled thing")
        session = desk.connect(page="golden-gate")
        desk.become(session, "Golden Gate Bridge", target=desk.id_of("maps", "golden-gate"))
        desk.run("link", "add", "--note", tagged, "--from-current")
        for query, words in (
            ("creme", "crème"), ("brulee", "crème"), ("CRÈME", "crème"), ("舊金山", "舊金山"), ("地圖", "地圖"),
            ("suden", "Süden"),
            ("unicode", "Ünïcödé"), ("line", "Ünïcödé"), ("golden", "untitled"),
        ):
            found = listed(desk.ask("note", "search", query), "notes")
            self.check(
                len(found) == 1 and words in str(found), f"search {query} finds {words}", shown(str(found), 600))
        self.check(listed(desk.ask("note", "search", "crime"), "notes") == [], "and what is not there is not found")
        for query in ('"', "a OR", "NEAR(", "text:x", "*", "^", "a AND NOT", "'); DROP TABLE note; --"):
            said = desk.run("note", "search", "--", query)
            self.check(
                said.status == 0 or said.is_refusal(), f"search for {query!r}: an answer or one clear error", str(said))

    def attachments(self, desk, note):
        content = b"\x89PNG not quite\n" * 100
        path = desk.write("pictures/clown.png", content)
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        self.holds(desk.run("note", "attach", note, path), "attach a file")
        self.holds(desk.run("note", "attach", note, "sha256:" + "ab" * 32), "attach by digest")
        found = listed(desk.ask("note", "show", note), "attachments")
        self.check(len(found) == 2, "both are there", str(found))
        file = [one for one in found if one.get("path")]
        self.check(
            file and file[0]["path"] == path and file[0]["size"] == len(content) and file[0]["digest"] == digest,
            "a file with path, size and digest", str(file))

    def opening(self):
        with self.desk(attached=True, serve=False) as desk:
            trace = desk.path("trace")
            desk.environment["EDITOR"] = desk.write("home/bin/ed-scripted", SCREEN.format(trace=trace), executable=True)
            if self.with_daemon:
                desk.serve()
            note = desk.note("Opened in a window\nof its own")
            target = f"usher-note:{note}"
            said = desk.run("note", "open", note)
            self.holds(said, "note open")
            record = said.json
            self.check(
                record.get("action") == "launch" and record.get("target") == target,
                "is a dispatch to the note's target",
                str(said))
            self.check(
                eventually(lambda: "Opened in a window" in desk.tmux("capture-pane", "-p")),
                "the editor shows it in tmux", lambda: desk.tmux("capture-pane", "-p") + str(said))
            self.check(
                eventually(lambda: os.path.exists(trace)), "which is $EDITOR")
            again = desk.open(target)
            self.check(
                again.get("action") == "focus" and again.get("session") == record.get("session"),
                "a second time it comes to the front: one window a note", str(again))
            other = desk.note("Another")
            third = desk.run("note", "open", other).json
            self.check(
                third.get("session") != record.get("session") and third.get("action") == "launch",
                "another note has another window", str(third))
            # A window says its title once its editor runs.
            explained = desk.run("explain", target, is_kept=False)
            self.check(explained.status == 0 and note in explained.out, "explain says where a note opens",
                str(explained))
            missing = desk.run("open", "usher-note:01234567-89ab-7def-8123-456789abcdef")
            self.check(
                missing.status in (1, 2), "a note that is not there opens no window", str(missing))
