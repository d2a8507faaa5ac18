"""Sections of `check-ready`: the keys for notes and links of Config/ready/keys, pressed in the real programs."""

import glob
import json
import os
import subprocess
import time

from checklist import always, eventually, shown
from windows import I3, Desk, Openbox, Sway, Tmux

KEYS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "Config", "ready", "keys")
PAGE = "https://ready.example/page"
MANIFEST = f"""id = "example.ready"
domains = ["ready.example"]
activity-types = ["example.ready.view"]
[[scenes]]
name = "page"
launch = {{ tmux = ["sleep", "86400"] }}
"""
SECTIONS = {
    "keys-tmux": ("tmux", "setsid"), "keys-nvim": ("tmux", "setsid", "nvim"), "keys-vim": ("tmux", "setsid", "vim"),
    "keys-emacs": ("tmux", "setsid", "emacs"), "keys-sway": Sway.programs, "keys-i3": I3.programs,
    "keys-gnome": ("gsettings", "dbus-run-session"), "keys-kde": (*Openbox.programs, "dbus-daemon"),
}
# In seconds: of a user between two keys. What comes faster is pasted text to some programs.
PACE = 0.3
KGLOBALACCEL = "/usr/lib/*/libexec/kglobalaccel5"


class Keys:
    """One program, with its keys."""

    def __init__(self, name, checks, usher):
        self.name, self.checks = name, checks
        self.desk = Desk(usher, usher, {})
        self.desk.write("config/apps/ready.toml", MANIFEST)
        self.desk.write("bin/usher", f"""#!/bin/sh
echo "$*" >>'{self.desk.path('calls')}'
status=0
'{self.desk.program}' "$@" 2>>'{self.desk.path('said')}' || status=$?
echo "$*" >>'{self.desk.path('ended')}'
exit $status
""", True)
        for name in ("said", "calls", "ended"):
            os.chmod(self.desk.write(name, ""), 0o666)
        self.desk.environment.update({
            "PATH": f"{self.desk.path('bin')}:{self.desk.environment['PATH']}", "USHER_CONFIG": self.desk.path("config"),
            "USHER_STATE": self.desk.path("state"), "USHER_MENU": "head -n 1",
            "EDITOR": self.desk.write("bin/write", "#!/bin/sh\necho 'from the editor' >>\"$1\"\n", True)})
        self.tmux = self.desk.screen = Tmux(self.desk)

    def check(self, holds, name, detail=""):
        def text():
            with open(self.desk.path("said"), encoding="utf-8") as file:
                return f"{detail() if callable(detail) else detail}\n        usher said: {shown(file.read())}"
        return self.checks.check(holds, f"{self.name}: {name}", text)

    def ask(self, *words):
        ran = self.desk.usher(*words, "--json")
        return json.loads(ran.stdout or b"null")

    def notes(self, *state):
        return [note["title"] for note in self.ask("note", "list", *(["--only", *state] if state else []))]

    def lines(self, name):
        with open(self.desk.path(name), encoding="utf-8") as file:
            return len(file.readlines())

    def shown(self, target):
        return any(session.get("target") == target for session in self.desk.sessions())

    # What the keys do, in every program

    def acts(self, press, writes):
        """press presses one of the keys; writes answers where a new note is written, by its text."""
        self.desk.usher("scene", "connect", "--app", "example.ready", "--scene", "page", "--session", "page",
                        "--target", PAGE)
        self.desk.usher("activity", "become-current", "--session", "page", "--type", "example.ready.view",
                        "--title", "A page", "--target", PAGE)
        press("n")
        text = writes("It's \"noted\"; $(touch pwned)")
        self.check(eventually(lambda: self.notes("current") == [text]), "n makes a note", self.notes)
        self.check(not os.path.exists(self.desk.path("pwned")), "which no shell reads")
        self.wait_for_keyboard()
        press("l")
        self.check(eventually(lambda: [one["target"] for one in self.ask("link", "list")] == [PAGE]),
                   "l links it to what is current", lambda: self.ask("link", "list"))
        note = self.ask("note", "show", "current")["id"]
        self.desk.usher("scene", "close", "page")
        for key, target in (("o", f"usher-note:{note}"), ("f", PAGE), ("e", f"usher-note:{note}"), ("c", PAGE)):
            for session in self.desk.sessions():
                self.desk.usher("scene", "close", session["id"])
            self.wait_for_keyboard()
            press(key)
            self.check(eventually(lambda: self.shown(target)), f"{key} opens {target.split(':')[0]}", self.desk.sessions)
        self.wait_for_keyboard()
        press("d")
        self.check(eventually(lambda: self.notes("done") == [text]), "d ends it", self.notes)

    def wait_for_keyboard(self):
        """The popup of the key before has the keyboard until its command ends."""
        eventually(lambda: self.lines("calls") == self.lines("ended"))
        time.sleep(PACE)

    # The programs

    def send(self, *keys):
        self.tmux.say("send-keys", "-t", "work:keys", *keys)
        time.sleep(PACE)

    def in_tmux(self, *command):
        self.tmux.start()
        self.tmux.say("new-window", "-d", "-t", "work:", "-n", "keys", *command)

        def screen():
            return self.tmux.say("capture-pane", "-p", "-t", "work:keys")

        def has_drawn():
            first = screen()
            return first.strip() and always(lambda: screen() == first)
        eventually(has_drawn)

    def write_line(self, text):
        self.send("-l", text)
        self.send("Enter")
        return text

    def nvim(self):
        self.in_tmux("nvim", "--clean", "--cmd", "let mapleader = ','", "--cmd", f"luafile {KEYS}/usher-keys.lua")

        def press(key):
            self.send(f",u{key}")
            if key in "ofc":
                self.send("1", "Enter")
        self.acts(press, self.write_line)

    def vim(self):
        self.in_tmux("vim", "--clean", "--cmd", "let mapleader = ','", "--cmd", f"source {KEYS}/usher-keys.vim")

        def press(key):
            self.send(f",u{key}")
            if key in "ofc":
                self.send("1", "Enter")
        self.acts(press, self.write_line)

    def emacs(self):
        self.in_tmux("emacs", "-nw", "-Q", "-l", f"{KEYS}/usher-keys.el")

        def press(key):
            self.send("C-c", "u", key)
            if key in "ofc":
                self.send("Tab")
                self.send("Enter")
        self.acts(press, self.write_line)

    def tmux_keys(self):
        self.tmux.start()
        self.tmux.say("source-file", f"{KEYS}/usher.tmux-keys.conf")

        def press(key):
            # The keys of the user in front of the terminal: prefix, u, and one more.
            for stroke in (b"\x02", b"u", key.encode()):
                os.write(self.tmux.master, stroke)
                time.sleep(PACE)
        self.acts(press, lambda _: "from the editor")

    def tiling(self, screen):
        with open(f"{KEYS}/usher.sway-i3.conf", encoding="utf-8") as file:
            # The terminal that this desk has.
            rules = self.desk.write("keys.conf", file.read().replace("i3-sensible-terminal -e", "xterm -e"))
        screen.RULES += f"include {rules}\n"
        self.tmux.start()
        screen.start()

    def press_in(self, screen, first, key):
        for stroke in (first, key):
            screen.press(stroke)
            time.sleep(PACE)

    def i3(self):
        screen = I3(self.desk)
        try:
            self.tiling(screen)
            self.acts(lambda key: self.press_in(screen, "super+u", key), lambda _: "from the editor")
        finally:
            screen.stop()

    def sway(self):
        """It may run as another user than the checks, who cannot change this store: what is checked is what it runs."""
        screen = Sway(self.desk)
        wanted = {
            "n": "note new", "l": "link add --note current --from-current", "e": "note open current",
            "o": "note pick --open", "f": "link pick --open", "c": "link pick --note current --open", "d": "note done"}
        try:
            self.tiling(screen)
            for key, words in wanted.items():
                self.press_in(screen, "logo+u", key)

                def calls():
                    with open(self.desk.path("calls"), encoding="utf-8") as file:
                        return file.read().splitlines()
                self.check(eventually(lambda: calls()[-1:] == [words]), f"{key} runs usher {words}", calls)
        finally:
            screen.stop()

    def gnome(self):
        """No GNOME shell is run: what is checked is what its settings hold then."""
        schema = "org.gnome.settings-daemon.plugins.media-keys"
        if schema not in subprocess.run(["gsettings", "list-schemas"], stdout=subprocess.PIPE, text=True).stdout.split():
            return self.check(False, "can be run here", f"missing: the schema {schema}")
        place = f"{schema}.custom-keybinding:/{schema.replace('.', '/')}/custom-keybindings"
        own, other = f"'{KEYS}/usher-keys' gnome", "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/other/"
        script = f"""set -e
gsettings set {schema} custom-keybindings "['{other}']"
{own}; {own}
gsettings get {schema} custom-keybindings
for key in n l e o f c d; do gsettings get {place}/usher-$key/ binding; gsettings get {place}/usher-$key/ command; done
{own} remove
gsettings get {schema} custom-keybindings
"""
        said = self.desk.run("dbus-run-session", "--", "sh", "-c", script, env=dict(
            self.desk.environment, GSETTINGS_BACKEND="keyfile", XDG_CONFIG_HOME=self.desk.path("gnome")))
        lines = said.splitlines()
        if not self.check(len(lines) == 16, "the settings are there", said):
            return
        self.check(lines[0].count("usher-") == 7 and other in lines[0], "the keys are added once, others stay", said)
        self.check(lines[1::2][:7] == [f"'<Super><Shift>{key}'" for key in "nleofcd"], "each has its key", said)
        self.check("'usher note pick --open'" in lines, "and its command", said)
        self.check(lines[-1] == f"['{other}']", "and they can be removed", said)

    def kde(self):
        """The service of Plasma that has the shortcuts, on an X server."""
        services = glob.glob(KGLOBALACCEL) + glob.glob("/usr/bin/kglobalaccel5")
        if not self.check(services, "can be run here", "missing: kglobalaccel5 (Debian package libkf5globalaccel-bin)"):
            return
        own = os.path.join(KEYS, "usher-keys")
        path = self.desk.path("home/.config/kglobalshortcutsrc")
        others = "[kwin]\n_k_friendly_name=KWin\nOverview=Meta+W,none,Overview\n"
        for text in (others, None):
            if text:
                self.desk.write("home/.config/kglobalshortcutsrc", text)
            self.desk.environment["USHER_TERMINAL"] = "xterm -e"
            self.desk.run(own, "kde")
            with open(path, encoding="utf-8") as file:
                written = file.read()
            self.check(written.startswith(others) and written.count("usher-keys-") == 7, "the keys are added once, others stay",
                       written)
        screen = Openbox(self.desk)
        try:
            self.desk.start_bus()
            self.tmux.start()
            screen.start()
            service = self.desk.start_program(services[0], log="kglobalaccel.log")
            self.desk.run("gdbus", "wait", "--session", "org.kde.kglobalaccel")
            self.acts(lambda key: (screen.press(f"super+shift+{key}"), time.sleep(PACE)), lambda _: "from the editor")
            self.check(service.poll() is None, "the service runs all the time")
        finally:
            screen.stop()
        self.desk.run(own, "kde", "remove")
        with open(path, encoding="utf-8") as file:
            written = file.read()
        left = glob.glob(self.desk.path("home/.local/share/kglobalaccel/*"))
        self.check(others in written and "usher" not in written and not left, "and they can be removed", f"{written} {left}")

    def run(self):
        with self.desk:
            match self.name:
                case "keys-tmux": self.tmux_keys()
                case name: getattr(self, name.removeprefix("keys-"))()
