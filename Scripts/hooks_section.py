"""What the sections of `check-hooks` share: hooks as files, requests of any shape, and what an answer has to be.

Nothing here is taken from the program: codes and tokens are made with Python's own libraries.
"""

import base64
import contextlib
import hashlib
import hmac
import itertools
import json
import os
import re
import shutil
import socket
import subprocess

from daemon import Answer
from daemon_section import Section, is_uuid7
from checklist import eventually, shown

TARGET = "https://town.example/shop/"
NUMBERS = itertools.count(1)


def number():
    """A number that no request of this run had before: two equal bodies would be a replay."""
    return next(NUMBERS)


def code(secret, content, algorithm="sha256", encoding="hex"):
    """An HMAC as text."""
    return encoded(hmac.new(secret, content, getattr(hashlib, algorithm)).digest(), encoding)


def encoded(data, encoding):
    if encoding == "hex":
        return data.hex()
    text = base64.urlsafe_b64encode(data) if encoding == "base64url" else base64.b64encode(data)
    return text.decode()


def body_of(value):
    return value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else json.dumps(value).encode()


def without(headers, name):
    return [header for header in headers if header[0].lower() != name.lower()]


def send(daemon, path, body=b"", headers=(), method="POST", type="application/json", over="tcp", source=None):
    """One request. Headers are pairs: a name may come several times, and a value may be bytes."""
    connection = daemon.connection(over)
    if source:
        connection.source_address = (source, 0)
    return exchange(connection, path, body, headers, method, type)


def exchange(connection, path, body, headers, method, type):
    names = [name.lower() for name, _ in headers]
    try:
        connection.putrequest(method, path, skip_host="host" in names, skip_accept_encoding=True)
        if type and "content-type" not in names:
            connection.putheader("Content-Type", type)
        # One that says its length itself sends what it likes.
        if body is not None and not {"content-length", "transfer-encoding"} & set(names):
            connection.putheader("Content-Length", str(len(body)))
        for name, value in headers:
            connection.putheader(name, value.encode() if isinstance(value, str) else value)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            # A refusal may come before the whole body was sent.
            connection.endheaders(body)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def free_port():
    """A port of loopback that is free now, for a program that cannot choose one itself."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def hook(signature='{ scheme = "none" }', *lines, values='{ n = "/n" }', target=TARGET + "{n}", title="{n}"):
    """The text of a hook with its name left open; its own keys come after the usual ones."""
    usual = [
        f"values = {values}" if values else "", f'target = "{target}"' if target else "",
        f'title = "{title}"' if title else "", f"signature = {signature}" if signature else "", 'app = "example.town"']
    return "\n".join(["[hooks.NAME]", *(line for line in usual if line), *lines]) + "\n"


class HookSection(Section):
    """A daemon with many hooks, each in a file of its own."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        # Files of hooks that the daemon does not start with.
        self.lacking = set()
        # Errors whose whole answer was judged.
        self.judged = set()

    @contextlib.contextmanager
    def running(self, hooks, secrets=(), settings="", attached=False, arguments=(), prepare=None):
        """Gives station and daemon. Hooks are texts by name, where `[hooks.NAME` stands for the name; secrets are beside them.

        A hook that the daemon does not start with is one failure; it is left out, so that the others are still judged.
        """
        with self.station(settings, attached) as station:
            for name, text in dict(secrets).items():
                station.secret(f"hooks/{name}", text)
            for name, text in hooks.items():
                station.write(f"config/hooks/{name}.toml", text.replace("[hooks.NAME", f"[hooks.{name}"))
            if prepare:
                prepare(station)
            with self.started(station, arguments) as daemon:
                yield station, daemon

    def started(self, station, arguments=()):
        for _ in range(6):
            try:
                return station.start(*arguments)
            except RuntimeError as error:
                said = station.usher("check", "--format", "text").stdout.decode()
                found = re.findall(r"^(?:\S*/)?(hooks/[^/:]+|usher)\.toml:(\d+):\d+: error: (.*)$", said, re.M)
                if not found:
                    raise RuntimeError(f"{error}\n{shown(said, 3000)}") from None
                for name, line, message in found:
                    if name != "usher" and name not in self.lacking:
                        self.lacking.add(name)
                        os.unlink(station.path("config", f"{name}.toml"))
                        self.check(False, f"{name}.toml is a configuration that the contract allows", message)
                for line in sorted({int(line) for name, line, _ in found if name == "usher"}, reverse=True):
                    with open(station.path("config/usher.toml"), encoding="utf-8") as file:
                        lines = file.read().splitlines()
                    self.check(False, f"usher.toml may have {lines.pop(line - 1)}")
                    station.settings("\n".join(lines) + "\n")
        raise RuntimeError("usherd does not start")

    def lacks(self, name):
        """Whether the daemon did not start with a hook."""
        return f"hooks/{name}" in self.lacking

    # What an answer has to be

    def accepted(self, name, answer):
        value = answer.json
        return self.check(
            answer.status == 202 and isinstance(value, dict) and value.get("status") == "accepted"
            and is_uuid7(value.get("id")), f"{name}: 202, accepted", str(answer))

    def recorded(self, name, answer, **members):
        """An answer to `?wait=1`: the record has these members."""
        record = answer.json if isinstance(answer.json, dict) else {}
        wanted = {key: record.get(key) for key in members}
        return self.check(
            answer.status == 200 and wanted == members and "action" in record, f"{name}: the record has {members}",
            lambda: f"{wanted if 'action' in record else answer}")

    def duplicate(self, name, answer):
        return self.recorded(f"{name}: a duplicate", answer, action="none", reason="duplicate")

    def refused(self, name, answer, *allowed):
        """One of the (status, dotted name) pairs; and, once for each name, everything that a person needs to repair it."""
        value = answer.json if isinstance(answer.json, dict) else {}
        error = answer.error.get("name")
        if error not in self.judged and (answer.status, error) in allowed:
            self.judged.add(error)
            self.is_problem(answer, name)
            self.check(
                all(isinstance(value.get(member), str) and value[member] for member in ("title", "detail", "help")),
                f"a problem with {error} has title, detail and help", str(answer))
        wanted = " or ".join(f"{status} {error}" for status, error in allowed)
        return self.check((answer.status, error) in allowed, f"{name}: {wanted}", str(answer))

    def ignored(self, name, answer, at=None, rule=None, hooks=None):
        """`unmatched = "ok"`: a success with one reason for each hook of the path."""
        value = answer.json if isinstance(answer.json, dict) else {}
        why = value.get("why") if isinstance(value.get("why"), list) else []
        is_shaped = why and all(
            isinstance(reason, dict) and {"hook", "name", "message", "at", "rule"} <= set(reason)
            and reason["name"] == "hook.no-match" and reason["message"] for reason in why)
        return self.check(
            answer.status == 200 and value.get("status") == "ignored" and is_shaped
            and (at is None or why[0]["at"] == at) and (rule is None or why[0]["rule"] == rule)
            and (hooks is None or [reason["hook"] for reason in why] == hooks),
            f"{name}: ignored" + (f", because of {at}" if at else "") + (f" by {rule}" if rule else ""), str(answer))

    def exact(self, name, answer, status, body):
        """Status and body; JSON bodies as values."""
        found = answer.json if isinstance(body, (dict, list)) else answer.body.decode("utf-8", "replace")
        return self.check(answer.status == status and found == body, f"{name}: {status} {shown(body, 80)}", str(answer))


class Program:
    """A program of others, started for a section, with its output in a file; ended by its process id."""

    def __init__(self, station, name, command):
        self.log_path = station.path(f"{name}.log")
        # Debian has servers where a user's PATH does not look.
        program = shutil.which(command[0], path=f"{station.environment['PATH']}:/usr/sbin:/sbin") or command[0]
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [program, *command[1:]], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=station.folder,
                env=station.environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def listens(self, port):
        """Waits until it accepts connections; what it said where it does not."""
        def answers():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                return True
            return self.process.poll() is not None
        eventually(answers)
        if self.process.poll() is not None:
            raise RuntimeError(f"it ended with {self.process.returncode}: {self.log()}")
        return self

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return shown(file.read(), 2000)
