"""What the check scripts share: a list of findings with a closing summary, and a world of their own to run `usher` in.

Imported by the scripts beside it; nothing here knows what is checked.
"""

import os
import pty
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time


def takes_short():
    """Whether `--short` is on the command line, which it is taken from: the form for every day, of what a script calls SHORT."""
    if "--short" not in sys.argv:
        return False
    sys.argv.remove("--short")
    return True


def takes_number(place, whole, short):
    """The number at this place of the command line: how much is tried. Else that of the whole form, or of `--short`."""
    usual = short if takes_short() else whole
    return int(sys.argv[place]) if len(sys.argv) > place else usual


# In seconds. A loaded machine with two cores is the slowest that anything has to hold on.
DEADLINE = 30


def eventually(question, seconds=DEADLINE, pause=0.02):
    """The first answer that is true, or the last one."""
    deadline = time.monotonic() + seconds
    while True:
        answer = question()
        if answer or time.monotonic() > deadline:
            return answer
        time.sleep(pause)


def always(question, seconds=1):
    """Whether the answer is true for so long: what must not happen has no event that could be waited for."""
    return not eventually(lambda: not question(), seconds)


class Checklist:
    """Counts what held and what did not; the script's exit status follows from it."""

    def __init__(self, title):
        self.title = title
        self.started = time.monotonic()
        self.held = 0
        self.failures = []
        self.notes = []

    def check(self, holds, name, detail=""):
        """One expectation. The detail may be a function, so that it is only made when it is printed."""
        if holds:
            self.held += 1
            return True
        text = detail() if callable(detail) else detail
        self.failures.append(name)
        print(f"FAILED  {name}" + (f"\n        {text}" if text else ""), file=sys.stderr, flush=True)
        return False

    def seed(self):
        """Seeds the random moments; CRASH_SEED=… repeats them, as far as the machine does."""
        seed = int(os.environ.get("CRASH_SEED", time.time_ns() % 1_000_000))
        random.seed(seed)
        self.note(f"seed {seed}")

    def note(self, text):
        """A figure that belongs in the summary."""
        self.notes.append(text)

    def close(self):
        """Prints the summary and ends the script."""
        seconds = time.monotonic() - self.started
        for note in self.notes:
            print(f"  {note}")
        # A check that checked nothing proves nothing.
        if not self.held and not self.failures:
            self.failures.append("nothing was checked")
        verdict = f"{len(self.failures)} FAILED" if self.failures else "all hold"
        total = self.held + len(self.failures)
        print(f"{self.title}: {total} checks, {verdict} ({seconds:.1f} s)", flush=True)
        sys.exit(1 if self.failures else 0)


class World:
    """A folder of its own with a home, a configuration and a store; gone when the script ends."""

    # Of the terminal that is attached to its tmux.
    client = None

    def __init__(self, program):
        self.program = os.path.realpath(program)
        if not os.access(self.program, os.X_OK):
            sys.exit(f"{program}: no such program; make build")
        self.folder = tempfile.mkdtemp(prefix="usher-check.")
        # Whatever the user has configured must not decide what is proved here.
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": self.path("home"),
            "LANG": "C.UTF-8",
            "TMUX_TMPDIR": self.path("tmux"),
            "TMPDIR": self.path("tmp"),
        }
        for folder in ("home", "tmux", "tmp"):
            os.mkdir(self.path(folder))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")
        if self.client:
            self.client.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text, executable=False):
        """Makes a file, and the folders it is in; gives its path."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        if executable:
            os.chmod(path, 0o755)
        return path

    def tmux(self, *arguments):
        return subprocess.run(
            ["tmux", *arguments], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout

    def attach(self):
        """A session of tmux, and a client in a terminal of its own."""
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "work", "-x", "100", "-y", "30", "sleep 3600")
        master, slave = pty.openpty()
        self.client = subprocess.Popen(
            ["setsid", "-c", "tmux", "attach", "-t", "work"], env=self.environment, cwd=self.folder, stdin=slave,
            stdout=slave, stderr=slave)
        os.close(slave)
        threading.Thread(target=drain, args=(master,), daemon=True).start()
        eventually(lambda: self.tmux("list-clients", "-F", "#{client_name}"))

    def usher(self, *arguments, input=b"", time_limit=60, **options):
        """Runs `usher`; output and error output are bytes."""
        options.setdefault("env", self.environment)
        options.setdefault("cwd", self.folder)
        if isinstance(input, str):
            input = input.encode()
        return subprocess.run(
            [self.program, *arguments], input=input, capture_output=True, timeout=time_limit, check=False, **options)


def drain(descriptor, chunks=None):
    """Reads a terminal to its end, so that what is attached to it never waits."""
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:
            return
        if not data:
            return
        if chunks is not None:
            chunks.append(data)


def shown(data, length=400):
    """Output, short enough to be read in a failure."""
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data)
    return text if len(text) <= length else text[:length] + "…"
