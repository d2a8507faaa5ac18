"""Senders as they are: retries, and too many of them.

Sections of `check-daemon`; signatures are `SignatureTests' and those of `check-hooks`.
"""

import base64
import collections
import concurrent.futures
import json
import os
import re
import time
import uuid

from checklist import eventually
from daemon_section import Section, background, background_headers, quiet, settled, shop, topic

HOOKS = """
[hooks.standard]
app = "example.town"
signature = { scheme = "standard", secret-file = "standard.secret" }
values = { n = "/data/n" }
id = { header = "webhook-id" }
target = "https://town.example/shop/{n}"
title = "{n}"
"""
OTHER = """
id = "example.other"
[handlers]
background = { exec = ["true"] }
[[scenes]]
name = "main"
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
        self.neighbours()

    def neighbours(self):
        """What waits for one app's handler holds up no other app."""
        with self.station() as station:
            station.write("config/apps/other.toml", OTHER)
            station.write("slow", "hold")
            with station.start() as daemon:
                lines = "".join(json.dumps(background("same")) + "\n" for _ in range(50))
                taken = daemon.post("/v1/notifications", lines, topic(), type="application/x-ndjson")
                self.check(taken.status == 202, "50 pushes of one app are taken", str(taken))
                eventually(lambda: station.rows("SELECT 1 FROM delivery WHERE state = 'acting'"))
                other = daemon.post(
                    "/v1/notifications?wait=1", background("x"), {"apns-topic": "example.other"})
                waiting = len(station.rows("SELECT 1 FROM delivery WHERE state NOT IN ('done', 'failed')"))
                self.check(
                    (other.json or {}).get("outcome") == "done" and waiting == 50,
                    "another app's push is done while its handler sleeps", f"{waiting} wait: {other}")
                os.unlink(station.slow)
                self.check(
                    eventually(lambda: settled(station.rows())), "and in the end they are done",
                    str(collections.Counter(row["state"] for row in station.rows())))

    def retries(self):
        secret = "whsec_" + base64.b64encode(os.urandom(24)).decode()
        with self.station(HOOKS) as station:
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
                # A launch is answered when its program runs, which may be before the program has written its line.
                station.settle()
                self.check(
                    (answer.json or {}).get("reason") == "duplicate" and len(station.effects()) == before + 1,
                    "/v1/notifications understands webhook-id", str(answer))
