"""The stories of `check-windows` on KWin, the compositor of KDE Plasma, with Xwayland.

The witness is a script of the checks in KWin, which prints the windows whenever they change, and key strokes that arrive: they
are typed with `org_kde_kwin_fake_input`.
"""

import copy
import glob
import json
import os
import re
import shlex
import shutil
import signal
import socket
import struct
import subprocess

from checklist import eventually
from daemon import Daemon, variable_of
from windows import Screen
from windows_section import brief, story, words
from windows_stories import Stories

# A window that keeps what is typed into it: `typing-window APP_ID TITLE FILE`. foot 1.13 divides by the physical size of the
# output, which is not known here.
WINDOW = """
import sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk, GLib
app, title, path = sys.argv[1:]
GLib.set_prgname(app)
window, entry = Gtk.Window(title=title), Gtk.Entry()
window.set_default_size(400, 100)
window.add(entry)
def keep(entry):
    with open(path, "a") as file:
        file.write(entry.get_text() + "\\n")
    entry.set_text("")
entry.connect("activate", keep)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
"""

TERMINAL = """#!/bin/sh
# A window that is known by its app id or class, and its title, and which keeps what is typed into it.
folder=$(dirname "$0")
[ -n "${{USHER_CHECK_X11:-}}" ] && exec xterm -class "$1" -T "$2" -e "$folder/listen" "$2"
exec /usr/bin/python3 '{window}' "$1" "$2" '{keys}'/"$(printf '%s' "$2" | tr -c 'A-Za-z0-9._-' '_')"
"""

# Both spellings of the scripting objects.
COMMON = """
const list = () => workspace.windowList ? workspace.windowList() : workspace.clientList();
const active = () => workspace.activeWindow === undefined ? workspace.activeClient : workspace.activeWindow;
const activate = w => { if (workspace.activeWindow === undefined) workspace.activeClient = w; else workspace.activeWindow = w; };
const title = w => String(w.caption).replace(/ <\\d+>\\u200E$/, "");
const place = d => String(d && d.name !== undefined ? d.name : d);
const find = wanted => list().filter(w => title(w) === wanted);
"""

WITNESS = COMMON + """
const tell = () => print("WITNESS " + JSON.stringify({
    active: active() ? title(active()) : null, here: place(workspace.currentDesktop),
    windows: list().filter(w => w.normalWindow && w.managed !== false).map(w => ({
        id: String(w.internalId).slice(1, -1), title: title(w), process: w.pid, minimised: w.minimized,
        fullscreen: w.fullScreen, urgent: w.demandsAttention, order: w.stackingOrder,
        place: place(w.desktop === undefined ? w.desktops[0] : w.desktop)
    }))
}));
const watch = w => {
    for (const name of ["caption", "minimized", "fullScreen", "demandsAttention", "desktop", "desktops", "stackingOrder"])
        if (w[name + "Changed"]) w[name + "Changed"].connect(tell);
    tell();
};
list().forEach(watch);
(workspace.windowAdded || workspace.clientAdded).connect(watch);
(workspace.windowRemoved || workspace.clientRemoved).connect(tell);
(workspace.windowActivated || workspace.clientActivated).connect(tell);
workspace.currentDesktopChanged.connect(tell);
tell();
"""

# `kwin-run FILE NAME [stay]` runs a script in KWin 5 or 6. `kwin-run FILE NAME load` prints the number under which it is
# loaded, and `kwin-run NUMBER` runs it.
RUN = """#!/bin/sh
call() { gdbus call --session --timeout 10 -d org.kde.KWin -o "$@"; }
introspect() { call "$1" -m org.freedesktop.DBus.Introspectable.Introspect 2>/dev/null; }
load() { call /Scripting -m org.kde.kwin.Scripting.loadScript "$@" | tr -dc 0-9-; }
unload() { call /Scripting -m org.kde.kwin.Scripting.unloadScript "$1"; }
run() {
    for path in /Scripting/Script$1 /$1; do
        call "$path" -m org.kde.kwin.Script.run 2>/dev/null && break
    done
}
if [ $# = 1 ]; then
    run "$1"
    exit
fi
# KWin numbers a script by the count of loaded scripts. After one was unloaded, this number can belong to another script:
# with one more loaded, the number is higher.
taken=$(introspect / ; introspect /Scripting) placeholders=
while
    number=$(load "$1" "$2")
    case $taken in *'"'$number'"'* | *'"Script'$number'"'*) ;; *) false ;; esac
do
    unload "$2"
    placeholders="$2-placeholder$number $placeholders"
    load "$1" "$2-placeholder$number"
done >/dev/null
[ "${3:-}" = load ] && echo "$number" || run "$number"
[ "${3:-}" ] || placeholders="$2 $placeholders"
for name in $placeholders; do unload "$name"; done >/dev/null
"""

# KWin's windows as the scripts of other programs list them.
TITLES = """#!/usr/bin/env python3
import json
last = [line for line in open({log!r}, encoding="utf-8", errors="replace") if "WITNESS " in line][-1:]
for line in last:
    for window in json.loads(line.partition("WITNESS ")[2])["windows"]:
        print(window["title"])
"""

SETTINGS = """[Desktops]
Number=3
Rows=1

[Windows]
FocusStealingPreventionLevel=1
"""


# A launcher that gets an activation token from the compositor: `launcher TITLE COMMAND`, and Enter starts the command.
LAUNCHER = """
import sys, gi
gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gio, GLib, Gtk
GLib.set_prgname("Launcher")
window, entry = Gtk.Window(title=sys.argv[1]), Gtk.Entry()
window.add(entry)
command = Gio.AppInfo.create_from_commandline(sys.argv[2], "usher", Gio.AppInfoCreateFlags.SUPPORTS_STARTUP_NOTIFICATION)
entry.connect("activate", lambda _: command.launch([], Gdk.Display.get_default().get_app_launch_context()))
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
"""

# Pushes that respect a locked screen.
LOCKED = """
id = "example.locked"
domains = ["locked.example"]
quiet = { locked = "none" }

[[scenes]]
name = "locked"
launch = { exec = ["../bin/terminal", "Locked", "locked"], time-limit = "30s" }
focus = { app-id = "Locked" }
"""


# A window of Xwayland.
XBOARD = """
id = "example.xboard"
domains = ["xboard.example"]

[[scenes]]
name = "board"
launch = { exec = ["false"] }
focus = { class = "xboard" }
"""


class Typist:
    """A keyboard: a client of `org_kde_kwin_fake_input` on the bare wire."""

    KEYS = {**dict(zip("1234567890", range(2, 12))), **dict(zip("qwertyuiop", range(16, 26))),
            **dict(zip("asdfghjkl", range(30, 39))), **dict(zip("zxcvbnm", range(44, 51))), "\n": 28, " ": 57}

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(path)
        # wl_display.get_registry, and sync: the globals come before its answer.
        self.send(1, 1, struct.pack("=I", 2))
        self.sync(3)
        version = min(4, self.found[1])
        self.send(2, 0, struct.pack("=I", self.found[0]) + self.text("org_kde_kwin_fake_input")
                  + struct.pack("=II", version, 4))
        self.send(4, 0, self.text("check-windows") + self.text("tests"))
        self.sync(5)
        self.next = 6

    @staticmethod
    def text(value):
        data = value.encode() + b"\0"
        return struct.pack("=I", len(data)) + data + b"\0" * (-len(data) % 4)

    def send(self, object, code, body=b""):
        self.socket.sendall(struct.pack("=IHH", object, code, 8 + len(body)) + body)

    def sync(self, callback):
        """Waits until the compositor has done everything so far."""
        self.send(1, 0, struct.pack("=I", callback))
        while True:
            object, code, size = struct.unpack("=IHH", self.read(8))
            body = self.read(size - 8)
            if object == 2 and code == 0:
                name, length = struct.unpack_from("=II", body)
                if body[8:8 + length - 1] == b"org_kde_kwin_fake_input":
                    self.found = (name, struct.unpack_from("=I", body, 8 + length + -length % 4)[0])
            elif object == 1 and code == 0:
                raise RuntimeError(f"KWin: {body!r}")
            elif object == callback:
                return

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise RuntimeError("KWin has closed the connection")
            data += piece
        return data

    def type(self, text):
        for character in text:
            for state in (1, 0):
                self.send(4, 10, struct.pack("=II", self.KEYS[character], state))
        self.sync(self.next)
        self.next += 1

    def close(self):
        self.socket.close()


class KWin(Screen):
    """KWin without a screen, with Xwayland."""

    name = "kwin"
    programs = ("kwin_wayland", "Xwayland", "xterm", "gdbus")
    variables = ("WAYLAND_DISPLAY", "DISPLAY")

    def start(self):
        for name in ("SWAYSOCK", *self.variables):
            self.desk.environment.pop(name, None)
        # A copy has no file capability, which containers refuse.
        self.program = self.desk.path("kwin_wayland")
        shutil.copy(shutil.which("kwin_wayland"), self.program)
        window = self.desk.write("config/bin/typing-window", WINDOW)
        self.desk.write("config/bin/terminal", TERMINAL.format(window=window, keys=self.desk.path("keys")), executable=True)
        self.desk.write("config/bin/titles", TITLES.format(log=self.desk.path("server.log")), executable=True)
        self.desk.write("home/.config/kwinrc", SETTINGS)
        self.runner = self.desk.write("bin/kwin-run", RUN, executable=True)
        self.scripts = 0
        os.makedirs("/tmp/.X11-unix", 0o1777, exist_ok=True)
        self.desk.environment.update(
            XDG_CURRENT_DESKTOP="KDE", XDG_SESSION_TYPE="wayland", GDK_BACKEND="wayland", WAYLAND_DISPLAY="usher-kwin")
        self.begin()
        return self

    def begin(self):
        """KWin, and the witness in it; again after it was killed."""
        ready = self.desk.path("kwin.ready")
        if os.path.exists(ready):
            os.unlink(ready)
        script = self.desk.write(
            "bin/kwin-ready", f"#!/bin/sh\necho \"$DISPLAY\" > {ready}.new && mv {ready}.new {ready}\n", executable=True)
        self.server = self.process(
            self.program, "--virtual", "--xwayland", "--width", "1280", "--height", "800", "--socket", "usher-kwin",
            script, log="server.log",
            environment={"KWIN_COMPOSE": "Q", "KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1",
                         "QT_LOGGING_RULES": "kwin_scripting.debug=true;js.debug=true"})
        if not eventually(lambda: os.path.exists(ready)):
            with open(self.desk.path("server.log"), encoding="utf-8", errors="replace") as file:
                raise RuntimeError(f"KWin does not come: {file.read()[-800:]}")
        with open(ready, encoding="utf-8") as file:
            self.desk.environment["DISPLAY"] = file.read().strip()
        self.typist = Typist(os.path.join(self.desk.path("run"), "usher-kwin"))
        witness = self.desk.write("witness.js", WITNESS)
        marks = self.log().count("WITNESS ")
        self.desk.run(self.runner, witness, f"witness-{marks}", "stay")
        if not eventually(lambda: self.log().count("WITNESS ") > marks):
            raise RuntimeError(f"no script runs in KWin: {self.log()[-800:]}")

    def kill_server(self):
        self.typist.close()
        self.server.send_signal(signal.SIGKILL)
        self.server.wait()

    def log(self):
        with open(self.desk.path("server.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def say(self, code):
        """Runs a script in KWin."""
        self.desk.run(*self.command(code))

    def command(self, code):
        self.scripts += 1
        name = f"check-{os.getpid()}-{self.scripts}"
        return self.runner, self.desk.write(f"scripts/{name}.js", COMMON + code), name

    def state(self):
        # The last line may be incomplete.
        found = re.findall(r"WITNESS (\{.*\})$", self.log(), flags=re.M)
        return json.loads(found[-1]) if found else {"active": None, "here": None, "windows": []}

    def windows(self, title):
        return [window for window in self.state()["windows"] if window["title"] == title]

    def window(self, title):
        return next(iter(self.windows(title)), {})

    def titles(self):
        return [window["title"] for window in self.state()["windows"]]

    def handle(self, title):
        return f"kwin:{self.window(title).get('id')}"

    def active(self):
        return self.state()["active"]

    def type(self, text):
        self.typist.type(text + "\n")

    def focus(self, title):
        self.say(f"activate(find({json.dumps(title)})[0])")
        return eventually(lambda: self.active() == title)

    def steal(self, title, thief, delay=0.1):
        """A program in the background that gives the front to `thief` soon after `title` has got it."""
        def is_wanted(line):
            return f'WITNESS {{"active":{json.dumps(title)}' in line
        # Loaded before, it acts at once.
        number = self.desk.run(*self.command(f"activate(find({json.dumps(thief)})[0])"), "load").strip()
        return self.when(
            ("tail", "-n", "0", "-F", self.desk.path("server.log")), is_wanted, (self.runner, number), delay)

    def fullscreen(self, title, isOn):
        self.say(f"find({json.dumps(title)})[0].fullScreen = {json.dumps(isOn)}")
        return eventually(lambda: self.window(title)["fullscreen"] == isOn)

    def close(self, title):
        self.say(f"find({json.dumps(title)}).forEach(w => w.closeWindow())")

    def close_all(self):
        self.say("list().filter(w => w.normalWindow).forEach(w => w.closeWindow())")
        return eventually(lambda: not self.titles())

    def minimise(self, title):
        self.say(f"find({json.dumps(title)})[0].minimized = true")
        return eventually(lambda: self.is_hidden(title))

    def is_hidden(self, title):
        return self.window(title).get("minimised")

    def is_urgent(self, title):
        return bool(self.window(title).get("urgent"))

    def top(self):
        """The title of the window that is above the others."""
        return max(self.state()["windows"], key=lambda window: window["order"])["title"]

    def place(self, title):
        return self.window(title).get("place")

    def here(self):
        return self.state()["here"]

    def send_away(self, title):
        self.move_away(title)
        # A script may move a window that has the keyboard, and then it keeps it.
        if self.active() == title:
            self.focus(next(window["title"] for window in self.state()["windows"] if window["place"] == self.here()))
        return eventually(lambda: self.place(title) != self.here())

    def move_away(self, title):
        self.say(f"const w = find({json.dumps(title)})[0], all = workspace.desktops;"
                 " if (typeof all === 'object') w.desktops = [Array.from(all).find(d => d !== workspace.currentDesktop)];"
                 " else w.desktop = workspace.currentDesktop % all + 1;")
        return eventually(lambda: self.place(title) != self.here())

    def screenshot(self, path):
        """Not possible: KWin's is only for programs that it knows."""

    def tree(self):
        return json.dumps(self.state(), indent=1)


TOLD = ("focus open", "launch absent", "moved workspace", "moved workspace, summoned", "minimised", "ambiguous",
        "closed meanwhile", "closed on request", "restart of the daemon", "hold until ready", "five launches at once", "closed at once",
        "a window that comes late, and one that never comes", "urgent only", "no focus",
        "a window that takes the front", "quiet: fullscreen", "registry: an undeclared window",
        "registry: focus is followed", "registry: out of sight", "without the daemon: one look", "idle")


class Plasma(Stories):
    """Stories of openbox, on KWin, and its own."""

    def __init__(self, name, *rest, **options):
        super().__init__("openbox", *rest, **options)
        self.section, self.kind = name, KWin
        self.programs = (*KWin.programs, "dbus-daemon")

    @classmethod
    def methods(cls, section):
        found = Stories.methods("openbox")
        own = {method.story: method for method in vars(cls).values() if hasattr(method, "story")}
        return {name: found[name] for name in TOLD} | own

    def apps(self):
        return super().apps() | {"locked": LOCKED, "xboard": XBOARD}

    def rows(self):
        ran = self.desk.usher("doctor", "--json")
        return {row.get("system"): row for row in json.loads(ran.stdout or b"{}").get("windows", [])}

    @story("doctor: all green")
    def doctor(self):
        rows = self.rows()
        name = next((name for name in rows if name.startswith("kwin ")), "")
        self.check(re.fullmatch(r"kwin \d+\.\d+\.\d+", name), "KWin is named, with its version", rows)
        self.checks.note(f"{self.section}: {name}")
        for ability in ("list", "focus", "verify", "watch", "launch"):
            self.check(rows.get(name, {}).get(ability) is True, ability, rows)
        self.check(not any(name.startswith(("x11", "wayland")) for name in rows), "no other system lists its windows", rows)

    @story("a window of Xwayland is listed once, and comes forward")
    def xwayland(self):
        # KWin 5.27 reports classes in lower case.
        self.screen.terminal("on x", app="xboard", environment={"USHER_CHECK_X11": "1"})
        listed = json.loads(self.desk.usher("scene", "windows", "--json").stdout or b"[]")
        alike = [row for row in listed if row.get("title") == "on x"]
        self.check(len(alike) == 1 and alike[0].get("handle") == self.screen.handle("on x"), "once, with KWin's handle", alike)
        self.screen.focus("elsewhere")
        self.is_record(self.send("https://xboard.example/"), "verified", action="focus", outcome="verified", error=None)
        self.is_seen("on x")

    @story("raised, where scripts can raise")
    def raising(self):
        target = "https://calm.example/raise"
        self.send(target)
        eventually(lambda: self.count(target) == 1)
        self.screen.focus("elsewhere")
        record = self.send(target)
        if any(name.startswith("kwin 5") for name in self.rows()):
            self.is_record(record, "KWin 5 has no request for it: unverified", action="focus", outcome="unverified", error=None)
            self.check("no request to raise" in words(record), "with the reason", lambda: brief(record))
        else:
            self.is_record(record, "verified", action="focus", outcome="verified", error=None)
            self.check(self.screen.top() == target, "it is above the others", self.screen.tree)
        self.is_left("elsewhere", "the keyboard stays where it is")

    @story("a window that is covered, and one off the screen")
    def covered(self):
        target = "https://pages.example/covered"
        self.open(target)

        def sent(what, reason, script):
            self.screen.say(f"const it = find({json.dumps(target)})[0], other = find('elsewhere')[0]; {script}")
            record = {}

            def holds():
                record.update(self.send(target))
                return (record.get("evidence") or {}).get("reason") == reason
            self.check(eventually(holds), what, lambda: brief(record))
            self.is_record(record, what, action="focus", outcome="unverified" if reason else "verified", error=None)
            return record.get("evidence") or {}
        evidence = sent("seen whole", None, "")
        self.check((evidence.get("off_screen"), evidence.get("covered"), evidence.get("unknown")) == (0, 0, []),
                   "all is known", evidence)
        evidence = sent("a window stays above it", "seen.covered",
                        "other.frameGeometry = it.frameGeometry; other.keepAbove = true")
        self.check(evidence.get("keyboard") is True and evidence.get("covered", 0) > 0.9, "it has the keyboard", evidence)
        sent("what is half transparent does not cover it", None, "other.opacity = 0.4")
        sent("seen whole again", None, "other.opacity = 1; other.keepAbove = false")
        evidence = sent("off the screen", "seen.off-screen", "const g = it.frameGeometry; it.frameGeometry = "
                        "{x: g.x - 10000, y: g.y, width: g.width, height: g.height}")
        self.check(evidence.get("off_screen") == 1, "the whole of it", evidence)

    @story("a window that has the keyboard on another workspace")
    def kept(self):
        target = "https://pages.example/kept-keyboard"
        self.open(target)
        self.check(self.screen.move_away(target) and self.screen.active() == target, "it kept the keyboard", self.screen.tree)
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.check(self.screen.here() == self.screen.place(target), "its user was taken there", self.screen.tree)
        self.is_seen(target)

    @story("the token of a launcher")
    def token(self):
        target = "https://pages.example/launched"
        script = self.desk.write("bin/launcher.py", LAUNCHER)
        token, said = self.desk.path("token"), self.desk.path("opened.json")
        usher = [self.desk.program, "open", "--json", target, "--config", self.desk.path("config"), "--state", self.desk.path("state")]
        command = self.desk.write(
            "bin/launch", f"#!/bin/sh\nprintf %s \"${{XDG_ACTIVATION_TOKEN:-$DESKTOP_STARTUP_ID}}\" > {token}\n"
            f"exec {shlex.join(usher)} > {said}\n", executable=True)
        self.desk.start_program("/usr/bin/python3", script, "launcher", command)
        self.check(eventually(lambda: self.screen.active() == "launcher"), "the launcher has the keyboard", self.screen.tree)
        self.screen.type("")
        self.check(eventually(lambda: self.count(target) == 1), "its command opens a window", self.screen.tree)
        self.is_seen(target)
        with open(token, encoding="utf-8") as file:
            given = file.read()
        got = variable_of(self.screen.window(target).get("process"), "XDG_ACTIVATION_TOKEN")
        self.check(given and got == given, "the program has KWin's token", f"{given!r}, {got!r}")
        eventually(lambda: os.path.getsize(said) > 0)
        with open(said, encoding="utf-8") as file:
            self.is_record(json.load(file), "verified", action="launch", outcome="verified", error=None)

    @story("the number of its script is that of another one")
    def numbered(self):
        target = "https://pages.example/numbered"
        self.open(target)
        self.screen.focus("elsewhere")
        others = [f"other-{number}" for number in (1, 2)]
        for name in others:
            self.desk.run(self.screen.runner, self.desk.write(f"scripts/{name}.js", "print(1)\n"), name, "stay")
        # Its script came before theirs. Without it, the count of loaded scripts is the number of the second.
        self.check(self.daemon.end() == 0, "the daemon ends")
        self.daemon = self.desk.start()
        self.is_record(self.send(target), "its script runs", action="focus", outcome="verified", error=None)
        self.check(len(self.scripts()) == 1, "and is the only one of its own", self.scripts)
        for name in others:
            self.check("true" in self.scripting("unloadScript", name), f"{name} was there")

    @story("its script is unloaded by another program")
    def unloaded(self):
        target = "https://pages.example/unloaded"
        self.open(target)
        self.screen.focus("elsewhere")
        for number in (1, 2):
            names = self.scripts()
            self.check(len(names) == 1, "its script is in KWin", names)
            self.check("true" in self.scripting("unloadScript", names[0]), "another program unloads it")
            self.check(eventually(lambda: self.daemon.log().count("kwin-script-loaded-again") == number),
                       "the daemon notices without a request, and loads it again", lambda: self.daemon.log()[-1500:])
        self.check(self.screen.focus(target) and self.screen.focus("elsewhere"), "meanwhile windows come forward")
        self.is_record(self.send(target), "verified as before", action="focus", outcome="verified", error=None)
        self.is_seen(target)

    def scripts(self):
        """The names of the scripts of Usher that are in KWin, by the files that they were loaded from."""
        found = []
        for path in glob.glob(self.desk.path("run/usher-kwin-*.qml")):
            with open(path, encoding="utf-8") as file:
                found += re.findall(r'plugin: "([^"]+)"', file.read())
        return [name for name in found if "true" in self.scripting("isScriptLoaded", name)]

    def scripting(self, method, name):
        return self.desk.run("gdbus", "call", "--session", "-d", "org.kde.KWin", "-o", "/Scripting", "-m",
                             f"org.kde.kwin.Scripting.{method}", name)

    @story("reports of other programs are refused")
    def refused(self):
        peers = {}
        for path in glob.glob(self.desk.path("run/usher-kwin-*.qml")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            peers[re.search(r'plugin: "([^"]+)"', text)[1]] = re.search(r'peer: "([^"]+)"', text)[1]
        name = self.scripts()[0]
        window = {"id": "00000000-0000-0000-0000-000000000000", "title": "forged"}
        said = subprocess.run(
            ["gdbus", "call", "--session", "-d", peers[name], "-o", "/org/usher/KWin", "-m", "org.usher.KWin.Changed", name,
             json.dumps({"reset": True, "windows": [window]})],
            env=self.desk.environment, capture_output=True, text=True, check=False)
        self.check("AccessDenied" in said.stderr, "they are answered with an error", said.stderr)
        titles = [row.get("title") for row in json.loads(self.desk.usher("scene", "windows", "--json").stdout or b"[]")]
        self.check("forged" not in titles and "elsewhere" in titles, "and the windows are KWin's", titles)

    @story("two daemons beside each other")
    def two(self):
        target = "https://pages.example/two"
        self.open(target)
        desk = copy.copy(self.desk)
        desk.path = lambda *names: self.desk.path(*(("state-2",) if names == ("state",) else names))
        other = Daemon(desk, "--socket", self.desk.path("state-2/usherd")).ready()
        self.check(eventually(lambda: len(self.scripts()) == 2), "each has its script", self.scripts)
        self.is_record(self.send(target), "the first one works", action="focus", outcome="verified", error=None)
        other.kill()
        self.check(eventually(lambda: len(self.scripts()) == 1), "the script of one that was killed unloads itself", self.scripts)
        self.screen.focus("elsewhere")
        self.is_record(self.send(target), "the first one works on", action="focus", outcome="verified", error=None)
        self.is_seen(target)

    @story("quiet: locked")
    def locked(self):
        target = "https://locked.example/1"
        self.is_record(self.open(target, "locked"), "without it nothing is quiet", policy=None)
        self.screen.focus("elsewhere")
        call = ("gdbus", "call", "--session", "-d", "org.freedesktop.ScreenSaver", "-o", "/ScreenSaver", "-m")
        self.desk.run(*call, "org.freedesktop.ScreenSaver.Lock")
        self.check(
            eventually(lambda: "true" in self.desk.run(*call, "org.freedesktop.ScreenSaver.GetActive")), "KWin locks the screen")
        self.is_record(self.send(target), "nothing is done", action="none", outcome="skipped", policy="quiet", error=None)
        record = self.send("https://pages.example/under-the-lock")
        self.check((record.get("evidence") or {}).get("reason") == "seen.locked", "what opens under the lock is not seen",
                   lambda: brief(record))
        self.restart()

    def restart(self):
        """KWin again: only its greeter, which is not here, would unlock the screen."""
        self.screen.kill_server()
        self.screen.begin()

    @story("KWin is killed, and comes again")
    def killed(self):
        target = "https://pages.example/killed"
        record = self.open(target)
        self.screen.kill_server()
        self.check(
            eventually(lambda: not self.desk.sessions(session=record.get("session"), state="connected")),
            "the daemon notices it", lambda: self.desk.sessions())
        record = self.send(target)
        self.check(record.get("outcome") != "verified", "without KWin nothing is verified", lambda: brief(record))
        self.screen.begin()
        self.screen.terminal("elsewhere")
        record = self.send(target)
        self.is_record(record, "it is launched again, and verified", action="launch", outcome="verified", error=None)
        self.is_seen(target)
        self.is_record(self.send(target), "and brought forward", action="focus", outcome="verified", error=None)
