"""Sections of `check-content`: addresses in canonical form, identifiers of one app, menus, documents of notes, and files.

What each rule and each app does to what is found is LinkKeysTests' and CanonicalAddressTests'.
"""

import json
import os
import shutil
from urllib.parse import quote

from content import ContentSection

PAGE = "https://maps.example/pages/old"
SETTINGS = """
[addresses."site.example"]
keep = ["utm_id"]
drop = ["ref", "s_*"]

[addresses."*.site.example"]
fragment = "keep"
scheme = "keep"

[addresses."deep.site.example"]
fragment = "drop"
"""
# An address, its canonical form, and the rules: one of each kind of setting. All rules are CanonicalAddressTests'.
CANONICAL = [
    ("http://Site.Example:80", "https://site.example/", ["scheme", "host", "port", "path"]),
    ("https://site.example/?utm_id=1&utm_term=2&ref=3&s_a=4", "https://site.example/?utm_id=1",
     ["tracking:utm_term", "drop:ref", "drop:s_a"]),
    ("http://a.site.example/#part", "http://a.site.example/#part", []),
    ("http://deep.site.example/#/part", "https://deep.site.example/", ["scheme", "fragment"]),
    ("mailto:ada@site.example", None, []),
]


class Addresses(ContentSection):
    def configured(self, desk, text):
        desk.write("config/usher.toml", text)
        desk.reload()

    # Addresses

    def addresses(self):
        with self.desk() as desk:
            self.configured(desk, SETTINGS)
            ids = [id for id, _, _ in CANONICAL]
            wanted = [{"id": id, "canonical": form, "rules": rules} for id, form, rules in CANONICAL]
            self.check(desk.ask("target", "canonical", *ids) == wanted, "target canonical: every rule",
                       str(desk.ask("target", "canonical", *ids)))
            lines = "".join(json.dumps({"id": id, "n": n}) + "\n" for n, id in enumerate(ids)) + '"http://a.example/"\n'
            said = desk.run("target", "canonical", "--cases", "-", input=lines)
            read = [json.loads(line) for line in said.out.splitlines()]
            self.check(
                said.status == 0 and len(read) == len(ids) + 1 and read[0].get("n") == 0
                and [one["canonical"] for one in read[:-1]] == [form for _, form, _ in CANONICAL], "--cases", str(said))
            bad = desk.run("target", "canonical", "--cases", "-", input='{"id":7}\n{"x":1}\nnonsense\n')
            read = [json.loads(line) for line in bad.out.splitlines()]
            self.check(
                bad.status == 1 and len(read) == 3 and all(one["canonical"] is None and one["error"] for one in read),
                "a line without an address", str(bad))
            self.check(desk.run("target", "canonical").status == 2, "no address at all")
            self.found_by_address(desk)
            self.other_settings(desk)

    def found_by_address(self, desk):
        note = desk.note("About the page", "https://maps.example/pages/a?utm_source=mail")
        for asked, rules in (
            ("http://MAPS.example:80/pages/a?fbclid=1#top",
             ["scheme", "host", "port", "tracking:fbclid", "tracking:utm_source", "fragment"]),
        ):
            found = desk.ask("link", "suggest", "--target", asked)
            self.check(
                [one["note"] for one in found] == [note] and set(found[0]["rules"]) == set(rules)
                and found[0]["matched"] == asked, f"suggested for {asked}", str(found))
            self.check(len(desk.ask("link", "list", "--target", asked)) == 1, f"listed for {asked}")
        found = desk.ask("note", "search", "http://maps.example/pages/a#x")
        self.check([one["id"] for one in found] == [note] and found[0]["found_in"] == "link", "note search by address",
                   str(found))
        colon = desk.note("todo:call Ada")
        found = desk.ask("note", "search", "todo:call")
        self.check([one["id"] for one in found] == [colon] and found[0]["found_in"] == "text", "words with a colon",
                   str(found))
        # Suggested when it is current, by its web page alone.
        desk.connect(page="a", session="w")
        become = desk.become("w", "A", webpage="http://maps.example/pages/a#x").json
        self.check([one["note"] for one in become.get("suggestions", [])] == [note], "for the current activity",
                   str(become))
        # A resolution compares bytes.
        desk.connect(page="b", session="exact")
        record = desk.open("https://maps.example/pages/b?utm_source=mail")
        self.check(record.get("session") != "exact", "an opened link is resolved by its bytes", str(record))
        # Content that moved is found by its canonical form, too.
        desk.run("content", "moved", "https://maps.example/pages/a", "https://maps.example/pages/c")
        second = desk.note("At the new place", "https://maps.example/pages/c")
        found = desk.ask("link", "suggest", "--target", "http://maps.example/pages/a?gclid=1")
        self.check(second in [one["note"] for one in found], "moved content, by another spelling", str(found))

    def other_settings(self, desk):
        note = desk.note("With a reference", "https://other.example/?ref=a")
        asked = "https://other.example/?ref=b"
        self.check(desk.ask("link", "suggest", "--target", asked) == [], "two references are two pages")
        self.configured(desk, '[addresses."other.example"]\ndrop = ["ref"]\n')
        found = desk.ask("link", "suggest", "--target", asked)
        self.check([one["note"] for one in found] == [note] and found[0]["rules"] == ["drop:ref"],
                   "found by settings that are newer than the link", str(found))
        self.configured(desk, "")
        self.check(desk.ask("link", "suggest", "--target", asked) == [], "and not when they are taken back")

    # Identifiers

    def identifiers(self):
        with self.desk() as desk:
            desk.connect("maps", session="m")
            desk.connect("guide", session="g")
            notes = {}
            for app, session in (("maps", "m"), ("guide", "g")):
                desk.become(session, app, type=f"example.{app}.view", persistent="42")
                notes[app] = desk.note(f"42 of {app}")
                self.holds(desk.run("link", "add", "--note", "current", "--from-current"), f"a link to 42 of {app}")
            for app, session in (("maps", "m"), ("guide", "g")):
                answer = desk.become(session, app + " again", type=f"example.{app}.view", persistent="42").json
                self.check([one["note"] for one in answer["suggestions"]] == [notes[app]],
                           f"42 of {app} suggests its own note", str(answer))
                listed = desk.ask("link", "list", "--target", "42", "--app", f"example.{app}")
                self.check([one["note"] for one in listed] == [notes[app]], f"link list of 42 of {app}", str(listed))
                found = desk.ask("link", "suggest", "--target", "42", "--app", f"example.{app}")
                self.check([one["note"] for one in found] == [notes[app]], f"link suggest of 42 of {app}", str(found))
            self.check(len(desk.ask("link", "list", "--target", "42")) == 2, "of any app")
            self.check(desk.ask("link", "list", "--target", "42", "--app", "example.browser") == [], "of another app")
            self.refused(desk.run("link", "list", "--app", "example.maps"), "an app without a target", "target")

    # Menus

    def picking(self):
        with self.desk() as desk:
            desk.environment.pop("USHER_MENU", None)
            self.check(desk.run("note", "pick", "--menu", "head -n 1").status == 1, "no notes")
            first = desk.note("The first\nand more", "https://maps.example/pages/one")
            second = desk.note("The second \u2028 $(touch pwned) ; `touch pwned`", PAGE)
            third = desk.note("The first", "guide:x")
            show = desk.write("bin/show", "#!/bin/sh\ntee lines | grep -m1 -- \"$1\"\n", True)
            said = desk.run("note", "pick", "--menu", f"{show} second")
            self.check(said.out.strip() == second, "the chosen note", str(said))
            with open(desk.path("lines"), encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.check(len(lines) == 3 and len(set(lines)) == 3, "a line each, no two alike", str(lines))
            self.check(desk.ask("note", "pick", "--menu", f"{show} second", "--json") == {"id": second}, "as JSON")
            said = desk.run("note", "pick", env={"USHER_MENU": f"{show}\tfirst"})
            self.check(said.out.strip() == third, "$USHER_MENU, the newest first", str(said))
            said = desk.run("link", "pick", "--menu", f"{show} pages/one")
            link = desk.ask("link", "list", "--note", first)[0]["id"]
            self.check(said.out.strip() == link, "the chosen link", str(said))
            said = desk.run("link", "pick", "--note", second, "--menu", "cat")
            self.check(said.out.strip() == desk.ask("link", "list", "--note", second)[0]["id"], "links of one note",
                       str(said))
            record = desk.run("link", "pick", "--menu", f"{show} pages/one", "--open").json
            self.check(record.get("target") == "https://maps.example/pages/one" and record.get("action") == "launch",
                       "--open", str(record))
            for program, what in (("false", "nothing chosen"), ("true", "nothing written"), ("echo other", "another line")):
                said = desk.run("note", "pick", "--menu", program)
                self.check(said.status == 1 and not said.out, what, str(said))
            for program in ("no-such-menu", "/etc/hostname", " "):
                said = desk.run("note", "pick", "--menu", program)
                self.refused(said, f"--menu {program!r}")
                self.check(said.code and said.code.endswith("menu.program"), f"its code for {program!r}", str(said))
            # What reads the line is no shell.
            said = desk.run("note", "pick", "--menu", "echo $(touch pwned) ; touch pwned | touch pwned")
            self.check(said.status == 1 and not os.path.exists(desk.path("pwned")), "no shell reads it", str(said))
            # The usual programs, else a list with numbers.
            tools = desk.path("tools")
            os.makedirs(tools)
            for tool in ("head", "grep", "tee", "sh", "cat"):
                os.symlink(shutil.which(tool), os.path.join(tools, tool))
            desk.write("tools/dmenu", "#!/bin/sh\necho 'no display' >&2; exit 1\n", True)
            path = {"PATH": tools, "DISPLAY": "", "WAYLAND_DISPLAY": ""}
            # Not kept: how short the ids in the list are depends on when they were made.
            said = desk.run("note", "pick", env=path, input=b"2\n", is_kept=False)
            self.check(said.out.strip() == second and "which note?" in said.err, "by number", str(said))
            for answer in (b"", b"\n", b"0\n", b"9\n", b"x\n"):
                said = desk.run("note", "pick", env=path, input=answer, is_kept=False)
                self.check(said.status == 1 and not said.out, f"no number: {answer!r}", str(said))
            said = desk.run("note", "pick", env=dict(path, DISPLAY=":9"), input=b"2\n")
            self.check(said.status == 1, "dmenu, in which nothing was chosen", str(said))
            desk.write("tools/dmenu", "#!/bin/sh\nhead -n 1\n", True)
            for display in ({"DISPLAY": ":9"}, {}):
                said = desk.run("note", "pick", env=dict(path, **display), input=b"2\n")
                self.check(said.out.strip() == third, f"dmenu, with {display}", str(said))
            desk.write("tools/fzf", "#!/bin/sh\ngrep -m1 second\n", True)
            said = desk.run("note", "pick", env=dict(path, DISPLAY=":9"))
            self.check(said.out.strip() == second, "fzf goes before dmenu", str(said))
            desk.write("tools/fzf", "#!/bin/sh\necho 'no terminal' >&2; exit 2\n", True)
            said = desk.run("note", "pick", env=dict(path, DISPLAY=":9"))
            self.check(said.out.strip() == third, "and dmenu where fzf cannot work", str(said))
            status, seen = desk.at_terminal([("which note?", "2\n")], "note", "pick", env=path)
            self.check(status == 0 and second in seen, "on a terminal without a display, by number", seen)

    # Documents

    def documents(self):
        with self.desk() as desk:
            self.transferred(desk)

    def transferred(self, desk):
        marker = "<!-- links -->"
        texts = [
            "One line", "Two\n\nlines\n", f"With a marker\n{marker}\n- [x](y)\nin it", "---\nid: x\n---\n",
            "\n\nblank lines around\n\n\n", "carriage\r\nreturn", "# title\n* star",
        ]
        notes = [desk.run("note", "new", "--", text).id for text in texts]
        hard = [
            "https://maps.example/pages/a(b)", "guide:with blank <and> [brackets] \\ back", "guide:caf\u00e9",
            "guide:--> comment", "plain",
        ]
        for id in hard:
            desk.run("link", "add", "--note", notes[0], "--target", id, "--title", f"On {id} -- [x]")
            desk.run("link", "add", "--note", notes[1], "--target", id)
        session = desk.connect(page="form", session="s-form")
        desk.become(session, "A page", target="https://maps.example/pages/form", persistent="form",
                    webpage="https://maps.example/pages/form", user_info='{"a":"--\\u003e"}')
        desk.run("link", "add", "--note", notes[2], "--from-current")
        desk.run("note", "attach", notes[2], desk.path("effects"), is_kept=False)
        desk.run("note", "done", notes[3])
        folder = desk.path("notes")
        said = desk.run("note", "export", "--format", "markdown", folder)
        self.holds(said, "export to Markdown")
        names = sorted(os.listdir(folder))
        every = [one["id"] for one in desk.ask("note", "list", "--limit", "100", is_kept=False)]
        self.check(names == sorted(f"{id}.md" for id in every), "a file a note", str(names))
        before = self.everything(desk)
        again = desk.run("note", "import", "--format", "markdown", folder, is_kept=False)
        self.check(again.json.get("changed") is False, "the same is passed over", str(again))
        for id in every:
            desk.run("note", "delete", id, is_kept=False)
        self.check(self.everything(desk) == [], "all are gone")
        said = desk.run("note", "import", "--format", "markdown", folder, is_kept=False)
        self.check(said.status == 0 and self.everything(desk) == before, "ids, text, state and links come back",
                   f"{said}\n{self.everything(desk)}\n{before}")
        self.edited(desk, folder, f"{notes[0]}.md", notes[0])
        for id in every:
            desk.run("note", "delete", id, is_kept=False)

    def everything(self, desk):
        """The lines of an export, but for header, redirects and end."""
        out = desk.run("note", "export", "-", is_kept=False).out
        return sorted(line for line in out.splitlines() if '"kind":"note"' in line or '"kind":"link"' in line)

    def edited(self, desk, folder, name, note):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8", newline="") as file:
            written = file.read()
        new = "- [Added](guide:added)\n"
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(written.replace("One line", "Another line") + new)
        said = desk.run("note", "import", "--format", "markdown", folder, is_kept=False)
        self.check(said.code == "U4544 import.conflict" and note in said.err, "another text is a conflict", str(said))
        said = desk.run("note", "import", "--keep", "--format", "markdown", folder, is_kept=False)
        self.check(said.status == 0 and desk.ask("note", "show", note, is_kept=False)["text"] == "One line", "--keep",
                   str(said))
        said = desk.run("note", "import", "--replace", "--format", "markdown", folder, is_kept=False)
        shown = desk.ask("note", "show", note, is_kept=False)
        self.check(said.status == 0 and shown["text"] == "Another line", "--replace", str(said))
        links = desk.ask("link", "list", "--note", note, is_kept=False)
        added = [one for one in links if one["target"] == "guide:added" and one["title"] == "Added"]
        self.check(len(added) == 1, "a new line is a new link", str(links))
        desk.run("note", "import", "--replace", "--format", "markdown", folder, is_kept=False)
        self.check(len(desk.ask("link", "list", "--note", note, is_kept=False)) == len(links), "and once only")
        alone = desk.path("alone")
        os.makedirs(alone)
        marker = "<!-- links -->"
        with open(os.path.join(alone, "new.md"), "w", encoding="utf-8") as file:
            file.write(f"Written elsewhere\n\n{marker}\n\n{new}")
        with open(os.path.join(alone, "other.txt"), "w", encoding="utf-8") as file:
            file.write("not a note")
        said = desk.run("note", "import", "--format", "markdown", alone, is_kept=False)
        found = desk.ask("note", "search", "elsewhere", is_kept=False)
        self.check(said.json.get("notes", {}).get("added") == 1 and len(found) == 1
                   and found[0]["text" if "text" in found[0] else "title"] == "Written elsewhere",
                   "a file without an id is a new note", f"{said} {found}")
        with open(os.path.join(alone, "new.md"), "w", encoding="utf-8", newline="\r\n") as file:
            file.write(f"Written elsewhere\nand again\n\n{marker}\n{new}")
        said = desk.run("note", "import", "--format", "markdown", alone, is_kept=False)
        found += desk.ask("note", "search", "elsewhere again", is_kept=False)
        shown = desk.ask("note", "show", found[-1]["id"], is_kept=False)
        self.check(said.status == 0 and shown["text"] == "Written elsewhere\nand again" and len(shown["links"]) == 1,
                   "a file whose lines end with CR LF", f"{said} {shown}")
        for one in found:
            desk.run("note", "delete", one["id"], is_kept=False)
        for text, what in (
            (written.replace("state: ", "state: x"), "an unknown state"),
            (written + "no link\n", "a line that is no link"),
            (written.replace("created: ", "created: x"), "no number"),
        ):
            with open(os.path.join(alone, "new.md"), "w", encoding="utf-8", newline="") as file:
                file.write(text)
            said = desk.run("note", "import", "--format", "markdown", alone, is_kept=False)
            self.check(said.code == "U4543 import.line" and "new.md:" in said.err, what, str(said))
        with open(os.path.join(alone, "new.md"), "wb") as file:
            file.write(b"\xff\xfe")
        said = desk.run("note", "import", "--format", "markdown", alone, is_kept=False)
        self.check(said.code == "U4543 import.line", "no UTF-8", str(said))
        self.check(desk.run("note", "export", "--format", "markdown", is_kept=False).status == 2, "export needs a folder")
        self.check(desk.run("note", "import", "--format", "markdown", desk.path("none"), is_kept=False).status == 2,
                   "a folder that is not there")

    # Files

    def files(self):
        with self.desk() as desk:
            desk.manifest("guide", keys='schemes = ["file"]')
            os.makedirs(desk.path("docs/deep"))
            note = desk.note("About files")

            def link(name, text="x" * 7, address=None):
                desk.write(f"docs/{name}", text)
                target = address or "file://" + desk.path("docs", name)
                return desk.run("link", "add", "--note", note, "--target", target, is_kept=False).id, target

            def opened(id, *options):
                return desk.run("link", "open", id, *options, is_kept=False)

            plan, target = link("plan.md")
            record = opened(plan).json
            self.check(record.get("error") is None and record.get("action") == "launch", "a file that is there",
                       str(record))
            os.rename(desk.path("docs/plan.md"), desk.path("docs/deep/new name.md"))
            place = "file://" + desk.path("docs/deep/new%20name.md")
            said = opened(plan)
            record = said.json
            rule = desk.ask("dispatch", "--dry-run", "-", input=json.dumps({"url": target}) + "\n", is_kept=False)
            self.check(
                said.status == 1 and (record.get("action"), record.get("outcome")) == ("none", "failed")
                and record["error"]["name"] == "file.moved" and record.get("moved_to") == [place]
                and record["reason"] == rule["reason"], "a file that moved", f"{said} {rule['reason']}")
            self.check(opened(plan).json.get("error") is not None, "nothing is changed by that")
            effects = len(desk.effects())
            said = opened(plan, "--follow")
            self.check(said.status == 0 and said.json.get("resolved") == place, "--follow opens it", str(said))
            self.check(desk.since(effects), "in its window")
            self.check(opened(plan).json.get("error") is None, "from then on it is found")
            # Copied by name and size, once; the file itself is gone.
            copy, target = link("copy.txt", "twelve bytes")
            desk.write("docs/deep/copy.txt", "TWELVE BYTES")
            os.unlink(desk.path("docs/copy.txt"))
            record = opened(copy).json
            self.check(record.get("moved_to") == ["file://" + desk.path("docs/deep/copy.txt")], "the same name and size",
                       str(record))
            # Two names of one file.
            pair, _ = link("pair", "pair")
            os.link(desk.path("docs/pair"), desk.path("docs/deep/one"))
            os.link(desk.path("docs/pair"), desk.path("docs/deep/two"))
            os.unlink(desk.path("docs/pair"))
            record = opened(pair, "--follow").json
            self.check(len(record.get("moved_to", [])) == 2 and record["error"]["name"] == "file.moved",
                       "two places are not followed", str(record))
            # Query and fragment are no part of the path.
            part, _ = link("part.md", address="file://" + desk.path("docs/part.md") + "?a=1#b")
            self.check(opened(part).json.get("error") is None, "query and fragment")
            odd, _ = link("odd % \u00e4.md", address="file://" + desk.path("docs/odd%20%25%20%C3%A4.md"))
            self.check(opened(odd).json.get("error") is None, "percent-encoded")
            os.rename(desk.path("docs/odd % \u00e4.md"), desk.path("docs/\u00e4 %.md"))
            record = opened(odd).json
            self.check(record.get("moved_to") == ["file://" + desk.path("docs/%C3%A4%20%25.md")], "and back", str(record))
            # Names that are not UTF-8; the host in any case; no host at all.
            raw = os.fsencode(desk.path("docs/raw-")) + b"\xff"
            for address, new in (("file://" + quote(raw), b"\xfe"), ("FILE://LocalHost" + quote(raw), b"\xfd"),
                                 ("file:" + quote(raw), b"\xfc")):
                with open(raw, "w", encoding="utf-8") as file:
                    file.write("raw")
                id = desk.run("link", "add", "--note", note, "--target", address, is_kept=False).id
                self.check(opened(id).json.get("error") is None, f"there: {address}")
                os.rename(raw, raw[:-1] + new)
                record = opened(id).json
                self.check(record.get("moved_to") == ["file://" + quote(raw[:-1] + new)], f"moved: {address}",
                           str(record))
            # Gone for good, with its whole tree; another host's file is none of ours.
            gone, _ = link("tree/leaf.md")
            shutil.rmtree(desk.path("docs/tree"))
            said = opened(gone)
            self.check(said.status == 1 and said.json["error"]["name"] == "file.gone", "a file that is gone", str(said))
            other = desk.run("link", "add", "--note", note, "--target", "file://server.example/a", is_kept=False).id
            self.check(opened(other).json.get("error") is None, "another host")
