"""What the sections of `check-content` share: apps that leave a trace, `usher` as a user runs it, and what it answered.

Imported by the scripts beside it; nothing here knows what is checked.
"""

import glob
import hashlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import time

from checklist import DEADLINE, World, eventually, shown
from daemon import Station

# The apps. Each has a program of its own, so that one can be uninstalled.
MANIFEST = """
id = "example.{name}"
name = "{title}"
domains = ["{name}.example"]
activity-types = ["example.{name}.view", "example.{name}.read"]
website = {website}
{keys}
[targets]
page = "https://{name}.example/pages/{{page}}"

[handlers]
content-deleted = {{ exec = ["../bin/{name}", "content-deleted"] }}
open-web = {{ exec = ["../bin/web", "open-web", "--", "{{url}}"] }}
{handlers}
[[scenes]]
name = "page"
target = "page"
opens = 'SELF BEGINSWITH "https://{name}.example/pages/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = {{ exec = ["../bin/{name}", "launch", "--", "{{target}}"] }}
focus = {{ exec = ["../bin/{name}", "focus"] }}
show = {{ exec = ["../bin/{name}", "show", "--", "{{target}}"] }}

[[scenes]]
name = "main"
can = 'NOT SELF CONTAINS "/pages/"'
launch = {{ exec = ["../bin/{name}", "launch-main"] }}
focus = {{ exec = ["../bin/{name}", "focus-main"] }}
"""

# One line of JSON for each call; fails, waits and answers where a file beside it says so.
EFFECT = """#!/usr/bin/env python3
import json, os, sys, time
place = {place!r}
verb = sys.argv[1]
told = sys.stdin.buffer.read().decode("utf-8", "surrogateescape") if not os.isatty(0) else ""
def order(kind):
    path = os.path.join(place, kind + "-" + verb)
    return open(path, encoding="utf-8").read() if os.path.exists(path) else None
kept = os.environ.get("USHER_RESTORATION_FILE")
restored = open(kept, encoding="utf-8").read() if kept else None
line = dict(
    restored=restored, verb=verb, program=os.path.basename(sys.argv[0]), arguments=sys.argv[2:], input=told,
    time=time.time(),
    variables={{name: value for name, value in os.environ.items() if name.startswith("USHER_")}})
with open(os.path.join(place, "effects"), "a", encoding="utf-8", errors="surrogateescape") as file:
    file.write(json.dumps(line) + "\\n")
time.sleep(float(order("slow") or 0))
sys.stdout.write(order("answer") or "")
sys.exit(int(order("fail") or 0))
"""

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
# What differs between two runs of the same: moments, durations, and the path of a request, through the daemon or beside it.
VARIABLE = [
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    # How short an id can be depends on when the others were made.
    (re.compile(r'"short":"[0-9a-f-]+"|(?<![\w-])[0-9a-f]{8}-[0-9a-f]{1,4}(?![\w-])'), "<short>"),
    (re.compile(r'"latency_us":\{[^}]*\}'), '"latency_us":{}'),
    (re.compile(r'"(ms|process|pid|start|server|client|age_ms|source|generation)":("[^"]*"|\d+|null)'), r'"\1":0'),
    # A daemon has a log of its own.
    (re.compile(r'^\{"time":"[^"]*","level":.*\n', flags=re.M), ""),
    (re.compile(r"sha256:[0-9a-f]{64}"), "<digest>"),
    (re.compile(r"\b1\d{15}\b"), "<microseconds>"),
]


WARNINGS = re.compile(r"^apps/\S+: warning: .*\n(?: .*\n)*", re.M)
BROWSERS = re.compile(r',\{"system":"browser"[^{}]*\}')


class Said:
    """What one run of `usher` said."""

    def __init__(self, arguments, ran):
        self.arguments, self.status = arguments, ran.returncode
        self.out = ran.stdout.decode("utf-8", "surrogateescape")
        self.err = ran.stderr.decode("utf-8", "surrogateescape")

    @property
    def json(self):
        """The value on standard output; an empty object where it is none."""
        try:
            value = json.loads(self.out)
        except ValueError:
            return {}
        return value

    @property
    def id(self):
        """A bare id, or the one of an object."""
        text = self.out.strip()
        if UUID.fullmatch(text):
            return text
        value = self.json
        for name in (None, "note", "link", "activity"):
            inner = value.get(name) if name and isinstance(value, dict) else value
            if isinstance(inner, dict) and "id" in inner:
                return inner["id"]
        return text

    def is_refusal(self, status=2):
        """One clear error: exit status, what is wrong, and what to do about it."""
        return (self.status == status and not self.out and len(re.findall(r"^usher: \S", self.err, flags=re.M)) == 1
                and re.search(r"^ *help: \S", self.err, flags=re.M) is not None)

    @property
    def code(self):
        """Code and name of its error, as in [U4531 redirect.loop]."""
        found = re.search(r"\[(U\d{4} [a-z0-9.-]+)\]", self.err)
        return found[1] if found else None

    def __str__(self):
        command = " ".join(shown(argument, 60) for argument in self.arguments)
        return f"usher {command}\n        {self.status}: {shown(self.out)} {shown(self.err)}"


class Desk(Station):
    """A configuration with three apps and a store, with or without a daemon beside it."""

    def __init__(self, usher, usherd, transcript, attached=False):
        super().__init__(usher, usherd, attached=attached)
        os.unlink(self.path("config/apps/town.toml"))
        self.transcript, self.names, self.served = transcript, {}, None
        self.write("effects", "")
        for name in ("browser", "maps", "guide", "web"):
            self.install(name)
        self.write("home/bin/xdg-open", '#!/bin/sh\nexec "%s" open-web -- "$1"\n' % self.path("config/bin/web"), True)
        self.environment["PATH"] = self.path("home/bin") + ":" + self.environment["PATH"]
        self.environment["EDITOR"] = self.write("home/bin/editor", EFFECT.format(place=self.folder), True)
        for name in ("browser", "maps", "guide"):
            self.manifest(name)

    def install(self, name):
        self.write(f"config/bin/{name}", EFFECT.format(place=self.folder), executable=True)

    def uninstall(self, name):
        os.unlink(self.path("config/bin", name))

    def manifest(self, name, keys="", handlers=(), website="true", **more):
        """Writes an app's manifest; the handlers named are its own program, called with their name."""
        lines = "".join(
            f'{handler} = {{ exec = ["../bin/{name}", "{handler}"]{more.get("options", "")} }}\n'
            for handler in handlers)
        self.write(f"config/apps/{name}.toml", MANIFEST.format(
            name=name, title=name.title(), keys=keys, handlers=lines, website=website))
        self.reload()

    def reload(self):
        """The daemon's next configuration, if there is a daemon."""
        if self.served:
            self.usher("reload")

    def order(self, kind, verb, text=None):
        """What a program is to do when it is called so: fail, slow, answer; nothing more without a text."""
        path = self.path(f"{kind}-{verb}")
        if text is not None:
            self.write(f"{kind}-{verb}", str(text))
        elif os.path.exists(path):
            os.unlink(path)

    # Running

    def serve(self):
        self.served = self.start("--log-level", "info")
        return self.served

    def stop(self):
        status, self.served = self.served.end(), None
        return status

    def run(self, *arguments, input=b"", is_kept=True, **options):
        """Runs `usher`; what it said goes into the transcript, without what cannot be the same twice."""
        said = Said(arguments, self.usher(*arguments, input=input, **options))
        if is_kept:
            self.transcript.append((
                self.normal(" ".join(arguments)), said.status, self.normal(said.out), self.normal(said.err)))
        return said

    def normal(self, text):
        for pattern, replacement in VARIABLE:
            text = pattern.sub(replacement, text)
        text = text.replace(self.folder, "<folder>")
        # Warnings of a configuration are printed once, by the process that reads it first.
        text = WARNINGS.sub("", text)
        # Browsers connect to a daemon alone.
        text = BROWSERS.sub("", text)
        return UUID.sub(lambda found: self.names.setdefault(found[0], f"<id {len(self.names) + 1}>"), text)

    def ask(self, *arguments, **options):
        """The value that it answered."""
        return self.run(*arguments, **options).json

    def usher(self, *arguments, env=None, **options):
        # What is an operand may look like an option: options stand first.
        where = ["--config", self.path("config"), "--state", self.path("state")]
        head = 2 if len(arguments) > 1 and not arguments[1].startswith("-") else 1
        return World.usher(
            self, *arguments[:head], *where, *arguments[head:], env=dict(self.environment, **(env or {})), **options)

    def begin(self, *arguments, env=None, **options):
        """The same as a process that goes on."""
        return subprocess.Popen(
            [self.program, *arguments[:2], "--config", self.path("config"), "--state", self.path("state"),
             *arguments[2:]],
            env=dict(self.environment, **(env or {})), cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def at_terminal(self, answers, *arguments, env=None, seconds=DEADLINE):
        """Runs it on a terminal; each answer is typed once its prompt is there. Gives exit status and what was seen."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [self.program, *arguments[:2], "--config", self.path("config"), "--state", self.path("state"),
             *arguments[2:]],
            env=dict(self.environment, **(env or {})), cwd=self.folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        text, waiting, deadline = "", list(answers), time.monotonic() + seconds
        while time.monotonic() < deadline:
            readable, _, _ = select.select([master], [], [], 0.1)
            if readable:
                try:
                    data = os.read(master, 65536)
                except OSError:
                    break
                text += data.decode("utf-8", "replace")
            if waiting and waiting[0][0] in text:
                os.write(master, waiting.pop(0)[1].encode())
        if process.poll() is None and time.monotonic() >= deadline:
            process.send_signal(signal.SIGKILL)
        status = process.wait(DEADLINE)
        os.close(master)
        return status, text

    # What is used everywhere

    def connect(self, app="maps", page=None, scene=None, session=None):
        """An open window; gives its session."""
        arguments = ["scene", "connect", "--app", f"example.{app}", "--scene", scene or ("page" if page else "main")]
        arguments += ["--target", self.id_of(app, page)] if page else []
        return self.ask(*arguments, *(["--session", session] if session else [])).get("session", "")

    @staticmethod
    def id_of(app, page):
        return f"https://{app}.example/pages/{page}"

    def become(self, session, title, target=None, type="example.maps.view", persistent=None, webpage=None,
               user_info=None, more=(), **options):
        """`activity become-current`."""
        given = {"--target": target, "--persistent": persistent, "--webpage": webpage, "--user-info": user_info}
        words = [word for name, value in given.items() if value is not None for word in (name, value)]
        return self.run(
            "activity", "become-current", "--session", session, "--type", type, "--title", title, *words, *more,
            **options)

    def note(self, text, *links):
        """The id of a new note that is not linked to what is current."""
        return self.run("note", "new", text, "--no-link", *(word for link in links for word in ("--link", link))).id

    def link(self, note, target):
        return self.run("link", "add", "--note", note, "--target", target)

    def open(self, target, *options):
        """The decision record of `usher open`."""
        return self.ask("open", target, *options)

    # What is there

    def effects(self, *verbs):
        """What programs were called for, in order; those of some verbs only."""
        with open(self.path("effects"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        return [line for line in lines if not verbs or line["verb"] in verbs]

    def since(self, start, *verbs, count=1):
        """The effects after the first `start`, once there are so many."""
        def question():
            found = [line for line in self.effects()[start:] if not verbs or line["verb"] in verbs]
            return found if len(found) >= count else None
        return eventually(question, seconds=10) or [
            line for line in self.effects()[start:] if not verbs or line["verb"] in verbs]

    def fingerprint(self):
        """Of the store's bytes: two are equal when nothing was written between them."""
        digest = hashlib.sha256()
        for path in sorted(glob.glob(self.path("state/usher.db*"))):
            if not path.endswith("-shm"):
                with open(path, "rb") as file:
                    digest.update(path.encode() + file.read())
        return digest.hexdigest()

    def counts(self):
        """How many rows each table of contents has."""
        tables = ("note", "link", "link_identifier", "attachment", "activity", "redirect")
        return {table: (self.rows(f"SELECT count(*) AS n FROM {table}") or [{"n": 0}])[0]["n"] for table in tables}

    @property
    def is_sound(self):
        return [row[0] for row in self.rows("PRAGMA integrity_check")] in ([], ["ok"])


class ContentSection:
    """What every section has. With a daemon, each desk has one; the answers have to be the same."""

    def __init__(self, name, checks, usher, usherd, with_daemon, transcript):
        self.section, self.checks, self.programs = name, checks, (usher, usherd)
        self.with_daemon, self.transcript = with_daemon, transcript
        self.without_code = []

    def check(self, holds, name, detail=""):
        mode = "beside a daemon" if self.with_daemon else "alone"
        return self.checks.check(holds, f"{self.section}, {mode}: {name}", detail)

    def desk(self, attached=False, serve=True):
        desk = Desk(*self.programs, self.transcript, attached=attached)
        if attached:
            desk.attach()
            desk.is_attached = False
        if serve and self.with_daemon:
            desk.serve()
        return desk

    def holds(self, said, name):
        return self.check(said.status == 0, name, lambda: str(said))

    def refused(self, said, name, *words, status=2):
        """One clear error, which has these words in it."""
        missing = [word for word in words if word not in said.err + said.out]
        # Mistakes of the command line itself have none, here as elsewhere.
        if said.code is None and not re.match("usher: (--|usher )", said.err):
            self.without_code.append(said.err.split("\n")[0][:100])
        return self.check(
            said.is_refusal(status) and not missing, f"{name}: one clear error with its remedy, status {status}",
            lambda: f"{said}" + (f"\n        nothing of {missing}" if missing else ""))


def listed(value, name=None):
    """A list, alone or as a member of an object."""
    if isinstance(value, dict):
        value = value.get(name, []) if name else []
    return value if isinstance(value, list) else []


__all__ = ["ContentSection", "Desk", "Said", "UUID", "listed", "shown"]
