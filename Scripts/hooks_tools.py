"""The command `usher hook add` at a terminal, and what operators see.

The sections `tools` and `operators` of `check-hooks`.
"""

import contextlib
import json
import os
import pty
import re
import select
import subprocess

from prometheus_client.parser import text_string_to_metric_families

from checklist import DEADLINE, eventually
from hooks_section import HookSection, body_of, code, hook, number, send

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
        """What `hook add` writes lets the sender in, and what a person at a terminal sees; all else is HooksTests' of commands."""
        with self.station() as station:
            os.makedirs(station.path("config/hooks"), exist_ok=True)
            where = ("--app", "example.town", "--target", "https://town.example/shop/added")
            for sender in SENDERS:
                status, _, said = self.hook_command(station, "add", sender, "--as", f"my-{sender}", "--path", f"{sender}-path", *where)
                self.check(status == 0, f"hook add {sender}", said)
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
            with station.start() as daemon:
                for sender, sign in SENDERS.items():
                    body = body_of(self.event(sender))
                    secret = read(station.path(f"config/hooks/my-{sender}.secret")).strip().encode()
                    answer = send(daemon, f"/hooks/{sender}-path", body, sign(secret, body))
                    self.check(answer.status in (200, 202, 204), f"hook add {sender}: its first request is let in", str(answer))

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

    # What operators see

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
        eventually(
            lambda: any(line.get("event") == "decision" and line.get("hook") == "fails" for line in daemon.lines()), seconds=10)
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
        found = of("decision", "fails")
        self.check(
            len(found) == 1 and found[0].get("level") == "error" and found[0].get("delivery.id") == (answer.json or {}).get("id"),
            "log: one decision, an error, with the delivery's id",
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
