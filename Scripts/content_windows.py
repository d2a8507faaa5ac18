"""A section of `check-content`: what `usher scene content` reads from titles, and what it refuses.

Mistakes in a manifest are ManifestDiagnosticsTests'.
"""

from content import ContentSection, listed, shown

MANIFEST = """
id = "example.viewer"
[[scenes]]
name = "document"
focus = {{ class = "Viewer" }}
{content}
"""
PATH = 'path = "{file}"'

# Name; title templates (TOML); what follows; the title; the target or the finding. WindowContentTests has all of them.
TITLES = [
    ("a path", '"{file} — Zathura"', PATH, "/home/x/a b.pdf — Zathura", "file:///home/x/a%20b.pdf"),
    ("of a list, the one that fits", '["{file} [V]", "{file} - V"]', PATH, "/a - V", "file:///a"),
    ("a template", '"Mail {n}"', 'target = "mail:{n}"', "Mail a/b", "mail:a%2Fb"),
    ("a folder of its own", '"{file} - V"', PATH + ', relative-to = "/docs"', "a.pdf - V", "file:///docs/a.pdf"),
    ("two readings", '"{file} ({folder}) - V"', 'path = "{folder}/{file}"', "a (/b) (/c) - V", "content.ambiguous"),
    ("a control character", '"{file} - V"', PATH, "/a\x1b[31m - V", "content.control-character"),
    ("64 KiB", '"{file}"', PATH, "/" + "a" * 65535, "content.too-long"),
]


class Windows(ContentSection):
    def windows(self):
        with self.desk(serve=False) as desk:
            self.titles(desk)
            self.scenes(desk)

    def describe(self, desk, content, name="viewer"):
        with open(desk.path("config", "apps", f"{name}.toml"), "w", encoding="utf-8") as file:
            file.write(MANIFEST.format(content=content))

    def titles(self, desk):
        for name, title, result, text, wanted in TITLES:
            self.describe(desk, f"content = {{ title = {title}, {result} }}")
            said = desk.run("scene", "content", "--title", text, "--app", "example.viewer", "--json")
            rows = listed(said.json, "results")
            is_finding = wanted.startswith("content.")
            right = (said.status == (1 if is_finding else 0) and len(rows) == 1
                     and said.json.get("target") == (None if is_finding else wanted)
                     and rows[0].get("target") == said.json.get("target")
                     and rows[0].get("finding") == (wanted if is_finding else None))
            self.check(right, f"a title: {name}", shown(str(said)))
        self.describe(desk, 'content = { title = "{file} - V", path = "{file}" }')
        said = desk.run("scene", "content", "--title", "/a - V", "--class", "Viewer", "--json")
        row = (listed(said.json, "results") or [{}])[0]
        self.check(
            set(said.json) == {"title", "class", "target", "results"}
            and set(row) == {"app", "scene", "at", "source", "variables", "target", "finding"}
            and row["variables"] == {"file": "/a"} and row["source"] == "title" and row["scene"] == "document"
            and row["at"].startswith("apps/viewer.toml:6:") and said.json["class"] == "Viewer",
            "all members", str(said))
        home = desk.run("scene", "content", "--title", "~/a - V", "--json")
        self.check(home.json.get("target") == "file://" + desk.environment["HOME"] + "/a", "the home folder", str(home))

    def scenes(self, desk):
        self.describe(desk, 'content = { title = "{n}", target = "x:{n}" }')
        other = desk.run("scene", "content", "--title", "7", "--class", "Other", "--json")
        self.check(other.status == 1 and other.json.get("results") == [], "a scene of another class", str(other))
        named = desk.run("scene", "content", "--title", "7", "--class", "Other", "--scene", "document", "--json")
        self.check(named.json.get("target") == "x:7", "a scene that is named is not asked for its class", str(named))
        self.describe(desk, """content = [
    { title = "Mail {n}", target = "x:{n}" },
    { title = "{n}", target = "y:{n}" },
]""")
        first = desk.run("scene", "content", "--title", "Mail 7", "--json")
        self.check(
            first.json.get("target") == "x:7" and len(listed(first.json, "results")) == 1,
            "the first table that gives a target counts", str(first))
        second = desk.run("scene", "content", "--title", "8", "--json")
        self.check(
            second.json.get("target") == "y:8"
            and [row["finding"] for row in listed(second.json, "results")] == ["content.no-match", None],
            "else the next one", str(second))
        self.describe(desk, """content = { title = "{n}", target = "x:{n}" }
[[scenes]]
name = "second"
content = { title = "{n}", target = "x:{n}" }""")
        both = desk.run("scene", "content", "--title", "7", "--json")
        self.check(
            both.status == 1 and both.json.get("target") is None
            and [row["finding"] for row in listed(both.json, "results")] == ["content.ambiguous"] * 2,
            "two scenes that read a target", str(both))
        self.is_usage(desk.run("scene", "content", is_kept=False), "neither a window nor a title")
        self.is_usage(desk.run("scene", "content", "@1", "--title", "a", is_kept=False), "a window and a title")
        self.is_usage(desk.run("scene", "content", "x11:0x7ffffff", is_kept=False), "a window that there is not")
        self.is_usage(desk.run("scene", "content", "--title", "a", "--app", "example.none", is_kept=False), "an app that there is not")
        self.is_usage(desk.run("scene", "content", "--title", "a", "--scene", "none", is_kept=False), "a scene that there is not")

    def is_usage(self, said, name):
        self.check(said.is_refusal(), f"{name} is refused", str(said))
