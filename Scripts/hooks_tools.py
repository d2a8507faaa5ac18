"""The commands `usher hook …`, `[[hooks.NAME.expect]]`, and what operators see.

The sections `tools` and `operators` of `check-hooks`.
"""

import base64
import contextlib
import json
import os
import pty
import re
import select
import stat
import subprocess

from prometheus_client.parser import text_string_to_metric_families

from checklist import DEADLINE, eventually
from hooks_section import HookSection, Program, body_of, code, hook, number, send

GITHUB = hook(
    '{ scheme = "github", secret-file = "github.secret" }', 'when = [{ header = "X-GitHub-Event", equals = "issues" }, '
    '{ pointer = "/action", equals = "opened" }]', values='{ n = "/issue/number", t = "/issue/title" }', title="{t}")
# Sender → the header that carries its code, and how it is made from secret and body.
SENDERS = {
    "github": lambda secret, body: [
        ("X-GitHub-Event", "issues"), ("X-GitHub-Delivery", "4b0e7d52"), ("X-Hub-Signature-256", "sha256=" + code(secret, body))],
    "gitea": lambda secret, body: [
        ("X-Gitea-Event", "issues"), ("X-Gitea-Delivery", "4b0e7d53"), ("X-Gitea-Signature", code(secret, body))],
    "gitlab": lambda secret, body: [
        ("X-Gitlab-Event", "Issue Hook"), ("X-Gitlab-Event-UUID", "4b0e7d54"), ("X-Gitlab-Token", secret.decode())],
    "alertmanager": lambda secret, body: [("Authorization", "Bearer " + secret.decode())],
}
# The sender itself makes the secret: it has to be asked for.
GIVEN = ("stripe", "slack", "pagerduty", "linear", "shopify", "twilio")


class Tools(HookSection):
    def hook_command(self, station, *arguments, **options):
        """Exit status, the JSON of standard output, and everything that was said."""
        ran = station.usher("hook", *arguments, "--json", **options)
        try:
            value = json.loads(ran.stdout)
        except ValueError:
            value = None
        return ran.returncode, value, f"{ran.returncode} {ran.stdout.decode()} {ran.stderr.decode()}"

    def tools(self):
        self.adding()
        self.listing()
        self.testing()
        self.listening()
        self.expectations()

    # usher hook add

    def adding(self):
        with self.station() as station:
            os.makedirs(station.path("config/hooks"), exist_ok=True)
            made = {}
            for sender in SENDERS:
                status, value, said = self.hook_command(
                    station, "add", sender, "--as", f"my-{sender}", "--path", f"{sender}-path", "--app", "example.town", "--target",
                    "https://town.example/shop/added", "--url", "https://hooks.example")
                value = value if isinstance(value, dict) else {}
                is_shaped = (
                    {"hook", "path", "url", "file", "secret_file", "enter", "first_request"} <= set(value)
                    and value["hook"] == f"my-{sender}" and value["url"] == f"https://hooks.example/hooks/{sender}-path"
                    and value["first_request"] is None and isinstance(value["enter"], list)
                    and all({"field", "value"} <= set(entry) for entry in value["enter"]))
                if not self.check(status == 0 and is_shaped, f"hook add {sender}: its answer", said):
                    continue
                file, secret = (self.placed(station, value[member]) for member in ("file", "secret_file"))
                self.check(
                    os.path.samefile(file, station.path(f"config/hooks/my-{sender}.toml"))
                    and os.path.samefile(secret, station.path(f"config/hooks/my-{sender}.secret")), f"hook add {sender}: its files",
                    said)
                self.check(stat.S_IMODE(os.stat(secret).st_mode) == 0o600, f"hook add {sender}: its secret is private")
                with open(secret, "rb") as opened:
                    made[sender] = opened.read().strip()
                self.check(len(made[sender]) >= 20, f"hook add {sender}: its secret is long")
                # Printed on a terminal only; this is none.
                self.check(made[sender].decode() not in said, f"hook add {sender}: its secret is not printed", said)
                self.check(
                    any(value["url"] == entry["value"] for entry in value["enter"]), f"hook add {sender}: where to enter the URL", said)
                before = read(file)
                status, _, said = self.hook_command(
                    station, "add", sender, "--as", f"my-{sender}", "--app", "example.town", "--target", "https://town.example/shop/x")
                self.check(status == 2 and read(file) == before, f"hook add {sender} again: 2, nothing is overwritten", said)
            for sender in GIVEN:
                status, _, said = self.hook_command(
                    station, "add", sender, "--as", f"my-{sender}", "--app", "example.town", "--target", "https://town.example/shop/x")
                self.check(
                    status == 2 and not [name for name in os.listdir(station.path("config/hooks")) if name.startswith(f"my-{sender}")],
                    f"hook add {sender} without its secret and without a terminal: 2, nothing is written", said)
                status, value, said = self.hook_command(
                    station, "add", sender, "--as", f"my-{sender}", "--app", "example.town", "--target",
                    "https://town.example/shop/added", "--secret-file", "-", input=b"given-by-the-sender\n")
                file = station.path(f"config/hooks/my-{sender}.secret")
                self.check(
                    status == 0 and os.path.exists(file) and read(file).strip() == "given-by-the-sender",
                    f"hook add {sender} with its secret on standard input", said)
            where = ("--app", "example.town", "--target", "https://town.example/shop/x")
            status, said = self.on_terminal(station, "add", "github", "--as", "seen", *where)
            file = station.path("config/hooks/seen.secret")
            self.check(
                status == 0 and os.path.exists(file) and read(file).strip() in said,
                "hook add on a terminal: the new secret is printed", said)
            status, said = self.on_terminal(station, "add", "stripe", "--as", "asked", *where, typed=b"typed-by-a-person\n")
            file = station.path("config/hooks/asked.secret")
            self.check(
                status == 0 and os.path.exists(file) and read(file).strip() == "typed-by-a-person",
                "hook add stripe on a terminal: the secret is asked for", said)
            status, _, said = self.hook_command(station, "add", "githup", "--app", "example.town", "--target", "https://town.example/x")
            self.check(status == 2 and "github" in said, "hook add, an unknown sender: 2, and the one that was meant", said)
            checked = station.usher("check", "--format", "text")
            self.check(
                not re.search(r": error: ", checked.stdout.decode()), "what hook add writes is a right configuration",
                checked.stdout.decode())
            with station.start() as daemon:
                for sender, secret in made.items():
                    body = body_of(self.event(sender))
                    answer = send(daemon, f"/hooks/{sender}-path", body, SENDERS[sender](secret, body))
                    self.check(answer.status in (200, 202, 204), f"hook add {sender}: its first request is let in", str(answer))
                status, value, said = self.hook_command(station, "list")
                self.check(
                    status == 0 and isinstance(value, list)
                    and {item.get("hook") for item in value} >= {f"my-{sender}" for sender in made}, "hook add: and it is listed", said)

    @staticmethod
    def on_terminal(station, *arguments, typed=b""):
        """Exit status, and what a person sees. What is typed comes once something was asked."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [station.program, "hook", *arguments, "--config", station.path("config"), "--state", station.path("state")], stdin=slave,
            stdout=slave, stderr=slave, env=station.environment, cwd=station.folder, start_new_session=True)
        os.close(slave)
        said = b""
        with contextlib.suppress(OSError):
            # One that waits for more than is typed is ended.
            while select.select([master], [], [], DEADLINE)[0] or process.kill():
                said += os.read(master, 65536)
                if typed:
                    os.write(master, typed)
                    typed = b""
        os.close(master)
        return process.wait(DEADLINE), said.decode("utf-8", "replace")

    @staticmethod
    def placed(station, path):
        return path if os.path.isabs(path) else station.path("config", path)

    @staticmethod
    def event(sender):
        if sender == "alertmanager":
            return {"version": "4", "status": "firing", "receiver": "usher", "groupKey": "g", "groupLabels": {}, "commonLabels": {},
                    "commonAnnotations": {}, "externalURL": "http://a.example", "alerts": [
                        {"status": "firing", "labels": {"alertname": "DiskFull"}, "annotations": {"summary": "s"},
                         "startsAt": "2026-11-21T09:00:00Z", "endsAt": "0001-01-01T00:00:00Z", "fingerprint": "a1",
                         "generatorURL": ""}]}
        if sender == "gitlab":
            return {"object_kind": "issue",
                    "object_attributes": {"iid": 7, "title": "t", "action": "open", "url": "https://gitlab.example/7"},
                    "project": {"path_with_namespace": "a/b", "web_url": "https://gitlab.example/a/b"}, "user": {"name": "u"}}
        return {"action": "opened", "number": 7,
                "issue": {"number": 7, "title": "t", "html_url": "https://github.example/a/b/issues/7"},
                "repository": {"full_name": "a/b", "html_url": "https://github.example/a/b"}, "sender": {"login": "u"}}

    # usher hook list, usher hook log

    def listing(self):
        hooks = {"github": GITHUB, "plain": hook(), "key": hook('{ scheme = "bearer", secret-file = "two.secret" }', 'path = "other"')}
        secrets = {"github.secret": "octopus\n", "two.secret": "one\ntwo\n"}
        with self.running(hooks, secrets) as (station, daemon):
            self.traffic(daemon)
            status, value, said = self.hook_command(station, "list")
            found = {item.get("hook"): item for item in value} if isinstance(value, list) else {}
            self.check(
                status == 0 and set(found) == set(hooks) and all(
                    {"hook", "path", "scheme", "file", "secrets", "accepted", "ignored", "refused", "last"} <= set(item)
                    for item in found.values()), "hook list: an array with every member", said)
            for name, members in {
                "github": {"path": "github", "scheme": "github", "secrets": 1, "accepted": 2, "ignored": 1, "refused": 2},
                "key": {"path": "other", "scheme": "bearer", "secrets": 2, "accepted": 0, "ignored": 0, "refused": 1},
                "plain": {"path": "plain", "scheme": "none", "accepted": 1, "ignored": 0, "refused": 0},
            }.items():
                item = found.get(name, {})
                self.check({key: item.get(key) for key in members} == members, f"hook list: {name}", str(item))
                self.check(str(item.get("file")).endswith(f"hooks/{name}.toml"), f"hook list: {name} has its file", str(item))
                last = item.get("last") or {}
                self.check("time" in last and isinstance(last.get("status"), int), f"hook list: {name} has its last request", str(item))
            self.check(
                (found.get("key", {}).get("last") or {}).get("status") == 403, "hook list: the last status", str(found.get("key")))

            status, value, said = self.hook_command(station, "log")
            entries = value if isinstance(value, list) else []
            self.check(
                status == 0 and entries and all(
                    {"time", "hook", "path", "client", "status", "error", "why", "left_out"} <= set(entry) for entry in entries),
                "hook log: an array with every member", said)
            statuses = sorted(entry.get("status") for entry in entries if entry.get("hook") == "github")
            self.check(statuses == [200, 202, 202, 401, 403], "hook log: github's requests", str(statuses))
            refused = [entry for entry in entries if entry.get("status") == 403 and entry.get("hook") == "github"]
            self.check(
                refused and (refused[0].get("error") or {}).get("name") == "signature.mismatch"
                and "127.0.0.1" in str(refused[0].get("client")) and refused[0].get("path") in ("github", "/hooks/github"),
                "hook log: a refusal with its error and client", str(refused))
            ignored = [entry for entry in entries if entry.get("why")]
            self.check(
                ignored and ignored[0]["why"][0].get("name") == "hook.no-match"
                and str(ignored[0]["why"][0].get("rule")).startswith("hooks/github.toml:"), "hook log: an ignored event with its rule",
                str(ignored))
            status, value, said = self.hook_command(station, "log", "key")
            self.check(
                status == 0 and isinstance(value, list) and {entry.get("hook") for entry in value} == {"key"},
                "hook log of one hook", said)
            status, value, said = self.hook_command(station, "log", "--limit", "2")
            self.check(status == 0 and isinstance(value, list) and len(value) == 2, "hook log --limit 2", said)
            status, _, said = self.hook_command(station, "log", "nobody")
            self.check(status in (1, 2), "hook log of a hook that is not there is no success", said)
            self.check("octopus" not in daemon.log(), "no secret is in the log")

            with Program(station, "follow", [
                    station.program, "hook", "log", "--follow", "--json", "--config", station.path("config"), "--state",
                    station.path("state")]) as follower:
                def followed():
                    return '"key"' in follower.log()

                eventually(lambda: send(daemon, "/hooks/other", b'{"n":"f"}', [("Authorization", "Bearer one")]).status and followed(),
                           seconds=10, pause=0.3)
                self.check(followed(), "hook log --follow: a later request", follower.log())

    def traffic(self, daemon):
        """Two accepted, one ignored, two refused for github; one refused for key; one accepted for plain; one unknown path."""
        for action, secret in (
            ("opened", b"octopus"), ("opened", b"octopus"), ("closed", b"octopus"), ("opened", b"squid"), ("opened", None),
        ):
            body = body_of({"action": action, "issue": {"number": number(), "title": "t"}})
            headers = [("X-GitHub-Event", "issues")]
            if secret:
                headers.append(("X-Hub-Signature-256", "sha256=" + code(secret, body)))
            send(daemon, "/hooks/github", body, headers)
        send(daemon, "/hooks/other", b"{}", [("Authorization", "Bearer three")])
        send(daemon, "/hooks/plain", body_of({"n": str(number())}))
        send(daemon, "/hooks/nobody", b"{}")

    # usher hook test

    def testing(self):
        hooks = {"github": GITHUB, "slack": hook('{ scheme = "slack", secret-file = "slack.secret" }'),
                 "each": hook('{ scheme = "none" }', 'each = "/list"', values='{ n = "/name" }'),
                 "first": hook('{ scheme = "none" }', 'path = "shared"', 'when = [{ pointer = "/kind", equals = "a" }]'),
                 "second": hook("", 'path = "shared"', 'when = [{ pointer = "/kind", equals = "b" }]'),
                 "query": hook('{ scheme = "none" }', 'input = ["query"]', values='{ n = { query = "n" } }')}
        with self.station() as station:
            station.secret("hooks/github.secret", "octopus\n")
            station.secret("hooks/slack.secret", "5lack\n")
            for name, text in hooks.items():
                station.write(f"config/hooks/{name}.toml", text.replace("[hooks.NAME", f"[hooks.{name}"))
            body = body_of({"action": "opened", "issue": {"number": 7, "title": "A title"}})
            file = station.write("issue.json", body)
            right = "sha256=" + code(b"octopus", body)

            def ask(*arguments, **options):
                return self.hook_command(station, "test", *arguments, **options)

            status, value, said = ask("github", "--header", "X-GitHub-Event: issues", "--header", f"X-Hub-Signature-256: {right}", file)
            value = value if isinstance(value, dict) else {}
            self.check(
                status == 0 and {"hook", "status", "signature", "why", "answer", "notifications"} <= set(value)
                and value.get("hook") == "github" and value.get("status") in (200, 202)
                and value["signature"].get("judged") is True and value["signature"].get("error") is None and value["why"] == [],
                "hook test: a right request", said)
            made = (value.get("notifications") or [{}])[0]
            decision = made.get("decision") or {}
            self.check(
                {"values", "target", "title", "body", "decision"} <= set(made) and made.get("target") == "https://town.example/shop/7"
                and made.get("title") == "A title" and made.get("values", {}).get("t") == "A title"
                and decision.get("action") == "launch" and decision.get("dry_run") is True,
                "hook test: its notification and decision", said)
            self.check(not station.rows() and not station.effects(), "hook test: nothing is done")
            status, value, said = ask(
                "github", "--header", "X-GitHub-Event: issues", "--header", "X-Hub-Signature-256: sha256=" + "0" * 64, file)
            self.check(
                status == 1 and isinstance(value, dict) and "signature.mismatch" in str(value.get("signature", {}).get("error"))
                and value.get("status") == 403, "hook test: a wrong signature", said)
            status, value, said = ask("github", "--header", "X-GitHub-Event: issues", "--unsigned", file)
            self.check(
                status == 0 and isinstance(value, dict) and value["signature"].get("judged") is False and value["notifications"],
                "hook test --unsigned", said)
            status, value, said = ask("github", "--header", "X-GitHub-Event: ping", "--unsigned", file)
            why = (value or {}).get("why") if isinstance(value, dict) else None
            self.check(
                status == 1 and why and why[0].get("hook") == "github" and str(why[0].get("rule")).startswith("hooks/github.toml:")
                and value.get("notifications") == [], "hook test: an event that is not wanted", said)
            status, value, said = ask("github", "--header", "X-GitHub-Event: issues", "--unsigned", "-", input=body)
            self.check(status == 0 and isinstance(value, dict) and value["notifications"], "hook test: a body on standard input", said)
            status, value, said = ask("shared", "--unsigned", "-", input=b'{"kind":"b","n":"5"}')
            self.check(
                status == 0 and isinstance(value, dict) and value.get("hook") == "second"
                and value["notifications"][0].get("target") == "https://town.example/shop/5", "hook test of a path", said)
            status, value, said = ask("each", "--unsigned", "-", input=b'{"list":[{"name":"a"},{"name":"b"}]}')
            self.check(
                status == 0 and isinstance(value, dict) and [made.get("title") for made in value["notifications"]] == ["a", "b"],
                "hook test with each", said)
            status, value, said = ask("query", "--unsigned", "--method", "GET", "--query", "n=q%20r", "-", input=b"")
            self.check(
                status == 0 and isinstance(value, dict) and value["notifications"][0].get("title") == "q r",
                "hook test --method --query", said)
            # The time of a captured request is given: it may be long ago.
            challenge = body_of({"type": "url_verification", "challenge": "c-1"})
            at = 1_700_000_000
            headers = ["--header", f"X-Slack-Request-Timestamp: {at}", "--header",
                       "X-Slack-Signature: v0=" + code(b"5lack", f"v0:{at}:".encode() + challenge)]
            status, value, said = ask("slack", *headers, "-", input=challenge)
            self.check(
                status == 1 and isinstance(value, dict) and "signature.stale" in str(value["signature"].get("error")),
                "hook test: an old request", said)
            status, value, said = ask("slack", *headers, "--at", "2023-11-14T22:13:30Z", "-", input=challenge)
            answer = (value or {}).get("answer") if isinstance(value, dict) else None
            self.check(
                status == 0 and answer and answer.get("status") == 200 and "c-1" in str(answer.get("body")), "hook test --at: its answer",
                said)
            status, _, said = ask("nobody", file)
            self.check(status == 2, "hook test of a hook that is not there: 2", said)
            status, _, said = ask("github", station.path("absent.json"))
            self.check(status == 2, "hook test of a file that is not there: 2", said)

    # usher hook listen

    def listening(self):
        hooks = {"github": GITHUB, "token": hook('{ scheme = "bearer", secret-file = "token.secret", query = "key" }'),
                 "basic": hook('{ scheme = "basic", secret-file = "basic.secret" }')}
        secrets = {"github.secret": "octopus\n", "token.secret": "the-secret-token\n", "basic.secret": "user:the-password\n"}
        with self.running(hooks, secrets) as (station, daemon):
            out = station.path("captures")
            os.makedirs(out)
            listener = Program(
                station, "listen", [
                    station.program, "hook", "listen", "--out", out, "--count", "4", "--json", "--config",
                    station.path("config"), "--state", station.path("state")])
            with listener:
                body = body_of({"action": "opened", "issue": {"number": 7, "title": "Captured ä"}})
                github = [("X-GitHub-Event", "issues"), ("X-Hub-Signature-256", "sha256=" + code(b"octopus", body))]
                # The first request that is seen tells that it listens.
                is_listening = eventually(
                    lambda: send(daemon, "/hooks/github", body, github) and (os.listdir(out) or listener.process.poll() is not None),
                    seconds=10, pause=0.3)
                if not self.check(is_listening and os.listdir(out), "hook listen: a file for a request", listener.log()):
                    return
                send(daemon, "/hooks/token?a=1&key=the-secret-token", b'{"n":"x"}')
                send(daemon, "/hooks/basic", b"\xff\xfe", [
                    ("Authorization", "Basic " + base64.b64encode(b"user:the-password").decode()), ("X-Twice", "1"), ("X-Twice", "2")])
                # Until it has seen as many as it was asked for.
                eventually(
                    lambda: listener.process.poll() is not None or not send(daemon, "/hooks/github", body, github), seconds=5, pause=0.2)
                self.check(
                    eventually(lambda: listener.process.poll() == 0, seconds=10), "hook listen --count: it ends with 0", listener.log())
            files = sorted(os.listdir(out))
            captures = []
            for name in files:
                with open(os.path.join(out, name), encoding="utf-8") as file:
                    captures.append(json.load(file))
            self.check(len(files) == 4, "hook listen --count 4: four files", str(files))
            self.check(
                all({"v", "time", "method", "path", "query", "headers"} <= set(capture) and capture["v"] == 1
                    and ("body" in capture) != ("body_base64" in capture) for capture in captures),
                "hook listen: their shape", str(captures[0]))
            texts = json.dumps(captures, ensure_ascii=False)
            self.check(
                "the-secret-token" not in texts and "the-password" not in texts
                and base64.b64encode(b"user:the-password").decode() not in texts and "***" in texts,
                "hook listen: tokens and passwords are ***", texts[:1500])
            github = next((capture for capture in captures if capture["path"] == "/hooks/github"), {})
            self.check(
                github.get("body") == body.decode() and github.get("method") == "POST"
                and any(name.lower() == "x-github-event" and value == "issues" for name, value in github.get("headers", [])),
                "hook listen: body and headers as they came", str(github))
            basic = next((capture for capture in captures if capture["path"] == "/hooks/basic"), {})
            self.check(
                base64.b64decode(basic.get("body_base64") or "") == b"\xff\xfe"
                and [value for name, value in basic.get("headers", []) if name.lower() == "x-twice"] == ["1", "2"],
                "hook listen: a body that is no text, a header twice", str(basic))
            place = next((os.path.join(out, name) for name, capture in zip(files, captures) if capture is github), None)
            if place:
                status, value, said = self.hook_command(station, "test", "github", place)
                self.check(
                    status == 0 and isinstance(value, dict) and value["signature"].get("judged") is True and value["notifications"]
                    and value["notifications"][0].get("title") == "Captured ä", "hook test of a captured request", said)

    # [[hooks.NAME.expect]]

    def expectations(self):
        capture = {"v": 1, "time": "2026-11-21T09:00:00Z", "method": "POST", "path": "/hooks/github", "query": "",
                   "headers": [["X-GitHub-Event", "issues"], ["Content-Type", "application/json"]],
                   "body": json.dumps({"action": "opened", "issue": {"number": 7, "title": "t"}})}
        right = """
[[hooks.NAME.expect]]
request = "captures/opened.json"
hook = "github"
result = "accepted"
target = "https://town.example/shop/7"
title = "t"
count = 1

[[hooks.NAME.expect]]
body = "captures/body.json"
headers = { X-GitHub-Event = "ping" }
result = "ignored"

[[hooks.NAME.expect]]
body = "captures/lacking.json"
headers = { X-GitHub-Event = "issues" }
query = "a=1"
result = "refused"
error = "hook.value-missing"
"""
        wrong = {
            'target = "https://town.example/shop/7"': ('target = "https://town.example/shop/8"', "shop/8", "shop/7"),
            'result = "ignored"': ('result = "accepted"', "accepted", "ignored"),
            'title = "t"': ('title = "other"', "other", '"t"'),
            "count = 1": ("count = 2", "2", "1"),
            'error = "hook.value-missing"': ('error = "hook.value-type"', "hook.value-type", "hook.value-missing"),
        }

        def check(station, text):
            station.write("config/hooks/github.toml", (GITHUB + text).replace("[hooks.NAME", "[hooks.github"))
            ran = station.usher("check", "--format", "text")
            return ran.returncode, ran.stdout.decode() + ran.stderr.decode()

        with self.station() as station:
            station.secret("hooks/github.secret", "octopus\n")
            station.write("config/hooks/captures/opened.json", json.dumps(capture))
            station.write("config/hooks/captures/body.json", capture["body"])
            station.write("config/hooks/captures/lacking.json", '{"action":"opened","issue":{"title":"t"}}')
            status, said = check(station, right)
            self.check(status == 0 and "ok" in said, "expect: what is expected comes", said)
            for part, (changed, expected, came) in wrong.items():
                status, said = check(station, right.replace(part, changed, 1))
                self.check(
                    status == 1 and expected in said and came in said and "hooks/github.toml:" in said,
                    f"expect {changed}: a finding with both, and its place", said)
            status, said = check(station, right.replace("captures/body.json", "captures/absent.json"))
            self.check(status == 1 and "captures/absent.json" in said, "expect: a capture that is not there is a finding", said)
            status, said = check(station, right.replace("result =", "results =", 1))
            self.check(status in (1, 2) and "results" in said, "expect: an unknown key", said)

    # What operators see

    def operators(self):
        hooks = {
            "github": GITHUB, "key": hook('{ scheme = "bearer", secret-file = "two.secret" }', 'path = "other"'), "plain": hook(),
            "ids": hook('{ scheme = "none" }', 'id = { pointer = "/id" }'),
            "challenge": hook('{ scheme = "none" }', "[[hooks.NAME.answers]]", 'when = [{ pointer = "/c", exists = true }]',
                              'values = { c = "/c" }', 'text = "{c}"'),
            "fails": hook('{ scheme = "none" }', 'run = { exec = ["false"] }', target="", title=""),
        }
        secrets = {"github.secret": "octopus\n", "two.secret": "one\ntwo\n"}
        with self.running(hooks, secrets, arguments=["--log-level", "info"]) as (station, daemon):
            self.traffic(daemon)
            for _ in range(2):
                answer = send(daemon, "/hooks/ids?wait=1", b'{"n":"d","id":"same"}')
            self.duplicate("the same id", answer)
            send(daemon, "/hooks/challenge", b'{"c":"x"}')
            send(daemon, "/nowhere", b"{}")
            send(daemon, "/hooks/github", b"{}", method="PUT")
            self.metrics(daemon)
            self.log_lines(station, daemon)
            self.limited(daemon)

    def metrics(self, daemon):
        text = daemon.get("/metrics", over="unix").body.decode()
        samples = {}
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                samples[sample.name, tuple(sorted(sample.labels.items()))] = sample.value

        def value(name, **labels):
            return samples.get((name, tuple(sorted(labels.items()))), 0)

        for name, result, wanted in (
            ("github", "accepted", 2), ("github", "ignored", 1), ("plain", "accepted", 1), ("ids", "accepted", 1),
            ("ids", "duplicate", 1), ("challenge", "answered", 1), ("key", "refused", 1), ("key", "accepted", 0),
        ):
            found = value("usher_hook_requests_total", hook=name, result=result)
            self.check(found == wanted, f"usher_hook_requests_total of {name}, {result}: {wanted}", str(found))
        for name, reason, least in (
            ("github", "signature.mismatch", 1), ("github", "signature.missing", 1), ("github", "webhook.method", 1),
            ("key", "signature.mismatch", 1), ("", "hook.unknown", 1),
        ):
            found = value("usher_hook_refusals_total", hook=name, reason=reason)
            self.check(found == least, f"usher_hook_refusals_total of {name!r}, {reason}: {least}", str(found))
        labels = {dict(labels).get("result") for (name, labels) in samples if name == "usher_hook_requests_total"}
        self.check(
            labels <= {"accepted", "ignored", "duplicate", "answered", "refused"}, "usher_hook_requests_total: its results",
            str(labels))

    def log_lines(self, station, daemon):
        # What runs in the background ends after its answer.
        answer = send(daemon, "/hooks/fails", b'{"n":"1"}')
        eventually(lambda: any(line.get("event") == "delivery-failed" for line in daemon.lines()), seconds=10)
        lines = daemon.lines()

        def of(event, name=None, status=None):
            return [line for line in lines if line.get("event") == event and (name is None or line.get("hook") == name)
                    and (status is None or line.get("status") == status)]

        for event, name, level, status, count in (
            ("hook-accepted", "github", "info", 202, 2), ("hook-ignored", "github", "info", 200, 1),
            ("hook-answered", "challenge", "info", 200, 1), ("hook-refused", "github", "notice", 403, 1),
            ("hook-refused", "github", "notice", 401, 1), ("hook-refused", "key", "notice", 403, 1),
        ):
            found = of(event, name, status)
            self.check(
                len(found) == count and all(line.get("level") == level and "127.0.0.1" in str(line.get("client")) for line in found),
                f"log: {event} of {name}, {status}, {level}, with the client", str(of(event)))
        for status, error in ((403, "signature.mismatch"), (401, "signature.missing")):
            found = of("hook-refused", "github", status)
            self.check(found and found[0].get("error.name") == error, f"log: hook-refused has error.name {error}", str(found))
        found = of("hook-ignored", "github")
        self.check(found and "/action" in str(found[0].get("why")), "log: hook-ignored says why", str(found))
        found = of("hook-unknown")
        self.check(
            found and found[0].get("level") == "notice" and found[0].get("status") == 404
            and found[0].get("error.name") in ("hook.unknown", "webhook.unknown"), "log: hook-unknown", str(found))
        found = of("delivery-failed")
        self.check(
            found and found[0].get("level") == "error", "log: delivery-failed is an error",
            f"{answer} {[line for line in lines if 'fail' in str(line)]}")

    def limited(self, daemon):
        """At most 10 lines a minute for hook, reason and client; another reason has its own."""
        before = len(daemon.lines())
        for _ in range(40):
            send(daemon, "/hooks/other", b"{}", [("Authorization", "Bearer three")])
        send(daemon, "/hooks/other", b"{}")
        eventually(lambda: any(line.get("error.name") == "signature.missing" for line in daemon.lines()[before:]))
        lines = [line for line in daemon.lines()[before:] if line.get("event") == "hook-refused" and line.get("hook") == "key"]
        wrong = [line for line in lines if line.get("error.name") == "signature.mismatch"]
        # One line was there before; were a minute to begin in between, there would be ten more.
        self.check(0 < len(wrong) <= 20, "log: forty refusals are few lines", str(len(wrong)))
        self.check(
            any(line.get("error.name") == "signature.missing" for line in lines), "log: another reason is still said",
            str([line.get("error.name") for line in lines]))
        text = daemon.get("/metrics", over="unix").body.decode()
        found = re.search(r'^usher_hook_refusals_total\{hook="key",reason="signature.mismatch"\} (\d+)', text, re.M) or re.search(
            r'^usher_hook_refusals_total\{reason="signature.mismatch",hook="key"\} (\d+)', text, re.M)
        self.check(found and int(found[1]) == 41, "metrics: all of them are counted", str(found and found[0]))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()
