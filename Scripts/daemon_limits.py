"""What senders without a proof can use up: paths, tokens, memory, disk; and how clients behind a proxy are recognised.

Sections of `check-daemon`.
"""

import collections
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import re
import socket
import threading

from checklist import DEADLINE, eventually
from daemon_section import Section, background, background_headers, quiet, shop, topic

SIGNED = """
[hooks.signed]
app = "example.town"
signature = { scheme = "github", secret-file = "signed.secret" }
values = { n = "/n" }
target = "https://town.example/shop/{n}"
"""
# Of resident memory, under each attack.
MEGABYTES = 100


def signature(body):
    return {"X-Hub-Signature-256": "sha256=" + hmac.new(b"octopus", body, hashlib.sha256).hexdigest()}


class Raw:
    """A connection that sends the given bytes."""

    def __init__(self, daemon, address=None):
        self.socket = socket.create_connection(
            ("127.0.0.1", daemon.port), timeout=DEADLINE, source_address=(address, 0) if address else None)

    def send(self, data):
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def head(self, path, *fields, method="POST"):
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *fields]
        return self.send("\r\n".join(lines).encode() + b"\r\n\r\n")

    def answer(self):
        """Status, headers and body; None where the connection ended without an answer."""
        response = http.client.HTTPResponse(self.socket)
        try:
            response.begin()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException):
            return None

    def close(self):
        self.socket.close()


class Limits(Section):
    def events(self, daemon, name):
        """The log's lines of one event."""
        return [line for line in daemon.lines() if line.get("event") == name]

    def counted(self, daemon, metric):
        """The samples of a metric, by their labels."""
        text = daemon.get("/metrics", over="unix").body.decode()
        return {
            tuple(re.findall(r'="([^"]*)"', labels)): float(value)
            for labels, value in re.findall(rf"^{metric}{{(.*)}} (\S+)$", text, flags=re.M)}

    def unknown(self):
        """404 for whatever is not served, by any method, with any body; and nothing that helps a guesser."""
        token = {"Authorization": "Bearer sesame"}
        with self.station('[server]\ntoken-file = "token"\n' + SIGNED) as station:
            station.secret("token", "sesame\n")
            station.secret("signed.secret", "octopus\n")
            with station.start() as daemon:
                paths = {
                    "/3/device/" + "ab" * 32: "webhook.unknown", "/": "webhook.unknown", "/v1": "webhook.unknown",
                    "/v1/nothing": "webhook.unknown", "/v1/scenes/a/b/c": "webhook.unknown",
                    "/v1/targets/lin": "webhook.unknown", "/v1/deliveries/": "webhook.unknown",
                    "/v1/notifications/": "webhook.unknown", "/hooks": "webhook.unknown", "/hooks/": "hook.unknown",
                    "/hooks/signe": "hook.unknown", "/hooks/signed/x": "hook.unknown",
                }
                for path, name in paths.items():
                    for method, body in (
                        ("GET", None), ("HEAD", None), ("POST", b"{}"), ("PUT", b"x" * 60_000), ("DELETE", None),
                        ("PATCH", b"{}"), ("OPTIONS", None), ("BREW", b"{}"),
                    ):
                        answer = daemon.request(method, path, body)
                        self.check(answer.status == 404, f"{method} {path}: 404", str(answer))
                        if method != "HEAD":
                            self.is_problem(answer, f"{method} {path}")
                            self.check(answer.error.get("name") == name, f"{method} {path}: {name}", str(answer))
                            self.check("did you mean" not in answer.body.decode(), f"{method} {path}: no name", str(answer))
                for name, fields, piece in (
                    ("a large body", ["Content-Length: 9000000"], b"x" * 65536),
                    ("a body without an end", ["Transfer-Encoding: chunked"], b"1000\r\n" + b"x" * 4096 + b"\r\n"),
                ):
                    for path in ("/3/device/abc", "/hooks/none"):
                        with contextlib.closing(Raw(daemon)) as raw:
                            raw.head(path, *fields)
                            sent = sum(raw.send(piece) for _ in range(100))
                            answer = raw.answer()
                            self.check(
                                answer is not None and answer[0] == 404, f"{path}, {name}: the client sees the 404",
                                f"{answer} after {sent} pieces")
                for name, options in (("a token", {"headers": token}), ("the Unix socket", {"over": "unix"})):
                    near = daemon.get("/hooks/signe", **options).error.get("help") or ""
                    self.check("/hooks/signed" in near, f"with {name} the near hook is named", near)
                    near = daemon.get("/v1/notification", **options).error.get("help") or ""
                    self.check("/v1/notifications" in near, f"with {name} the near path is named", near)
                wrong = daemon.get("/hooks/signe", headers={"Authorization": "Bearer wrong"})
                self.check(
                    wrong.status == 404 and "did you mean" not in wrong.body.decode(), "a wrong token: no name", str(wrong))
                for path, allowed in (
                    ("/v1/notifications", "POST"), ("/hooks/signed", "POST"), ("/healthz", "GET"), ("/openapi.json", "GET"),
                ):
                    answer = daemon.request("BREW", path, b"{}")
                    self.check(
                        answer.status == 405 and allowed in (answer.headers.get("Allow") or ""), f"{path}: 405 and Allow",
                        f"{answer} {answer.headers}")
                    self.is_problem(answer, f"{path}: 405")
                large = daemon.post(
                    "/v1/notifications", b" " * (2 << 20), dict(token, **topic()))
                self.check(
                    large.status == 413 and large.error.get("name") == "http.body-too-large"
                    and "1048576" in large.error.get("message", ""), "413 names the limit", str(large))
                refusals = self.counted(daemon, "usher_hook_refusals_total")
                self.check(
                    refusals.get(("", "webhook.unknown"), 0) >= 60 and refusals.get(("", "hook.unknown"), 0) >= 20
                    and all(hook in ("", "signed") for hook, _ in refusals), "they are counted, without their paths",
                    str(refusals))
                lines = self.events(daemon, "hook-unknown")
                self.check(
                    0 < len(lines) <= 40 and {line["client"] for line in lines} <= {"127.0.0.1", f"user:{os.getuid()}"},
                    "they are logged, ten a minute", f"{len(lines)} {lines[:2]}")

    def forgeries(self):
        """Wrong signatures are logged, counted and slowed down, and do not block the hook for other senders."""
        body = b'{"n": 1}'
        with self.station(SIGNED) as station:
            station.secret("signed.secret", "octopus\n")
            with station.start() as daemon:
                def forge(number):
                    headers = {"X-Hub-Signature-256": "sha256=" + hashlib.sha256(str(number).encode()).hexdigest()}
                    return daemon.post("/hooks/signed", body, headers)

                answers = [forge(number) for number in range(120)]
                counted = collections.Counter(answer.status for answer in answers)
                self.check(
                    set(counted) == {403, 429} and counted[429] >= 20, "forgeries: 403, then 429", str(counted))
                self.check(
                    all(answer.headers.get("Retry-After") for answer in answers if answer.status == 429),
                    "429 has Retry-After")
                right = collections.Counter()
                for number in range(30):
                    forge(number)
                    right[daemon.post("/hooks/signed", body, signature(body)).status] += 1
                self.check(right == {202: 30}, "a right signature among them, of the same address", str(right))
                lines = self.events(daemon, "hook-refused")
                self.check(
                    0 < len(lines) and all(
                        line["hook"] == "signed" and line["client"] == "127.0.0.1" and line["status"] in (403, 429)
                        and line["error.name"] in ("signature.mismatch", "rate.limited") and line["why"]
                        and line["level"] == "notice" for line in lines), "they are logged at the default level",
                    str(lines[:2]))
                refusals = self.counted(daemon, "usher_hook_refusals_total")
                refused = self.counted(daemon, "usher_hook_requests_total").get(("signed", "refused"))
                self.check(
                    refused == 150 == sum(refusals.values()) and ("signed", "signature.mismatch") in refusals,
                    "each is counted", f"{refused} {refusals}")
                self.check(daemon.end() == 0, "it ends with 0")

    def outcomes(self):
        """The final failure of a delivery, and what a killed daemon left, have events of their own."""
        with self.station() as station:
            daemon = station.start()
            station.write("fail", "")
            failed = daemon.post("/v1/notifications?wait=1", background("failing"), background_headers()).json or {}
            os.unlink(station.fail)
            lines = eventually(lambda: self.events(daemon, "decision"))
            self.check(
                [(line["delivery.id"], line["level"]) for line in lines] == [(failed.get("id"), "error")],
                "a delivery that failed", str(lines))
            station.write("slow", "30")
            sent = [
                (daemon.post("/v1/notifications", background(name), background_headers()).json or {}).get("id")
                for name in ("begun", "waiting")]
            eventually(lambda: (daemon.get(f"/v1/deliveries/{sent[0]}").json or {}).get("state") == "acting")
            daemon.kill()
            os.unlink(station.slow)
            daemon = station.start("--log-level", "info")
            ended = [daemon.delivery(id).get("state") for id in sent]
            self.check(set(ended) <= {"done", "failed"}, "both come to an end", str(ended))
            for event, id in (("delivery-recovered", sent[0]), ("delivery-requeued", sent[1])):
                lines = self.events(daemon, event)
                self.check([line["delivery.id"] for line in lines] == [id], f"{event} is for one of them", str(lines))

    def scopes(self):
        tokens = {"sender": "send", "reader": "read", "controller": "control", "scraper": "metrics", "builder": "targets", "all": ""}
        routes = {
            "send": ("POST", "/v1/notifications", 202), "read": ("GET", "/v1/scenes", 200),
            "control": ("POST", "/v1/reload", 200), "metrics": ("GET", "/metrics", 200),
        }
        extra = [
            ("targets", "POST", "/v1/targets/lint", 200), ("targets", "GET", "/v1/targets", 200),
            ("read", "GET", "/v1/deliveries?limit=1", 200)]
        with self.station('[server]\ntoken-file = "token"\n') as station:
            station.secret("token", "# tokens\n" + "".join(f"{token} {scope}\n" for token, scope in tokens.items()))
            with station.start() as daemon:
                for token, scope in tokens.items():
                    for needed, method, path, status in [(name, *route) for name, route in routes.items()] + extra:
                        body = json.dumps(quiet() if needed == "send" else {"id": "a"} if needed == "targets" else {}).encode()
                        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **topic()}
                        answer = daemon.request(method, path, None if method == "GET" else body, headers)
                        name = f"{token} ({scope or 'all scopes'}) at {method} {path}"
                        # The scope `read` includes `targets`.
                        if scope in ("", needed) or (scope, needed) == ("read", "targets"):
                            self.check(answer.status == status, f"{name}: {status}", str(answer))
                        else:
                            self.check(
                                answer.status == 403 and answer.error.get("name") == "webhook.token-scope"
                                and f"`{needed}`" in answer.error.get("message", ""), f"{name}: 403", str(answer))
                            self.is_problem(answer, name)
                station.secret("token", "all\nsecret-one writes\n")
                self.check(
                    eventually(lambda: daemon.get("/metrics", headers={"Authorization": "Bearer all"}).status == 503),
                    "an unknown scope closes the file")
                self.check(
                    eventually(lambda: "line 2" in daemon.log()) and "secret-one" not in daemon.log(),
                    "the log names its line, and no token", daemon.log()[-600:])
                self.check(daemon.get("/metrics", over="unix").status == 200, "the Unix socket needs none")
            status, said = station.run_daemon()
            self.check(status == 2 and "line 2" in said, "nor does a daemon start with it", f"{status}: {said}")

    def proxies(self):
        """Clients behind a proxy are distinguished, and only those behind a trusted one."""
        settings = '[server]\ntrusted-proxies = ["127.0.0.1", "unix"]\npublic-url = "https://hooks.example"\n'
        settings += "[server.rate]\nper-second = 0.001\nburst = 2\n"
        with self.station(settings) as station, station.start() as daemon:
            def send(client, host="hooks.example", over="tcp", path="/v1/notifications"):
                headers = {"Host": host, "X-Forwarded-For": client, "X-Forwarded-Proto": "https", **topic()}
                return daemon.post(path, quiet(), headers, over=over)

            for over in ("tcp", "unix"):
                for client in (f"203.0.113.7{over == 'unix':d}", f"198.51.100.{over == 'unix':d}"):
                    statuses = [send(client, over=over).status for _ in range(4)]
                    self.check(statuses == [202, 202, 429, 429], f"{over}: a client has its own rate", f"{client} {statuses}")
            spoofed = [send(f"10.9.8.{number}, 203.0.113.99").status for number in range(4)]
            self.check(spoofed == [202, 202, 429, 429], "what the client wrote before the proxy changes nothing", str(spoofed))
            refused = send("203.0.113.100", host="attacker.example")
            self.check(refused.status == 421, "a foreign Host stays refused", str(refused))
            headers = {"Host": "attacker.example", "X-Forwarded-For": "203.0.113.101", "X-Forwarded-Host": "localhost"}
            refused = daemon.post("/v1/notifications", quiet(), dict(headers, **topic()))
            self.check(refused.status == 421, "whatever X-Forwarded-Host says", str(refused))
            for value in ("203.0.113.102", "garbage", ""):
                control = daemon.get("/v1/scenes", headers={"X-Forwarded-For": value}, over="unix")
                self.check(
                    control.status == 403, f"a client of a proxy on the Unix socket is no local user ({value!r})", str(control))
            self.check(daemon.get("/v1/scenes", over="unix").status == 200, "a local user is one")
            lines = self.events(daemon, "request-refused")
            self.check(
                {"203.0.113.70", "198.51.100.1", "203.0.113.99"} <= {line["client"] for line in lines}, "the log has the client",
                str(lines[:3]))
        with self.station("[server.rate]\nper-second = 0.001\nburst = 2\n") as station, station.start() as daemon:
            statuses = [
                daemon.post("/v1/notifications", quiet(), dict(topic(), **{"X-Forwarded-For": f"203.0.113.{number}"})).status
                for number in range(4)]
            self.check(statuses == [202, 202, 429, 429], "without trusted-proxies the header means nothing", str(statuses))

    def bodies(self):
        """Slow bodies of senders without a proof do not block other senders, and take little memory."""
        token = {"Authorization": "Bearer sesame"}
        with self.station('[server]\ntoken-file = "token"\n' + SIGNED) as station:
            station.secret("token", "sesame\n")
            station.secret("signed.secret", "octopus\n")
            with station.start() as daemon:
                unproven = Raw(daemon)
                unproven.head("/v1/notifications", "Content-Type: application/json", "Content-Length: 1000000")
                answer = unproven.answer()
                self.check(
                    answer is not None and answer[0] == 401, "without the token, no body is waited for", str(answer))
                unproven.close()
                slow = []

                def fill(count, address="127.0.0.1"):
                    for _ in range(count):
                        raw = Raw(daemon, address)
                        raw.head(
                            "/hooks/signed", "Content-Type: application/json", "Content-Length: 1048576",
                            "X-Hub-Signature-256: sha256=" + "0" * 64)
                        raw.send(b"x" * 1048000)
                        slow.append(raw)

                for addresses in (["127.0.0.1"], ["127.0.0.1", "127.0.0.2", "127.0.0.3"]):
                    for address in addresses:
                        fill(70, address)
                    name = f"70 slow bodies of {len(addresses)} addresses each"
                    body = b'{"n": "' + b"y" * 20_000 + b'"}'
                    for attempt in range(5):
                        sent = daemon.post("/v1/notifications", shop(f"a-{attempt}"), dict(token, **topic()))
                        self.check(sent.status == 202, f"{name}: the right token", str(sent))
                        sent = daemon.post("/v1/notifications", shop(f"b-{attempt}"), topic(), over="unix")
                        self.check(sent.status == 202, f"{name}: the Unix socket", str(sent))
                        large = json.dumps(dict(quiet(), filling="z" * 900_000))
                        sent = daemon.post("/v1/notifications", large, dict(token, **topic()))
                        self.check(sent.status == 202, f"{name}: a large body with the token", str(sent))
                        sent = daemon.post("/hooks/signed", body, signature(body))
                        self.check(sent.status in (202, 422), f"{name}: a right signature of that address", str(sent))
                        with contextlib.closing(Raw(daemon, "127.0.0.9")) as other:
                            # In pieces, so that it needs memory for a while.
                            other.head(
                                "/hooks/signed", "Content-Type: application/json", f"Content-Length: {len(body)}",
                                *(f"{key}: {value}" for key, value in signature(body).items()))
                            for start in range(0, len(body), 4000):
                                other.send(body[start:start + 4000])
                            answer = other.answer()
                            self.check(
                                answer is not None and answer[0] in (202, 422), f"{name}: a right signature of another address",
                                str(answer)[:200])
                self.check(
                    daemon.status("VmHWM") < MEGABYTES << 10, f"at most {MEGABYTES} MB resident",
                    f"{daemon.status('VmHWM') >> 10} MB")
                self.checks.note(f"{len(slow)} slow bodies: {daemon.status('VmHWM') >> 10} MB resident at most")
                for raw in slow:
                    raw.close()
                self.check(daemon.end() == 0, "it ends with 0")

    def targets(self):
        """Requests about targets are bounded in lines, bytes, answers and memory for every sender."""
        lines = "application/x-ndjson"
        with self.station() as station, station.start() as daemon:
            few = daemon.post("/v1/targets/lint", "1\n" * 1000, type=lines)
            self.check(
                few.status == 200 and few.body.count(b"\n") == 1000, "1000 lines are answered", str(few)[:200])
            answer = daemon.post("/v1/targets/lint", "1\n" * 1001, type=lines)
            self.check(answer.status == 413 and "1000" in answer.error.get("message", ""), "1001 are not", str(answer))
            for verb in ("lint", "match", "build"):
                answer = daemon.post(f"/v1/targets/{verb}", "1\n" * (4 << 20), type=lines)
                self.check(
                    answer.status == 413 and answer.error.get("name") == "http.body-too-large", f"{verb}: 8 MiB", str(answer)[:200])
            bodies = [
                "1\n" * (1 << 19), ('"' + "%" * 1020 + '"\n') * 1000, ('"' + "é" * 510 + '"\n') * 1000,
                ('{"template":"' + "{a}" * 300 + '"}\n') * 1000, '"' + "%é" * 300_000 + '"\n', "[" * 1_000_000,
                '{"id":"a"' + ',"b":1' * 150_000 + "}",
            ]
            others, statuses = collections.Counter(), collections.Counter()

            def attack(number):
                with contextlib.suppress(OSError, http.client.HTTPException):
                    body = bodies[number % len(bodies)].encode()[:1 << 20]
                    verb = ("lint", "match", "build")[number % 3]
                    statuses[daemon.post(f"/v1/targets/{verb}", body, type=lines).status] += 1

            threads = [threading.Thread(target=attack, args=(number,)) for number in range(84)]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                others[daemon.post("/v1/notifications", quiet(), topic()).status] += 1
            for thread in threads:
                thread.join()
            self.check(set(others) == {202}, "notifications are taken meanwhile", str(others))
            self.check(set(statuses) <= {200, 413, 429, 503}, "each is answered", str(statuses))
            self.check(
                daemon.status("VmHWM") < MEGABYTES << 10, f"at most {MEGABYTES} MB resident",
                f"{daemon.status('VmHWM') >> 10} MB")
            self.checks.note(
                f"84 requests about targets: {dict(statuses)}, {daemon.status('VmHWM') >> 10} MB resident at most")

    def space(self):
        """The disk that finished and open deliveries take is limited at all times."""
        with self.station("[deliveries]\nkeep-megabytes = 20\nqueue-megabytes = 8\n") as station, station.start() as daemon:
            statuses, largest = collections.Counter(), 0
            connection = daemon.connection()
            for number in range(400):
                # The second of each pair is a duplicate of the first.
                value = dict(quiet(), filling=f"{number:06}" * 100_000)
                headers = dict(topic(), **{"webhook-id": f"event-{number // 2}"})
                statuses[daemon.post("/v1/notifications", value, headers, connection=connection).status] += 1
                if number % 10 == 0:
                    largest = max(largest, folder(station.path("state")))
            self.check(set(statuses) <= {202, 429} and statuses[202] > 100, "they are taken", str(statuses))
            # Both limits, a tenth of them, and the write-ahead log with its index.
            limit = (20 + 8) * 1.1 + 16
            self.check(largest < limit * (1 << 20), f"at most {limit:.0f} MB", f"{largest >> 20} MB")
            self.checks.note(f"{statuses[202]} deliveries of 600 KB: {largest >> 20} MB on disk at most, of 20 + 8")


def folder(path):
    """What the files of a folder take."""
    found = 0
    for root, _, files in os.walk(path):
        for name in files:
            with contextlib.suppress(OSError):
                found += os.stat(os.path.join(root, name)).st_blocks * 512
    return found
