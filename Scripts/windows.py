"""What `check-windows` stands on: desktops of its own, applications on them, and witnesses that are not ours.

A desktop is an X server with a window manager, a headless sway, or a tmux with an attached client; with it come a home, a
session bus, and programs whose windows show their names and the text typed into them. The window in front is read with
xdotool, xprop, swaymsg, tmux and by key strokes that arrive, never by Usher. Nothing here knows what is checked.
"""

import json
import os
import pty
import random
import re
import shutil
import subprocess
import threading
import time

from checklist import DEADLINE, World, always, drain, eventually
from daemon import Daemon

HERE = os.path.dirname(os.path.realpath(__file__))

# Each program that is started here, and the Debian package that has it.
PACKAGES = {
    "Xvfb": "xvfb", "openbox": "openbox", "i3": "i3-wm", "i3-msg": "i3-wm", "sway": "sway", "swaymsg": "sway",
    "Xwayland": "xwayland", "xterm": "xterm", "foot": "foot", "footclient": "foot", "xdotool": "xdotool",
    "wmctrl": "wmctrl", "xprop": "x11-utils", "import": "imagemagick", "grim": "grim", "wtype": "wtype",
    "tmux": "tmux", "dbus-daemon": "dbus", "gdbus": "libglib2.0-bin", "dunst": "dunst", "dunstctl": "dunst",
    "firefox-esr": "firefox-esr", "chromium": "chromium", "unshare": "util-linux", "setsid": "util-linux",
    "setpriv": "util-linux", "strace": "strace", "nvim": "neovim", "emacs": "emacs-lucid", "emacsclient": "emacs-lucid",
    "kitty": "kitty", "featherpad": "featherpad", "bash": "bash", "zsh": "zsh",
    "fish": "fish", "xfwm4": "xfwm4", "metacity": "metacity",
    "gnome-shell": "gnome-shell", "gjs": "gjs", "gnome-extensions": "gnome-shell", "gsettings": "libglib2.0-bin", "busctl": "systemd",
    "weston": "weston", "kwin_wayland": "kwin-wayland", "zenity": "zenity", "convert": "imagemagick", "less": "less", "vim": "vim-gtk3",
    "gvim": "vim-gtk3", "zathura": "zathura", "evince": "evince", "alacritty": "alacritty", "mpv": "mpv",
    "okular": "okular", "soffice": "libreoffice-writer", "libreoffice": "libreoffice-writer", "man": "man-db", "xdg-open": "xdg-utils",
    "flatpak": "flatpak", "bwrap": "bubblewrap", "ldd": "libc-bin", "xdg-mime": "xdg-utils", "gio": "libglib2.0-bin", "desktop-file-validate": "desktop-file-utils",
}

# A window that says what is typed into it: `terminal CLASS TITLE`.
TERMINAL = """#!/bin/sh
# A terminal whose window is known by its class and title, and which keeps what is typed into it.
folder=$(dirname "$0")
if [ -n "${WAYLAND_DISPLAY:-}" ] && [ -z "${USHER_CHECK_X11:-}" ]; then
    exec foot --config=/dev/null --app-id="$1" --title="$2" "$folder/listen" "$2"
fi
exec xterm -class "$1" -T "$2" -e "$folder/listen" "$2"
"""

LISTEN = """#!/bin/sh
# Keeps every line that is typed, under the title of its window.
exec cat >> '{keys}'/"$(printf '%s' "$1" | tr -c 'A-Za-z0-9._-' '_')"
"""

# A slow starter: its window comes long after its process.
SLOW = """#!/bin/sh
sleep "${USHER_CHECK_DELAY:-2}"
exec "$(dirname "$0")/terminal" "$@"
"""

# The messages that an application gets: one line for each, with the windows that were open at that moment.
TELL = """#!/bin/sh
session=$1; shift
[ "$1" = -- ] && shift
[ -e '{slow}' ] && sleep "$(cat '{slow}')"
printf '%s %s %s\\n' "$session" "${{1:--}}" "$('{titles}' | tr '\\n' '|')" >> '{told}'
"""


def missing(*programs):
    """The programs that are not here, each with its package."""
    return [f"{name} (Debian package {PACKAGES.get(name, name)})" for name in programs if shutil.which(name) is None]


class Desk(World):
    """A home, a bus and programs; a screen is started on it. Everything ends with it."""

    def __init__(self, usher, usherd, apps, settings=""):
        super().__init__(usher)
        self.daemon = os.path.realpath(usherd)
        self.daemons, self.programs, self.screen = [], [], None
        for folder in ("run", "keys", "home/.config", "home/.local/share/dbus-1/services",
                       "home/.local/share/applications"):
            os.makedirs(self.path(folder), exist_ok=True)
        os.chmod(self.path("run"), 0o700)
        self.environment.update({
            "TERM": "xterm", "NO_COLOR": "1", "TZ": "UTC", "SHELL": "/bin/sh", "USER": "user",
            "XDG_RUNTIME_DIR": self.path("run"), "XDG_CONFIG_HOME": self.path("home/.config"),
            "XDG_DATA_HOME": self.path("home/.local/share"), "XDG_STATE_HOME": self.path("home/.local/state"),
            "XDG_CACHE_HOME": self.path("home/.cache"), "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory",
            # A browser or a toolkit that finds none of these asks the network or a portal for them.
            "GTK_USE_PORTAL": "0", "LIBGL_ALWAYS_SOFTWARE": "1",
        })
        self.told_path, self.slow = self.write("told", ""), self.path("slow")
        self.write("config/bin/terminal", TERMINAL, executable=True)
        self.write("config/bin/listen", LISTEN.format(keys=self.path("keys")), executable=True)
        self.write("config/bin/slow", SLOW, executable=True)
        self.write("config/bin/titles", "#!/bin/sh\n", executable=True)
        self.write("config/bin/tell", TELL.format(
            slow=self.slow, told=self.told_path, titles=self.path("config/bin/titles")), executable=True)
        self.write("config/usher.toml", settings)
        for name, text in apps.items():
            self.write(f"config/apps/{name}.toml", text)

    def __exit__(self, *_):
        for daemon in self.daemons:
            daemon.kill()
        if self.screen:
            self.screen.stop()
        for program in reversed(self.programs):
            stop(program)
        super().__exit__()

    def run(self, *command, **options):
        """Runs a program on this desk; gives what it printed, "" where it failed."""
        options.setdefault("env", self.environment)
        options.setdefault("timeout", DEADLINE)
        try:
            return subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                errors="replace", check=False, cwd=self.folder, **options).stdout
        except (OSError, subprocess.TimeoutExpired):
            return ""

    def start_program(self, *command, environment=None, log="programs.log", **options):
        """A program that stays; it ends with the desk."""
        with open(self.path(log), "ab") as file:
            program = subprocess.Popen(
                command, env=dict(self.environment, **(environment or {})), cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True, **options)
        self.programs.append(program)
        return program

    def start_bus(self):
        """A session bus of this desk's own; whatever starts later knows it."""
        reading, writing = os.pipe()
        self.bus = self.start_program(
            "dbus-daemon", "--session", "--nofork", "--nopidfile", f"--print-address={writing}", log="bus.log",
            pass_fds=(writing,))
        os.close(writing)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = read_line(reading)
        return self.bus

    def usher(self, *arguments, **options):
        return super().usher(*arguments, "--config", self.path("config"), "--state", self.path("state"), **options)

    def start(self, *arguments, **options):
        """An `usherd` in the midst of it."""
        return Daemon(self, *arguments, **options).ready()

    # What the applications noticed

    def typed(self, title):
        """The lines that were typed into the window of this title."""
        try:
            with open(self.path("keys", re.sub(r"[^A-Za-z0-9._-]", "_", title)), encoding="utf-8") as file:
                return file.read().split("\n")[:-1]
        except OSError:
            return []

    def told(self):
        """What applications were told: session, target, the titles of the windows that were there."""
        with open(self.told_path, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split(" ", 2) for line in file if line.endswith("\n")]
        return [(session, target, titles.split("|")) for session, target, titles in lines]

    # What Usher says

    def sessions(self, **wanted):
        """`usher scene list`, those with these members."""
        listed = json.loads(self.usher("scene", "list", "--json").stdout or b"[]")
        return [row for row in listed if all(row.get(key) == value for key, value in wanted.items())]

    def session(self, **wanted):
        """The only session that is so; None where there is none, or there are several."""
        found = self.sessions(**wanted)
        return found[0] if len(found) == 1 else None


class Screen:
    """What every window system of a test can do, in the words of its own tools."""

    name = ""
    programs = ()
    # What the environment of programs on it has.
    variables = ()

    def __init__(self, desk):
        self.desk = desk
        self.processes = []

    @property
    def missing(self):
        return missing(*self.programs)

    def process(self, *command, **options):
        program = self.desk.start_program(*command, **options)
        self.processes.append(program)
        return program

    def stop(self):
        for program in reversed(self.processes):
            stop(program)
        self.processes = []

    def terminal(self, title, app="Other", environment=None):
        """A window that Usher did not make; there when this returns."""
        program = self.desk.start_program(
            self.desk.path("config/bin/terminal"), app, title, environment=environment)
        if not eventually(lambda: title in self.titles()):
            raise RuntimeError(f"{self.name}: no window {title!r} came; {self.titles()}")
        return program

    def when(self, spy, is_meant, command, delay):
        """Runs a command a while after a program has printed a line, once; a function that waits for that."""
        watching = subprocess.Popen(
            spy, env=self.desk.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, errors="replace")
        self.desk.programs.append(watching)

        def run():
            for line in watching.stdout:
                if is_meant(line):
                    time.sleep(delay)
                    self.desk.run(*command)
                    break
            watching.terminate()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        # It is there before what it waits for happens: it has asked for its events, and sleeps until there is one.
        eventually(lambda: always(lambda: is_asleep(watching.pid), seconds=0.1))
        return lambda: thread.join(DEADLINE)

    def close_all(self):
        """Closes every window, as a user would at the end of the day."""
        for title in self.titles():
            self.close(title)
        return eventually(lambda: not self.titles() or self.close_rest())

    def close_rest(self):
        """Closes what is there by other means than titles, which may change meanwhile."""

    def evidence(self, folder):
        """Leaves a picture and the windows in a folder."""
        os.makedirs(folder, exist_ok=True)
        self.screenshot(os.path.join(folder, "screen.png"))
        with open(os.path.join(folder, "windows.txt"), "w", encoding="utf-8") as file:
            file.write(self.tree())


class X11(Screen):
    """An X server without a screen, with a window manager."""

    variables = ("DISPLAY",)
    programs = ("Xvfb", "xterm", "xdotool", "wmctrl", "xprop", "import")
    titles_script = """#!/bin/sh
wmctrl -l | sed -E 's/^0x[0-9a-f]+ +-?[0-9]+ +[^ ]+ //'
"""

    def start(self, number=""):
        reading, writing = os.pipe()
        # A number that no other server takes, even while this one is down. The server writes it when it is ready.
        number = number or f":{random.randint(50_001, 59_999)}"
        self.server = self.process(
            "Xvfb", number, "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten",
            "tcp", "-noreset", log="server.log", pass_fds=(writing,))
        os.close(writing)
        self.number = ":" + read_line(reading)
        self.desk.environment["DISPLAY"] = self.number
        self.desk.environment.pop("WAYLAND_DISPLAY", None)
        self.desk.write("config/bin/titles", self.titles_script, executable=True)
        self.manager()
        # The window that it points to points to itself when a manager is there.
        if not eventually(lambda: "# 0x" in self.desk.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")):
            raise RuntimeError(f"{self.name}: the window manager does not come")
        return self

    def kill_server(self):
        """The X server ends, and everything on it."""
        stop(self.server)

    def root(self, name):
        return self.desk.run("xprop", "-root", name)

    def windows(self):
        """Window id → title, of those that the manager manages."""
        listed = re.findall(r"^(0x[0-9a-f]+) +-?\d+ +\S+ (.*)$", self.desk.run("wmctrl", "-l"), flags=re.M)
        return {int(id, 16): title for id, title in listed}

    def titles(self):
        return [title for title in self.windows().values() if title]

    def window(self, title):
        return next((id for id, found in self.windows().items() if found == title), None)

    def handle(self, title):
        return f"x11:0x{self.window(title):x}"

    def active(self):
        """The title of the window that has the keyboard: the property, and the focus itself."""
        active = self.desk.run("xdotool", "getactivewindow").strip()
        focused = self.desk.run("xdotool", "getwindowfocus").strip()
        # The focus may be at a child, or at the frame around the window: its name is what the user sees.
        name = self.desk.run("xdotool", "getwindowname", active).rstrip("\n") if active else ""
        return name if active and focused else None

    def type(self, text):
        self.desk.run("xdotool", "type", "--delay", "4", text)
        self.desk.run("xdotool", "key", "Return")

    def press(self, key):
        """One key, like `ctrl+w`."""
        self.desk.run("xdotool", "key", key)

    def focus(self, title):
        # A request that comes while another one is carried out may be lost.
        def asked():
            self.desk.run("wmctrl", "-i", "-a", hex(eventually(lambda: self.window(title))))
            return eventually(lambda: self.active() == title, seconds=1)
        return eventually(asked)

    def steal(self, title, thief, delay=0.1):
        """A program in the background that gives the front to `thief` soon after `title` has got it."""
        wanted, other = self.window(title), hex(self.window(thief))
        return self.when(
            ("xprop", "-root", "-spy", "_NET_ACTIVE_WINDOW"), lambda line: line.strip().endswith(f"# {wanted:#x}"),
            ("wmctrl", "-i", "-a", other), delay)

    def fullscreen(self, title, isOn):
        self.desk.run("wmctrl", "-i", "-r", hex(self.window(title)), "-b", f"{'add' if isOn else 'remove'},fullscreen")
        return eventually(lambda: isOn == self.is_fullscreen(title))

    def is_fullscreen(self, title):
        return "_NET_WM_STATE_FULLSCREEN" in self.desk.run("xprop", "-id", str(self.window(title)), "_NET_WM_STATE")

    def close(self, title):
        for id, found in self.windows().items():
            if found == title:
                self.desk.run("wmctrl", "-i", "-c", hex(id))

    def close_rest(self):
        for id in self.windows():
            self.desk.run("wmctrl", "-i", "-c", hex(id))

    def minimise(self, title):
        self.desk.run("xdotool", "windowminimize", str(self.window(title)))
        return eventually(lambda: self.is_hidden(title))

    def is_hidden(self, title):
        return "_NET_WM_STATE_HIDDEN" in self.desk.run("xprop", "-id", str(self.window(title)), "_NET_WM_STATE")

    def is_urgent(self, title):
        said = self.desk.run("xprop", "-id", str(self.window(title)), "_NET_WM_STATE", "WM_HINTS")
        return "_NET_WM_STATE_DEMANDS_ATTENTION" in said or "urgency hint bit is set" in said

    def place(self, title):
        """The desktop that a window is on."""
        found = re.search(r"= (\d+)", self.desk.run("xprop", "-id", str(self.window(title)), "_NET_WM_DESKTOP"))
        return found[1] if found else None

    def here(self):
        """The desktop that the user sees."""
        found = re.search(r"= (\d+)", self.root("_NET_CURRENT_DESKTOP"))
        return found[1] if found else None

    def send_away(self, title):
        """Moves a window to another desktop."""
        away = "2" if self.here() != "2" else "1"
        self.desk.run("wmctrl", "-i", "-r", hex(self.window(title)), "-t", away)
        return eventually(lambda: self.place(title) != self.here())

    def screenshot(self, path):
        self.desk.run("import", "-display", self.number, "-window", "root", path)

    def tree(self):
        lines = [self.root("_NET_ACTIVE_WINDOW"), self.root("_NET_CURRENT_DESKTOP"), self.desk.run("wmctrl", "-lGpx")]
        for id in self.windows():
            lines.append(f"{id:#x} " + self.desk.run(
                "xprop", "-id", str(id), "WM_NAME", "WM_CLASS", "_NET_WM_STATE", "_NET_WM_DESKTOP"))
        return "\n".join(lines)


class Openbox(X11):
    """A stacking window manager."""

    name = "openbox"
    programs = (*X11.programs, "openbox")
    RULES = """<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
<focus><focusNew>yes</focusNew></focus><desktops><number>4</number></desktops>
</openbox_config>
"""

    def manager(self):
        rules = self.desk.write("openbox.xml", self.RULES)
        self.process("openbox", "--config-file", rules, "--sm-disable", log="manager.log")


class Xfwm(X11):
    """The window manager of Xfce."""

    name = "xfwm4"
    programs = (*X11.programs, "xfwm4")

    def manager(self):
        self.process("xfwm4", "--compositor=off", log="manager.log")


class Metacity(X11):
    """The window manager of GNOME Flashback, with the rules of mutter."""

    name = "metacity"
    programs = (*X11.programs, "metacity")

    def manager(self):
        self.process("metacity", "--sm-disable", "--no-composite", log="manager.log")


class I3(X11):
    """A tiling window manager."""

    name = "i3"
    programs = (*X11.programs, "i3", "i3-msg")
    RULES = """# i3 config file (v4)
font pango:monospace 8
bar {
    mode invisible
    i3bar_command true
}
# It draws every window that is seen anew for each that comes, and restacks those that float.
assign [class="Crowd"] workspace 5
for_window [class="Crowd"] border none, layout tabbed
"""

    def manager(self):
        rules = self.desk.write("i3.conf", self.RULES)
        self.process("i3", "-c", rules, log="manager.log")

    def say(self, *words):
        # i3-msg finds the socket by the root window.
        return self.desk.run("i3-msg", *words)

    def windows(self):
        # The property goes on naming windows that were destroyed while hidden, and wmctrl breaks off at those.
        found, waiting = {}, [loads(self.say("-t", "get_tree"))]
        while waiting:
            node = waiting.pop() or {"nodes": [], "floating_nodes": []}
            if node.get("window") and node.get("name"):
                found[node["window"]] = node["name"]
            waiting += node["nodes"] + node["floating_nodes"]
        return found

    def send_away(self, title):
        away = "7" if self.place_name() != "7" else "8"
        self.say(f"[id={self.window(title)}] move container to workspace {away}")
        return eventually(lambda: self.workspace(title) == away)

    def place_name(self):
        """The workspace that the user sees, by its name."""
        spaces = loads(self.say("-t", "get_workspaces")) or []
        return next((space["name"] for space in spaces if space["focused"]), None)

    def node(self, title):
        """i3's own view of a window, and what is above it."""
        return find_node(
            loads(self.say("-t", "get_tree")), lambda node: node.get("window") and node.get("name") == title)

    def is_urgent(self, title):
        return bool((self.node(title)[0] or {}).get("urgent"))

    def workspace(self, title):
        node, way = self.node(title)
        return next((step["name"] for step in reversed(way) if step.get("type") == "workspace"), None) if node else None

    def scratch(self, title):
        self.say(f"[id={self.window(title)}] move scratchpad")
        return eventually(lambda: self.workspace(title) == "__i3_scratch")


class I3Pair(I3):
    """i3 with two screens side by side, as far as it knows."""

    RULES = I3.RULES + "fake-outputs 640x800+0+0,640x800+640+0\n"


class Sway(Screen):
    """A headless Wayland compositor, with XWayland."""

    name = "sway"
    variables = ("WAYLAND_DISPLAY", "SWAYSOCK", "DISPLAY")
    outputs = 1
    # The program that asks it.
    swaymsg = ("swaymsg",)
    programs = ("sway", "swaymsg", "foot", "Xwayland", "xterm", "wtype", "grim")
    titles_script = """#!/bin/sh
swaymsg -t get_tree | python3 -c '
import json, sys
waiting = [json.load(sys.stdin)]
while waiting:
    one = waiting.pop(0)
    if one.get("pid") and one.get("name"): print(one["name"])
    waiting += one["nodes"] + one["floating_nodes"]
'
"""
    RULES = """output HEADLESS-1 resolution 1280x800 bg #204060 solid_color
xwayland enable
default_border pixel 2
focus_on_window_activation smart
for_window [class="Crowd"] floating enable
exec sh -c 'echo "$WAYLAND_DISPLAY $SWAYSOCK $DISPLAY" > {ready}.new && mv {ready}.new {ready}'
"""

    def start(self):
        ready = self.desk.path("sway.ready")
        if os.path.exists(ready):
            os.unlink(ready)
        rules = self.desk.write("sway.conf", self.RULES.format(ready=ready))
        prefix = []
        if os.getuid() == 0:
            # It refuses to run as root. Where a user namespace is not to be had, it alone runs as nobody.
            for path in (self.desk.folder, self.desk.path("run"), self.desk.path("home")):
                os.chmod(path, 0o777)
            prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        variables = {"WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
                     "WLR_HEADLESS_OUTPUTS": str(self.outputs)}
        for name in self.variables:
            self.desk.environment.pop(name, None)
        self.server = self.process(
            *prefix, "sway", "-c", rules, environment=variables, log="server.log")
        if not eventually(lambda: os.path.exists(ready)):
            with open(self.desk.path("server.log"), encoding="utf-8", errors="replace") as file:
                raise RuntimeError(f"sway does not come: {file.read()[-500:]}")
        with open(ready, encoding="utf-8") as file:
            for name, value in zip(self.variables, file.read().split()):
                self.desk.environment[name] = value
        self.desk.write("config/bin/titles", self.titles_script, executable=True)
        self.keyboard = None
        self.keep_keyboard()
        return self

    def kill_server(self):
        stop(self.server)

    def keep_keyboard(self):
        """A seat without a keyboard gives no window the keyboard focus: this one stays, and is the one that was used last.

        Chromium ends with a fault where it finds a keyboard that was used, and is gone.
        """
        before = self.keyboard
        self.keyboard = self.process("wtype", "-k", "Shift_L", "-s", "86400000", log="keyboard.log")
        if before:
            stop(before)
            self.processes.remove(before)

    def say(self, *words):
        return self.desk.run(*self.swaymsg, *words)

    def nodes(self):
        """Windows: node and the nodes above it."""
        root = loads(self.say("-t", "get_tree"))
        found, waiting = [], [(root, ())] if root else []
        while waiting:
            node, way = waiting.pop(0)
            if node.get("pid") and node.get("type") in ("con", "floating_con"):
                found.append((node, way))
            waiting += [(child, (*way, node)) for child in node["nodes"] + node["floating_nodes"]]
        return found

    def titles(self):
        return [node["name"] for node, _ in self.nodes() if node.get("name")]

    def node(self, title):
        return next((pair for pair in self.nodes() if pair[0].get("name") == title), (None, ()))

    def handle(self, title):
        return f"sway:{self.node(title)[0]['id']}"

    def active(self):
        return next((node["name"] for node, _ in self.nodes() if node["focused"]), None)

    def type(self, text):
        # There is no keyboard until wtype makes one: the client needs a moment to see it.
        self.desk.run("wtype", "-s", "120", text, "-k", "Return")
        self.keep_keyboard()

    def press(self, key):
        """One key, like `ctrl+w`."""
        *modifiers, last = key.split("+")
        held = [word for name in modifiers for word in ("-M", name)]
        self.desk.run("wtype", "-s", "120", *held, "-k", last)
        self.keep_keyboard()

    def focus(self, title):
        self.say(f"[con_id={self.node(title)[0]['id']}] focus")
        return eventually(lambda: self.active() == title)

    def steal(self, title, thief, delay=0.1):
        """A program in the background that gives the front to `thief` soon after `title` has got it."""
        wanted, other = self.node(title)[0]["id"], self.node(thief)[0]["id"]

        def is_wanted(line):
            event = loads(line) or {}
            return event.get("change") == "focus" and (event.get("container") or {}).get("id") == wanted
        return self.when(
            (*self.swaymsg, "-r", "-t", "subscribe", "-m", '["window"]'), is_wanted,
            (*self.swaymsg, f"[con_id={other}] focus"), delay)

    def fullscreen(self, title, isOn):
        self.say(f"[con_id={self.node(title)[0]['id']}] fullscreen {'enable' if isOn else 'disable'}")
        return eventually(lambda: isOn == bool(self.node(title)[0]["fullscreen_mode"]))

    def close(self, title):
        for node, _ in self.nodes():
            if node.get("name") == title:
                self.say(f"[con_id={node['id']}] kill")

    def close_rest(self):
        for node, _ in self.nodes():
            self.say(f"[con_id={node['id']}] kill")

    def is_urgent(self, title):
        return bool((self.node(title)[0] or {}).get("urgent"))

    def place(self, title):
        return next((step["name"] for step in reversed(self.node(title)[1]) if step["type"] == "workspace"), None)

    def workspace(self, title):
        return self.place(title)

    def here(self):
        spaces = loads(self.say("-t", "get_workspaces")) or []
        return next((space["name"] for space in spaces if space["focused"]), None)

    def send_away(self, title):
        away = "7" if self.here() != "7" else "8"
        self.say(f"[con_id={self.node(title)[0]['id']}] move container to workspace {away}")
        return eventually(lambda: self.place(title) == away)

    def scratch(self, title):
        self.say(f"[con_id={self.node(title)[0]['id']}] move scratchpad")
        return eventually(lambda: self.place(title) == "__i3_scratch")

    def screenshot(self, path):
        self.desk.run("grim", path)

    def tree(self):
        return json.dumps(loads(self.say("-t", "get_tree")), indent=1)


class SwayPair(Sway):
    """sway with two screens."""

    outputs = 2


class Tmux(Screen):
    """A tmux with an attached client. Its windows are known by the arguments of their programs."""

    name = "tmux"
    programs = ("tmux", "setsid")

    def start(self):
        self.desk.write("config/bin/terminal", "#!/bin/sh\nexec \"$(dirname \"$0\")/listen\" \"$2\"\n", executable=True)
        return self.begin()

    def begin(self):
        """The server and its user, beside whatever else is on the desk."""
        self.say("-f", "/dev/null", "new-session", "-d", "-s", "work", "-x", "100", "-y", "30", "sleep 86400")
        self.client = self.attach("work")
        return self

    def attach(self, session):
        """A user in front of a terminal."""
        self.master, slave = pty.openpty()
        client = subprocess.Popen(
            ["setsid", "-c", "tmux", "attach", "-t", session], env=self.desk.environment, cwd=self.desk.folder,
            stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        threading.Thread(target=drain, args=(self.master,), daemon=True).start()
        if not eventually(lambda: self.terminal_client("#{client_name}")):
            raise RuntimeError("tmux: no client is attached")
        self.processes.append(client)
        return client

    def stop(self):
        self.say("kill-server")
        super().stop()

    def kill_server(self):
        self.say("kill-server")

    def say(self, *words):
        return self.desk.run("tmux", *words)

    def terminal_client(self, what):
        """Of the client at which a person sits."""
        return self.say("list-clients", "-F", what).partition("\n")[0].strip()

    def titles(self):
        # A window may be in several sessions.
        found = dict(line.split() for line in self.say("list-windows", "-a", "-F", "#{window_id} #{pane_pid}").splitlines())
        return [title for title in map(self.title_of, found.values()) if title]

    def title_of(self, pid):
        """The title that the program of a pane was given; None where it is another program."""
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                target = dict(
                    word.partition(b"=")[::2] for word in file.read().split(b"\0")).get(b"USHER_TARGET", b"").decode()
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return target if b"cat" in file.read() and target else None
        except OSError:
            return None

    def window(self, title):
        for line in self.say("list-windows", "-a", "-F", "#{window_id} #{pane_pid}").splitlines():
            window, pid = line.split()
            if self.title_of(pid) == title:
                return window
        return None

    def handle(self, title):
        return self.window(title)

    def active(self):
        """The window that the attached client shows."""
        pid = self.terminal_client("#{pane_pid}")
        return (self.title_of(pid) or "other") if pid else None

    def type(self, text):
        """Key strokes of the user in front of the terminal, not tmux's own `send-keys`."""
        os.write(self.master, text.encode() + b"\r")

    def focus(self, title):
        self.say("select-window", "-t", self.window(title))
        return eventually(lambda: self.active() == title)

    def close(self, title):
        if window := self.window(title):
            self.say("kill-window", "-t", window)

    def place(self, title):
        """The session that has the window: the user's, where several have."""
        found = [line.split(" ", 1)[1] for line in self.say(
            "list-windows", "-a", "-F", "#{window_id} #{session_name}").splitlines()
            if line.split(" ", 1)[0] == self.window(title)]
        here = self.here()
        return here if here in found else next(iter(found), None)

    def here(self):
        return self.terminal_client("#{client_session}")

    def send_away(self, title):
        """To another session of the server."""
        if "away" not in self.say("list-sessions", "-F", "#{session_name}").split():
            self.say("new-session", "-d", "-s", "away", "sleep 86400")
        self.say("move-window", "-s", self.window(title), "-t", "away:")
        return eventually(lambda: self.place(title) == "away")

    def is_urgent(self, title):
        """A bell is shown in the status line."""
        return "!" in self.say("display-message", "-p", "-t", self.window(title), "#{window_flags}")

    def terminal(self, title, app="Other", environment=None):
        self.say("new-window", "-t", f"{self.here()}:", "-e", f"USHER_TARGET={title}", self.desk.path("config/bin/terminal"), app, title)
        if not eventually(lambda: title in self.titles()):
            raise RuntimeError(f"tmux: no window {title!r} came")

    def screenshot(self, path):
        """What the client shows, as text."""
        with open(os.path.splitext(path)[0] + ".txt", "w", encoding="utf-8") as file:
            file.write(self.say("capture-pane", "-p"))

    def tree(self):
        return self.say("list-panes", "-a", "-F", "#{session_name} #{window_id} #{pane_id} #{window_flags} #{pane_pid}")


SCREENS = {screen.name: screen for screen in (Openbox, Xfwm, Metacity, I3, Sway, Tmux)}

# Windows of one process: `crowd COUNT CLASS TITLE [no-input] [paced]`. Titles are numbered where there are several.
CROWD = """
import ctypes, sys, time
X = ctypes.CDLL("libX11.so.6")
X.XOpenDisplay.restype = ctypes.c_void_p
X.XDefaultRootWindow.restype = X.XCreateSimpleWindow.restype = ctypes.c_ulong
P, W, I = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int
X.XDefaultRootWindow.argtypes = [P]
X.XCreateSimpleWindow.argtypes = [P, W, I, I, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint, W, W]
X.XStoreName.argtypes = [P, W, ctypes.c_char_p]
X.XMapWindow.argtypes = [P, W]
X.XSetClassHint.argtypes = X.XSetWMHints.argtypes = [P, W, P]
X.XNextEvent.argtypes, X.XSync.argtypes, X.XSelectInput.argtypes = [P, P], [P, I], [P, W, ctypes.c_long]
X.XInternAtom.argtypes, X.XInternAtom.restype = [P, ctypes.c_char_p, I], W
X.XSetWMProtocols.argtypes = [P, W, P, I]
class Hint(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_char_p)]
class Hints(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_long), ("input", I), ("state", I), ("pixmap", W), ("window", W), ("x", I), ("y", I),
                ("mask", W), ("group", W)]
count, kind, title = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3]
display = X.XOpenDisplay(None)
if not display: sys.exit("no display")
root = X.XDefaultRootWindow(display)
class Event(ctypes.Structure):
    # XPropertyEvent, with room for the largest event.
    _fields_ = [("type", I), ("serial", ctypes.c_ulong), ("sent", I), ("display", P), ("window", W), ("atom", W),
                ("rest", ctypes.c_char * 256)]
event, state = Event(), X.XInternAtom(display, b"WM_STATE", 0)
PROPERTY_CHANGE_MASK, PROPERTY_NOTIFY = 1 << 22, 28
for number in range(count):
    window = X.XCreateSimpleWindow(display, root, 0, 0, 200, 100, 0, 0, 0xFFFFFF)
    X.XStoreName(display, window, (f"{title} {number}" if count > 1 else title).encode())
    X.XSetClassHint(display, window, ctypes.byref(Hint(kind.lower(), kind)))
    if "no-input" in sys.argv:
        # ICCCM 4.1.7: No Input. It never takes the focus, and wants not to be given it.
        X.XSetWMHints(display, window, ctypes.byref(Hints(flags=1, input=0)))
    if "stays" in sys.argv:
        # ICCCM 4.2.8.1: it is asked to close, and may ask its user first. This one never answers.
        X.XSetWMProtocols(display, window, ctypes.byref(W(X.XInternAtom(display, b"WM_DELETE_WINDOW", 0))), 1)
    is_paced = "paced" in sys.argv
    X.XSelectInput(display, window, PROPERTY_CHANGE_MASK if is_paced else 0)
    X.XMapWindow(display, window)
    X.XSync(display, 0)
    # The next one when the window manager has taken this one over: with too many at once, sway and Xwayland end up waiting
    # for each other. i3 draws all of them for each one that it takes over, and is not waited for.
    while is_paced and not (event.type == PROPERTY_NOTIFY and event.window == window and event.atom == state):
        X.XNextEvent(display, ctypes.byref(event))
    time.sleep(0.01 if count > 1 else 0)
while True:
    X.XNextEvent(display, ctypes.byref(event))
"""

# A title that changes without end: `storm CLASS TITLE`, run in a terminal.
STORM = """#!/bin/sh
# Changes the title of its terminal 100 times a second.
exec python3 -c '
import sys, time
number = 0
while True:
    number += 1
    sys.stdout.write(f"\\033]0;storm {number}\\007")
    sys.stdout.flush()
    time.sleep(0.01)
'
"""


def stop(program, patience=5):
    """Ends a program that was started here, and waits for it."""
    if program.poll() is None:
        program.terminate()
        try:
            program.wait(patience)
        except subprocess.TimeoutExpired:
            program.kill()
    program.wait()


def read_line(descriptor, seconds=DEADLINE):
    """A line that a program writes when it is ready."""
    os.set_blocking(descriptor, False)
    text = b""

    def read():
        nonlocal text
        try:
            text += os.read(descriptor, 4096)
        except BlockingIOError:
            pass
        return b"\n" in text
    eventually(read, seconds, pause=0.005)
    os.close(descriptor)
    if b"\n" not in text:
        raise RuntimeError("a program did not say that it is ready")
    return text.decode().split("\n")[0].strip()


def loads(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def find_node(root, wanted):
    """The first node of a tree of i3 that is so, and those above it."""
    waiting = [(root, ())] if root else []
    while waiting:
        node, way = waiting.pop(0)
        if wanted(node):
            return node, way
        waiting += [(child, (*way, node)) for child in node["nodes"] + node["floating_nodes"]]
    return None, ()


def is_asleep(pid):
    """Whether a process waits for something to happen, or is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "S"
    except OSError:
        return True


def processor_seconds(pid):
    """The time that a process has used of a processor."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def enter_room(script, arguments, mounts=False):
    """Starts the script again in a room of its own: a user who is not root (sway refuses root), and processes that all end
    with it, orphans too. Where that is not allowed, the script goes on as it is.

    `mounts`: what is started there may mount, and change its root."""
    if os.environ.get("USHER_CHECK_ROOM"):
        return
    environment = dict(os.environ, USHER_CHECK_ROOM="1")
    user = ["--map-user=1000", "--map-group=1000"] if os.getuid() == 0 else ["--map-current-user"]
    room = ["unshare", "--user", *user, "--pid", "--fork", "--kill-child", "--mount-proc"]
    room += ["--keep-caps"] if mounts else []
    if shutil.which("unshare") and subprocess.run([*room, "true"], capture_output=True, check=False).returncode == 0:
        # The shell takes the place of init: it reaps what loses its parent.
        os.execvpe("unshare", [*room, "sh", "-c", '"$@"; exit "$?"', "sh", script, *arguments], environment)
    os.environ["USHER_CHECK_ROOM"] = "none"
    print("  no user namespaces here: what a check leaves running is ended by its pid", flush=True)
