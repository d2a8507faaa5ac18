"""Sections of `check-content`: links of notes, the menu of activities, and suggestions when content comes back.

Links in an editor are NoteLinksTests' of commands, what is refused is LinksTests'.
"""

import glob
import json
import threading
import time

from checklist import eventually
from content import ContentSection, UUID, listed, shown


def identifiers(link):
    return {(one.get("kind"), one.get("identifier")) for one in listed(link, "identifiers")}


class Links(ContentSection):
    def links(self):
        with self.desk() as desk:
            note = desk.note("Trip")
            said = desk.link(note, desk.id_of("maps", "a"))
            self.check(
                said.status == 0 and UUID.fullmatch(said.out.strip()), "link add prints the bare id", str(said))
            desk.link(note, desk.id_of("browser", "b"))
            links = listed(desk.ask("link", "list", "--note", note), "links")
            self.check(
                {one["target"] for one in links} == {desk.id_of("maps", "a"), desk.id_of("browser", "b")},
                "several links a note", str(links))
            whole = desk.ask("note", "show", note)
            self.check(len(listed(whole, "links")) == 2, "note show has them", str(whole))
            created = desk.run("note", "new", "With links", "--link", desk.id_of("maps", "c"), "--link",
                               desk.id_of("maps", "d"), "--json")
            self.check(
                len(listed(desk.ask("note", "show", created.id), "links")) == 2, "note new --link, twice", str(created))
            self.from_activity(desk, note)
            self.preference(desk)
            self.twice(desk)
            link = said.id
            opened = desk.ask("link", "open", link)
            self.check(
                opened.get("target") == desk.id_of("maps", "a") and opened.get("action") in ("launch", "focus"),
                "link open is a dispatch to its target", str(opened))
            self.holds(desk.run("link", "remove", link), "removed")
            self.refused(desk.run("link", "open", link), "a link that was removed", link)
            self.check(
                [one["target"] for one in listed(desk.ask("link", "list", "--note", note), "links")
                 if one["target"] == desk.id_of("maps", "a")] == [], "and is not listed")

    def from_activity(self, desk, note):
        session = desk.connect(page="gate")
        desk.become(
            session, "Golden Gate", target=desk.id_of("maps", "gate"), persistent="maps:place:77",
            webpage="https://maps.example/web/gate", user_info='{"zoom":3}')
        said = desk.run("link", "add", "--note", note, "--from-current", "--json")
        link = said.json.get("link") or {}
        self.check(
            identifiers(link) == {
                ("targetContentIdentifier", desk.id_of("maps", "gate")), ("persistentIdentifier", "maps:place:77"),
                ("webpageURL", "https://maps.example/web/gate")},
            "a link of the current activity has all its identifiers", str(said))
        alone = desk.run("note", "About the gate", "--json")
        made = listed(alone.json, "links")
        self.check(
            len(made) == 1 and identifiers(made[0]) == identifiers(link) and made[0].get("title") == "Golden Gate",
            "a new note has such a link by itself", str(alone))
        for words in (["--no-link"], ["--link", "x:y"]):
            self.check(
                [one["target"] for one in listed(desk.run("note", "Other", *words, "--json").json, "links")]
                == ["x:y"] * ("--link" in words), f"not with {words[0]}")
        self.check(
            link.get("title") == "Golden Gate" and link.get("app") == "example.maps", "with title and app", str(said))

    def preference(self, desk):
        for name, target, persistent, webpage, expected in (
            ("all three", "https://maps.example/pages/t", "maps:p", "https://maps.example/w",
            "https://maps.example/pages/t"),
            ("two", None, "maps:p2", "https://maps.example/w2", "maps:p2"),
            ("the web page alone", None, None, "https://maps.example/w3", "https://maps.example/w3"),
        ):
            session = desk.connect(scene="main", session=f"pref-{len(name)}")
            desk.become(session, name, target=target, persistent=persistent, webpage=webpage)
            note = desk.note(name)
            said = desk.run("link", "add", "--note", note, "--from-current", "--json")
            found = (said.json.get("link") or {}).get("target")
            self.check(found == expected, f"of {name}, the preferred identifier", str(said))
            desk.run("scene", "close", session)

    def twice(self, desk):
        note = desk.note("Twice")
        first, second = desk.link(note, desk.id_of("maps", "same")), desk.link(note, desk.id_of("maps", "same"))
        links = listed(desk.ask("link", "list", "--note", note), "links")
        self.check(
            second.status == 0 and len(links) == 1 and first.id == second.id,
            "the same link in the same note is one link", f"{second} {links}")
        other = desk.note("Twice, in another")
        desk.link(other, desk.id_of("maps", "same"))
        links = listed(desk.ask("link", "list", "--target", desk.id_of("maps", "same")), "links")
        self.check(len(links) == 2, "another note has its own", str(links))

    def menu(self):
        with self.desk() as desk:
            note = desk.note("Chosen")
            for page, title in (("a", "Alcatraz"), ("b", "Bridge"), ("c", "Cable Car")):
                desk.become(desk.connect(page=page), title, target=desk.id_of("maps", page))
            status, text = desk.at_terminal([("Alcatraz", "2\n")], "link", "add", "--note", note)
            places = [text.find(title) for title in ("Cable Car", "Bridge", "Alcatraz")]
            self.check(
                -1 not in places and places == sorted(places),
                "the menu has the current activities, the system's first",
                shown(text))
            links = listed(desk.ask("link", "list", "--note", note), "links")
            self.check(
                status == 0 and [one["title"] for one in links] == ["Bridge"], "the choice is linked",
                f"{shown(text)} {links}")
            for answer, name in (("\x04", "end of input"), ("9\n\x04", "a number that is not there")):
                status, text = desk.at_terminal([("Alcatraz", answer)], "link", "add", "--note", note)
                self.check(
                    status != 0 and len(listed(desk.ask("link", "list", "--note", note), "links")) == 1,
                    f"{name}: nothing is linked", f"{status} {shown(text)}")

    # Suggestions

    def suggestions(self):
        with self.desk(serve=False) as desk:
            library = sorted(glob.glob("/usr/lib/*/faketime/libfaketime*.so.1"))
            before = {"LD_PRELOAD": library[0], "FAKETIME": "-183d"} if library else {}
            if not library:
                self.checks.note("SKIPPED half a year between link and look-up: there is no libfaketime")
            target = desk.id_of("maps", "old")
            note = desk.run("note", "new", "Half a year ago\nsecond line", env=before).id
            desk.run("link", "add", "--note", note, "--target", target, env=before)
            if before:
                made = [one.get("created", "") for one in listed(desk.ask("link", "list", "--note", note), "links")]
                months = time.time() - 150 * 86400
                self.check(
                    len(made) == 1 and time.strftime("%Y-%m-%d", time.gmtime(months)) > made[0][:10],
                    "the link is half a year old", str(made))
            if self.with_daemon:
                desk.serve()
            session = desk.connect(page="old")
            said = desk.become(session, "Old place", target=target, more=["--log-level", "info"])
            found = listed(said.json, "suggestions")
            if self.check(len(found) == 1, "half a year later, in another process, the note is suggested", str(said)):
                one = found[0]
                self.check(
                    one["note"] == note and one["text"] == "Half a year ago" and one["identifier"] == target
                    and one["matched"] == target and one["via"] == [] and one["target"] == f"usher-note:{note}",
                    "it says which note, and from where", str(one))
            told = desk.served.log() if desk.served else said.err
            self.check(
                "a note about this content was found" in told, "the log has the event", lambda: shown(told[-800:], 800))
            self.lookup(desk, target)
            self.through_moves(desk, session)
            self.exactly(desk, session)
            self.watch(desk)

    def lookup(self, desk, target):
        before = desk.fingerprint()
        for _ in range(3):
            said = desk.run("link", "suggest", "--target", target, "--json")
        self.check(
            said.status == 0 and len(listed(said.json, "suggestions")) == 1, "link suggest --target finds it",
            str(said))
        current = desk.run("link", "suggest", "--json")
        self.check(len(listed(current.json, "suggestions")) == 1, "without one, the current activity's", str(current))
        nothing = desk.run("link", "suggest", "--target", "https://maps.example/pages/none", "--json")
        self.check(nothing.status == 0 and listed(nothing.json, "suggestions") == [], "none is none", str(nothing))
        self.check(desk.fingerprint() == before, "a look-up writes nothing: the store's bytes are the same")

    def through_moves(self, desk, session):
        ids = [desk.id_of("maps", name) for name in ("m1", "m2", "m3")]
        notes = [desk.note(f"Through {name}") for name in ("m1", "m3")]
        desk.link(notes[0], ids[0])
        desk.link(notes[1], ids[2])
        self.holds(desk.run("content", "moved", ids[0], ids[1]), "moved")
        self.holds(desk.run("content", "moved", ids[1], ids[2]), "and again")
        for id in ids:
            said = desk.become(session, "Moved place", target=id)
            found = {one["note"]: one for one in listed(said.json, "suggestions")}
            self.check(
                set(found) == set(notes), f"both notes are suggested for {id[-2:]}, whichever id they have", str(said))
            if set(found) == set(notes):
                self.check(
                    found[notes[0]]["identifier"] == ids[0] and found[notes[1]]["identifier"] == ids[2]
                    and all(one["matched"] == id for one in found.values()), "each with the id it was stored under",
                    str(found))
                self.check(
                    (found[notes[0]]["via"] == []) == (id == ids[0]), f"and the hops between, for {id[-2:]}",
                    str(found[notes[0]]["via"]))

    def exactly(self, desk, session):
        """Nothing but what the canonical form of an address says is the same."""
        note = desk.note("Exact")
        stored = "https://maps.example/pages/Caf\u00e9?b=1&a=2"
        desk.link(note, stored)
        for other in ("https://maps.example/pages/Cafe\u0301?b=1&a=2", "https://maps.example/pages/Caf\u00e9?a=2&b=1"):
            said = desk.become(session, "Nearly", target=other)
            self.check(listed(said.json, "suggestions") == [], f"nearly the same is not the same: {other}", str(said))
        said = desk.become(session, "Exactly", target="https://elsewhere.example/", persistent=stored)
        self.check(
            [one["note"] for one in listed(said.json, "suggestions")] == [note], "any of the three identifiers counts",
            str(said))

    def watch(self, desk):
        target = desk.id_of("maps", "watched")
        note = desk.note("Watched")
        desk.link(note, target)
        process = desk.begin("link", "suggest", "--watch")
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(iter(process.stdout.readline, b"")), daemon=True)
        reader.start()
        try:
            session = desk.connect(page="watched")

            def lines_of_note():
                desk.become(session, "Watched", target=target, is_kept=False)
                return eventually(lambda: [line for line in list(lines) if note.encode() in line], seconds=5)
            found = eventually(lines_of_note)
            self.check(found, "--watch prints a line when it becomes current", shown(b"".join(lines)))
            if found:
                try:
                    value = json.loads(found[0])
                except ValueError:
                    value = None
                self.check(value is not None, "one line of JSON each, where no terminal reads it", shown(found[0]))
        finally:
            process.terminate()
            process.wait(30)
            reader.join(10)
            process.stdout.close()
            process.stderr.close()
        self.check(
            process.returncode in (0, 130, 143, -15), "and ends when asked to", str(process.returncode))
