"""Servers under wrk: requests a second, latency, CPU a request, memory."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from .report import number

PATIENCE = 30
TICKS = os.sysconf("SC_CLK_TCK")
# What a sender of webhooks sends; for usherd a notification with nothing to show and nowhere to go, so no effect.
BODY = json.dumps({"aps": {"badge": 1}, "action": "opened", "repository": {"full_name": "example/clowns"}, "number": 7})
HEADERS = {"Content-Type": "application/json"}

WRK = """
wrk.method = %s
wrk.body = %s
%s
done = function(summary, latency)
    local errors = summary.errors
    io.stderr:write(string.format(
        '{"requests":%%d,"microseconds":%%d,"p50":%%d,"p99":%%d,"bad":%%d,"lost":%%d}\\n', summary.requests,
        summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
"""


def fail(text):
    sys.exit(f"bench: {text}")


class Server:
    """A server process on a loopback port, alone on its CPU."""

    def __init__(self, name, command, port, folder, processor):
        self.name, self.port = name, port
        self.log = open(folder / f"{name}.log", "wb")
        # Whatever the user has configured must not decide what is measured.
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
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
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            if self.port == 0:
                self.port = self.announced_port()
            if self.port != 0:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                    return
            time.sleep(0.02)
        self.stop()
        fail(f"{self.name} does not listen; it said: {pathlib.Path(self.log.name).read_text()[-2000:]}")

    def announced_port(self):
        """usherd says on standard error where it listens."""
        for line in pathlib.Path(self.log.name).read_text().splitlines():
            with contextlib.suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict) and event.get("event") == "listening" and event.get("endpoint") == "webhook":
                    return event["port"]
        return 0

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def peak_megabytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body, HEADERS if body else {})
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


class Row:
    """A request that is made again and again, and the answer that it must have."""

    def __init__(self, kind, name, server, method, path, status):
        self.kind, self.name, self.server = kind, name, server
        self.method, self.path, self.status = method, path, status
        self.rounds = []

    @property
    def body(self):
        return BODY if self.method == "POST" else None

    def check(self):
        status, text = self.server.request(self.method, self.path, self.body)
        if status != self.status:
            fail(f"wrong answer: {self.name}: {status}, must be {self.status}: {text[:300]}")

    def run(self, script, seconds, connections, processor):
        lua = "".join(f"wrk.headers[{json.dumps(k)}] = {json.dumps(v)}\n" for k, v in HEADERS.items() if self.body)
        script.write_text(WRK % (json.dumps(self.method), json.dumps(self.body) if self.body else "nil", lua))
        command = [
            "taskset", "-c", str(processor), "wrk", "--threads", "1", "--connections", str(connections), "--duration",
            f"{seconds}s", "--script", str(script), f"http://127.0.0.1:{self.server.port}{self.path}"]
        before = self.server.processor_seconds()
        ended = subprocess.run(command, capture_output=True, text=True)
        spent = self.server.processor_seconds() - before
        if ended.returncode != 0:
            fail(f"wrk failed: {ended.stderr}")
        seen = json.loads(ended.stderr.splitlines()[-1])
        wrong = seen["bad"] if self.status < 400 else seen["requests"] - seen["bad"]
        if wrong or seen["lost"] or not seen["requests"]:
            fail(f"{self.name}: {wrong} wrong answers, {seen['lost']} lost, of {seen['requests']}")
        self.rounds.append({
            "requests": seen["requests"],
            "per_second": seen["requests"] / seen["microseconds"] * 1e6,
            "p50_us": seen["p50"],
            "p99_us": seen["p99"],
            "cpu_us": spent / seen["requests"] * 1e6,
        })

    def result(self):
        keys = ["per_second", "p50_us", "p99_us", "cpu_us"]
        medians = {key: statistics.median(round[key] for round in self.rounds) for key in keys}
        return {
            "row": self.name, "kind": self.kind, "requests": sum(round["requests"] for round in self.rounds), **medians,
            "peak_mb": self.server.peak_megabytes(),
        }


def measure(program, base, rounds, seconds, connections):
    processors = sorted(os.sched_getaffinity(0))
    serving, loading = processors[0], processors[-1]
    if serving == loading:
        print("bench: one CPU only: server and load share it", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=base) as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)

        def start(maker, *arguments):
            server = maker(folder, serving, *arguments)
            stack.callback(server.stop)
            return server

        nginx, webhook = start(start_nginx), start(start_webhook)
        rows = [
            Row("HTTP only", "nginx, return 202", nginx, "POST", "/hooks/github", 202),
            Row("HTTP only", "webhook, the rule does not match", webhook, "POST", "/hooks/github", 200),
        ]
        if program:
            plain, durable = (start(start_usherd, program, state) for state in ("plain", "durable"))
            rows += [
                Row("HTTP only", "usherd, no such hook", plain, "POST", "/hooks/nobody", 404),
                Row("HTTP only", "usherd, GET /healthz", plain, "GET", "/healthz", 200),
                Row("durable", "usherd, POST /v1/notifications", durable, "POST", "/v1/notifications", 202),
            ]
        for row in rows:
            row.check()
        if program:
            check_record(durable)
        for round in range(rounds):
            print(f"bench: round {round + 1} of {rounds} …", file=sys.stderr)
            for row in rows:
                row.run(folder / "wrk.lua", seconds, connections, loading)
        results = [row.result() for row in rows]
        if program:
            durable.stop()
            check_journal(folder / "durable" / "usher.db", results[-1]["requests"], rounds * connections)
        return results


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_nginx(folder, processor):
    port = free_port()
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


def start_webhook(folder, processor):
    port = free_port()
    path = folder / "hooks.json"
    path.write_text(json.dumps([{
        "id": "github",
        "execute-command": "/bin/true",
        "trigger-rule": {"match": {
            "type": "value", "value": "closed", "parameter": {"source": "payload", "name": "action"}}},
    }]))
    command = ["webhook", "-hooks", path, "-ip", "127.0.0.1", "-port", port]
    return Server("webhook", command, port, folder, processor)


def start_usherd(folder, processor, program, state, kind=Server):
    configuration = folder / f"{state}-config"
    (configuration / "apps").mkdir(parents=True)
    # Limits are for senders that are not trusted; here they would be what is measured.
    (configuration / "usher.toml").write_text(
        "[server.rate]\nper-second = 1000000.0\nburst = 1000000\n"
        "[deliveries]\nqueue = 1000000\nkeep-count = 10000000\nkeep-megabytes = 8192\n"
        '[log]\nlevel = "warning"\n')
    (configuration / "apps" / "clowns.toml").write_text(
        'id = "example.clowntown"\nname = "Clown Town"\n\n[[scenes]]\nname = "main"\nlaunch = { exec = ["true"] }\n')
    command = [
        program, "--listen", "127.0.0.1:0", "--socket", folder / f"{state}.sock", "--config", configuration, "--state",
        folder / state]
    return kind(state, command, 0, folder, processor)


def check_record(server):
    """What is journalled has no effect, so that the figures are of journalling and not of a program that is run."""
    status, text = server.request("POST", "/v1/notifications?wait=1", BODY)
    record = json.loads(text) if status == 200 else {}
    if record.get("action") != "none" or record.get("outcome") != "skipped":
        fail(f"wrong record: {status} {text[:500]}")


def check_journal(path, answered, unanswered):
    """Each 202 is a delivery with a terminal state on disk; wrk leaves what it did not wait for, at the end of a round."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    counts = dict(connection.execute("SELECT state, count(*) FROM delivery GROUP BY state"))
    connection.close()
    total = sum(counts.values())
    unfinished = {state: count for state, count in counts.items() if state in ("accepted", "resolved", "acting")}
    if unfinished:
        fail(f"deliveries without a terminal record after a graceful stop: {unfinished}")
    # Two more: the two that were checked before.
    if not answered + 2 <= total <= answered + 2 + unanswered:
        fail(f"{answered} deliveries were answered 202, {total} are in the journal: {counts}")


def versions():
    found = {}
    for name, command, pattern in [
        ("webhook", ["webhook", "-version"], r"([\d.]+)"),
        ("nginx", ["/usr/sbin/nginx", "-v"], r"nginx/([\d.]+)"),
        ("wrk", ["wrk", "-v"], r"wrk (\S+)"),
    ]:
        with contextlib.suppress(OSError):
            ended = subprocess.run(command, capture_output=True, text=True)
            match = re.search(pattern, ended.stdout + ended.stderr)
            found[name] = match[1] if match else None
    return found


def text(machine, results):
    head = "{cores} cores {architecture}, {processor}, {memory_gb} GB, Linux {kernel}, Swift {swift}".format(**machine)
    head += "".join(f", {name} {version}" for name, version in machine["peers"].items())
    webhook = next(result for result in results if result["row"].startswith("webhook"))
    table = [["", "row", "requests/s", "p50 ms", "p99 ms", "CPU µs", "peak MB", "by webhook", "by CPU"]]
    for result in results:
        table.append([
            result["kind"], result["row"], number(result["per_second"]), number(result["p50_us"] / 1e3),
            number(result["p99_us"] / 1e3), number(result["cpu_us"]), number(result["peak_mb"]),
            f"{number(result['per_second'] / webhook['per_second'])} ×",
            f"{number(webhook['cpu_us'] / result['cpu_us']) if result['cpu_us'] else '–'} ×",
        ])
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
    note = (
        "Every answer's status was checked, and the journal counted. Medians of interleaved rounds; each server alone on one CPU, "
        "wrk on another.\nCPU: user and system time of the server by the number of requests. By webhook, by CPU: how much is "
        "done in webhook's time,\nand in its CPU time; more is better."
    )
    return "\n".join([head, "", *lines, "", note])
