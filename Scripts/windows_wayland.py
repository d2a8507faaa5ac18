"""The stories of `check-windows` about a Wayland compositor that tells nothing of its windows: weston, as GNOME and KDE would."""

import json

from checklist import eventually
from windows import Screen
from windows_section import brief, story, words
from windows_stories import Stories


# A program that needs no keyboard: this compositor has none.
PAPERS = """
id = "example.papers"
domains = ["papers.example"]

[[scenes]]
name = "paper"
opens = 'SELF BEGINSWITH "https://papers.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { exec = ["zenity", "--info", "--title={target}", "--text=paper"] }
focus = { app-id = "zenity" }
"""


class Weston(Screen):
    """The reference compositor, without a screen."""

    name = "weston"
    programs = ("weston", "zenity")
    variables = ("WAYLAND_DISPLAY",)

    def start(self):
        for name in ("DISPLAY", "SWAYSOCK", *self.variables):
            self.desk.environment.pop(name, None)
        self.process(
            "weston", "--backend=headless-backend.so", "--use-pixman", "--no-config", "--socket=usher-weston",
            "--idle-time=0", log="server.log")
        if not eventually(lambda: self.desk.run("sh", "-c", 'test -S "$XDG_RUNTIME_DIR/usher-weston" && echo yes')):
            raise RuntimeError("weston does not come")
        self.desk.environment.update(WAYLAND_DISPLAY="usher-weston", GDK_BACKEND="wayland")
        return self

    def close_all(self):
        # Not possible from outside: they end with their programs, and those with the desk.
        return True

    def evidence(self, folder):
        """There is nothing to be seen."""


class Untold(Stories):
    """Windows that no program reports."""

    def __init__(self, name, *rest, **options):
        super().__init__("openbox", *rest, **options)
        self.section, self.kind = name, Weston
        self.programs = (*Weston.programs, "dbus-daemon")

    @classmethod
    def methods(cls, section):
        return {method.story: method for method in vars(cls).values() if hasattr(method, "story")}

    def apps(self):
        return {"papers": PAPERS}

    def before(self):
        """Nothing that could be observed."""

    def papers(self):
        """The windows that run, by their programs."""
        listed = self.desk.run("ps", "-eo", "args").splitlines()
        return [line.split()[2].partition("=")[2] for line in listed if line.startswith("zenity --info --title=")]

    @story("what cannot be had is said")
    def doctor(self):
        ran = self.desk.usher("doctor", "--json")
        rows = {row.get("system"): row for row in json.loads(ran.stdout or b"{}").get("windows", [])}
        row = rows.get("wayland (weston)") or {}
        for ability in ("list", "focus", "verify", "watch", "launch"):
            self.check(isinstance(row.get(ability), str) and row[ability], f"{ability}: not, with the reason", rows)
        self.check("weston tells programs nothing about windows" in str(row.get("list")), "in its own name", row)

    @story("launched, and never called verified")
    def unseen(self):
        target = "https://papers.example/1"
        record = self.send(target)
        self.is_record(record, "it is launched, and not called seen", action="launch", outcome="unverified", error=None)
        self.check("no window system here reports windows" in words(record), "the reason is said", lambda: brief(record))
        self.check(eventually(lambda: self.papers() == [target]), "its program runs", lambda: self.papers())
        session = record.get("session")
        record = self.send(target)
        self.is_record(record, "a second dispatch is unverified", outcome="unverified", session=session, error=None)
        self.check(self.desk.session(session=session), "one session", lambda: self.desk.sessions())
