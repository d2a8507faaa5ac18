"""The stories of `check-windows` about windows: on X11 with openbox and with i3, on sway, and in tmux.

One desk, one daemon, one configuration for each window system; a story finds no windows, and leaves none.
"""

import json
import re

from checklist import eventually
from daemon import variable_of
from windows import SCREENS
from windows_hardship import Hardship
from windows_instances import Instances
from windows_registry import Registry
from windows_section import brief, story, words

DESKTOPS = ("openbox", "i3", "sway")

# A window for each page. In tmux windows are known by their handles alone.
PAGES = """
id = "example.pages"
domains = ["pages.example"]

[targets]
page = "https://pages.example/{page}"

[[scenes]]
name = "page"
target = "page"
opens = 'SELF BEGINSWITH "https://pages.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { PLACE = ["../bin/terminal", "Page", "{target}"], time-limit = "30s" }
FOCUS{ app-id = "Page" }
show = { exec = ["../bin/tell", "{session}", "--", "{target}"], time-limit = "30s" }
"""

# A window that takes everything, and takes its time to come.
SLOW = """
id = "example.slow"
domains = ["slow.example"]

[[scenes]]
name = "desk"
launch = { PLACE = ["../bin/slow", "Slow", "slow window"], time-limit = "30s"READY }
FOCUS{ app-id = "Slow" }
show = { exec = ["../bin/tell", "{session}", "--", "{target}"], time-limit = "30s" }
"""

# Windows that do not all want the same prominence.
CALM = """
id = "example.calm"
domains = ["calm.example"]
""" + "".join(f"""
[[scenes]]
name = "{name}"
opens = 'SELF == "https://calm.example/{name}"'
can = 'SELF == "https://calm.example/{name}"'
prefers = 'SELF == "https://calm.example/{name}"'
launch = {{ PLACE = ["../bin/terminal", "Calm-{name}", "{{target}}"], time-limit = "30s" }}
focus = {{ app-id = "Calm-{name}", {policy} }}
""" for name, policy in {
    "urgent": 'policy = "urgent"', "raise": 'policy = "raise"', "none": 'policy = "none"',
    "summon": 'placement = "summon"', "typing": 'while-typing = "urgent"'}.items())

# Two scenes whose windows match the same words: a window cannot be attributed to one of them.
TWINS = """
id = "example.twins"
domains = ["twins.example"]

[[scenes]]
name = "left"
focus = { app-id = "Twin" }

[[scenes]]
name = "right"
focus = { app-id = "Twin" }
"""

# A single board, whichever program opened it.
BOARD = """
id = "example.board"
domains = ["board.example"]

[[scenes]]
name = "board"
launch = { exec = ["../bin/terminal", "Board", "board"], time-limit = "30s" }
focus = { app-id = "Board" }
show = { exec = ["../bin/tell", "{session}", "--", "{target}"] }
"""

# Windows by their title.
CROWD = """
id = "example.crowd"
domains = ["crowd.example"]

[[scenes]]
name = "one"
focus = { class = "Crowd", title = "crowd 377" }
"""

DEAF = """
id = "example.deaf"
domains = ["deaf.example"]

[[scenes]]
name = "deaf"
focus = { class = "Deaf" }
"""

# The class is not that of the program's window.
WRONG = """
id = "example.wrong"
domains = ["wrong.example"]

[[scenes]]
name = "wrong"
launch = { exec = ["../bin/splash", "{target}"], time-limit = "60s" }
focus = { app-id = "Actual" }
"""

# `https://wrong.example/splash/…` shows another window for a second before its own; `…/slow/…` waits for five seconds.
SPLASH = """#!/bin/sh
folder=$(dirname "$0")
case "$1" in
*/splash/*) "$folder/terminal" Splash starting & sleep 1; kill $!; exec "$folder/terminal" Actual "$1" ;;
*/slow/*) sleep 5 ;;
esac
exec "$folder/terminal" Real "$1"
"""

# Pushes that respect a window which fills the screen.
QUIET = """
id = "example.quiet"
domains = ["quiet.example"]
quiet = { fullscreen = "none" }

[[scenes]]
name = "quiet"
launch = { exec = ["../bin/terminal", "Quiet", "quiet"], time-limit = "30s" }
focus = { app-id = "Quiet" }
"""

# A desktop entry that names a program which is not there, one whose Exec cannot be read, and a good one.
ENTRIES = """
id = "example.entries"
domains = ["entries.example"]
""" + "".join(f"""
[[scenes]]
name = "{name}"
opens = 'SELF BEGINSWITH "https://entries.example/{name}"'
can = 'SELF BEGINSWITH "https://entries.example/{name}"'
launch = {{ desktop = ["example.{name}"], time-limit = "30s" }}
focus = {{ app-id = "Entry" }}
""" for name in ("good", "gone", "broken"))

ENTRY = """[Desktop Entry]
Type=Application
Name=Entry
StartupWMClass=Entry
Exec={exec}
"""


class Stories(Registry, Hardship, Instances):
    """One window system."""

    def __init__(self, name, *rest, **options):
        super().__init__(name, *rest, **options)
        self.kind = SCREENS[name]
        self.programs = (*self.kind.programs, "dbus-daemon")

    def apps(self):
        is_tmux = self.section == "tmux"
        place, focus = ("tmux", "# ") if is_tmux else ("exec", "focus = ")
        ready = "" if is_tmux else ", ready = { window = true, time-limit = \"30s\" }"
        # A window of tmux is known by its handle: only the policy is said of it.
        calm = re.sub(r'app-id = "[^"]*", ', "", CALM) if is_tmux else CALM
        texts = {"pages": PAGES, "slow": SLOW.replace("READY", ready), "calm": calm}
        if not is_tmux:
            texts.update(twins=TWINS, board=BOARD, crowd=CROWD, deaf=DEAF, entries=ENTRIES, wrong=WRONG, quiet=QUIET, **self.instance_apps())
        return {name: text.replace("PLACE", place).replace("FOCUS{", focus + "{") for name, text in texts.items()}

    def furnish(self):
        self.desk.start_bus()
        terminal = self.desk.path("config/bin/terminal")
        for name, line in {"good": f"{terminal} Entry entry", "gone": "/nonexistent/program %u",
                           "broken": 'sh -c "unfinished %u'}.items():
            self.desk.write(f"home/.local/share/applications/example.{name}.desktop", ENTRY.format(exec=line))
        self.desk.write("config/bin/splash", SPLASH, executable=True)
        self.screen = self.desk.screen = self.kind(self.desk)
        self.screen.start()
        self.daemon = self.desk.start()
        checked = self.desk.usher("check", "--format", "text")
        self.check(checked.returncode == 0, "its configuration is right", checked.stdout.decode())

    def before(self):
        # Requests arrive while the user works in another window.
        self.screen.terminal("elsewhere")

    def after(self):
        self.screen.close_all()

    # The witnesses

    def is_seen(self, title, name="is in front"):
        """It has the keyboard, as others say, and key strokes arrive in it."""
        if not self.check(
                eventually(lambda: self.screen.active() == title), f"{name}, others say",
                lambda: f"in front is {self.screen.active()!r}, not {title!r}"):
            return False
        self.requests += 1
        text = f"key {self.requests}"
        self.screen.type(text)
        return self.check(
            eventually(lambda: text in self.desk.typed(title), seconds=10), f"{name}: keys arrive there",
            lambda: f"{text!r} is not in {self.desk.typed(title)}")

    def is_left(self, title, name):
        """The keyboard stayed where it was."""
        text = f"stay {self.requests}"
        self.screen.type(text)
        return self.check(
            self.screen.active() == title and eventually(lambda: text in self.desk.typed(title), seconds=10), name,
            lambda: f"in front is {self.screen.active()!r}; typed {self.desk.typed(title)}")

    def open(self, target, title=None, **options):
        """A window that Usher launches; its record. The target is its title."""
        record = self.send(target, **options)
        self.check(
            record.get("action") == "launch" and record.get("outcome") == "verified", f"{target} is launched",
            lambda: brief(record))
        eventually(lambda: (title or target) in self.screen.titles())
        return record

    def count(self, title):
        return self.screen.titles().count(title)

    # The twelve stories

    @story("focus open")
    def focus_open(self):
        one, two = "https://pages.example/1", "https://pages.example/2"
        first = self.open(one)
        self.open(two)
        self.is_seen(two)
        for target, channel in ((one, "usher"), (two, "webhook"), (one, "webhook")):
            record = self.send(target, channel=channel)
            self.is_record(record, f"by {channel}: verified", action="focus", reason="prefers", outcome="verified",
                           error=None)
            self.is_seen(target, f"by {channel}: {target}")
        self.check(record.get("session") == first.get("session"), "it is the same session", brief(record))
        self.check(
            any(told[:2] == (first.get("session"), one) for told in self.desk.told()), "and it got the target to show",
            lambda: self.desk.told())
        record = self.send(one)
        self.is_record(record, "what is in front already is verified too", action="focus", outcome="verified")
        self.check((self.count(one), self.count(two)) == (1, 1), "no second window", lambda: self.screen.titles())

    @story("launch absent")
    def launch_absent(self):
        target = "https://pages.example/absent"
        record = self.send(target)
        self.is_record(record, "launched, and its window verified", action="launch", reason="opens",
                       outcome="verified", error=None)
        self.is_seen(target)
        session = self.desk.session(session=record.get("session")) or {}
        self.check(
            session.get("handle") and session.get("handle") == self.screen.handle(target),
            "the session has the window's handle", lambda: f"{session.get('handle')} and {self.screen.handle(target)}")
        self.check(session.get("state") == "connected", "and is connected", session)

    @story("startup token", "openbox", "i3")
    def token(self):
        target = "https://pages.example/token"
        self.open(target)
        pid = self.desk.run("xdotool", "getwindowpid", str(self.screen.window(target))).strip()
        names = ("DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN")
        values = {name: variable_of(pid, name) for name in names}
        self.check(all(values.values()), "the program has a token of this launch", values)
        other = "https://pages.example/token2"
        self.open(other)
        pid = self.desk.run("xdotool", "getwindowpid", str(self.screen.window(other))).strip()
        self.check(variable_of(pid, names[0]) != values[names[0]], "and no other has it", values)

    @story("moved workspace")
    def moved_workspace(self):
        target = "https://pages.example/moved"
        self.open(target)
        self.check(self.screen.send_away(target), "it was moved", lambda: self.screen.tree())
        here = self.screen.here()
        self.check(self.screen.active() != target, "it is out of sight")
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.is_seen(target)
        self.check(
            eventually(lambda: self.screen.here() == self.screen.place(target)) and self.screen.here() != here,
            "its user was taken there", lambda: f"{self.screen.here()}, {self.screen.place(target)}, was {here}")

    @story("moved workspace, summoned", *DESKTOPS, "tmux")
    def summoned(self):
        target = "https://calm.example/summon"
        self.open(target)
        self.check(self.screen.send_away(target), "it was moved")
        here = self.screen.here()
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.is_seen(target)
        self.check(
            self.screen.here() == here == self.screen.place(target), "it was brought here",
            lambda: f"{self.screen.here()}, {self.screen.place(target)}, was {here}")

    @story("minimised", "openbox", "labwc")
    def minimised(self):
        target = "https://pages.example/minimised"
        self.open(target)
        self.check(self.screen.minimise(target), "it was minimised")
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.is_seen(target)
        self.check(not self.screen.is_hidden(target), "it is no longer hidden")

    @story("a window that takes the front", *DESKTOPS)
    def thief(self):
        one, two = "https://pages.example/thief1", "https://pages.example/thief2"
        for target in (one, two):
            self.is_record(self.open(target), f"{target}: nothing takes the front", warnings=[])
        for _ in range(3):
            ended = self.screen.steal(one, "elsewhere")
            record = self.send(one)
            # On a busy machine the other program may act only after the record is there: nothing was lost until then.
            is_late = not record.get("warnings") and self.screen.active() == one
            ended()
            if not is_late:
                break
            self.screen.focus("elsewhere")
        self.is_record(record, "the record says that the front was lost", action="focus", outcome="verified", error=None,
                       warnings=["activation.lost-front"])
        self.check("elsewhere" in words(record), "and to which window", lambda: brief(record))
        self.is_seen(one, "it was brought to the front again")
        shown = self.desk.usher("deliveries", "show", str(record.get("id")), "--json").stdout.decode()
        self.check('"activation.lost-front"' in shown, "the store has it", lambda: shown[:800])
        ended = self.screen.steal(two, "elsewhere", delay=0.6)
        self.is_record(self.send(two), "what is lost later is not said", outcome="verified", warnings=[])
        ended()

    @story("quiet: fullscreen", *DESKTOPS)
    def quiet(self):
        target = "https://quiet.example/1"
        self.is_record(self.open(target, "quiet"), "without it nothing is quiet", policy=None)
        self.screen.focus("elsewhere")
        self.check(self.screen.fullscreen("elsewhere", True), "a window fills the screen", lambda: self.screen.tree())
        record = self.send(target)
        self.is_record(record, "nothing is done", action="none", outcome="skipped", policy="quiet", error=None)
        self.is_left("elsewhere", "its user is left alone")
        self.desk.usher("open", target)
        self.check(eventually(lambda: self.screen.active() == "quiet"), "what is opened by hand comes forward",
                   lambda: self.screen.active())
        self.screen.focus("elsewhere")
        self.screen.fullscreen("elsewhere", False)
        self.is_record(self.send(target), "afterwards it comes forward", action="focus", outcome="verified", policy=None)

    @story("scratchpad", "i3", "sway")
    def scratchpad(self):
        target = "https://pages.example/scratch"
        self.open(target)
        self.check(self.screen.scratch(target), "it is in the scratchpad")
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.is_seen(target)
        self.check(self.screen.workspace(target) != "__i3_scratch", "it was shown")

    @story("ambiguous", *DESKTOPS)
    def ambiguous(self):
        for title in ("twin one", "twin two"):
            self.screen.terminal(title, "Twin")
        self.screen.focus("elsewhere")
        self.is_ambiguous("twin one", "twin two")
        self.is_left("elsewhere", "nothing was focused")
        self.desk.usher("scene", "close", "left-0")

    @story("closed meanwhile")
    def closed_meanwhile(self):
        target = "https://pages.example/meanwhile"
        self.open(target)
        # The first request holds the session, so that the second is decided, and waits.
        told = len(self.desk.told())
        self.desk.write("slow", "3")
        first = self.later(target)
        eventually(lambda: len(self.waiting()) >= 1)
        second = self.later(target)
        eventually(lambda: len(self.waiting()) >= 2)
        self.screen.close(target)
        self.check(eventually(lambda: not self.count(target)), "the window is closed")
        self.desk.run("rm", self.desk.slow)
        first(), (record := second())
        self.check(len(self.desk.told()) > told, "the first got its target")
        self.is_record(record, "it is launched again", action="launch", outcome="verified", error=None)
        self.is_seen(target)
        self.check(self.count(target) == 1, "one window", lambda: self.screen.titles())

    @story("closed on request")
    def closed_on_request(self):
        target = "https://pages.example/requested"
        session = self.open(target).get("session") or ""
        ending = self.desk.usher("scene", "close", session, "--window", "--json")
        self.check(
            ending.returncode == 0 and json.loads(ending.stdout).get("window") == "closed", "`scene close --window` closes it",
            lambda: (ending.stdout, ending.stderr))
        self.check(not self.count(target), "the window is gone", lambda: self.screen.titles())
        self.check(not self.desk.sessions(session=session), "and its session", lambda: self.desk.sessions())

    @story("restart of the daemon")
    def restart(self):
        kept, closed = "https://pages.example/kept", "https://pages.example/closed"
        record = self.open(kept)
        self.open(closed)
        handle = self.screen.handle(kept)
        self.check(self.daemon.end() == 0, "the daemon ends")
        self.check(self.count(kept) == 1, "windows outlive it")
        self.screen.close(closed)
        eventually(lambda: not self.count(closed))
        self.daemon = self.desk.start()
        again = self.send(kept)
        self.is_record(again, "its window is found again", action="focus", outcome="verified", error=None,
                       session=record.get("session"))
        self.is_seen(kept)
        session = self.desk.session(session=record.get("session")) or {}
        self.check(session.get("handle") == handle, "by the same handle", session)
        self.is_record(self.send(closed), "one that was closed meanwhile is launched", action="launch",
                       outcome="verified", error=None)
        self.is_seen(closed)
        self.check((self.count(kept), self.count(closed)) == (1, 1), "one window each")

    @story("hold until ready")
    def hold(self):
        targets = [f"https://slow.example/{number}" for number in (1, 2, 3)]
        before = len(self.desk.told())
        records = self.send_in_order(targets)
        actions = [record.get("action") for record in records]
        self.check(actions == ["launch", "focus", "focus"], "three requests are one launch",
                   lambda: "\n".join(map(brief, records)))
        self.check(len({record.get("session") for record in records}) == 1, "of one session", actions)
        told = self.desk.told()[before:]
        self.check([line[1] for line in told] == targets, "each target arrives, in order", lambda: told)
        if self.section != "tmux":
            self.check(all("slow window" in line[2] for line in told), "none before the window was there", lambda: told)
            self.check(self.count("slow window") == 1, "one window", lambda: self.screen.titles())
            self.is_seen("slow window")

    @story("urgent only", *DESKTOPS, "tmux")
    def urgent(self):
        target = "https://calm.example/urgent"
        self.send(target)
        self.check(eventually(lambda: self.count(target) == 1), "it is there")
        self.screen.focus("elsewhere")
        self.check(not self.screen.is_urgent(target), "it is not urgent yet")
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.check(eventually(lambda: self.screen.is_urgent(target)), "it is marked, others say",
                   lambda: self.screen.tree())
        self.is_left("elsewhere", "the keyboard stays where it is")

    @story("raise only", *DESKTOPS, "tmux")
    def raised(self):
        target = "https://calm.example/raise"
        self.send(target)
        eventually(lambda: self.count(target) == 1)
        self.screen.focus("elsewhere")
        record = self.send(target)
        self.check(record.get("action") == "focus" and not record.get("error"), "done", lambda: brief(record))
        self.is_left("elsewhere", "the keyboard stays where it is")

    @story("no focus", *DESKTOPS, "tmux")
    def untouched(self):
        target = "https://calm.example/none"
        self.send(target)
        eventually(lambda: self.count(target) == 1)
        self.screen.focus("elsewhere")
        record = self.send(target)
        self.check(record.get("action") == "focus" and not record.get("error"), "done", lambda: brief(record))
        self.check(not self.screen.is_urgent(target), "it is not marked")
        self.is_left("elsewhere", "the keyboard stays where it is")

    @story("while the user types", "openbox", "i3", "tmux")
    def typing(self):
        target = "https://calm.example/typing"
        self.open(target)
        self.screen.focus("elsewhere")
        self.screen.type("in the middle of a wo")
        record = self.send(target)
        self.check(eventually(lambda: self.screen.is_urgent(target)), "it is marked", lambda: brief(record))
        self.is_record(record, "the record says why", action="focus", policy="typing", error=None)
        self.is_left("elsewhere", "the user keeps the keyboard")
