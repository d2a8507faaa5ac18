"""Senders as they are: signed hooks, retries, and too many of them.

Sections of `check-daemon`.
"""

import base64
import collections
import concurrent.futures
import glob
import hashlib
import hmac
import json
import os
import re
import time
import urllib.parse
import uuid

from checklist import eventually
from daemon_section import Section, background, background_headers, quiet, settled, shop, topic

HOOKS = """
[hooks.github]
app = "example.town"
signature = { scheme = "github", secret-file = "github.secret" }
when = [
    { header = "X-GitHub-Event", equals = "pull_request" },
    { pointer = "/action", in = ["review_requested", "opened"] },
]
values = { repo = "/repository/full_name", number = "/number" }
id = { header = "X-GitHub-Delivery" }
target = "https://town.example/shop/{+repo}/{number}"
title = "{repo}"

[hooks.gitlab]
app = "example.town"
signature = { scheme = "gitlab", secret-file = "gitlab.secret" }
when = [{ header = "X-Gitlab-Event", equals = "Merge Request Hook" }]
values = { iid = "/object_attributes/iid" }
target = "https://town.example/shop/mr/{iid}"
title = "Merge request {iid}"

[hooks.standard]
app = "example.town"
signature = { scheme = "standard", secret-file = "standard.secret" }
values = { n = "/data/n" }
id = { header = "webhook-id" }
target = "https://town.example/shop/{n}"
title = "{n}"

[hooks.generic]
app = "example.town"
target = "https://town.example/shop/generic/{n}"
values = { n = "/n" }

[hooks.generic.signature]
scheme = "hmac"
secret-file = "generic.secret"
header = "X-Town-Signature"
algorithm = "sha512"
encoding = "base64"
prefix = "v0="
timestamp-header = "X-Town-Time"
content = "v0:{timestamp}:{body}"

[hooks.alerts]
app = "example.town"
signature = { scheme = "bearer", secret-file = "bearer.secret" }
each = "/alerts"
values = { fingerprint = "/fingerprint" }
id = { template = "{fingerprint}" }
target = "https://town.example/shop/alert/{fingerprint}"
title = "{fingerprint}"
"""
SIGNER = """
import datetime, json, sys
from standardwebhooks import Webhook
for line in sys.stdin:
    case = json.loads(line)
    when = datetime.datetime.fromtimestamp(case["time"], datetime.timezone.utc)
    print(Webhook(case["secret"]).sign(case["id"], when, case["body"]))
"""
RETRIES = 50


class Hooks(Section):
    def hooks(self):
        secret = "whsec_" + base64.b64encode(os.urandom(32)).decode()
        other = "whsec_" + base64.b64encode(os.urandom(32)).decode()
        with self.station(HOOKS) as station:
            station.secret("github.secret", "octopus\n")
            station.secret("gitlab.secret", "fox-token\n")
            station.secret("standard.secret", secret + "\n")
            station.secret("bearer.secret", "bear\n")
            station.secret("generic.secret", "general\n")
            with station.start() as daemon:
                self.github(daemon)
                self.gitlab(daemon)
                self.standard(station, daemon, secret, other)
                self.generic(daemon)
                self.mapping(station, daemon)
                log = daemon.log()
                self.check(
                    not any(word in log for word in ("octopus", "fox-token", "general", secret[6:], other[6:])),
                    "no secret is in the log")
                self.check(daemon.end() == 0, "it ends with 0")

            # What must not be started with.
            inline = HOOKS.replace('secret-file = "github.secret"', 'secret = "octopus"')
            station.settings(inline)
            status, said = station.run_daemon("--listen", "127.0.0.1:0")
            self.check(status == 2 and "secret" in said,
                       "a secret in the file itself stops the start", f"{status} {said}")
            self.check("octopus" not in said, "and is not repeated", said)
            station.settings(HOOKS)
            os.unlink(station.path("config/github.secret"))
            daemon = station.start()
            self.check(
                "github.secret" in daemon.log(), "a secret's file that is not there is named in the log", daemon.log())
            answer = daemon.post("/hooks/github", {}, {"X-Hub-Signature-256": "sha256=" + "0" * 64})
            self.check(answer.status == 503, "and its hook refuses every request", str(answer))
            self.check(daemon.end() == 0, "the others go on")

    def github(self, daemon):
        body = json.dumps({"action": "opened", "number": 7, "repository": {
                          "full_name": "town/hall"}}, indent=2).encode()
        right = "sha256=" + hmac.new(b"octopus", body, hashlib.sha256).hexdigest()

        def send(signature=right, event="pull_request", content=body, path="/hooks/github", delivery=None):
            headers = {"X-GitHub-Event": event, "X-GitHub-Delivery": delivery or str(uuid.uuid4())}
            if signature is not None:
                headers["X-Hub-Signature-256"] = signature
            return daemon.post(path, content, headers)

        delivery = str(uuid.uuid4())
        answer = send(path="/hooks/github?wait=1", delivery=delivery)
        record = answer.json or {}
        self.check(
            answer.status == 200 and record.get("target") == "https://town.example/shop/town/hall/7"
            and record.get("outcome") == "done" and record.get("source") == "hook:github"
            and record.get("sender_id") == delivery and record.get("title") == "town/hall", "GitHub: signed",
            str(answer))
        repeated = send(path="/hooks/github?wait=1", delivery=delivery)
        self.check((repeated.json or {}).get("reason") == "duplicate", "GitHub: redelivered", str(repeated))
        self.check(send().status == 202, "GitHub: 202 at once")
        cases = [
            ("another secret", "sha256=" + hmac.new(b"squid", body, hashlib.sha256).hexdigest()),
            ("no signature", None), ("an empty signature", ""), ("a signature of zeros", "sha256=" + "0" * 64),
            ("a short signature", right[:-2]), ("a long signature", right + "00"), ("no algorithm", right[7:]),
            ("SHA-1", "sha1=" + hmac.new(b"octopus", body, hashlib.sha1).hexdigest()),
            ("one of another body", "sha256=" + hmac.new(b"octopus", body + b"\n", hashlib.sha256).hexdigest()),
        ]
        for name, signature in cases:
            answer = send(signature)
            self.check(answer.status in (401, 403), f"GitHub, {name}: refused", str(answer))
            self.is_problem(answer, f"GitHub, {name}")
        spaced = json.dumps(json.loads(body)).encode()
        self.check(send(content=spaced).status in (401, 403), "GitHub: the raw bytes are what is signed")
        self.check(send(right.upper().replace("SHA256", "sha256")).status in (202, 401), "GitHub: capital digits")
        ping = send(event="ping")
        self.check(
            ping.status == 200 and "X-GitHub-Event" in ping.body.decode(), "a rule that does not match: ignored, and named",
            str(ping))
        closed = json.dumps({"action": "closed", "number": 7, "repository": {"full_name": "town/hall"}}).encode()
        answer = send("sha256=" + hmac.new(b"octopus", closed, hashlib.sha256).hexdigest(), content=closed)
        self.check(
            answer.status == 200 and "/action" in answer.body.decode(), "a value that is not among them: ignored, and named",
            str(answer))
        broken = b'{"action": "opened", '
        answer = send("sha256=" + hmac.new(b"octopus", broken, hashlib.sha256).hexdigest(), content=broken)
        self.check(answer.status in (400, 422), "GitHub: bad JSON is never 2xx", str(answer))
        self.is_problem(answer, "bad JSON")
        lacking = json.dumps({"action": "opened", "repository": {"full_name": "town/hall"}}).encode()
        answer = send("sha256=" + hmac.new(b"octopus", lacking, hashlib.sha256).hexdigest(), content=lacking)
        self.check(
            400 <= answer.status < 500 and "number" in answer.body.decode(), "a value that is missing is named",
            str(answer))
        unknown = send(path="/hooks/githup")
        self.check(unknown.status == 404, "an unknown hook: 404", str(unknown))
        self.is_problem(unknown, "an unknown hook")
        self.check(daemon.get("/hooks/github").status == 405, "a hook is posted to")

    def gitlab(self, daemon):
        body = {"object_kind": "merge_request", "object_attributes": {"iid": 12}}

        def send(token):
            headers = {"X-Gitlab-Event": "Merge Request Hook"}
            return daemon.post(
                "/hooks/gitlab?wait=1", body, dict(headers, **({"X-Gitlab-Token": token} if token is not None else {})))

        answer = send("fox-token")
        self.check(
            answer.status == 200 and (answer.json or {}).get("target") == "https://town.example/shop/mr/12",
            "GitLab: its token", str(answer))
        for name, token in (("another token", "ox-token"), ("no token", None), ("half a token", "fox")):
            self.check(send(token).status in (401, 403), f"GitLab, {name}: refused")

    def standard(self, station, daemon, secret, other):
        now = int(time.time())
        body = json.dumps({"type": "visit", "data": {"n": "standard"}})
        cases = {
            "right": (secret, now), "wrong": (other, now), "old": (secret, now - 3600), "early": (secret, now + 3600),
        }
        identifiers = {name: f"msg_{name}_{uuid.uuid4().hex}" for name in cases}
        asked = "".join(
            json.dumps({"secret": key, "id": identifiers[name], "time": when, "body": body}) + "\n"
            for name, (key, when) in cases.items())
        status, output, errors = self.python(SIGNER, asked)
        self.check(status == 0, "the client from PyPI signs", errors)
        signatures = dict(zip(cases, output.split("\n")))

        def send(name, id=None, **changes):
            headers = {
                "webhook-id": id or identifiers[name], "webhook-timestamp": str(cases[name][1]),
                "webhook-signature": signatures[name]}
            headers.update(changes)
            headers = {key.replace("_", "-"): value for key, value in headers.items() if value is not None}
            return daemon.post("/hooks/standard?wait=1", body, headers)

        # Both at once, as a sender does whose secret is being replaced.
        answer = send("right", webhook_signature=f"v1,{'A' * 43}= v1a,{'A' * 86}== " + signatures["right"])
        self.check(
            answer.status == 200 and (answer.json or {}).get("sender_id") == identifiers["right"]
            and (answer.json or {}).get("target") == "https://town.example/shop/standard",
            "Standard Webhooks: one right signature among several", str(answer))
        answer = send("right")
        self.check((answer.json or {}).get("reason") == "duplicate", "Standard Webhooks: sent again", str(answer))
        refused = [
            ("signed with another secret", send("wrong")), ("an hour old", send("old")),
            ("an hour early", send("early")),
            ("another id than the signed one", send("right", id="msg_other")),
            ("no signature", send("right", **{"webhook-signature": None})),
            ("no timestamp", send("right", **{"webhook-timestamp": None})),
            ("no id", daemon.post("/hooks/standard", body, {
                "webhook-timestamp": str(now), "webhook-signature": signatures["right"]})),
            ("a timestamp that is none", send("right", **{"webhook-timestamp": "now"})),
            ("no base64", send("right", **{"webhook-signature": "v1,%%%%"})),
            ("another version", send("right", **{"webhook-signature": signatures["right"].replace("v1,", "v9,")})),
        ]
        for name, answer in refused:
            self.check(answer.status in (400, 401, 403), f"Standard Webhooks, {name}: refused", str(answer))
            self.is_problem(answer, f"Standard Webhooks, {name}")
        # The secret is replaced by rewriting its file.
        station.secret("standard.secret", other + "\n")
        self.check(
            eventually(lambda: send("wrong").status == 200, pause=0.2), "a secret that was rewritten holds",
            lambda: str(send("wrong")))
        self.check(send("right").status in (401, 403), "and the old one does not any more")

    def generic(self, daemon):
        body = b'{"n": 5}'

        def send(when=0, key=b"general", prefix="v0=", algorithm=hashlib.sha512):
            seconds = str(int(time.time()) + when)
            code = hmac.new(key, f"v0:{seconds}:".encode() + body, algorithm).digest()
            return daemon.post("/hooks/generic?wait=1", body, {
                "X-Town-Time": seconds, "X-Town-Signature": prefix + base64.b64encode(code).decode()})

        answer = send()
        self.check(
            answer.status == 200 and (answer.json or {}).get("target") == "https://town.example/shop/generic/5",
            "a code of the sender's own kind", str(answer))
        for name, answer in (
            ("another secret", send(key=b"major")), ("an hour old", send(-3600)), ("an hour early", send(3600)),
            ("another prefix", send(prefix="v1=")), ("another algorithm", send(algorithm=hashlib.sha256)),
        ):
            self.check(answer.status in (401, 403), f"a code of the sender's own kind, {name}: refused", str(answer))

    def mapping(self, station, daemon):
        alerts = {"alerts": [{"fingerprint": f"f{number}", "status": "firing"} for number in range(3)]}
        answer = daemon.post("/hooks/alerts?wait=1", alerts, {"Authorization": "Bearer bear"})
        records = answer.json if isinstance(answer.json, list) else []
        self.check(
            answer.status == 200 and [record.get("target") for record in records]
            == [f"https://town.example/shop/alert/f{number}" for number in range(3)],
            "one notification for each element", str(answer))
        self.check(daemon.post("/hooks/alerts", alerts).status in (401, 403), "a hook's own bearer token")
        hostile = {"alerts": [{"fingerprint": "../../$(touch oops)`x`;\n#{x} {y}", "status": "firing"}]}
        answer = daemon.post("/hooks/alerts?wait=1", hostile, {"Authorization": "Bearer bear"})
        target = ((answer.json or [{}])[0] or {}).get("target") if isinstance(answer.json, list) else None
        self.check(
            answer.status == 200 and target == "https://town.example/shop/alert/" + urllib.parse.quote(
                hostile["alerts"][0]["fingerprint"], safe=""), "what a sender says is data in a target", str(answer))
        self.check(not glob.glob(station.path("**/oops"), recursive=True), "and never a command")

    def limits(self):
        with self.station("[server.rate]\nper-second = 1.0\nburst = 3\n") as station, station.start() as daemon:
            answers = [daemon.post("/v1/notifications", quiet(), topic()) for _ in range(12)]
            counted = collections.Counter(answer.status for answer in answers)
            self.check(counted[202] >= 3 and counted[429] >= 5 and len(counted) == 2, "a burst, then 429", str(counted))
            limited = next((answer for answer in answers if answer.status == 429), None)
            if self.check(limited is not None, "429 was seen"):
                self.check(
                    re.fullmatch(r"[1-9]\d*", limited.headers.get("Retry-After") or ""), "429 has Retry-After",
                    str(limited.headers))
                self.is_problem(limited, "429")
                # As the sender is told.
                time.sleep(int(limited.headers.get("Retry-After") or 1) + 0.2)
            self.check(daemon.post("/v1/notifications", quiet(), topic()).status == 202, "a request after the wait is accepted")
            other = daemon.post("/v1/notifications", quiet(), topic(), over="unix")
            self.check(other.status == 202, "another sender has a bucket of its own", str(other))
            self.check(len(station.rows()) == counted[202] + 2, "what was limited was not journalled")
        with self.station("[deliveries]\nqueue = 5\n") as station:
            station.write("slow", "0.5")
            with station.start() as daemon:
                answers = [daemon.post("/v1/notifications", background(n), background_headers()) for n in range(40)]
                counted = collections.Counter(answer.status for answer in answers)
                self.check(
                    counted[202] >= 5 and counted[429] >= 10 and len(counted) == 2, "a full queue: 429", str(counted))
                limited = next((answer for answer in answers if answer.status == 429), None)
                self.check(
                    limited is not None and re.fullmatch(r"[1-9]\d*", limited.headers.get("Retry-After") or ""),
                    "a full queue: Retry-After", str(limited and limited.headers))
                lines = "".join(json.dumps(background(f"line-{n}")) + "\n" for n in range(10))
                whole = daemon.post(
                    "/v1/notifications?app=example.town", lines, type="application/x-ndjson")
                self.check(whole.status in (413, 429), "a batch that does not fit is not taken in part", str(whole))
                os.unlink(station.slow)
                ids = [answer.json["id"] for answer in answers if answer.status == 202]
                ended = [daemon.delivery(id).get("state") for id in ids]
                self.check(ended == ["done"] * len(ids), "what was taken is done", str(ended))
                again = eventually(
                    lambda: daemon.post("/v1/notifications", background("late"), background_headers()).status == 202)
                self.check(again, "there is room again")
        with self.station("[deliveries]\nqueue = 100\n") as station, station.start() as daemon:
            def batch(count):
                return daemon.post(
                    "/v1/notifications", (json.dumps(quiet()) + "\n") * count, topic(), type="application/x-ndjson")

            self.check(batch(100).status == 202, "a batch as long as the queue is taken")
            never = batch(101)
            self.check(
                never.status == 413 and "100" in str(never.error.get("message")) and not never.headers.get("Retry-After"),
                "a longer one never: 413 with the limit", str(never))

    def retries(self):
        secret = "whsec_" + base64.b64encode(os.urandom(24)).decode()
        with self.station(HOOKS) as station:
            for name in ("github", "gitlab", "bearer", "generic"):
                station.secret(f"{name}.secret", "unused\n")
            station.secret("standard.secret", secret + "\n")
            with station.start() as daemon:
                id = f"msg_{uuid.uuid4().hex}"
                body = json.dumps({"type": "visit", "data": {"n": "retried"}})
                now = int(time.time())
                # A sender signs each of its attempts anew.
                asked = "".join(
                    json.dumps({"secret": secret, "id": id, "time": now - number, "body": body}) + "\n"
                    for number in range(RETRIES))
                _, output, _ = self.python(SIGNER, asked)
                signed = [(str(now - number), line) for number, line in enumerate(output.split("\n")[:RETRIES])]

                def send(attempt):
                    when, signature = attempt
                    return daemon.post("/hooks/standard", body, {
                        "webhook-id": id, "webhook-timestamp": when, "webhook-signature": signature})

                with concurrent.futures.ThreadPoolExecutor(5) as senders:
                    answers = list(senders.map(send, signed))
                self.check(
                    [answer.status for answer in answers] == [202] * \
                        RETRIES, f"{RETRIES} attempts: each is answered 202",
                    str(collections.Counter(answer.status for answer in answers)))
                for answer in answers:
                    daemon.delivery((answer.json or {}).get("id"))
                rows = eventually(lambda: settled(station.rows("SELECT * FROM delivery WHERE sender_id = ?", (id,))))
                states = collections.Counter(row["state"] for row in rows or [])
                station.settle()
                self.check(
                    states == {"done": 1, "duplicate": RETRIES - 1}, f"one is done, {RETRIES - 1} are duplicates",
                    str(states))
                effects = [effect for effect in station.effects() if effect.target.endswith("/retried")]
                self.check(len(effects) == 1, "one effect", str(effects))
                self.checks.note(f"one webhook-id, {RETRIES} attempts: {len(effects)} effect, {dict(states)}")
                before = len(station.effects())
                for _ in range(3):
                    answer = daemon.post("/v1/notifications?wait=1", shop("plain"), {"webhook-id": "same"})
                self.check(
                    (answer.json or {}).get("reason") == "duplicate" and len(station.effects()) == before + 1,
                    "/v1/notifications understands webhook-id", str(answer))
