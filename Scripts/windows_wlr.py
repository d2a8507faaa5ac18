"""The stories of `check-windows` on compositors that Usher knows by Wayland protocols alone: sway, with its own socket hidden from Usher,
and labwc out of a tree of Debian 13 (`make test-labwc`).

`zwlr_foreign_toplevel_management_v1` reports neither processes nor workspaces. Where a story of the other window systems
needs these, the story here asserts that Usher does not claim more than it can know.
"""

import json
import os

from checklist import eventually
from windows import Sway
from windows_section import brief, story, words
from windows_stories import WRONG, Stories

TOLD = ("focus open", "launch absent", "moved workspace", "scratchpad", "ambiguous", "closed meanwhile", "hold until ready",
        "a window that takes the front", "no focus", "registry: an undeclared window",
        "registry: focus is followed", "without the daemon: one look", "a title that changes 100 times a second",
        "500 windows", "idle", "the server is killed")


# Programs whose windows come late, and look the same but for their titles.
LATE = """
id = "example.late"
domains = ["late.example"]

[[scenes]]
name = "page"
opens = 'SELF BEGINSWITH "https://late.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { exec = ["../bin/late", "Late", "{target}"], time-limit = "30s" }
focus = { app-id = "Late" }
"""
LATE_SCRIPT = """#!/bin/sh
sleep 4
exec "$(dirname "$0")/terminal" "$@"
"""


class HiddenSway(Sway):
    """sway, whose own socket only the witnesses know."""

    socket = ""

    def start(self):
        super().start()
        self.socket = self.desk.environment.pop("SWAYSOCK")
        # Programs that sway starts would still know it; those of Usher get its environment.
        self.desk.write("config/bin/titles", self.titles_script.replace("swaymsg", f"swaymsg -s '{self.socket}'"), executable=True)
        return self

    @property
    def swaymsg(self):
        return ("swaymsg", "-s", self.socket)

    def handle(self, title):
        """As Usher names it: nothing else knows the numbers of its connection. None where several have the title."""
        listed = json.loads(self.desk.usher("scene", "windows", "--json").stdout or b"{}")
        rows = listed.get("windows", []) if isinstance(listed, dict) else listed
        found = [row["handle"] for row in rows if row.get("title") == title]
        return found[0] if len(found) == 1 else None


class Labwc(HiddenSway):
    """A stacking compositor, out of a tree; wlrctl of the tree is the witness."""

    name = "labwc"
    variables = ("WAYLAND_DISPLAY",)
    programs = ("bwrap", "foot", "wtype", "grim")

    def start(self):
        for name in ("DISPLAY", "SWAYSOCK", *self.variables):
            self.desk.environment.pop(name, None)
        tree = os.environ["USHER_CHECK_TREE"]
        self.within = ("bwrap", "--bind", tree, "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
                       "--bind", self.desk.folder, self.desk.folder)
        run = self.desk.path("run")
        self.server = self.process(*self.within, "labwc", environment={
            "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1"}, log="server.log")
        socket = eventually(lambda: next(
            (name for name in os.listdir(run) if name.startswith("wayland-") and not name.endswith(".lock")), None))
        if not socket:
            raise RuntimeError("labwc does not come")
        self.desk.environment["WAYLAND_DISPLAY"] = socket
        self.desk.write("config/bin/titles", self.TITLES.format(within=" ".join(self.within)), executable=True)
        self.keyboard = None
        self.keep_keyboard()
        return self

    TITLES = """#!/bin/sh
{within} wlrctl toplevel list | sed 's/^[^:]*: //'
"""

    def listed(self, *matches):
        lines = self.desk.run(*self.within, "wlrctl", "toplevel", "list", *matches).splitlines()
        return [line.partition(": ")[2] for line in lines if ": " in line]

    def act(self, action, title):
        self.desk.run(*self.within, "wlrctl", "toplevel", action, f"title:{title}")

    def titles(self):
        return self.listed()

    def active(self):
        return next(iter(self.listed("state:active")), None)

    def focus(self, title):
        self.act("focus", title)
        return eventually(lambda: self.active() == title)

    def close(self, title):
        self.act("close", title)

    def close_rest(self):
        for title in self.titles():
            self.close(title)

    def minimise(self, title):
        self.act("minimize", title)
        return eventually(lambda: self.is_hidden(title))

    def is_hidden(self, title):
        return title in self.listed("state:minimized")

    def is_urgent(self, title):
        return False

    def tree(self):
        return self.desk.run(*self.within, "wlrctl", "toplevel", "list")


class Protocols(Stories):
    """What can be known without processes and workspaces."""

    # What needs a fullscreen window, a workspace, Xwayland, or a program that steals the front, is told on sway.
    UNTOLD = {"labwc": (
        "moved workspace", "scratchpad", "a window that takes the front", "quiet: fullscreen", "500 windows",
        "a title that changes 100 times a second", "the server is killed", "summoning is not claimed", "no window twice",
        "a tmux window is found by the title of its terminal", "a wrong class")}

    def __init__(self, name, *rest, **options):
        super().__init__("sway", *rest, **options)
        self.section, self.kind = name, Labwc if name == "labwc" else HiddenSway
        self.programs = (*self.kind.programs, "dbus-daemon", "tmux")

    @classmethod
    def methods(cls, section):
        found = Stories.methods("sway")
        own = {method.story: method for method in vars(cls).values()
               if hasattr(method, "story") and (not method.where or section in method.where)}
        told = {name: found[name] for name in TOLD} | own
        return {name: method for name, method in told.items() if name not in cls.UNTOLD.get(section, ())}

    def apps(self):
        # No protocol names the class of an X11 window: its app-id is that.
        return {name: text.replace('class = "Crowd"', 'app-id = "Crowd"')
                for name, text in dict(super().apps(), late=LATE, wrong=WRONG.replace("60s", "5s")).items()}

    def furnish(self):
        self.desk.write("config/bin/late", LATE_SCRIPT, executable=True)
        super().furnish()

    def windows(self):
        listed = json.loads(self.desk.usher("scene", "windows", "--json").stdout or b"{}")
        return listed.get("windows", []) if isinstance(listed, dict) else listed

    minimised = Stories.minimised

    @story("two launches at once")
    def at_once(self):
        """Their windows look the same, and no process shows whose they are."""
        targets = ["https://late.example/1", "https://late.example/2"]
        records = self.send_in_order(targets)
        for record in records:
            self.is_record(record, "no window is called that of the launch", action="launch", outcome="unverified", error=None)
            session = self.desk.session(session=record.get("session")) or {}
            self.check(not session.get("handle"), "its session has none", session)
        self.check(eventually(lambda: sorted(self.screen.titles()) == sorted([*targets, "elsewhere"])), "both are there",
                   lambda: self.screen.titles())
        for record in records:
            self.desk.usher("scene", "close", str(record.get("session")))

    @story("a wrong class")
    def wrong_class(self):
        target = "https://wrong.example/at-once"
        record = self.send(target)
        self.is_record(record, "a window that `focus` does not describe is not taken: no process shows whose it is",
                       action="launch", outcome="unverified", error=None)
        self.check("activation.not-ready" in json.dumps(record) or record.get("warnings"), "the reason is said", lambda: brief(record))

    @story("restart of the daemon, one window and several")
    def restart(self):
        """The handles of a connection end with it; only a session that is alone with its scene finds its window again."""
        board, kept, other = "https://board.example/kept", "https://pages.example/kept", "https://pages.example/other"
        record = self.open(board, "board")
        first = self.open(kept)
        self.open(other)
        self.check(self.daemon.end() == 0, "the daemon ends")
        self.check(self.count("board") == 1, "windows outlive it")
        self.daemon = self.desk.start()
        self.screen.focus("elsewhere")
        again = self.send(board)
        self.is_record(again, "the only window that fits its scene is found again", action="focus", outcome="verified",
                       error=None, session=record.get("session"))
        self.is_seen("board")
        session = self.desk.session(session=record.get("session")) or {}
        self.check(session.get("handle") == self.screen.handle("board"), "by its new handle", session)
        self.check(self.count("board") == 1, "no second window", lambda: self.screen.titles())
        again = self.send(kept)
        self.is_record(again, "of two windows that fit none is called the one that was meant: a new one is opened",
                       action="launch", outcome="verified", error=None, session=first.get("session"))
        self.check(self.count(kept) == 2, "beside the old one", lambda: self.screen.titles())
        self.is_seen(kept)
        for row in self.desk.sessions(app="example.pages"):
            self.desk.usher("scene", "close", row["session"])

    @story("quiet: fullscreen")
    def quiet(self):
        """sway leaves a window that fills the screen in front of one that is brought forward by this protocol."""
        target = "https://quiet.example/1"
        self.is_record(self.open(target, "quiet"), "without it nothing is quiet", policy=None)
        self.screen.focus("elsewhere")
        self.check(self.screen.fullscreen("elsewhere", True), "a window fills the screen", lambda: self.screen.tree())
        self.is_record(self.send(target), "nothing is done", action="none", outcome="skipped", policy="quiet", error=None)
        self.is_left("elsewhere", "its user is left alone")
        opened = self.desk.usher("open", target).stdout.decode()
        self.check("verified" not in opened.replace("unverified", ""), "what stays behind it is not called verified", opened)
        self.screen.fullscreen("elsewhere", False)
        self.is_record(self.send(target), "afterwards it comes forward", action="focus", outcome="verified", policy=None)

    @story("urgent is not claimed")
    def urgent(self):
        self.is_not_claimed("urgent", "no request to urgent a window")

    @story("raise is not claimed")
    def raised(self):
        self.is_not_claimed("raise", "no request to raise a window")

    def is_not_claimed(self, name, reason):
        target = f"https://calm.example/{name}"
        self.send(target)
        self.check(eventually(lambda: self.count(target) == 1), "it is there")
        self.screen.focus("elsewhere")
        record = self.send(target)
        self.is_record(record, "it is not called done", action="focus", outcome="unverified", error=None)
        self.check(reason in words(record), "the reason is said", lambda: brief(record))
        self.check(not self.screen.is_urgent(target), "nothing was done")
        self.is_left("elsewhere", "the keyboard stays where it is")

    @story("summoning is not claimed")
    def summoned(self):
        target = "https://calm.example/summon"
        self.send(target)
        self.check(eventually(lambda: self.count(target) == 1), "it is there")
        self.check(self.screen.send_away(target), "it was moved")
        here = self.screen.here()
        record = self.send(target)
        self.is_record(record, "it is not called done", action="focus", outcome="unverified", error=None)
        self.check("no request to move a window" in words(record), "the reason is said", lambda: brief(record))
        self.check(self.screen.here() == here, "its user stays", lambda: self.screen.here())

    @story("a tmux window is found by the title of its terminal")
    def tmux(self):
        self.desk.start_program("foot", "--config=/dev/null", "--title=attached", "tmux", "new-session", "-s", "main", "cat")
        try:
            self.check(eventually(lambda: self.desk.run("tmux", "list-clients").strip()), "a client is attached")
            self.screen.focus("elsewhere")
            target, window = "https://pages.example/tmux", self.desk.run("tmux", "list-windows", "-F", "#{window_id}").strip()
            self.desk.usher("scene", "connect", "--app", "example.pages", "--scene", "page", "--target", target,
                            "--session", "tmux-0", "--handle", window)
            record = self.send(target, channel="usher")
            self.is_record(record, "it is called seen", action="focus", outcome="verified", session="tmux-0")
            self.screen.type("typed then")
            self.check(
                eventually(lambda: "typed then" in self.desk.run("tmux", "capture-pane", "-p", "-t", window)),
                "its pane receives what is typed then")
        finally:
            self.desk.usher("scene", "close", "tmux-0")
            self.desk.run("tmux", "kill-server")

    @story("no window twice")
    def once(self):
        """Windows of Xwayland are listed by the compositor: the X server is not asked as well."""
        self.screen.terminal("old", "Old", environment={"USHER_CHECK_X11": "1"})
        rows = eventually(lambda: [row for row in self.windows() if row.get("title") == "old"])
        self.check(rows and len(rows) == 1, "one row", lambda: self.windows())
        self.check(all(row["handle"].startswith("wlr:") for row in self.windows()), "all of one window system",
                   lambda: self.windows())

    @story("doctor")
    def doctor(self):
        said = json.loads(self.desk.usher("doctor", "--json").stdout or b"{}")
        rows = {row.get("system"): row for row in said.get("windows", [])}
        row = rows.get(f"wlr ({self.screen.name})") or {}
        for ability in ("list", "focus", "verify", "watch"):
            self.check(row.get(ability) is True, f"{ability}: yes", rows)
        self.check("reports no process" in str(row.get("launch")), "launch: with the reason", row)
        self.check(not any(name.startswith(("x11", "sway", "wayland")) for name in rows), "and no other desktop", rows)
