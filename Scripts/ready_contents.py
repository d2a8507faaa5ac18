"""Sections of `check-ready`: what `content` of scenes reads from real windows and real processes, and what it refuses to guess.

Written from the contract of `usher scene content`: each case is a window with a title, or a process with arguments, a working folder and open
files. `contents-tmux` has panes of tmux, `contents` windows of X11.
"""

import json
import os
import subprocess
import time

from checklist import eventually
from windows import Desk, Openbox, Tmux, stop

SECTIONS = {"contents-tmux": ("tmux", "setsid"), "contents": (*Openbox.programs, "dbus-daemon")}
# A window whose process works with files: `window CLASS FOLDER OPEN [ARGUMENT...]`, with its title in the environment. OPEN (names, one a line) is
# hexadecimal, so that it is no file.
WINDOW = """
import ctypes, os, sys, time
X = ctypes.CDLL("libX11.so.6")
P, W, I = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int
X.XOpenDisplay.restype = P
X.XDefaultRootWindow.argtypes, X.XDefaultRootWindow.restype = [P], W
X.XCreateSimpleWindow.argtypes = [P, W, I, I, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint, W, W]
X.XCreateSimpleWindow.restype = W
X.XInternAtom.argtypes, X.XInternAtom.restype = [P, ctypes.c_char_p, I], W
X.XChangeProperty.argtypes = [P, W, W, W, I, I, ctypes.c_char_p, I]
X.XSetClassHint.argtypes, X.XMapWindow.argtypes, X.XSync.argtypes = [P, W, P], [P, W], [P, I]
class Hint(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_char_p)]
kind, folder, names = sys.argv[1].encode(), sys.argv[2], bytes.fromhex(sys.argv[3])
title = os.environb[b"TITLE"]
os.chdir(folder)
kept = [os.open(name[1:], os.O_WRONLY if name[:1] == b">" else os.O_RDONLY) for name in names.split(b"\\n") if name]
display = X.XOpenDisplay(None)
window = X.XCreateSimpleWindow(display, X.XDefaultRootWindow(display), 0, 0, 200, 100, 0, 0, 0xFFFFFF)
utf8 = X.XInternAtom(display, b"UTF8_STRING", 0)
for name in (b"_NET_WM_NAME",):
    X.XChangeProperty(display, window, X.XInternAtom(display, name, 0), utf8, 8, 0, title, len(title))
X.XSetClassHint(display, window, ctypes.byref(Hint(kind.lower(), kind)))
# A window manager that is still starting loses the request. A window that is shown stays as it is.
while True:
    X.XMapWindow(display, window)
    X.XSync(display, True)
    time.sleep(0.5)
"""
MANIFEST = """
id = "example.{name}"
schemes = ["file"]
[[scenes]]
name = "document"
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
{focus}
content = {content}
"""
ARGUMENTS, FILES = 'process = "argv", path = "{file}"', 'process = "open-files", path = "{file}"'
# Files that every case has in its folder. Their names are bytes.
NAMES = (b"one.txt", b"two.txt", b"a b#?%.txt", "é/漢字.txt".encode(), b"line\nend.txt", b"\xff\xfe.txt", b"-dash.txt", b"sub/one.txt")
TITLE = 'title = "{file} - V", path = "{file}"'
BY_TITLE = 'title = ["{file}, {other} - V", "{other}, {file} - V"], path = "{file}"'

# What WindowContentTests does not have. Name; the content table; arguments; opened files ("<" to read, ">" to write); the title; the path of the target below the folder, or a finding.
# `@` is the folder.
CASES = [
    ("options are no files", ARGUMENTS, [b"-dash.txt", b"--file=one.txt", b"@/two.txt"], [], b"t", b"two.txt"),
    ("what is no file", ARGUMENTS, [b"@/sub", b"@/none", b"/dev/null", b"@/two.txt"], [], b"t", b"two.txt"),
    ("characters of URLs", ARGUMENTS, [b"@/a b#?%.txt"], [], b"t", b"a b#?%.txt"),
    ("letters beyond ASCII", ARGUMENTS, ["@/é/漢字.txt".encode()], [], b"t", "é/漢字.txt".encode()),
    ("two files", ARGUMENTS, [b"@/one.txt", b"@/two.txt"], [], b"t", "content.ambiguous"),
    ("a relative path, relative to another", ARGUMENTS + ', relative-to = "@/sub"', [b"one.txt"], [], b"t", b"sub/one.txt"),
    ("a relative path that leads elsewhere", ARGUMENTS + ', relative-to = "@/sub"', [b"two.txt"], [], b"t", "content.no-match"),
    ("a name that is not UTF-8", ARGUMENTS, [b"@/\xff\xfe.txt"], [], b"t", "content.encoding"),
    ("a target by a template", 'process = "argv", target = "x:{file}"', [b"@/a b#?%.txt"], [], b"t", "x:"),
    ("an open file", FILES, [], [b"<one.txt"], b"t", b"one.txt"),
    ("open twice", FILES, [], [b"<one.txt", b"<one.txt"], b"t", b"one.txt"),
    ("open to write is not read", FILES, [], [b">two.txt", b"<one.txt"], b"t", b"one.txt"),
    ("two open files", FILES, [], [b"<one.txt", b"<two.txt"], b"t", "content.ambiguous"),
    ("files of the system", FILES, [], [b"</etc/passwd", b"</usr/bin/env", b"</proc/self/maps"], b"t", "content.no-match"),
    ("open files beside a file of the system", FILES, [], [b"</etc/passwd", b"<two.txt"], b"t", b"two.txt"),
    ("an open file that is not UTF-8", FILES, [], [b"<\xff\xfe.txt"], b"t", "content.encoding"),
    ("an open folder is no file", FILES, [], [b"<sub"], b"t", "content.no-match"),
    ("a title with a name alone, relative to the folder of the process", TITLE + ', relative-to = "cwd"', [], [], b"one.txt - V", b"one.txt"),
    ("a title of 64 KiB", TITLE, [], [], b"/" + b"a" * 65531 + b" - V", "content.too-long"),
    ("a title that is not UTF-8", TITLE, [], [], b"@/\xff\xfe.txt - V", "content.encoding"),
    ("a title with two file names", BY_TITLE, [], [], b"@/one.txt, @/two.txt - V", "content.ambiguous"),
    ("the first table that gives a target", [TITLE, ARGUMENTS], [b"@/two.txt"], [], b"@/one.txt - V", b"one.txt"),
    ("else the next one", [TITLE, FILES, ARGUMENTS], [b"@/two.txt"], [], b"one.txt - V", b"two.txt"),
]
# The same of panes: the program's own line; `$PWD` is the folder.
PANES = [
    ("an argument", "argv", "tail -f $PWD/one.txt", b"one.txt"),
    ("behind a shell", "argv", "sh -c 'tail -f $0; true' $PWD/one.txt", b"one.txt"),
    ("a relative path", "argv", "tail -f one.txt", "content.relative"),
    ("two files", "argv", "tail -f $PWD/one.txt $PWD/two.txt", "content.ambiguous"),
    ("no file", "argv", "sleep 1000", "content.no-match"),
    ("a name that is not UTF-8", "argv", "tail -f \"$(printf '%s/\\377\\376.txt' $PWD)\"", "content.encoding"),
    ("the working folder", "cwd", "cd sub; sleep 1000", b"sub"),
    ("a working folder that is gone", "cwd", "mkdir gone; cd gone; rmdir ../gone; sleep 1000", "content.no-match"),
]


class Contents:
    """Windows and processes without an application."""

    def __init__(self, name, checks, usher):
        self.name, self.checks = name, checks
        self.desk = Desk(usher, usher, {})
        self.folder = self.desk.path("home/files")
        for name in NAMES:
            path = os.path.join(self.folder.encode(), name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write("x\n")

    def check(self, holds, name, detail=""):
        return self.checks.check(holds, f"{self.name}: {name}", detail)

    def describe(self, content, focus='focus = { class = "Viewer" }', name="viewer"):
        tables = content if isinstance(content, list) else [content]
        text = "[" + ", ".join(f"{{ {table.replace('@', self.folder)} }}" for table in tables) + "]"
        self.desk.write(f"config/apps/{name}.toml", MANIFEST.format(name=name, content=text, focus=focus))

    def content(self, window):
        """Exit status and answer of `usher scene content`."""
        ran = self.desk.usher("scene", "content", window, "--json")
        try:
            return ran.returncode, json.loads(ran.stdout)
        except ValueError:
            return ran.returncode, {"said": ran.stderr.decode("utf-8", "replace")}

    def address(self, path):
        """The `file:` URL of a path below the folder, as RFC 3986 writes it."""
        path = self.folder.encode() + (b"/" + path if path else b"")
        plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/"
        return "file://" + "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in path)

    def is_read(self, window, wanted, name):
        status, said = self.content(window)
        rows = said.get("results") or [{}]
        if isinstance(wanted, bytes) or not wanted.startswith("content."):
            target = self.address(wanted) if isinstance(wanted, bytes) else wanted
            right = (status == 0 and said.get("target") == target and rows[-1].get("target") == target
                     and rows[-1].get("finding") is None)
        else:
            right = (status == 1 and said.get("target") is None and rows[-1].get("target") is None
                     and rows[-1].get("finding") == wanted)
        return self.check(right, name, f"wanted {wanted}: {status} {str(said)[:600]}")

    # Windows

    def start(self, arguments, opened, title):
        """A window, and its handle once it is there."""
        def filled(text):
            return text.replace(b"@", self.folder.encode())
        # The next window has the number of the one before: that one has to be gone first.
        eventually(lambda: not self.handles())
        program = self.desk.start_program(
            "python3", "-c", WINDOW, "Viewer", self.folder, b"\n".join(opened).hex(), *map(filled, arguments),
            environment={"TITLE": filled(title)})
        new = eventually(self.handles)
        if not new:
            raise RuntimeError("no window came")
        return program, new.pop()

    def handles(self):
        return {f"x11:{window:#x}" for window in self.screen.all_windows()}

    def windows(self):
        self.screen = self.desk.screen = Windows(self.desk)
        self.desk.start_bus()
        self.screen.start()
        for name, content, arguments, opened, title, wanted in CASES:
            self.describe(content)
            program, handle = self.start(arguments, opened, title)
            if wanted == "x:":
                # RFC 6570: a simple expansion encodes the slash, too.
                wanted = "x:" + self.address(b"a b#?%.txt").removeprefix("file://").replace("/", "%2F")
            self.is_read(handle, wanted, name)
            if name in ("two files", "a title with two file names"):
                ran = self.desk.usher("open", "--json", self.address(b"two.txt"))
                self.check(b'"action":"focus"' not in ran.stdout, f"{name}: no request comes to it", ran.stdout)
            stop(program)
        self.control_characters()
        self.ends_meanwhile()

    def control_characters(self):
        """A file name with a line end is encoded, and a terminal gets no control character."""
        self.describe(ARGUMENTS)
        program, handle = self.start([b"@/line\nend.txt"], [], b"\x1b]0;x\x07")
        ran = self.desk.usher("scene", "content", handle)
        self.check(b"\x1b" not in ran.stdout and b"\x07" not in ran.stdout, "no control character of a title is printed", ran.stdout)
        ran = self.desk.usher("scene", "content", handle, "--json")
        said = json.loads(ran.stdout or b"{}")
        row = (said.get("results") or [{}])[-1]
        self.check(row.get("finding") == "content.control-character" or said.get("target") == self.address(b"line\nend.txt"),
                   "a line end in a file name is refused, or percent-encoded", said)
        stop(program)

    def ends_meanwhile(self):
        """Processes that end while their files are read: the right answer, or one of those that say so."""
        self.describe([FILES, ARGUMENTS])
        target, seen = self.address(b"one.txt"), set()
        for number in range(12):
            program, handle = self.start([b"@/one.txt"], [b"<one.txt"], b"t")
            question = subprocess.Popen(
                [self.desk.program, "scene", "content", handle, "--json", "--config", self.desk.path("config"), "--state", self.desk.path("state")],
                env=self.desk.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # The moment of the end.
            time.sleep(number * 0.001)
            program.kill()
            out, errors = question.communicate(timeout=30)
            program.wait()
            status = question.returncode
            if status == 2:
                seen.add("refused" if b"usher: " in errors and b"help: " in errors else f"{errors}")
            else:
                said = json.loads(out)
                seen |= {row["finding"] or row["target"] for row in said["results"]}
        wrong = seen - {target, "content.process-gone", "content.no-match", "refused"}
        self.check(not wrong, "a process that ends meanwhile gives no wrong target", wrong)

    # Panes

    def panes(self):
        self.tmux = self.desk.screen = Tmux(self.desk)
        self.tmux.start()
        for name, fact, line, wanted in PANES:
            self.describe(f'tmux = "{fact}", path = "{{file}}"', focus="")
            window = self.new_window(line)
            eventually(lambda: self.is_begun(window, line), seconds=5)
            self.is_read(window, wanted, name)
            self.tmux.say("kill-window", "-t", window)
        for base, wanted in (("cwd", b"one.txt"), ("@/sub", b"sub/one.txt")):
            self.describe(f'tmux = "argv", path = "{{file}}", relative-to = "{base}"', focus="")
            window = self.new_window("tail -f one.txt")
            eventually(lambda: self.is_begun(window, "tail"), seconds=5)
            self.is_read(window, wanted, f"relative to {base}")
            self.tmux.say("kill-window", "-t", window)
        # The program ended, and its pane stays.
        self.describe('tmux = "argv", path = "{file}"', focus="")
        self.tmux.say("set-option", "-g", "remain-on-exit", "on")
        window = self.new_window("true")
        eventually(lambda: self.tmux.say("display-message", "-p", "-t", window, "#{pane_dead}").strip() == "1")
        status, said = self.content(window)
        finding = (said.get("results") or [{}])[-1].get("finding")
        self.check((status, finding) in ((1, "content.process-gone"), (1, "content.no-match"), (2, None)), "a pane whose program has ended", said)
        for _ in range(10):
            # Each ends while it is read.
            window = self.new_window("tail -f $PWD/one.txt & sleep 0.0$((RANDOM % 9 + 1)); kill $!; wait")
            status, said = self.content(window)
            finding = (said.get("results") or [{}])[-1].get("finding")
            # The window may be gone, too.
            self.check(said.get("target") in (None, self.address(b"one.txt")) and ("results" in said or "help: " in said["said"]),
                       "a program that ends meanwhile", said)

    def new_window(self, line):
        return self.tmux.say("new-window", "-d", "-P", "-F", "#{window_id}", "-c", self.folder, "bash", "-c", line).strip()

    def is_begun(self, window, line):
        """The program is there, not only the shell that starts it."""
        command = self.tmux.say("display-message", "-p", "-t", window, "#{pane_current_command}").strip()
        return command == ("tail" if "tail" in line else "sleep")

    def run(self):
        with self.desk:
            self.panes() if self.name == "contents-tmux" else self.windows()


class Windows(Openbox):
    """openbox, with windows whose titles no tool has to print."""

    def all_windows(self):
        listed = self.root("_NET_CLIENT_LIST").partition("#")[2]
        return [int(word, 16) for word in listed.replace(",", " ").split()]
