"""The stories of `check-windows` on GNOME Shell: a real one without a screen, with Usher's extension.

What the extension reports is compared with what the shell itself says in its debugger (`org.gnome.Shell.Eval`, which the shell
offers in unsafe mode only), and with the keys that arrive in windows.
"""

import json
import os
import shutil
import signal
import time

from checklist import eventually
from windows import Screen, loads
from windows_section import brief, story, words
from windows_stories import Stories

UUID = "windows@usher.org"
EVALUATE = ("org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell", "Eval", "s")

# In the shell: windows that a user sees as such.
WINDOWS = "global.display.list_all_windows().filter(w => !w.is_override_redirect() && w.get_title() && w.get_buffer_rect().width > 0)"

TITLES = """#!/bin/sh
busctl --address="$DBUS_SESSION_BUS_ADDRESS" --json=short call {evaluate} '{windows}.map(w => w.get_title())' | python3 -c '
import json, sys
print("\\n".join(json.loads(json.load(sys.stdin)["data"][1])))
'
"""

# Keys of a keyboard that the shell has: they take the way of all keys.
TYPE = """(() => {
const Clutter = imports.gi.Clutter;
global.usherKeys ??= (Clutter.get_default_backend?.() ?? global.stage.get_context().get_backend()).get_default_seat().create_virtual_device(Clutter.InputDeviceType.KEYBOARD_DEVICE);
for (const key of %s)
    for (const state of [Clutter.KeyState.PRESSED, Clutter.KeyState.RELEASED])
        global.usherKeys.notify_keyval(imports.gi.GLib.get_monotonic_time(), key, state);
return true;
})()"""

# Gives the front to another window soon after a window has got it, once.
STEAL = """(() => {
const GLib = imports.gi.GLib;
global.usherStolen = false;
const handler = global.display.connect('notify::focus-window', () => {
    if (global.display.focus_window?.get_title() !== %s)
        return;
    global.display.disconnect(handler);
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, %d, () => {
        Main.activateWindow(%s.find(w => w.get_title() === %s));
        global.usherStolen = true;
        return false;
    });
});
return true;
})()"""


class GnomeShell(Screen):
    """GNOME Shell as a Wayland compositor with a virtual monitor."""

    name = "gnome"
    variables = ("WAYLAND_DISPLAY",)
    programs = ("gnome-shell", "gsettings", "busctl", "foot", "Xwayland", "xterm")

    @classmethod
    def prepare(cls, desk):
        """What has to be there before the extension is installed."""

    def start(self):
        for name in ("DISPLAY", "SWAYSOCK", *self.variables):
            self.desk.environment.pop(name, None)
        self.desk.environment.update(
            XDG_CURRENT_DESKTOP="GNOME", XDG_SESSION_TYPE="wayland", GSETTINGS_BACKEND="keyfile",
            # There is no system bus: what the shell wants of it, it does without.
            DBUS_SYSTEM_BUS_ADDRESS=self.desk.environment["DBUS_SESSION_BUS_ADDRESS"])
        for schema, key, value in (
                ("org.gnome.shell", "welcome-dialog-last-shown-version", "'999'"),
                ("org.gnome.mutter", "dynamic-workspaces", "false"),
                ("org.gnome.desktop.wm.preferences", "num-workspaces", "4")):
            self.desk.run("gsettings", "set", schema, key, value)
        self.desk.write("config/bin/titles", TITLES.format(evaluate=" ".join(EVALUATE), windows=WINDOWS), executable=True)
        return self.begin()

    def begin(self):
        """The shell itself, on what is prepared for it."""
        self.desk.environment.pop("WAYLAND_DISPLAY", None)
        self.server = self.process(
            "gnome-shell", "--headless", "--wayland", "--unsafe-mode", "--wayland-display", "usher-gnome",
            "--virtual-monitor", "1280x800", log="server.log")
        self.desk.environment["WAYLAND_DISPLAY"] = "usher-gnome"
        if not eventually(lambda: self.evaluate("Main.layoutManager._startingUp") is False, 60):
            with open(self.desk.path("server.log"), encoding="utf-8", errors="replace") as file:
                raise RuntimeError(f"GNOME Shell does not come: {file.read()[-800:]}")
        self.overview(False)
        # What is there before the first window: a key of a keyboard that is new is lost.
        self.keys([])
        return self

    def terminal(self, title, app="Other", environment=None):
        program = super().terminal(title, app, environment)
        # A window is there before it is shown; then it gets the keyboard.
        eventually(lambda: self.active() == title, 10)
        return program

    def kill_server(self):
        self.server.send_signal(signal.SIGKILL)
        self.server.wait()
        self.processes.remove(self.server)

    def call(self, *words):
        """What a method on the session bus gives, as JSON; None where it fails."""
        answer = self.desk.run("busctl", f"--address={self.desk.environment['DBUS_SESSION_BUS_ADDRESS']}", "--json=short", "call", *words)
        return (loads(answer) or {}).get("data")

    def evaluate(self, script):
        """The value of an expression in the shell."""
        answer = self.call(*EVALUATE, script)
        return loads(answer[1]) if answer and answer[0] else None

    def of(self, title, what):
        """Something of the window of this title; None where there is no such window."""
        return self.evaluate(f"(w => w ? {what} : null)({WINDOWS}.find(w => w.get_title() === {json.dumps(title)}))")

    def titles(self):
        return self.evaluate(f"{WINDOWS}.map(w => w.get_title())") or []

    def handle(self, title):
        return f"shell:{self.of(title, 'w.get_id()')}"

    def active(self):
        return self.evaluate(
            "Main.overview.visible || Main.modalCount > 0 ? null : global.display.focus_window?.get_title() ?? null")

    def type(self, text):
        self.keys([ord(letter) for letter in text] + [0xFF0D])

    def keys(self, values):
        self.evaluate(TYPE % json.dumps(values))

    def focus(self, title):
        self.of(title, "(Main.activateWindow(w), true)")
        return eventually(lambda: self.active() == title)

    def steal(self, title, thief, delay=0.1):
        self.evaluate(STEAL % (json.dumps(title), delay * 1000, WINDOWS, json.dumps(thief)))
        return lambda: eventually(lambda: self.evaluate("global.usherStolen"))

    def fullscreen(self, title, isOn):
        self.of(title, f"(w.{'make' if isOn else 'unmake'}_fullscreen(), true)")
        return eventually(lambda: self.of(title, "w.is_fullscreen()") is isOn)

    def close(self, title):
        self.evaluate(f"{WINDOWS}.filter(w => w.get_title() === {json.dumps(title)}).forEach(w => w.delete(global.get_current_time()))")

    def close_rest(self):
        self.evaluate(f"{WINDOWS}.forEach(w => w.delete(global.get_current_time()))")

    def minimise(self, title):
        self.of(title, "(w.minimize(), true)")
        return eventually(lambda: self.is_hidden(title))

    def is_hidden(self, title):
        return self.of(title, "w.minimized")

    def is_urgent(self, title):
        return bool(self.of(title, "w.demands_attention || w.urgent"))

    def place(self, title):
        return self.of(title, "w.get_workspace().index()")

    def here(self):
        return self.evaluate("global.workspace_manager.get_active_workspace_index()")

    def send_away(self, title):
        away = 2 if self.here() != 2 else 1
        self.of(title, f"(w.change_workspace_by_index({away}, false), true)")
        return eventually(lambda: self.place(title) == away)

    def display(self):
        """The variables that lead to the X server of the shell."""
        return {name: self.evaluate(f"imports.gi.GLib.getenv('{name}')") for name in ("DISPLAY", "XAUTHORITY")}

    def overview(self, isOn):
        self.evaluate(f"Main.overview.{'show' if isOn else 'hide'}()")
        return eventually(lambda: self.evaluate("[Main.overview.visible, Main.overview.animationInProgress]") == [isOn, False])

    def extension(self, isOn):
        """Enables or disables the extension, as its user would."""
        self.desk.run("gnome-extensions", "enable" if isOn else "disable", UUID)

    def token(self):
        """An activation token with the time of now, as a launcher of the shell hands it on."""
        return self.evaluate(
            "global.create_app_launch_context(global.display.get_current_time_roundtrip(), -1).get_startup_notify_id("
            "imports.gi.Gio.AppInfo.create_from_commandline('launcher', 'launcher', 2), [])")

    def click(self, body):
        """The user clicks on a notification with this text; whether there is one."""
        return self.evaluate(
            "(n => n ? (n.activate(), true) : false)(Main.messageTray.getSources().flatMap(s => s.notifications)"
            f".find(n => n.title === {json.dumps(body)} || n.bannerBodyText === {json.dumps(body)}))")

    def evidence(self, folder):
        super().evidence(folder)
        shutil.copy(self.desk.path("server.log"), folder)

    def screenshot(self, path):
        self.call("org.gnome.Shell.Screenshot", "/org/gnome/Shell/Screenshot", "org.gnome.Shell.Screenshot", "Screenshot",
                  "bbs", "false", "false", path)

    def tree(self):
        what = "w.get_title(), w.get_wm_class(), w.get_id(), w.get_pid(), w.minimized, w.get_workspace()?.index(), w.has_focus(), w.demands_attention"
        return json.dumps([self.active(), self.evaluate(f"{WINDOWS}.map(w => [{what}])")], indent=1)


# GNOME Shell of another Debian, in a tree that has folders of this one.
IN_TREE = """#!/bin/sh
exec unshare --mount sh -c '
tree=$1; shift
for folder in /tmp /proc /dev "{root}"; do mount --rbind "$folder" "$tree$folder" || exit 1; done
exec chroot "$tree" /usr/bin/gnome-shell "$@"' sh '{tree}' "$@"
"""


class NewShell(GnomeShell):
    """The GNOME Shell of the tree that Scripts/debian-tree has made."""

    name = "gnome-new"

    @classmethod
    def prepare(cls, desk):
        root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
        text = IN_TREE.format(root=root, tree=os.environ["USHER_CHECK_TREE"])
        folder = os.path.dirname(desk.write("config/shell/gnome-shell", text, executable=True))
        desk.environment["PATH"] = f"{folder}:{desk.environment['PATH']}"


# A program that is brought forward over the bus: `card APPLICATION-ID`.
CARD = """imports.gi.versions.Gtk = '4.0';
const {Gtk} = imports.gi;
const application = new Gtk.Application({application_id: ARGV[0]});
let window = null;
application.connect('activate', () => {
    window ??= new Gtk.ApplicationWindow({application, title: 'card', default_width: 900, default_height: 700});
    window.present();
});
application.run([]);
"""

CARDS = """
id = "example.cards"
domains = ["cards.example"]

[[scenes]]
name = "card"
opens = 'SELF BEGINSWITH "https://cards.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { dbus = ["org.example.Card"], time-limit = "30s" }
focus = { dbus = "org.example.Card" }
"""

# What is shown first, and acted upon when it is clicked.
LETTERS = """
id = "example.letters"
name = "Letters"
domains = ["letters.example"]
deliver = "notify"

[[scenes]]
name = "letter"
opens = 'SELF BEGINSWITH "https://letters.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { exec = ["../bin/terminal", "Letter", "{target}"], time-limit = "30s" }
focus = { app-id = "Letter" }
"""

# Pushes that respect what the user has said to the desktop.
UNDISTURBED = """
id = "example.undisturbed"
domains = ["undisturbed.example"]
quiet = { do-not-disturb = "none" }

[[scenes]]
name = "undisturbed"
launch = { exec = ["../bin/terminal", "Undisturbed", "undisturbed"], time-limit = "30s" }
focus = { app-id = "Undisturbed" }
"""

TOLD = ("focus open", "launch absent", "moved workspace", "moved workspace, summoned", "minimised", "ambiguous",
        "closed meanwhile", "closed on request", "restart of the daemon", "hold until ready", "raise only", "no focus", "quiet: fullscreen",
        "a window that takes the front")


KINDS = {kind.name: kind for kind in (GnomeShell, NewShell)}


class Gnome(Stories):
    """Stories of openbox, and its own."""

    def __init__(self, name, *rest, **options):
        super().__init__("openbox", *rest, **options)
        self.section, self.kind = name, KINDS[name]
        self.programs = (*GnomeShell.programs, "gnome-extensions", "gjs", "dbus-daemon")

    @classmethod
    def methods(cls, section):
        found = Stories.methods("openbox")
        own = {method.story: method for method in vars(cls).values() if hasattr(method, "story")}
        if section == NewShell.name:
            # Newer shells start X11 through the systemd of their user, which is not there.
            del own["windows of Xwayland"]
        return {name: found[name] for name in TOLD} | own

    def apps(self):
        return {**super().apps(), "cards": CARDS, "letters": LETTERS, "undisturbed": UNDISTURBED}

    def furnish(self):
        self.kind.prepare(self.desk)
        # Before the session begins: the shell finds it at login.
        self.desk.environment.update(GSETTINGS_BACKEND="keyfile")
        installed = self.desk.usher("desktop", "install", "gnome")
        self.check(installed.returncode == 0, "usher desktop install gnome", lambda: installed.stderr.decode())
        super().furnish()

    def row(self):
        """The row of the desktop in `usher doctor`."""
        listed = json.loads(self.desk.usher("doctor", "--json").stdout or b"{}").get("windows", [])
        return next((row for row in listed if row.get("system", "").startswith("shell")), {})

    @story("what the doctor says, and who may call")
    def doctor(self):
        row = self.row()
        self.check(row.get("system", "").startswith("shell (GNOME Shell "), "the shell with its version", row)
        for ability in ("list", "focus", "verify", "watch", "launch"):
            self.check(row.get(ability) is True, f"{ability}: yes", row)
        again = json.loads(self.desk.usher("desktop", "install", "gnome", "--json").stdout)
        self.check(again == {"written": [], "needs_login": False}, "installed again: nothing is written", again)
        for call in (("Windows",), ("Request", "sts", "activate", "1", "")):
            answer = self.screen.call("org.usher.Shell", "/org/usher/Shell", "org.usher.Shell", *call)
            self.check(answer is None, f"{call[0]}: another program of the user gets nothing", answer)

    @story("urgent, where it can be seen and where it cannot")
    def urgent_hidden(self):
        target = "https://calm.example/urgent"
        self.open(target)
        self.screen.focus("elsewhere")
        self.check(self.screen.minimise(target), "it was minimised")
        self.is_record(self.send(target), "out of sight: verified", action="focus", outcome="verified", error=None)
        self.check(self.screen.is_urgent(target) and self.screen.is_hidden(target), "it is marked, others say",
                   lambda: self.screen.tree())
        self.is_left("elsewhere", "the keyboard stays where it is")

    @story("the overview is open")
    def in_overview(self):
        one, two = "https://pages.example/o1", "https://pages.example/o2"
        self.open(one)
        self.open(two)
        for target in (one, two, one):
            self.check(self.screen.overview(True), "the overview is open")
            self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
            self.is_seen(target)

    @story("a window that is covered, and one off the screen")
    def covered(self):
        target = "https://pages.example/covered"
        self.open(target)

        def sent(what, reason):
            record = {}

            def holds():
                record.update(self.send(target))
                return (record.get("evidence") or {}).get("reason") == reason
            self.check(eventually(holds), what, lambda: brief(record))
            self.is_record(record, what, action="focus", outcome="unverified" if reason else "verified", error=None)
            return record.get("evidence") or {}
        evidence = sent("seen whole", None)
        self.check((evidence.get("off_screen"), evidence.get("covered"), evidence.get("unknown")) == (0, 0, []),
                   "all is known", evidence)
        self.screen.of("elsewhere", "(w.move_resize_frame(true, 0, 0, 1200, 900), w.make_above(), true)")
        self.screen.of(target, "(w.move_frame(true, 50, 50), true)")
        evidence = sent("a window stays above it", "seen.covered")
        self.check(evidence.get("keyboard") is True and evidence.get("covered", 0) > 0.9, "it has the keyboard", evidence)
        self.screen.of("elsewhere", "(w.unmake_above(), true)")
        sent("seen whole again", None)

    @story("over a window that fills the screen")
    def over_fullscreen(self):
        target = "https://pages.example/full"
        self.open(target)
        self.screen.focus("elsewhere")
        self.check(self.screen.fullscreen("elsewhere", True), "a window fills the screen")
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.is_seen(target)

    @story("a token of the user, and one that is outdated")
    def tokens(self):
        target = "https://pages.example/token"
        self.open(target)
        for isLate in (False, True):
            self.screen.focus("elsewhere")
            # What the user does last before the token, and after it.
            self.screen.keys([ord("a"), 0xFF0D])
            eventually(lambda: "a" in self.desk.typed("elsewhere"))
            token = self.screen.token()
            if isLate:
                self.screen.keys([ord("b"), 0xFF0D])
                self.check(eventually(lambda: "b" in self.desk.typed("elsewhere")), "the user works on")
            ran = self.desk.usher("open", target, "--json", env=dict(self.desk.environment, XDG_ACTIVATION_TOKEN=token))
            record = json.loads((ran.stdout.decode().splitlines() or ["{}"])[-1])
            if not isLate:
                self.is_record(record, "verified", action="focus", outcome="verified", error=None)
                self.is_seen(target)
                continue
            self.is_record(record, "outdated: not verified", action="focus", outcome="unverified", error=None)
            self.check("marked as wanting attention" in words(record), "the record says that it is marked", lambda: brief(record))
            self.check(self.screen.is_urgent(target), "it is marked, others say", lambda: self.screen.tree())
            self.is_left("elsewhere", "the user keeps the keyboard")

    @story("notify, click, focus")
    def click_focus(self):
        target = "https://letters.example/1"
        self.desk.usher("open", target)
        self.check(eventually(lambda: self.count(target) == 1), "a link opens the window at once")
        self.screen.focus("elsewhere")
        record = self.send(target, title="A letter")
        self.is_record(record, "it is shown first", action="notify", error=None)
        self.check(self.screen.active() == "elsewhere", "the user is left alone", lambda: self.screen.active())
        self.check(eventually(lambda: self.screen.click("A letter")), "its notification is clicked")
        self.check(eventually(lambda: self.screen.active() == target), "clicked, the window comes forward",
                   lambda: self.screen.active())
        self.is_record(self.child(record), "a delivery of its own, with its parent", action="focus", outcome="verified",
                       error=None, parent=record.get("id"))
        self.is_seen(target)

    @story("quiet: do not disturb")
    def do_not_disturb(self):
        target = "https://undisturbed.example/1"
        self.is_record(self.open(target, "undisturbed"), "without it nothing is quiet", policy=None)
        self.screen.focus("elsewhere")
        for isOn in (True, False):
            self.desk.run("gsettings", "set", "org.gnome.desktop.notifications", "show-banners", str(not isOn).lower())
            record = self.send(target)
            if isOn:
                self.is_record(record, "nothing is done", action="none", outcome="skipped", policy="quiet", error=None)
                self.is_left("elsewhere", "its user is left alone")
            else:
                self.is_record(record, "afterwards it comes forward", action="focus", outcome="verified", policy=None)

    @story("windows of Xwayland")
    def xwayland(self):
        target = "https://pages.example/x11"
        self.screen.terminal(target, "Page", environment={"USHER_CHECK_X11": "1", **self.screen.display()})
        self.screen.focus("elsewhere")
        listed = json.loads(self.desk.usher("scene", "windows", "--json").stdout or b"[]")
        found = [window for window in listed if window.get("title") == target]
        self.check([window.get("handle") for window in found] == [self.screen.handle(target)], "listed once, by the shell", found)
        self.check(found and found[0].get("class") == "Page", "with its class", found)

    @story("the extension is disabled, and enabled again")
    def disabled(self):
        target = "https://pages.example/disabled"
        record = self.open(target)
        self.screen.focus("elsewhere")
        self.screen.extension(False)
        self.check(eventually(lambda: "gnome-extensions enable" in str(self.row().get("list")), 10),
                   "the doctor says what to do", lambda: self.row())
        without = self.send(target)
        self.check(without.get("outcome") != "verified", "it is not called verified", lambda: brief(without))
        self.check(self.count(target) == 1, "no second window", lambda: self.screen.titles())
        self.screen.extension(True)
        self.check(eventually(lambda: self.row().get("list") is True, 10), "it is noticed", lambda: self.row())
        self.is_record(self.send(target), "verified again", action="focus", outcome="verified", error=None,
                       session=record.get("session"))
        self.is_seen(target)
        self.check(self.count(target) == 1, "one window", lambda: self.screen.titles())

    @story("the shell is killed")
    def killed(self):
        target = "https://pages.example/killed"
        session = self.open(target).get("session")
        self.screen.kill_server()
        begin = time.monotonic()
        # Nothing asks the daemon for windows here: it hears of it.
        gone = eventually(lambda: (self.desk.session(session=session) or {}).get("state") != "connected", 10, pause=0.02)
        self.checks.note(f"{self.section}: the end of the shell was seen in the session after {time.monotonic() - begin:.2f} s")
        self.check(gone, "its session is not connected any more", lambda: self.desk.session(session=session))
        self.check(self.row().get("list") is not True, "the doctor says so", lambda: self.row())
        self.screen.begin()
        self.check(eventually(lambda: self.row().get("list") is True, 10), "so is the new one", lambda: self.row())
        self.before()
        self.is_record(self.send(target), "the window is gone with the shell: launched", action="launch", outcome="verified",
                       error=None)
        self.is_seen(target)
        self.is_record(self.send(target), "the next request works", action="focus", outcome="verified", error=None)

    @story("without the extension")
    def without(self):
        removed = self.desk.usher("desktop", "remove", "gnome", "--json")
        self.check(len(json.loads(removed.stdout or b"{}").get("removed", [])) == 2, "usher desktop remove gnome", removed.stderr.decode())
        self.check(self.daemon.end() == 0, "the daemon ends")
        self.daemon = self.desk.start()
        rows = json.loads(self.desk.usher("doctor", "--json").stdout or b"{}").get("windows", [])
        self.check(any("usher desktop install gnome" in str(row.get("list")) for row in rows), "the doctor says what to install", rows)
        # What is brought forward over the bus by the program itself is subject to the rule of Mutter.
        self.desk.start_program("gjs", self.desk.write("card.js", CARD), "org.example.Card", environment={"GDK_BACKEND": "wayland"})
        self.check(eventually(lambda: self.count("card") == 1, 60), "the card is there")
        for hasToken in (False, True):
            self.screen.focus("elsewhere")
            self.screen.type("x")
            eventually(lambda: "x" in self.desk.typed("elsewhere"))
            token = {"XDG_ACTIVATION_TOKEN": self.screen.token()} if hasToken else {}
            ran = self.desk.usher("open", "https://cards.example/1", "--json", env=dict(self.desk.environment, **token))
            record = json.loads((ran.stdout.decode().splitlines() or ["{}"])[-1])
            self.check(record.get("outcome") != "verified" and not record.get("error"), "not called verified", lambda: brief(record))
            self.check(self.count("card") == 1, "no second window", lambda: self.screen.titles())
            if hasToken:
                self.check(eventually(lambda: self.screen.active() == "card"), "with a token it is in front", lambda: self.screen.tree())
            else:
                self.check(eventually(lambda: self.screen.is_urgent("card")) and self.screen.active() == "elsewhere",
                           "without one it is marked", lambda: self.screen.tree())
