"""Servers under wrk: what is finished a second and what it costs, beside adnanh/webhook, nginx and a floor."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time

from . import generate, process
from .report import Table
from .workspace import fail

PATIENCE = 60
HEADERS = {"Content-Type": "application/json"}
SESSIONS = 1_000
HISTORY = 20_000
CONNECTIONS = 32
# Limits are for senders that are not trusted; here they would be what is measured.
SETTINGS = """
[server.rate]
per-second = 1000000.0
burst = 1000000

[deliveries]
queue = 1000000
keep-count = 10000000
keep-megabytes = 8192

[log]
level = "warning"
"""

# Requests with bodies as of generate.push, each round from another number on.
WRK = """
local number = FIRST
local headers = {["Content-Type"] = "application/json"}
request = function()
    local clown = number % 2 == 1 and math.floor(number / 2) % SESSIONS or 5000000 + number
    number = number + 1
    return wrk.format("POST", nil, headers, HEAD .. string.format("%07d", clown) .. TAIL)
end
done = function(summary, latency)
    local errors = summary.errors
    io.stderr:write(string.format(
        '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"bad":%d,"lost":%d}\\n', summary.requests,
        summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
"""


class Server:
    """A server process on a loopback port, with its children alone on its CPU."""

    def __init__(self, name, command, port, folder, processor):
        self.name, self.port = name, port
        self.log = open(folder / f"{name}.log", "wb")
        # Whatever the user has configured must not decide what is measured.
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
        self.began = time.monotonic()
        try:
            self.process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd=folder, env=environment,
                preexec_fn=lambda: os.sched_setaffinity(0, {processor}))
        except OSError as error:
            fail(f"{name} cannot be started: {error}")
        self.wait_until_ready()

    def wait_until_ready(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            if self.port == 0:
                self.port = self.announced_port()
            if self.port != 0:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                    self.start_seconds = time.monotonic() - self.began
                    return
            time.sleep(0.005)
        self.stop()
        fail(f"{self.name} does not listen; it said: {self.said()[-2000:]}")

    def said(self):
        return pathlib.Path(self.log.name).read_text()

    def announced_port(self):
        return 0

    def finished(self):
        """How many requests it has finished; None where each that is answered is finished."""
        return None

    def is_drained(self):
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return not children.strip()

    def drain(self):
        deadline = time.monotonic() + PATIENCE
        while not self.is_drained():
            if time.monotonic() > deadline:
                fail(f"{self.name} does not finish what it has accepted")
            time.sleep(0.005)

    def processor_seconds(self):
        """Its own, and those of the children that have ended."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / process.TICKS, sum(map(int, fields[13:15])) / process.TICKS

    def bytes_written(self):
        return int(re.search(r"^write_bytes: (\d+)", pathlib.Path(f"/proc/{self.process.pid}/io").read_text(), re.M)[1])

    def megabytes(self, name="VmHWM"):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+)", status)[1]) / 1024

    def post(self, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("POST", path, body, HEADERS)
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        connection.close()
        return response.status, text

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Usherd(Server):
    """usherd on a copy of a store."""

    def __init__(self, workspace, state, processor, name="usherd", background=""):
        folder = workspace.path(f"{name}-home")
        folder.mkdir()
        self.control = str(folder / "control.sock")
        self.configuration = workspace.make_configuration(f"{name}-configuration", SETTINGS, background)
        self.state = workspace.new_state(state)
        command = [workspace.daemon, "--listen", "127.0.0.1:0", "--socket", self.control, "--config",
                   self.configuration, "--state", self.state]
        super().__init__(name, command, 0, folder, processor)

    def announced_port(self):
        """It says on standard error where it listens."""
        for line in self.said().splitlines():
            with contextlib.suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict) and event.get("event") == "listening" and event.get("endpoint") == "webhook":
                    return event["port"]
        return 0

    def metric(self, name):
        connection = UnixConnection(self.control)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return sum(float(value) for value in re.findall(rf"^{name}(?:\{{[^}}]*\}})? ([\d.e+]+)$", text, re.M))

    def finished(self):
        return int(self.metric("usher_deliveries_total"))

    def is_drained(self):
        return self.metric("usher_open_deliveries") == 0


class Row:
    """A request that is made again and again, and the answer that it must have."""

    def __init__(self, name, server, path, status, limit):
        self.name, self.server, self.path, self.status, self.limit = name, server, path, status, limit
        self.rounds = []

    def check(self, expected=None):
        status, text = self.server.post(self.path, generate.push(1, SESSIONS))
        if status != self.status or expected and expected not in text:
            fail(f"{self.name}: {status}, must be {self.status} {expected or ''}: {text[:300]}")

    def run(self, script, seconds, processor):
        """One round: from the first request until everything that was accepted is finished."""
        words = {"FIRST": 10_000_000 * (len(self.rounds) + 1) // 8, "SESSIONS": SESSIONS,
                 "HEAD": json.dumps(generate.PUSH_HEAD), "TAIL": json.dumps(generate.PUSH_TAIL)}
        text = "".join(f"local {name} = {value}\n" for name, value in words.items()) + WRK
        script.write_text(text)
        command = [
            "taskset", "-c", str(processor), "wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration",
            f"{seconds}s", "--timeout", "30s", "--script", str(script), f"http://127.0.0.1:{self.server.port}{self.path}"]
        self.server.drain()
        done, spent, written = self.server.finished(), self.server.processor_seconds(), self.server.bytes_written()
        began = time.monotonic()
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode != 0:
            fail(f"wrk failed: {ended.stderr}")
        self.server.drain()
        wall = time.monotonic() - began
        seen = json.loads(ended.stderr.splitlines()[-1])
        wrong = seen["bad"] if self.status < 400 else seen["requests"] - seen["bad"]
        if wrong or seen["lost"] or not seen["requests"]:
            fail(f"{self.name}: {wrong} wrong answers, {seen['lost']} lost, of {seen['requests']}")
        requests = seen["requests"]
        if done is not None and self.status < 400:
            finished = self.server.finished() - done
            # wrk does not wait for the last answers.
            if not requests <= finished <= requests + CONNECTIONS:
                fail(f"{self.name}: {requests} answers, {finished} deliveries finished")
            requests = finished
        own, children = self.server.processor_seconds()
        self.rounds.append({
            "per_second": requests / wall, "p50_us": seen["p50"], "p99_us": seen["p99"],
            "cpu_us": (own - spent[0] + children - spent[1]) / requests * 1e6,
            "children_us": (children - spent[1]) / requests * 1e6,
            "bytes": (self.server.bytes_written() - written) / requests,
        })

    def result(self):
        medians = {key: statistics.median(round[key] for round in self.rounds) for key in self.rounds[0]}
        return {"row": self.name, **medians, "peak_mb": self.server.megabytes(), "limit": self.limit}


@contextlib.contextmanager
def running(makers):
    """Servers by name, stopped afterwards."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) == 1:
        print("bench: one CPU only: server and load share it", file=sys.stderr)
    with contextlib.ExitStack() as stack:
        servers = {}
        for name, make in makers.items():
            servers[name] = make(processors[0])
            stack.callback(servers[name].stop)
        yield servers, processors[-1]


def load(workspace, rows, rounds, seconds, processor):
    for round in range(rounds):
        print(f"bench: {', '.join(row.name for row in rows)}: round {round + 1} of {rounds} …", file=sys.stderr)
        for row in rows:
            row.run(workspace.path("wrk.lua"), seconds, processor)
    return [row.result() for row in rows]


def table(name, results, webhook, floor=None):
    """All rates and costs are of finished requests."""
    columns = [name, "finished/s", "p50 ms", "p99 ms", "CPU µs", "bytes written", "MB", "rate × webhook", "CPU × webhook"]
    table = Table(name, columns + ["CPU × floor" if floor else "of it `/bin/true` µs", "limited by"])
    find = {result["row"]: result for result in results}
    for result in results:
        cells = [result["row"], result["per_second"], result["p50_us"] / 1e3, result["p99_us"] / 1e3, result["cpu_us"],
                 result["bytes"], result["peak_mb"], result["per_second"] / find[webhook]["per_second"],
                 result["cpu_us"] / find[webhook]["cpu_us"]]
        table.add(*cells, result["cpu_us"] / find[floor]["cpu_us"] if floor else result["children_us"], result["limit"])
    return table


def durable(workspace, rounds, seconds):
    history = workspace.history(SESSIONS, HISTORY)
    makers = {
        "nginx": lambda cpu: nginx(workspace, cpu),
        "webhook": lambda cpu: webhook(workspace, cpu, "closed"),
        "floor": lambda cpu: floor(workspace, cpu),
        "usherd": lambda cpu: Usherd(workspace, history, cpu),
    }
    with running(makers) as (servers, processor):
        rows = [
            Row("nginx, `return 202`", servers["nginx"], "/", 202, "HTTP: stores nothing"),
            Row("webhook, its rule does not match", servers["webhook"], "/hooks/bench", 200, "reading JSON: stores nothing"),
            Row("floor: SQLite, 500 bytes a row", servers["floor"], "/", 202, "the sync of each commit"),
            Row("usherd, no such hook", servers["usherd"], "/hooks/none", 404, "HTTP: stores nothing"),
            Row("usherd, stored, decided, recorded", servers["usherd"], "/v1/notifications", 202,
                "the decision, its record, and the sync of each commit"),
        ]
        for row in rows:
            row.check()
        check_decision(servers["usherd"])
        results = load(workspace, rows, rounds, seconds, processor)
    return [table("webhook", results, rows[1].name, rows[2].name)], {"webhook": results}


def executed(workspace, rounds, seconds):
    makers = {
        "webhook-exec": lambda cpu: webhook(workspace, cpu, None),
        "usherd-exec": lambda cpu: Usherd(
            workspace, workspace.history(SESSIONS, HISTORY), cpu, "usherd-exec", '{ exec = ["/bin/true"] }'),
        "usherd-lanes": lambda cpu: Usherd(
            workspace, workspace.history(SESSIONS, HISTORY), cpu, "usherd-lanes",
            '{ exec = ["/bin/true"], lanes = 32 }'),
    }
    with running(makers) as (servers, processor):
        rows = [
            Row("webhook", servers["webhook-exec"], "/hooks/bench", 200, "starting a process"),
            Row("usherd, stored and recorded too, side by side", servers["usherd-lanes"], "/v1/notifications?wait=1", 200,
                "starting a process"),
            Row("usherd, stored and recorded too, in order", servers["usherd-exec"], "/v1/notifications?wait=1", 200,
                "one process at a time, and two syncs a delivery"),
        ]
        rows[0].check()
        for row in rows[1:]:
            row.check('"outcome":"done"')
        results = load(workspace, rows, rounds, seconds, processor)
    return [table("exec", results, rows[0].name)], {"exec": results}


def at_rest(workspace, is_long):
    """What a daemon takes that has nothing to do."""
    table = Table("rest", ["usherd at rest", "start ms", "MB", "of its own", "limited by"])
    figures = []
    for count in [1_000, 100_000] + ([1_000_000] if is_long else []):
        print(f"bench: at rest, {count} sessions …", file=sys.stderr)
        with running({"usherd": lambda cpu: Usherd(workspace, workspace.state(count), cpu, f"usherd-{count}")}) as (servers, _):
            server = servers["usherd"]
            server.post("/v1/notifications?wait=1", generate.push(1, count))
            # Three seconds after its last work it gives back the pages of its code.
            time.sleep(4)
            figure = {"sessions": count, "start_ms": server.start_seconds * 1e3, "mb": server.megabytes("VmRSS"),
                      "own_mb": server.megabytes("RssAnon")}
        figures.append(figure)
        table.add(f"{count:,} sessions".replace(",", " "), figure["start_ms"], figure["mb"], figure["own_mb"],
                  "what a session keeps" if count > 1_000 else "libraries")
    return [table], {"rest": figures}


def check_decision(server):
    """What is stored was decided, and has no effect: the figures are of storing, not of a program that is run."""
    status, text = server.post("/v1/notifications?wait=1", generate.push(1, SESSIONS))
    record = json.loads(text) if status == 200 else {}
    seen = [record.get(member) for member in ("session", "reason", "action", "outcome")]
    if seen != [generate.session_id(0), "prefers", "none", "skipped"]:
        fail(f"wrong record: {status} {text[:500]}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def nginx(workspace, processor):
    port, folder = free_port(), workspace.folder
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin") or fail("nginx is not installed")
    path = folder / "nginx.conf"
    places = " ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    path.write_text(
        f"daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx-error.log;\n"
        "events { worker_connections 1024; }\n"
        f"http {{ access_log off; keepalive_requests 1000000000; {places}\n"
        f"  server {{ listen 127.0.0.1:{port}; location / {{ return 202; }} }} }}\n")
    return Server("nginx", [program, "-p", folder, "-c", path, "-e", folder / "nginx-error.log"], port, folder, processor)


def webhook(workspace, processor, action):
    """With a rule that no request fits, or, without `action`, one that runs /bin/true and waits for it."""
    port = free_port()
    path = workspace.path(f"hooks-{port}.json")
    hook = {"id": "bench", "execute-command": "/bin/true"}
    if action:
        parameter = {"source": "payload", "name": "action"}
        hook["trigger-rule"] = {"match": {"type": "value", "value": action, "parameter": parameter}}
    else:
        hook["include-command-output-in-response"] = True
    path.write_text(json.dumps([hook]))
    command = ["webhook", "-hooks", path, "-ip", "127.0.0.1", "-port", port]
    return Server(f"webhook-{port}", command, port, workspace.folder, processor)


def floor(workspace, processor):
    port = free_port()
    return Server("store", [workspace.floor("store"), port, workspace.path("floor.db")], port, workspace.folder, processor)
