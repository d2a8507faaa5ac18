"""What the daemon's check scripts share: `usherd` as a process, its listeners, what it keeps, and what its handlers left.

Imported by the scripts beside it; nothing here knows what is checked.
"""

import collections
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import traceback

import waits
from checklist import DEADLINE, Checklist, World, eventually, shown, takes_short

# In seconds. What is idle sets no timer that ends sooner, once those are over that its last requests have left: a connection that
# is kept is closed after a minute, and what is old is removed from the store a minute after the start and then every hour.
LEAST_SLEEP = 10
TERMINAL = {"done", "failed", "expired", "collapsed", "duplicate"}

MANIFEST = """
id = "example.town"
name = "Town"
domains = ["town.example"]

[targets]
house = "https://town.example/house/{n}"
shop = "https://town.example/shop/{+n}"

[handlers]
background = { exec = ["../bin/effect", "background"] }

# A window of tmux.
[[scenes]]
name = "house"
target = "house"
opens = 'SELF BEGINSWITH "https://town.example/house/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { tmux = ["../bin/window", "--", "{target}"] }

# A program that leaves a line.
[[scenes]]
name = "shop"
target = "shop"
opens = 'SELF BEGINSWITH "https://town.example/shop/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { exec = ["../bin/effect", "launch", "--", "{target}"] }
focus = { exec = ["../bin/effect", "focus"] }

[[shortcuts]]
type = "visit"
title = "Visit"
target-content-id = "https://town.example/shop/shortcut"
"""

# One line for each effect; slow, held until the file is gone, or failing, where a file says so.
EFFECT = """#!/bin/sh
if [ "$1" = background ] && [ -e '{slow}' ]; then
    case "$(cat '{slow}')" in hold) while [ -e '{slow}' ]; do sleep 0.05; done ;; *) sleep "$(cat '{slow}')" ;; esac
fi
if [ "$1" = background ] && [ -e '{fail}' ]; then exit 3; fi
printf '%s %s %s\\n' "$1" "$USHER_DELIVERY" "${{USHER_TARGET:--}}" >> '{effects}'
"""

# A line for each window too: one that is gone counts as well.
WINDOW = """#!/bin/sh
for target; do :; done
printf '%s %s %s\\n' "$$" "$USHER_DELIVERY" "$target" >> '{windows}'
# Stays, and keeps its arguments where they can be read.
read -r _
"""

# As systemd does: the sockets come first among the descriptors, and the variables name the process itself.
ACTIVATION = """
import fcntl, os, sys
count = int(sys.argv[1])
given = [fcntl.fcntl(int(word), fcntl.F_DUPFD, 100) for word in sys.argv[2:2 + count]]
for place, descriptor in enumerate(given):
    os.dup2(descriptor, 3 + place, inheritable=True)
    os.close(descriptor)
os.environ["LISTEN_PID"] = str(os.getpid())
os.environ["LISTEN_FDS"] = str(count)
os.environ["LISTEN_FDNAMES"] = ":".join(["usherd.socket"] * count)
command = sys.argv[2 + count:]
os.execv(command[0], command)
"""

Effect = collections.namedtuple("Effect", "verb delivery target")


def alert(target, title="t"):
    """A notification about a target."""
    return {"aps": {"alert": {"title": title, "body": "b"}, "target-content-id": target}}


class Answer:
    """What a request was answered."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        """The body's value; None where it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def error(self):
        """The `error` object of a problem; empty where there is none."""
        value = self.json
        return (value.get("error") or {}) if isinstance(value, dict) else {}

    def __str__(self):
        return f"{self.status} {shown(self.body)}"


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Daemon:
    """One `usherd`. Its standard error goes to a file; ready once its listeners said so."""

    number = 0
    # What the last one that ended had said at the end: for an unexpected failure.
    last_words = ""

    def __init__(self, station, *arguments, listen="127.0.0.1:0", prefix=(), environment=None, expected=None,
                 pid_file=None, **options):
        Daemon.number += 1
        self.log_path = station.path(f"daemon-{Daemon.number}.log")
        self.arguments = [
            station.daemon, "--config", station.path("config"), "--state", station.path("state"),
            *(["--listen", listen] if listen else []), *arguments]
        self.expected = expected or (["control", "webhook"] if listen else ["control"])
        self.endpoints = {}
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [*prefix, *self.arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=dict(station.environment, **(environment or {})), cwd=station.folder, **options)
        self.pid_file = pid_file
        station.daemons.append(self)

    @property
    def pid(self):
        """Of `usherd` itself, where it is started by another program."""
        if self.pid_file is None:
            return self.process.pid
        with open(self.pid_file, encoding="utf-8") as file:
            return int(file.read())

    def ready(self, seconds=DEADLINE):
        """Waits until all listeners are there. Gives the daemon."""
        def is_ready():
            self.endpoints = self.listening()
            return all(name in self.endpoints for name in self.expected) or self.process.poll() is not None
        eventually(is_ready, seconds, pause=0.005)
        if not all(name in self.endpoints for name in self.expected):
            raise RuntimeError(f"usherd did not get ready (status {self.process.poll()}): {shown(self.log(), 2000)}")
        return self

    def listening(self):
        """The ready lines, by endpoint."""
        return {line["endpoint"]: line for line in self.lines() if line.get("event") == "listening"}

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def lines(self):
        """The lines of its log that are JSON objects."""
        found = []
        for line in self.log().split("\n"):
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                found.append(value)
        return found

    # Ending

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def signal(self, number):
        os.kill(self.pid, number)

    def end(self, seconds=DEADLINE):
        """Asks it to stop; gives its exit status. One that does not stop is killed."""
        if self.process.poll() is None:
            try:
                self.signal(signal.SIGTERM)
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
                return "it had to be killed"
        return self.process.returncode

    def kill(self):
        if self.process.poll() is None:
            try:
                self.signal(signal.SIGKILL)
                self.process.wait(DEADLINE)
            except (OSError, ValueError, subprocess.TimeoutExpired):
                self.process.kill()
        self.process.wait()
        Daemon.last_words = self.log()[-1500:]

    # Asking

    @property
    def port(self):
        return self.endpoints["webhook"]["port"]

    @property
    def socket(self):
        return self.endpoints["control"]["address"]

    def connection(self, over="tcp", timeout=DEADLINE):
        if over == "tcp":
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        return UnixConnection(self.socket, timeout)

    def request(self, method, path, body=None, headers=None, over="tcp", timeout=DEADLINE, connection=None):
        """One request; on a connection of its own, where none is given."""
        own = connection or self.connection(over, timeout)
        try:
            own.request(method, path, body=body, headers=headers or {})
            response = own.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            if connection is None:
                own.close()

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, value, headers=None, type="application/json", **options):
        """Posts bytes or text as they are, anything else as JSON."""
        body = value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else json.dumps(
            value).encode()
        given = {"Content-Type": type} if type else {}
        return self.request("POST", path, body, dict(given, **(headers or {})), **options)

    def delivery(self, id, until_terminal=True, over="tcp"):
        """`GET /v1/deliveries/<id>`, once it has its record."""
        def question():
            answer = self.get(f"/v1/deliveries/{id}", over=over)
            value = answer.json if answer.status == 200 else None
            return value if value and (value.get("state") in TERMINAL or not until_terminal) else None
        return eventually(question) or {}

    # What it costs

    def status(self, name):
        """A number of /proc/PID/status."""
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as file:
            return int(re.search(rf"^{name}:\s+(\d+)", file.read(), flags=re.M)[1])

    def restless(self, seconds=LEAST_SLEEP):
        """What would wake it by itself within so many seconds; none where it sleeps, or falls asleep in time."""
        return waits.wakers(self.pid, seconds, 2 * DEADLINE)


class Station(World):
    """One configuration, one store, a tmux with an attached client, and any number of daemons."""

    def __init__(self, program, daemon, settings="", attached=False):
        super().__init__(program)
        self.daemon = os.path.realpath(daemon)
        if not os.access(self.daemon, os.X_OK):
            self.__exit__()
            raise SystemExit(f"{daemon}: no such program; make build")
        self.daemons = []
        self.effects_path = self.write("effects", "")
        self.slow, self.fail = self.path("slow"), self.path("fail")
        self.write(
            "config/bin/effect", EFFECT.format(effects=self.effects_path, slow=self.slow, fail=self.fail),
            executable=True)
        self.windows_path = self.write("windows", "")
        self.write("config/bin/window", WINDOW.format(windows=self.windows_path), executable=True)
        self.write("config/apps/town.toml", MANIFEST)
        self.settings(settings)
        self.environment.update({"TERM": "xterm", "NO_COLOR": "1", "TZ": "UTC", "SHELL": "/bin/sh"})
        self.is_attached = attached

    def __enter__(self):
        if self.is_attached:
            self.attach()
        return self

    def __exit__(self, *_):
        for daemon in getattr(self, "daemons", []):
            daemon.kill()
        super().__exit__()

    def settings(self, text):
        """Writes usher.toml."""
        return self.write("config/usher.toml", text)

    def secret(self, name, text):
        """A file beside usher.toml that other users cannot read; replaced atomically, as for a rotation of secrets."""
        path = self.write(f"config/{name}.new", text)
        os.chmod(path, 0o600)
        os.rename(path, self.path("config", name))

    def start(self, *arguments, **options):
        return Daemon(self, *arguments, **options).ready()

    def run_daemon(self, *arguments, seconds=DEADLINE, **options):
        """A daemon that is expected to refuse: its exit status and what it said."""
        daemon = Daemon(self, *arguments, listen=None, **options)
        try:
            daemon.process.wait(seconds)
        except subprocess.TimeoutExpired:
            daemon.kill()
            return None, daemon.log()
        return daemon.process.returncode, daemon.log()

    def usher(self, *arguments, **options):
        return super().usher(*arguments, "--config", self.path("config"), "--state", self.path("state"), **options)

    # tmux

    def in_front(self, expected):
        """The last argument of the program in the window that the client shows now.

        The window is that of this moment; only its program may still be on its way through the shells that start it.
        """
        pid = self.tmux("list-clients", "-F", "#{pane_pid}").partition("\n")[0]
        if not pid:
            return None
        eventually(lambda: arguments_of(pid)[-1] == expected, seconds=5)
        return arguments_of(pid)[-1]

    def windows(self):
        """The targets of all windows that there were, as their programs were told, with the deliveries that made them."""
        with open(self.windows_path, encoding="utf-8") as file:
            lines = [line.split() for line in file if line.endswith("\n")]
        found = {(pid, delivery): target for pid, delivery, target in lines}
        # Of one that is there, the program may not have come to its line yet.
        for pid in self.tmux("list-panes", "-a", "-F", "#{pane_pid}").split():
            delivery = delivery_of(pid)
            if delivery:
                found.setdefault((pid, delivery), arguments_of(pid)[-1])
        return [Effect("launch", delivery, target) for (_, delivery), target in found.items()]

    # What is there

    def effects(self, verb=None):
        with open(self.effects_path, encoding="utf-8") as file:
            found = [Effect(*line.split()) for line in file if line.endswith("\n")]
        return [effect for effect in found if verb in (None, effect.verb)]

    def rows(self, query="SELECT * FROM delivery", values=()):
        """Rows of the store, read beside the program and without it."""
        path = self.path("state", "usher.db")
        if not os.path.exists(path):
            return []
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
        connection.row_factory = sqlite3.Row
        try:
            return connection.execute(query, values).fetchall()
        except sqlite3.OperationalError as error:
            # Killed before there were tables: an empty store, as far as deliveries go.
            if "no such table" in str(error):
                return []
            raise
        finally:
            connection.close()

    def settle(self, seconds=60):
        """Waits until no handler will append any more, and no window is on its way."""
        marker = self.path("config/bin/effect")
        eventually(lambda: not any(marker in arguments_of(pid) or self.carries(pid) for pid in pids()), seconds)

    def carries(self, pid):
        """Whether a process is the client of tmux that carries a launch of ours out."""
        return (variable_of(pid, "USHER_CARRIES") is not None and variable_of(pid, "HOME") == self.path("home")
                # A server that the client has started keeps the client's environment for as long as it runs.
                and name_of(pid) != "tmux: server")


def pids():
    return [name for name in os.listdir("/proc") if name.isdigit()]


def arguments_of(pid):
    """The command line of a process; one empty word where it is gone."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return [word.decode("utf-8", "replace") for word in file.read().rstrip(b"\0").split(b"\0")]
    except OSError:
        return [""]


def name_of(pid):
    """What the kernel calls a process; empty where it is gone."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().rstrip("\n")
    except OSError:
        return ""


def variable_of(pid, name):
    """A variable that a process was started with; None where there is none."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            for variable in file.read().split(b"\0"):
                if variable.startswith(name.encode() + b"="):
                    return variable.partition(b"=")[2].decode("utf-8", "replace")
    except OSError:
        pass
    return None


def delivery_of(pid):
    """The delivery for which a process was started."""
    return variable_of(pid, "USHER_DELIVERY")


# Sections


def run_sections(title, sections, short, usage, tell=None):
    """What a check of sections does: runs those that its command line names, those of the short form, or all. `sections` are classes
    with the names of theirs; `tell` runs one, in place of `tell_section`."""
    owners = {name: owner for owner, names in sections.items() for name in names}
    is_short = takes_short()
    chosen = sys.argv[3:] or (short if is_short else list(owners))
    if len(sys.argv) < 3 or set(chosen) - set(owners):
        sys.exit(usage)
    checks = Checklist(title)
    for name in chosen:
        started, held, failed = time.monotonic(), checks.held, len(checks.failures)
        (tell or tell_section)(checks, name, owners[name])
        failed = len(checks.failures) - failed
        print(
            f"  {name}: {checks.held - held} hold" + (f", {failed} FAILED" if failed else "")
            + f" ({time.monotonic() - started:.1f} s)", flush=True)
    checks.close()


def tell_section(checks, name, owner, *options):
    """Runs a section; when it does not come to its end, the others can still tell something. None then."""
    Daemon.last_words = ""
    try:
        section = owner(name, checks, *sys.argv[1:3], *options)
        getattr(section, name)()
        return section
    except Exception:
        checks.check(False, f"{name}: comes to its end", f"{traceback.format_exc(limit=-4)}{Daemon.last_words}")


# Tracing


class Trace:
    """What strace saw, in order: syncs that ended, and answers that began."""

    def __init__(self, path):
        self.events = []
        unfinished = {}
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                thread, _, call = line.strip().partition(" ")
                call = call.lstrip()
                begun = re.match(r"(fdatasync|fsync)\((\d+)(?:<([^>]*)>)?", call)
                if begun and "<unfinished" in call:
                    unfinished[thread] = begun[3] or ""
                elif begun and call.endswith("= 0"):
                    self.events.append(("sync", begun[3] or ""))
                elif re.match(r"<\.\.\. (fdatasync|fsync) resumed>", call):
                    name = unfinished.pop(thread, "")
                    if call.endswith("= 0"):
                        self.events.append(("sync", name))
                elif re.match(r"(sendto|write|writev|sendmsg)\(", call):
                    # Several answers may leave with one call.
                    self.events += [("answer", status) for status in re.findall(r"HTTP/1\.1 (\d{3})", call)]

    def since(self, mark):
        later = Trace.__new__(Trace)
        later.events = self.events[mark:]
        return later

    def answers(self, status):
        return sum(1 for event in self.events if event == ("answer", status))

    def syncs(self):
        return sum(1 for kind, _ in self.events if kind == "sync")

    def unsynced(self, status):
        """Answers before which nothing was synced since the answer before."""
        count, is_synced = 0, False
        for kind, detail in self.events:
            if kind == "sync":
                is_synced = True
            elif detail == status:
                count += 0 if is_synced else 1
                is_synced = False
        return count


def tracer(station, *options):
    """A command that runs the rest of the line under strace, and the file in which its process leaves its pid."""
    pid_file = station.path("traced.pid")
    if os.path.exists(pid_file):
        os.unlink(pid_file)
    return [
        shutil.which("strace"), "-f", "-qq", *options, "sh", "-c", 'echo $$ > "$0"; exec "$@"', pid_file], pid_file


# Streams


def events(response, count, seconds=DEADLINE):
    """So many Server-Sent Events, comments left out; fewer where the stream ends or is silent."""
    found, current = [], {}
    deadline = time.monotonic() + seconds
    while len(found) < count and time.monotonic() < deadline:
        try:
            line = response.readline()
        except (OSError, http.client.HTTPException):
            break
        if not line:
            break
        text = line.decode().rstrip("\r\n")
        if not text:
            if "data" in current:
                found.append(current)
            current = {}
        elif not text.startswith(":"):
            name, _, value = text.partition(":")
            value = value.removeprefix(" ")
            current[name] = current[name] + "\n" + value if name == "data" and name in current else value
    return found
