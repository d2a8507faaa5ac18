"""The stories of `check-windows` about a Flatpak application: its windows belong to a process of another pid namespace.

The runtime is made of this machine's own files, the application of a script that starts a terminal: nothing is fetched.
"""

import os
import re
import shutil

from checklist import eventually
from windows import Sway
from windows_section import brief, story
from windows_stories import Stories

APP = "org.example.Term"
RUNTIME = "org.example.Platform"

TERM = """
id = "example.term"
domains = ["term.example"]
""" + "".join(f"""
[[scenes]]
name = "{name}"
opens = 'SELF BEGINSWITH "https://term.example/{name}"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = {{ {launch}, time-limit = "60s" }}
focus = {{ app-id = "{APP}" }}
""" for name, launch in {
    "run": f'exec = ["flatpak", "--user", "run", "{APP}", "{{target}}"]', "entry": f'desktop = ["{APP}"]'}.items())

# Its window shows what it was opened for; `entry` is what the desktop entry says.
SCRIPT = f"""#!/bin/sh
exec foot --config=/dev/null --app-id={APP} --title="$1" cat
"""
ENTRY = """[Desktop Entry]
Type=Application
Name=Term
Exec=term entry
"""


class Flatpak(Stories):
    """sway, which reports the process of a window."""

    def __init__(self, name, *rest, **options):
        super().__init__("sway", *rest, **options)
        self.section, self.kind = name, Sway
        self.programs = (*Sway.programs, "dbus-daemon", "flatpak", "bwrap", "ldd")

    @classmethod
    def methods(cls, section):
        return {method.story: method for method in vars(cls).values() if hasattr(method, "story")}

    def apps(self):
        return {"term": TERM}

    def furnish(self):
        exports = self.desk.path("home/.local/share/flatpak/exports/share")
        self.desk.environment["XDG_DATA_DIRS"] = f"{exports}:/usr/local/share:/usr/share"
        self.desk.start_bus()
        self.install()
        super().furnish()

    def install(self):
        """A runtime and an application, in the home of this desk."""
        architecture = self.desk.run("flatpak", "--default-arch").strip()
        self.desk.write("runtime/metadata", f"[Runtime]\nname={RUNTIME}\nruntime={RUNTIME}/{architecture}/1\n"
                        f"sdk={RUNTIME}/{architecture}/1\n")
        for folder in ("runtime/files", "runtime/usr/bin", "app/export/share/applications"):
            os.makedirs(self.desk.path(folder), exist_ok=True)
        programs = [shutil.which(name) for name in ("foot", "sh", "cat")]
        libraries = set(re.findall(r"/\S+", "\n".join(self.desk.run("ldd", program) for program in programs)))
        libraries = {path.rstrip(":") for path in libraries}
        for path in [*programs, *sorted(library for library in libraries if ".so" in library)]:
            place = self.desk.path("runtime/usr", path.removeprefix("/usr").lstrip("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(path, place)
        for path in ("/usr/share/X11/xkb", "/usr/share/fonts/truetype", "/etc/fonts", "/usr/lib/locale/C.utf8"):
            if os.path.exists(path):
                shutil.copytree(path, self.desk.path("runtime/usr", path.removeprefix("/usr").lstrip("/")), dirs_exist_ok=True,
                                ignore_dangling_symlinks=True)
        self.desk.write("app/metadata", f"[Application]\nname={APP}\nruntime={RUNTIME}/{architecture}/1\ncommand=term\n\n"
                        "[Context]\nsockets=wayland;\n")
        self.desk.write("app/files/bin/term", SCRIPT, executable=True)
        self.desk.write(f"app/export/share/applications/{APP}.desktop", ENTRY)
        for words in (("build-export", "--runtime", "--disable-sandbox", "repo", "runtime", "1"),
                      ("build-export", "--disable-sandbox", "repo", "app", "1"),
                      ("--user", "remote-add", "--no-gpg-verify", "here", "repo"),
                      ("--user", "install", "-y", "--noninteractive", "here", f"{RUNTIME}//1", f"{APP}//1")):
            # It asks for parental controls on the system bus, which is not there, unless the session bus stands for that.
            self.desk.run("flatpak", *words, timeout=120, env=dict(
                self.desk.environment, FLATPAK_SYSTEM_HELPER_ON_SESSION="1"))
        installed = self.desk.run("flatpak", "--user", "list", "--columns=application")
        if APP not in installed.split():
            raise RuntimeError(f"flatpak: {APP} was not installed: {installed!r}")

    def process(self, title):
        """The process of a window, as sway sees it."""
        return (self.screen.node(title)[0] or {}).get("pid")

    def is_sandboxed(self, title):
        """Its process has a pid namespace of its own."""
        process = self.process(title)
        self.check(
            process and os.readlink(f"/proc/{process}/ns/pid") != os.readlink("/proc/self/ns/pid"),
            f"{title}: its process is in another pid namespace", process)

    @story("launched, focused, closed")
    def run_it(self):
        target = "https://term.example/run/1"
        record = self.open(target)
        self.is_sandboxed(target)
        self.is_seen_in_front(target)
        session = self.desk.session(session=record.get("session")) or {}
        self.check(session.get("handle") == self.screen.handle(target), "the session has its window", session)
        self.screen.focus("elsewhere")
        self.is_record(self.send(target), "it is focused, not launched again", action="focus", outcome="verified", error=None,
                       session=record.get("session"))
        self.is_seen_in_front(target)
        self.screen.close(target)
        self.check(
            eventually(lambda: not self.desk.session(session=record.get("session"))), "closed by its user, the session ends")

    @story("two at once")
    def at_once(self):
        """Their windows look the same: only the processes show which one is whose."""
        targets = ["https://term.example/run/2", "https://term.example/run/3"]
        records = self.send_in_order(targets)
        for target, record in zip(targets, records):
            self.is_record(record, f"{target}: verified", action="launch", outcome="verified", error=None)
            session = self.desk.session(session=record.get("session")) or {}
            self.check(session.get("handle") == self.screen.handle(target), f"{target}: its own window", session)
            self.is_sandboxed(target)

    @story("by its desktop entry")
    def entry(self):
        record = self.send("https://term.example/entry")
        self.is_record(record, "launched, and its window verified", action="launch", outcome="verified", error=None)
        self.is_sandboxed("entry")
        self.is_seen_in_front("entry")
        self.check(self.count("entry") == 1, "one window", lambda: brief(record))

    def is_seen_in_front(self, title):
        self.check(eventually(lambda: self.screen.active() == title), f"{title}: it is in front, others say",
                   lambda: self.screen.active())
