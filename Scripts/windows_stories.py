"""The stories of `check-windows` about windows: on X11 with openbox and with i3, on sway, and in tmux.

One desk, one daemon, one configuration for each window system; a story finds no windows, and leaves none.
"""

import concurrent.futures
import json
import os
import re

from checklist import eventually
from daemon import alert, variable_of
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

# Five scenes of one app, each with a window of its own.
FIVE = """
id = "example.five"
domains = ["five.example"]
""" + "".join(f"""
[[scenes]]
name = "number-{number}"
opens = 'SELF == "https://five.example/{number}"'
can = 'SELF == "https://five.example/{number}"'
prefers = 'SELF == "https://five.example/{number}"'
launch = {{ PLACE = ["../bin/terminal", "Five-{number}", "{{target}}"], time-limit = "30s" }}
FOCUS{{ app-id = "Five-{number}" }}
""" for number in range(5))

# Windows that are closed as soon as they are there. `…/0`: at once, `…/1`: after 0.1 s, and so on.
BRIEF = """
id = "example.brief"
domains = ["brief.example"]

[[scenes]]
name = "page"
opens = 'SELF BEGINSWITH "https://brief.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { PLACE = ["../bin/brief", "{target}"], time-limit = "30s" }
FOCUS{ app-id = "Brief" }
"""

BRIEF_SCRIPT = """#!/bin/sh
folder=$(dirname "$0") pause=0.${1##*/}
[ -n "${TMUX:-}" ] && exec sleep "$pause"
"$folder/terminal" Brief "$1" &
until "$folder/titles" | grep -qxF "$1"; do sleep 0.02; done
sleep "$pause"
kill $!
"""

# `…/never` opens no window, `…/held` only when its time is over.
TARDY = """
id = "example.tardy"
domains = ["tardy.example"]

[[scenes]]
name = "page"
opens = 'SELF BEGINSWITH "https://tardy.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { exec = ["../bin/tardy", "{target}"], time-limit = "3s" }
focus = { app-id = "Tardy" }
"""

TARDY_SCRIPT = """#!/bin/sh
folder=$(dirname "$0")
case "$1" in
*/never) exit 0 ;;
*/held) until [ -e '{sign}' ]; do sleep 0.05; done ;;
esac
exec "$folder/terminal" Tardy "$1"
"""

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

# Its manifest comes when its window has been there for a while.
LATE = """
id = "example.late"
domains = ["late.example"]

[[scenes]]
name = "late"
launch = { exec = ["../bin/terminal", "Late", "late"], time-limit = "30s" }
focus = { app-id = "Late" }
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
        texts = {"pages": PAGES, "five": FIVE, "brief": BRIEF, "slow": SLOW.replace("READY", ready), "calm": calm}
        if not is_tmux:
            texts.update(twins=TWINS, tardy=TARDY, board=BOARD, crowd=CROWD, deaf=DEAF, entries=ENTRIES, wrong=WRONG, quiet=QUIET, **self.instance_apps())
        return {name: text.replace("PLACE", place).replace("FOCUS{", focus + "{") for name, text in texts.items()}

    def furnish(self):
        self.desk.start_bus()
        terminal = self.desk.path("config/bin/terminal")
        for name, line in {"good": f"{terminal} Entry entry", "gone": "/nonexistent/program %u",
                           "broken": 'sh -c "unfinished %u'}.items():
            self.desk.write(f"home/.local/share/applications/example.{name}.desktop", ENTRY.format(exec=line))
        self.desk.write("config/bin/splash", SPLASH, executable=True)
        self.desk.write("config/bin/brief", BRIEF_SCRIPT, executable=True)
        self.desk.write("config/bin/tardy", TARDY_SCRIPT.format(sign=self.desk.path("tardy.sign")), executable=True)
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

    @story("a manifest that comes after its window", *DESKTOPS)
    def late(self):
        self.screen.terminal("late", "Late")
        self.check(eventually(lambda: self.count("late") == 1), "a window is opened by hand", lambda: self.screen.titles())
        self.screen.focus("elsewhere")
        path = self.desk.write("config/apps/late.toml", LATE)
        try:
            self.check(self.desk.usher("reload").returncode == 0, "the manifest is read")
            record = self.send("https://late.example/x")
            self.is_record(record, "the window is focused", action="focus", outcome="verified", error=None)
            self.is_seen("late")
            self.check(self.count("late") == 1, "one window", lambda: self.screen.titles())
        finally:
            os.unlink(path)
            self.desk.usher("reload")

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

    @story("five launches at once")
    def five(self):
        """Five targets of one scene, then one of each of five scenes: each window is that of its own request."""
        for host in ("pages", "five"):
            self.screen.focus("elsewhere")
            targets = [f"https://{host}.example/{number}" for number in range(5)]
            with concurrent.futures.ThreadPoolExecutor(len(targets)) as pool:
                records = list(pool.map(self.send, targets))
            for target, record in zip(targets, records):
                self.is_record(record, f"{target}: verified", action="launch", outcome="verified", error=None)
                session = self.desk.session(session=record.get("session")) or {}
                self.check(session.get("handle") and session.get("handle") == self.screen.handle(target),
                           f"{target}: its session has its window", lambda: f"{session} and {self.screen.handle(target)}")
            self.check(self.screen.active() in targets, "one of them is in front", lambda: self.screen.active())
            self.screen.close_all()
            self.screen.terminal("elsewhere")

    @story("many windows of one batch", "tmux", is_long=True)
    def batch(self):
        """Nothing is lost, each request has its own window, and what is closed leaves no session."""
        targets = [f"https://pages.example/batch/{number}" for number in range(600)]
        lines = "".join(json.dumps(alert(target, "t")) + "\n" for target in targets)
        ran = self.desk.usher("dispatch", "--json", "-", input=lines, time_limit=600)
        records = [json.loads(line) for line in ran.stdout.decode().splitlines()]
        self.check(sorted(record.get("target") for record in records) == sorted(targets), "each has its record", len(records))
        wrong = [record for record in records if record.get("action") != "launch" or record.get("error")]
        self.check(not wrong, "each is launched", lambda: "\n".join(map(brief, wrong[:5])))
        sessions = {row["session"]: row for row in self.desk.sessions(app="example.pages")}
        titles = dict(line.split() for line in self.screen.say(
            "list-windows", "-a", "-F", "#{window_id} #{pane_pid}").splitlines())
        shown = {record.get("target"): self.screen.title_of(titles.get(sessions.get(record.get("session"), {}).get("handle")))
                 for record in records}
        self.check(all(target == title for target, title in shown.items()), "and its session has its window",
                   lambda: [pair for pair in shown.items() if pair[0] != pair[1]][:5])
        megabytes = self.daemon.status("VmRSS") / 1024
        self.check(megabytes <= 120, "memory is bounded", f"{megabytes:.1f} MB")
        self.checks.note(f"{self.section}: {self.title}: {megabytes:.1f} MB")
        for row in sessions.values():
            self.screen.say("kill-window", "-t", row.get("handle") or "-")
        self.check(eventually(lambda: not self.desk.sessions(app="example.pages"), seconds=60), "closed, none is left",
                   lambda: len(self.desk.sessions(app="example.pages")))

    @story("closed at once")
    def closed_at_once(self):
        """No session is taken for connected whose window was closed before its launch was over."""
        for number in range(4):
            target = f"https://brief.example/{number}"
            record = self.send(target)
            self.check(record.get("action") == "launch", f"{target} is launched", lambda: brief(record))
            def state():
                return (self.desk.session(session=record.get("session")) or {}).get("state")
            self.check(eventually(lambda: state() in (None, "disconnected")), f"{target}: its session is over", state)

    @story("a window that comes late, and one that never comes", *DESKTOPS, is_long=True)
    def tardy(self):
        def state(record):
            found = self.desk.session(session=record.get("session")) or {}
            return found.get("state"), found.get("handle")
        never, held, other = (f"https://tardy.example/{name}" for name in ("never", "held", "other"))
        for target, wanted in ((never, "disconnected"), (held, "connected")):
            record = self.send(target)
            self.is_record(record, f"{target}: no window came", action="launch", outcome="unverified", error=None)
            self.check(state(record) == (wanted, None), f"{target}: its session is {wanted}", lambda: state(record))
        self.is_record(self.open(other), f"{other}: it is sure of its window", warnings=[])
        self.check(self.desk.session(target=other).get("handle") == self.screen.handle(other), f"{other}: and has it", self.desk.sessions)
        self.check(state(record)[1] is None, f"{held}: it has taken no other window", self.desk.sessions)
        self.desk.write("tardy.sign", "")
        self.check(eventually(lambda: self.count(held) == 1), f"{held}: its window comes", self.screen.titles)
        self.check(eventually(lambda: state(record) == ("connected", self.screen.handle(held))),
                   f"{held}: its session gets it", self.desk.sessions)
        self.screen.focus("elsewhere")
        self.is_record(self.send(held), f"{held}: it comes to the front", action="focus", outcome="verified", error=None)
        self.is_seen(held)

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
