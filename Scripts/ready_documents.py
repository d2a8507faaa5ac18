"""Sections of `check-ready`: Config/ready/documents.toml, with real programs that were started by hand, not by Usher.

Each program shows a file in a window of tmux, X11 or sway. `usher scene content` has to read the file, and a request for the file has to
bring up that very window. After the program ended, the same request has to launch another one.
"""

import json
import os

from checklist import eventually
from windows import Desk, Openbox, Sway, Tmux

READY = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "Config", "ready")
# On the desktop.
VIEWERS = ("zathura", "xterm", "kitty", "gvim", "evince", "alacritty", "mpv", "okular", "emacs", "libreoffice")
ON_SWAY = ("foot", "kitty", "alacritty", "zathura", "evince")
TOOLS = ("nvim", "vim", "less", "convert")
SECTIONS = {
    "documents": ("tmux", "setsid", "nvim", "vim", "less", "man"),
    "viewers": (*Openbox.programs, "dbus-daemon", *VIEWERS, *TOOLS),
    "viewers-sway": (*Sway.programs, "dbus-daemon", *ON_SWAY, "nvim", "less"),
}
# The profile of LibreOffice: its tip of the day would come in front of the document.
NO_TIP = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="ShowTipOfTheDay" oor:op="fuse"><value>false</value></prop></item>
</oor:items>
"""
# One empty page.
PDF = """%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>> endobj
trailer <</Root 1 0 R>>
"""
PAGE = ".TH EXAMPLE 1\n.SH NAME\nexample \\- a page\n"
# What a request launches when no window has the file. It is the first scene, so it takes what no window takes.
LAUNCHED = """[[scenes]]
name = "launched"
can = 'FALSEPREDICATE'
launch = { exec = ["../bin/terminal", "Launched", "{target}"], ready = { window = true, time-limit = "30s" } }
focus = { app-id = "Launched" }

"""
# The same of tmux, whose windows have no class.
LAUNCHED_IN_TMUX = """[[scenes]]
name = "launched"
can = 'FALSEPREDICATE'
launch = { tmux = ["../bin/listen", "{target}"] }

"""


class Documents:
    """One desktop with documents."""

    def __init__(self, name, checks, usher):
        self.name, self.checks = name, checks
        self.desk = Desk(usher, usher, {})
        for file, text in {"one.md": "one\n", "two.md": "two\n", "a b/three.md": "three\n", "plan.pdf": PDF,
                           "one.txt": "one\n", "two.txt": "two\n", "page.1": PAGE}.items():
            self.desk.write(f"home/{file}", text)
        self.desk.environment.update({
            "USHER_CONFIG": self.desk.path("config"), "USHER_STATE": self.desk.path("state")})

    def check(self, holds, name, detail=""):
        return self.checks.check(holds, f"{self.name}: {name}", lambda: (
            f"{detail() if callable(detail) else detail}\n        sessions {self.desk.sessions()}\n"
            f"        windows {self.desk.screen.tree()}"))

    def configure(self, launched, *changes):
        """documents.toml, with a launch, and with what its comments ask the user to fill in."""
        with open(os.path.join(READY, "documents.toml"), encoding="utf-8") as file:
            text = file.read()
        for old, new in (("[[scenes]]\n", launched + "[[scenes]]\n"), *changes):
            if old not in text:
                raise RuntimeError(f"documents.toml has no {old!r}")
            text = text.replace(old, new, 1 if old == "[[scenes]]\n" else -1)
        self.desk.write("config/apps/documents.toml", text)

    def open(self, target):
        """`usher open`: the record."""
        ran = self.desk.usher("open", "--json", target)
        return json.loads(ran.stdout.splitlines()[-1]) if ran.stdout else {"said": ran.stderr.decode()}

    def content(self, window):
        return json.loads(self.desk.usher("scene", "content", window, "--json").stdout or b'{"results":[{}]}')

    def address(self, *parts):
        return "file://" + self.desk.path("home", *parts).replace(" ", "%20")

    def is_launched(self, target, name, is_there):
        """No window has it, and no session remembers it: it is launched anew."""
        record = {}

        def question():
            record.update(self.open(target))
            return record.get("action") == "launch"
        self.check(eventually(question, seconds=10, pause=0.1), f"{name}: it ends, and the next request is a launch", lambda: record)
        self.check((record.get("reason"), record.get("scene"), record.get("outcome")) == ("default", "launched", "verified"),
                   f"{name}: which makes a window", lambda: record)
        self.check(eventually(lambda: is_there(record)), f"{name}: with the file", lambda: record)
        left = self.desk.sessions(target=target)
        self.check([row["session"] for row in left] == [record.get("session")], f"{name}: the ended window has no session", left)
        self.desk.usher("scene", "close", record.get("session", "-"))

    # In tmux

    def documents(self):
        tmux = self.tmux = self.desk.screen = Tmux(self.desk)
        tmux.start()
        self.configure(LAUNCHED_IN_TMUX)
        file, page = ("a b", "three.md"), ("page.1",)
        for program, parts in ((["nvim", "--clean"], file), (["vim", "--clean"], file), (["less"], file), (["man"], page)):
            name, target = program[0], self.address(*parts)
            command = " ".join([*program, "'" + self.desk.path("home", *parts) + "'"])
            for start in ("in a shell", "as a window"):
                self.window = self.new_window("sh" if start == "in a shell" else command)
                if start == "in a shell":
                    tmux.say("send-keys", "-t", self.window, "-l", command)
                    tmux.say("send-keys", "-t", self.window, "Enter")
                self.comes_to(target, f"{name}, started {start}")
                tmux.say("kill-window", "-t", self.window)
            self.is_launched(target, name, lambda _: self.has_window(target))
        self.window = self.new_window("less one.md", "-c", self.desk.path("home"))
        self.comes_to(self.address("one.md"), "less with a relative name")
        tmux.say("kill-window", "-t", self.window)
        for command, finding in (("less one.md two.md", "content.ambiguous"), ("man man", "content.no-match")):
            self.window = self.new_window(command, "-c", self.desk.path("home"))
            self.check(eventually(lambda: self.content(self.window)["results"][-1].get("finding") == finding),
                       f"{command}: {finding}", lambda: self.content(self.window))
            if command.startswith("less"):
                self.is_launched(self.address("two.md"), command, lambda _: self.has_window(self.address("two.md")))
            tmux.say("kill-window", "-t", self.window)

    def new_window(self, command, *options):
        return self.tmux.say("new-window", "-d", "-P", "-F", "#{window_id}", *options, command).strip()

    def has_window(self, target):
        return target in self.tmux.titles()

    def comes_to(self, target, name):
        # Until the program has begun, the request would be a launch.
        self.check(eventually(lambda: self.content(self.window).get("target") == target),
                   f"{name}: scene content reads it", lambda: self.content(self.window))
        self.check(self.content(self.window)["results"][-1].get("source") == "tmux", f"{name}: from its pane", lambda: self.content(self.window))
        self.tmux.say("select-window", "-t", "work:0")
        record = self.open(target)
        self.check((record.get("action"), record.get("reason"), record.get("outcome")) == ("focus", "prefers", "verified"),
                   f"{name}: a request comes to it", record)
        front = self.tmux.say("list-clients", "-F", "#{window_id}").strip()
        self.check(front == self.window, f"{name}: tmux shows it", front)

    # On a desktop

    def programs(self):
        """Viewer → how its user starts it, and what it shows."""
        path, plan = self.desk.path("home/a b/three.md"), self.desk.path("home/plan.pdf")
        three, pdf = self.address("a b", "three.md"), self.address("plan.pdf")
        picture = self.desk.path("home/plan.png")
        shell = ["sh", "-c", f"cd '{os.path.dirname(path)}' && nvim --clean three.md; exit"]
        return {
            "zathura": (["zathura", plan], pdf), "evince": (["evince", plan], pdf), "okular": (["okular", plan], pdf),
            "xterm": (["xterm", "-e", "less", path], three),
            "kitty": (["kitty", "--config", "NONE", "-o", "confirm_os_window_close=0", *shell], three),
            "foot": (["foot", "--config=/dev/null", *shell], three),
            "alacritty": (["alacritty", "-e", "less", path], three),
            "gvim": (["gvim", "--clean", "-f", path], three),
            "emacs": (["emacs", "-Q", "--eval", '(setq frame-title-format "%f - Emacs")', path], three),
            "mpv": (["mpv", "--no-config", "--vo=x11", "--ao=null", "--idle=no", "--pause", "--force-window=immediate",
                     "--image-display-duration=inf", picture], self.address("plan.png")),
            "libreoffice": (self.office("one.txt"), self.address("one.txt")),
        }

    def office(self, name):
        return ["soffice", f"-env:UserInstallation=file://{self.desk.path('office')}", "--norestore", "--nologo",
                "--nofirststartwizard", self.desk.path("home", name)]

    def viewers(self):
        self.desk.write("office/user/registrymodifications.xcu", NO_TIP)
        self.desk.run("convert", "-size", "200x200", "xc:red", self.desk.path("home/plan.png"))
        self.on_screen(Openbox(self.desk), VIEWERS)

    def viewers_on_sway(self):
        self.on_screen(Sway(self.desk), ON_SWAY)

    def on_screen(self, screen, names):
        self.desk.screen = screen
        self.desk.start_bus()
        screen.start()
        folder = 'path = "{file}", relative-to = "' + self.desk.path("home") + '" },\n'
        # A title of LibreOffice has the name alone: its user says in which folder such files are.
        self.configure(LAUNCHED, *((f'{line} {part}}}", path = "{{file}}" }},\n', f'{line} {part}}}", {folder}') for line, part in (
            ('"{file} — LibreOffice', "{part"), ('"{file} - LibreOffice', "{part"))))
        screen.terminal("elsewhere")
        programs = self.programs()
        for name in names:
            command, target = programs[name]
            process = self.desk.start_program(*command)
            if name == "libreoffice":
                # Its first start makes a profile, which takes long on a busy machine and is not what is judged.
                eventually(lambda: any("one.txt" in title for title in screen.titles()), seconds=60)
            session = self.is_brought_up(screen, name, target)
            if name == "libreoffice":
                # A second document is a window of the same process.
                self.desk.start_program(*self.office("two.txt"))
                other = self.is_brought_up(screen, "libreoffice, another document", self.address("two.txt"), name)
                self.check(other.get("handle") != session.get("handle"), "libreoffice: in another window", f"{session} {other}")
                again = self.is_brought_up(screen, "libreoffice, the first again", target, name)
                self.check(again.get("handle") == session.get("handle"), "libreoffice: in its window", f"{session} {again}")
            process.terminate()
            eventually(lambda: process.poll() is not None)
            self.is_launched(target, name, lambda _: target in screen.titles())
            screen.close(target)
            self.check(eventually(lambda: screen.titles() == ["elsewhere"]), f"{name}: nothing of it is left", screen.titles)

    def is_brought_up(self, screen, name, target, scene=None):
        """Its window, which was not in front, comes; gives its session."""
        # Until its window is there, the request would be a launch.
        handle = eventually(lambda: self.window_of(target), seconds=20)
        self.check(handle, f"{name}: scene content reads its file",
                   lambda: [self.content(row["handle"]) for row in self.windows()])
        screen.focus("elsewhere")
        record = self.open(target)
        self.check((record.get("action"), record.get("reason"), record.get("outcome")) == ("focus", "prefers", "verified"),
                   f"{name}: a request comes to it", record)
        session = self.desk.session(session=record.get("session")) or {}
        self.check((session.get("scene"), session.get("target"), session.get("handle")) == (scene or name, target, handle),
                   f"{name}: its session", session)
        self.check(screen.active() != "elsewhere", f"{name}: it is in front", screen.active())
        return session

    def windows(self):
        listed = json.loads(self.desk.usher("scene", "windows", "--json").stdout or b"{}")
        return listed.get("windows", []) if isinstance(listed, dict) else listed

    def window_of(self, target):
        """The handle of the window in which `usher scene content` reads this."""
        return next((row["handle"] for row in self.windows() if self.content(row["handle"]).get("target") == target), None)

    def run(self):
        with self.desk:
            {"documents": self.documents, "viewers": self.viewers, "viewers-sway": self.viewers_on_sway}[self.name]()
