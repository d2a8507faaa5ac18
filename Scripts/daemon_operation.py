"""What the daemon reports, which commands it accepts, and how it reloads and stops.

Sections of `check-daemon`.
"""

import collections
import concurrent.futures
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from checklist import DEADLINE, eventually, shown
from daemon import ACTIVATION, MANIFEST, TERMINAL, alert, events
from daemon_section import PYTHON, ROOT, Section, background, background_headers, quiet, shop, topic

class Operation(Section):
    def reload(self):
        added = 'id = "example.second"\nname = "Second"\n[handlers]\nbackground = { exec = ["true"] }\n'
        with self.station() as station, station.start() as daemon:
            def knows(app):
                answer = daemon.post("/v1/notifications?wait=1", quiet(), {"apns-topic": app})
                return (answer.json or {}).get("app") == app and not (answer.json or {}).get("error")

            self.check(knows("example.town") and not knows("example.second"), "as it was started")
            station.write("config/apps/second.toml", added)
            self.check(eventually(lambda: knows("example.second"), pause=0.2), "a manifest that is new, on change")
            self.check(
                eventually(lambda: "example.second" in daemon.log()), "the log says what is different",
                shown(daemon.log(), 1500))
            # The folder changes without end: that does not postpone the reload for ever.
            station.write("config/apps/third.toml", added.replace("second", "third").replace("Second", "Third"))

            quietens = threading.Event()

            def touch():
                while not quietens.wait(0.02):
                    station.write("config/touched", "")

            toucher = threading.Thread(target=touch, daemon=True)
            toucher.start()
            self.check(
                eventually(lambda: knows("example.third"), pause=0.2), "a manifest in a folder that is never left alone")
            quietens.set()
            toucher.join()
            os.unlink(station.path("config/apps/third.toml"))
            before = len(daemon.log())
            path = station.write("config/apps/second.toml", added.replace("name =", "nam ="))
            self.check(
                eventually(lambda: "second.toml" in daemon.log()[before:]), "a broken one is named in the log",
                shown(daemon.log()[before:], 1500))
            self.check(
                re.search(r"second\.toml:2|U5101|key\.unknown", daemon.log()[before:]), "with what is wrong with it",
                shown(daemon.log()[before:], 1500))
            self.check(knows("example.second") and knows("example.town"), "and the old ones are kept")
            before = len(daemon.log())
            daemon.signal(signal.SIGHUP)
            self.check(
                eventually(lambda: "second.toml" in daemon.log()[before:]), "SIGHUP reads it again, and says the same",
                shown(daemon.log()[before:], 1500))
            self.check(knows("example.second"), "and still keeps the old ones")
            asked = daemon.post("/v1/reload", {}, over="unix")
            self.check(400 <= asked.status < 500, "POST /v1/reload says that it is broken", str(asked))
            self.is_problem(asked, "POST /v1/reload")
            run = station.usher("reload")
            self.check(
                run.returncode == 2 and b"second.toml:2:1: error:" in run.stderr and b"^~~" in run.stderr,
                "usher reload shows the place", f"{run.returncode}: {run.stdout}{run.stderr}")
            rejected = (daemon.get("/v1/status", over="unix").json or {}).get("rejected") or {}
            self.check(
                rejected.get("count") == 1 and rejected["errors"][0]["code"] == "U5101"
                and rejected["errors"][0]["message"].startswith("apps/second.toml:2:1: ") and rejected.get("time"),
                "the status has the refused configuration with file, line and column", str(rejected))
            os.unlink(path)
            daemon.signal(signal.SIGHUP)
            self.check(eventually(lambda: not knows("example.second"), pause=0.2), "a manifest that was removed")
            asked = daemon.post("/v1/reload", {}, over="unix")
            self.check(asked.status in (200, 202, 204), "POST /v1/reload of what is right", str(asked))
            status = daemon.get("/v1/status", over="unix").json or {}
            self.check(status and "rejected" not in status, "a good one takes that back", str(status))

            before = len(daemon.log())
            station.settings("[server]\nlisen = 3\n")
            self.check(
                eventually(lambda: "usher.toml" in daemon.log()[before:]), "a broken usher.toml is named in the log",
                shown(daemon.log()[before:], 1500))
            self.check(knows("example.town"), "and the old one is kept")
            station.settings("[server.rate]\nper-second = 0.1\nburst = 2\n")
            self.check(
                eventually(lambda: daemon.post("/v1/notifications", quiet(), topic()).status == 429, pause=0.05),
                "limits of usher.toml change on the way")
            self.check(daemon.process.poll() is None, "the daemon is the same")
            # Many changes at once, while requests come in.
            station.settings("")
            eventually(lambda: knows("example.town"), pause=0.2)
            outcomes = collections.Counter()
            for number in range(40):
                station.write("config/apps/second.toml", added if number % 2 else added + "[")
                outcomes[daemon.post("/v1/notifications", quiet(), topic()).status] += 1
            self.check(set(outcomes) == {202}, "no request notices", str(outcomes))
            self.check(daemon.end() == 0, "it ends with 0")
        self.unwatched(added)

    def unwatched(self, added):
        """A daemon that cannot watch its files says so, and reads them when it is asked to."""
        for limit in ("max_inotify_instances", "max_inotify_watches"):
            without = ["unshare", "-Ur", "sh", "-c", f'echo 0 >/proc/sys/user/{limit} && exec "$@"', "sh"]
            if subprocess.run([*without, "true"], capture_output=True, check=False).returncode != 0:
                self.checks.note("SKIPPED: files that cannot be watched; a user namespace cannot be made here")
                return
            with self.station() as station, station.start(prefix=without) as daemon:
                def said():
                    return [line for line in daemon.lines() if line.get("event") == "files-not-watched"]

                self.check(
                    eventually(said) and said()[0].get("level") == "warning", f"{limit} is 0: the log says so",
                    shown(daemon.log(), 1500))
                station.write("config/apps/second.toml", added)
                ran = station.usher("reload")
                self.check(ran.returncode == 0, f"{limit} is 0: usher reload works", f"{ran.stdout}{ran.stderr}")
                answer = daemon.post("/v1/notifications?wait=1", quiet(), {"apns-topic": "example.second"})
                self.check(
                    (answer.json or {}).get("app") == "example.second", f"{limit} is 0: the new app is known", str(answer))
                self.check(len(said()) == 1, f"{limit} is 0: it is said once", shown(daemon.log(), 1500))
                self.check(daemon.end() == 0, f"{limit} is 0: it ends with 0")

    def stream(self):
        with self.station() as station, station.start() as daemon:
            connection = daemon.connection("unix")
            connection.request("GET", "/v1/records", headers={"Accept": "text/event-stream"})
            response = connection.getresponse()
            self.check(
                response.status == 200 and response.headers.get_content_type() == "text/event-stream",
                "GET /v1/records is a stream", f"{response.status} {response.headers}")
            first = [daemon.post("/v1/notifications?wait=1", shop(name)).json for name in ("one", "two")]
            seen = events(response, 2)
            connection.close()
            self.check([event.get("event") for event in seen] == ["record", "record"], "two events", str(seen))
            self.check([event.get("id") for event in seen] == [record["id"]
                       for record in first], "with their ids", str(seen))
            self.check(
                [json.loads(event["data"]) for event in seen] == first, "whose data are the records", str(seen))
            missed = [daemon.post("/v1/notifications?wait=1", shop(name)).json for name in ("three", "four")]

            def resume(after):
                connection = daemon.connection("unix")
                connection.request("GET", "/v1/records", headers={"Last-Event-ID": after})
                return connection, connection.getresponse()

            connection, response = resume(first[0]["id"])
            latest = daemon.post("/v1/notifications?wait=1", shop("five")).json
            seen = events(response, 4)
            connection.close()
            expected = [record["id"] for record in (first[1], *missed, latest)]
            self.check([event.get("id") for event in seen] == expected, "Last-Event-ID: nothing is left out", str(seen))
            # The journal remembers across restarts.
            self.check(daemon.end() == 0, "it ends with 0 while a subscriber is connected")
            again = station.start()
            daemon = again
            connection, response = resume(missed[1]["id"])
            seen = events(response, 1)
            connection.close()
            self.check([event.get("id") for event in seen] == [latest["id"]], "nor after a restart", str(seen))
            # One that never reads is not waited for.
            deaf, _ = resume(first[0]["id"])
            for number in range(50):
                daemon.post("/v1/notifications", alert("https://town.example/shop/deaf", "x" * 900))
            self.check(daemon.get("/healthz").status == 200, "a subscriber that never reads does not delay other clients")
            deaf.close()

    def operation(self):
        """What OpenAPIDocumentTests, MetricsTests and ControlRoutesTests judge is served; `client` calls every operation."""
        with self.station() as station, station.start() as daemon:
            health = daemon.get("/healthz")
            self.check(health.status == 200, "/healthz", str(health))

            def delivered():
                answer = daemon.get("/metrics", over="unix")
                self.check(
                    answer.headers.get("Content-Type", "").startswith("text/plain; version=0.0.4"), "/metrics: its type",
                    str(answer.headers))
                return sum(
                    float(value) for value in re.findall(r"^usher_\w*deliver\w*_total(?:\{.*\})? (\S+)$", answer.body.decode(), re.M))

            before = delivered()
            for _ in range(3):
                daemon.post("/v1/notifications?wait=1", shop("counted"))
            self.check(delivered() >= before + 3, "/metrics: three deliveries are counted", str(before))
            answer = daemon.get("/openapi.json")
            self.check(
                answer.headers.get_content_type() == "application/json"
                and str((answer.json or {}).get("openapi")).startswith("3.1"), "/openapi.json: OpenAPI 3.1", str(answer)[:200])
            self.deliveries_over_http(station, daemon)

    def deliveries_over_http(self, station, daemon):
        station.write("fail", "")
        failed = daemon.post("/v1/notifications?wait=1", background("driven"), background_headers()).json or {}
        self.check(failed.get("outcome") == "failed" and failed.get("error"), "a handler that fails", str(failed))
        os.unlink(station.fail)
        # A dead letter can be driven again, and is one delivery all the same.
        answer = daemon.post(f"/v1/deliveries/{failed['id']}/retry", {}, over="unix")
        self.check(answer.status in (200, 202), "POST /v1/deliveries/<id>/retry", str(answer))
        done = eventually(lambda: (daemon.get(f"/v1/deliveries/{failed['id']}").json or {}).get("state") == "done")
        self.check(done and len(station.effects("background")) == 1, "and then it is done")
        station.write("slow", "3")
        waiting = daemon.post("/v1/notifications", background("dropped"), background_headers()).json or {}
        os.unlink(station.slow)
        answer = daemon.request("DELETE", f"/v1/deliveries/{waiting.get('id')}", over="unix")
        self.check(answer.status in (200, 202, 204, 409), "DELETE /v1/deliveries/<id>", str(answer))
        ended = daemon.delivery(waiting.get("id")).get("state")
        self.check(ended in TERMINAL or answer.status in (200, 204), "it ends one way or the other", str(ended))

    def client(self):
        """A client that a public generator makes from the document calls every operation, and knows every answer."""
        settings = '[hooks.plain]\napp = "example.town"\nsignature = { scheme = "none" }\nvalues = { n = "/n" }\n'
        settings += 'target = "https://town.example/shop/{n}"\n'
        with self.station(settings) as station:
            manifest = MANIFEST.replace("[targets]", 'activity-types = ["example.town.view"]\n\n[targets]', 1)
            station.write("config/apps/town.toml", manifest)
            with station.start() as daemon:
                document = station.write("openapi.json", daemon.get("/openapi.json").body.decode())
                options = station.write("generator.yml", "post_hooks: []\n")
                made = subprocess.run(
                    [PYTHON, "-m", "openapi_python_client", "generate", "--path", document, "--config", options,
                     "--output-path", station.path("client"), "--meta", "none"],
                    capture_output=True, text=True, timeout=DEADLINE * 6, check=False)
                said = made.stdout + made.stderr
                self.check(made.returncode == 0, "a client is generated", said[-600:])
                # JSON Lines are beyond this generator; it says so, and leaves them out.
                faults = [line for line in said.splitlines() if re.search(r"Unable|Cannot|Failure", line)]
                self.check(not faults, "the generator understands every schema", str(faults))
                ran = subprocess.run(
                    [PYTHON, os.path.join(ROOT, "Scripts", "client_calls.py"), station.folder, daemon.socket,
                     station.fail],
                    capture_output=True, text=True, timeout=DEADLINE * 6, check=False)
                self.check(ran.returncode == 0, "it calls the operations", ran.stderr[-900:])
                for operation, status, kind, rest in map(json.loads, ran.stdout.splitlines()):
                    if operation == "never called":
                        self.check(rest == [], "every operation is called", str(rest))
                    else:
                        is_known = 200 <= status < 300 and kind not in ("NoneType", "Problem")
                        # Nothing shows notifications here, so that no sender waits for an answer.
                        refusal = {
                            "deliveries.deliveries_answer": "answer.not-waiting",
                            "agent.agent_answer": "agent.cannot-answer"}.get(operation)
                        if refusal:
                            is_known = (status, kind) == (409, "Problem") and refusal in rest
                        self.check(is_known, f"{operation}: an answer that the client knows", f"{status} {kind} {rest}")

    def supervision(self):
        with self.station() as station, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
            path = station.path("notify")
            notices.bind(path)
            notices.settimeout(0.2)
            heard = []

            def listen():
                try:
                    while True:
                        heard.append(notices.recv(65536).decode())
                except TimeoutError:
                    return heard

            def said(word, since=0):
                return eventually(lambda: [text for text in listen()[since:] if word in text.split("\n")])

            daemon = station.start(environment={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1000000"})
            self.check(said("READY=1"), "READY once its listeners are open", str(heard))
            self.check(said("WATCHDOG=1"), "WATCHDOG, as often as asked for", str(heard))
            mark = len(listen())
            daemon.signal(signal.SIGHUP)
            reloading = said("RELOADING=1", mark)
            self.check(
                reloading and re.search(r"^MONOTONIC_USEC=\d+$", reloading[0], flags=re.M),
                "RELOADING with the time", str(heard[mark:]))
            self.check(said("READY=1", mark), "READY again", str(heard[mark:]))
            mark = len(listen())
            daemon.signal(signal.SIGTERM)
            self.check(said("STOPPING=1", mark), "STOPPING", str(heard[mark:]))
            self.check(daemon.process.wait(DEADLINE) == 0, "it ends with 0")
        with self.station() as station, socket.socket() as inet, socket.socket(socket.AF_UNIX) as local:
            inet.bind(("127.0.0.1", 0))
            inet.listen(16)
            local.bind(station.path("given.sock"))
            local.listen(16)
            # A request that is there before the daemon is.
            early = socket.create_connection(inet.getsockname(), timeout=DEADLINE)
            early.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            descriptors = [str(inet.fileno()), str(local.fileno())]
            daemon = station.start(
                listen=None, prefix=[sys.executable, "-c", ACTIVATION, "2", *descriptors],
                pass_fds=[inet.fileno(), local.fileno()], expected=["control", "webhook"])
            self.check(daemon.port == inet.getsockname()[1], "socket activation: the port that was given")
            self.check(daemon.socket == station.path("given.sock"), "socket activation: the socket that was given",
                       str(daemon.endpoints))
            with open(station.path("state/usherd.lock"), encoding="utf-8") as file:
                holder = json.load(file)
            self.check(
                holder["socket"] == station.path("given.sock"), "socket activation: the lock names it", str(holder))
            answer = early.recv(4096)
            early.close()
            self.check(answer.startswith(b"HTTP/1.1 200"), "socket activation: the client that connected first is served", shown(answer))
            answer = daemon.post("/v1/notifications?wait=1", shop("given"))
            self.check(answer.status == 200, "socket activation: a payload over TCP", str(answer))
            answer = daemon.post("/v1/notifications?wait=1", shop("given"), over="unix")
            self.check(answer.status == 200, "socket activation: and over the Unix socket", str(answer))
            ran = station.usher("scene", "list")
            self.check(ran.returncode == 0, "socket activation: `usher` finds it", shown(ran.stderr))
            station.settle()
            handed = [
                environment for environment in station.effects() if environment.verb == "launch"]
            self.check(len(handed) == 1, "socket activation: one window", str(handed))
            self.check(daemon.end() == 0, "socket activation: it ends with 0")
            self.check(os.path.exists(station.path("given.sock")), "socket activation: a given socket is not removed")

    def stopping(self):
        with self.station() as station:
            station.write("slow", "1.5")
            daemon = station.start()
            sockets = [daemon.socket, os.path.join(os.path.dirname(daemon.socket), "browser.sock")]
            self.check(all(map(os.path.exists, sockets)), "its sockets are there as long as it runs", str(sockets))
            idle = daemon.connection()
            self.check(daemon.get("/healthz", connection=idle).status == 200, "a connection that is kept")
            with concurrent.futures.ThreadPoolExecutor(2) as senders:
                waiting = senders.submit(
                    daemon.post, "/v1/notifications?wait=1", background("waited"), background_headers())
                eventually(lambda: station.rows("SELECT * FROM delivery WHERE state = 'acting'"))
                daemon.signal(signal.SIGTERM)
                eventually(lambda: not accepts(daemon.port))
                self.check(not accepts(daemon.port), "new connections are refused")
                answer = waiting.result(DEADLINE)
            self.check(
                answer.status == 200 and (answer.json or {}).get("outcome") == "done", "a waiting request is answered",
                str(answer))
            self.check(daemon.end() == 0, "then it ends with 0, idle connections or not")
            self.check(not any(map(os.path.exists, sockets)), "and its sockets are gone", str(sockets))
            idle.close()
            # A handler that does not end is waited for no longer than the drain.
            station.settings("[server]\ndrain-seconds = 1\n")
            station.write("slow", "4")
            daemon = station.start()
            answer = daemon.post("/v1/notifications", background("left"), background_headers())
            eventually(lambda: station.rows("SELECT * FROM delivery WHERE state = 'acting'"))
            started = time.monotonic()
            status = daemon.end()
            seconds = time.monotonic() - started
            self.check(status in (0, "it had to be killed") and seconds <
                       20, "the drain is bounded", f"{status} {seconds}")
            self.check(status == 0, "and ends with 0 too", str(status))
            os.unlink(station.slow)
            daemon = station.start()
            ended = daemon.delivery((answer.json or {}).get("id"))
            self.check(ended.get("state") in TERMINAL, "the next one finishes what was left", str(ended))
            self.check(len(station.effects("background")) <= 2, "and does nothing twice", str(station.effects()))
            for number in (signal.SIGINT, signal.SIGTERM):
                daemon.signal(number)
                self.check(daemon.process.wait(DEADLINE) == 0, f"{signal.Signals(number).name}: 0")
                daemon = station.start()


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        return True
    except OSError:
        return False
