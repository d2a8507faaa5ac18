"""Sections of `check-content`: unstable identifiers, and invalid input."""

import json

from content import ContentSection, listed, shown

LONG = "https://maps.example/pages/"


def codes(said):
    """The findings' codes of an answer."""
    return {one.get("code") for one in listed(said.json, "findings")}


class Hardship(ContentSection):
    def lint(self):
        with self.desk() as desk:
            session = desk.connect(scene="main")
            for target, code in (
                ("https://maps.example/undefined", "U7302"), ("https://kim:secret@maps.example/pages/a", "U7401"),
                ("https://maps.example/pages/a\u202eb", "U7402"),
            ):
                said = desk.become(session, "Linted", target=target)
                self.check(said.status == 0 and code in codes(said), f"become-current warns of {target!r}: {code}",
                    str(said))
                said = desk.run("link", "add", "--note", desk.note("linted"), "--target", target, "--json")
                self.check(said.status == 0 and code in codes(said), f"link add warns of {target!r}: {code}", str(said))
            said = desk.become(session, "Fine", target=desk.id_of("maps", "fine"),
                persistent=desk.id_of("maps", "fine"))
            self.check(said.status == 0 and codes(said) == set(), "a good one is not warned of", str(said))
            desk.manifest("browser")
            with open(desk.path("config/apps/browser.toml"), encoding="utf-8") as file:
                text = file.read()
            desk.write("config/apps/browser.toml", text.replace('"example.browser.read"', '"Reading List"'))
            checked = desk.run("check", is_kept=False)
            self.check("lint.activity-type" in checked.out, "check warns of a type that is no reverse DNS",
                lambda: shown(f"{checked}", 1500))

    def hardship(self):
        with self.desk() as desk:
            session = desk.connect(page="a")
            desk.become(session, "There", target=desk.id_of("maps", "a"))
            note = desk.note("there", desk.id_of("maps", "a"))
            before, listing = desk.counts(), desk.ask("activity", "list")
            self.activities(desk, session)
            self.identifiers(desk, session, note)
            self.check(desk.ask("activity", "list") == listing, "the current activity is the same")
            self.check(desk.counts() == before, "nothing was written", f"{before} {desk.counts()}")
            self.long_ones(desk, session, note)
            self.check(desk.is_sound, "the store is sound")

    def activities(self, desk, session):
        target = desk.id_of("maps", "x")
        for name, info in (
            ("an array", "[]"), ("a string", '"x"'), ("a number", "7"), ("no JSON", "{zoom:3}"), ("cut", '{"zoom":'),
            ("two members of one name", '{"a":1,"a":2}'), ("half a surrogate", '{"a":"\\ud800"}'), ("empty", ""),
        ):
            self.refused(desk.become(session, "X", target=target, user_info=info), f"userInfo is {name}", "userInfo")
        deep = "[" * 600 + "]" * 600
        self.refused(desk.become(session, "X", target=target, user_info=f'{{"a":{deep}}}'), "userInfo nested 600 deep")
        # An argument may be 128 KiB at most, so the megabyte comes on standard input, as an activity and as a payload.
        big = {"activityType": "example.maps.view", "targetContentIdentifier": target,
            "userInfo": {"x": "y" * (1 << 20)}}
        said = desk.run(
            "activity", "become-current", "--session", session, "--activity", "-", input=json.dumps(big))
        self.refused(said, "an activity of 1 MB")
        start = len(desk.effects())
        said = desk.run("dispatch", "-", input=json.dumps({"userActivity": big}) + "\n")
        self.check(
            said.status == 1 and (said.json.get("error") or {}).get("code") and desk.effects()[start:] == [],
            "an activity of 1 MB in a payload: one error, no effect", shown(str(said), 900))
        for name, value in (("userInfo", []), ("userInfo", "x"), ("title", 7), ("targetContentIdentifier", {})):
            line = {"activityType": "example.maps.view", "targetContentIdentifier": target}
            line[name] = value
            said = desk.run("dispatch", "-", input=json.dumps({"userActivity": line}) + "\n")
            self.check(
                said.status == 1 and (said.json.get("error") or {}).get("at"),
                f"a payload with {name} = {value!r}: an error with its place",
                str(said))
        for name, type in (("empty", ""), ("spaces", "two words"), ("of no app", "org.elsewhere.view")):
            self.refused(desk.become(session, "X", target=target, type=type), f"a type that is {name}")

    def identifiers(self, desk, session, note):
        huge = LONG + "x" * 20_000
        for name, id in (
            ("of 20 000 characters", huge), ("that is empty", ""), ("with a NUL", "https://maps.example/\\u0000"),
        ):
            if "NUL" in name:
                # No argument can hold one; a member of JSON can.
                line = '{"userActivity":{"activityType":"example.maps.view","targetContentIdentifier":"' + id + '"}}\n'
                said = desk.run("dispatch", "-", input=line)
                self.check(
                    said.status == 1 and (said.json.get("error") or {}).get("at"),
                    f"an identifier {name}, in a payload",
                    str(said))
                self.refused(
                    desk.run("activity", "become-current", "--session", session, "--activity", "-",
                             input=json.dumps(json.loads(line)["userActivity"])),
                    f"an identifier {name}, in an activity")
                continue
            self.refused(desk.become(session, "X", target=id), f"an activity's target {name}")
            self.refused(desk.become(session, "X", persistent=id), f"an activity's persistent identifier {name}")
            self.refused(desk.become(session, "X", webpage=id), f"an activity's web page {name}")
            self.refused(desk.link(note, id), f"a link's target {name}")
            self.refused(desk.run("note", "new", "x", "--link", id), f"a new note's link {name}")
            self.refused(desk.run("content", "moved", desk.id_of("maps", "q"), id), f"a move to one {name}")
            self.refused(desk.run("content", "moved", id, desk.id_of("maps", "q")), f"a move from one {name}")
            self.refused(desk.run("content", "deleted", id), f"a tombstone for one {name}")
        for page in ("not a page", "javascript:alert(1)", "file:///etc/passwd"):
            self.refused(desk.become(session, "X", webpage=page), f"{page} as a web page")
        raw = desk.usher("link", "add", "--note", note, "--target", b"\xff\xfe")
        self.check(
            raw.returncode == 2 and b"help:" in raw.stderr, "an identifier that is no UTF-8", shown(raw.stderr))

    def long_ones(self, desk, session, note):
        long = LONG + "x" * 10_000
        said = desk.become(session, "Long", target=long)
        self.holds(said, "an identifier of 10 000 characters is one")
        self.holds(desk.link(note, long), "and can be linked")
        found = listed(desk.ask("link", "suggest", "--target", long, "--json"), "suggestions")
        self.check([one["note"] for one in found] == [note], "and found")
        moved = LONG + "y" * 10_000
        self.holds(desk.run("content", "moved", long, moved), "and moved")
        record = desk.open(long)
        self.check(record.get("resolved") == moved, "and dispatched", shown(str(record), 300))
        # A text with marks that reorder it reaches no terminal as it is.
        bidi = "https://maps.example/pages/\u202egpj.exe"
        desk.link(note, bidi)
        status, text = desk.at_terminal([], "link", "list", "--note", note)
        self.check(status == 0 and "\u202e" not in text and "gpj.exe" in text, "bidi marks are escaped on a terminal",
            shown(text, 600))
        control = desk.note("red \x1b[31mand\x07 bell")
        status, text = desk.at_terminal([], "note", "list")
        self.check(
            status == 0 and "\x1b[31mand" not in text and "\x07" not in text, "so are controls of a note",
            shown(repr(text), 600))
        self.check(
            desk.ask("note", "show", control).get("text") == "red \x1b[31mand\x07 bell", "which is kept as it is")
        large = desk.run("note", "new", "ü" * 50_000)
        self.holds(large, "a note of 100 KB")
