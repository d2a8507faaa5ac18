"""A disk without room, a clock that jumps, the disk before the answer, and what idling costs.

Sections of `check-daemon`.
"""

import calendar
import collections
import concurrent.futures
import glob
import json
import os
import re
import resource
import signal
import socket
import subprocess
import time
import uuid

import waits
from checklist import DEADLINE, eventually, shown
from daemon import LEAST_SLEEP, Trace, alert, tracer
from daemon_section import Section, members, quiet, shop, topic

IDLE_MEGABYTES = 20
# Programs that wake each second, each by another way, and what they are found by.
RESTLESS = {
    "clock_nanosleep": "import time\nwhile True: time.sleep(1)",
    "epoll_wait": "import select\nwhile True: select.epoll().poll(1)",
    "futex": "import threading\nwhile True: threading.Semaphore(0).acquire(timeout=1)",
    "timerfd": (
        "import ctypes, os\nlibc = ctypes.CDLL(None)\ntimer = libc.timerfd_create(1, 0)\n"
        "libc.timerfd_settime(timer, 0, (ctypes.c_long * 4)(1, 0, 1, 0), None)\nwhile True: os.read(timer, 8)"),
}
SINGLE_POSTS = 20
GROUP_POSTS = 32


def jumping(station, library):
    """The variables of a program whose clock is what the file `clock` says. The wall clock alone: what jumps in a real machine
    is not the monotonic one."""
    return {
        "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": station.path("clock"), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}


def moment(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}Z"


class Hardship(Section):
    def disk(self):
        with self.station() as station:
            os.mkdir(station.path("state"))
            mounted = subprocess.run(
                ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", station.path("state")],
                capture_output=True, check=False).returncode == 0
            if mounted:
                # The socket stays where it can be reached from outside.
                daemon = station.start(
                    "--socket", station.path("usherd.sock"), prefix=[
                        "unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=3m,mode=700 none "$0" && exec "$@"',
                        station.path("state")])
                # Its own view of the folder.
                ballast = f"/proc/{daemon.pid}/root{station.path('state', 'ballast')}"

                def fill():
                    with open(ballast, "wb", buffering=0) as file:
                        size = 65536
                        while size:
                            try:
                                file.write(b"x" * size)
                            except OSError:
                                size //= 2

                def empty():
                    os.unlink(ballast)
                self.checks.note("a full disk: a tmpfs of 3 MB")
            else:
                daemon = station.start(preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))

                def fill():
                    sizes = [os.path.getsize(path) for path in glob.glob(station.path("state", "usher.db*"))]
                    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (max(sizes), resource.RLIM_INFINITY))

                def empty():
                    resource.prlimit(
                        daemon.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                self.checks.note("a full disk: no mount is permitted here, RLIMIT_FSIZE stands in")

            acknowledged = []

            def post(name):
                value = dict(quiet(), name=name, filling="x" * 3000)
                answer = daemon.post("/v1/notifications", value, topic())
                if answer.status == 202:
                    acknowledged.append(answer.json["id"])
                return answer

            for number in range(20):
                self.check(post(f"before-{number}").status == 202, "with room it is accepted")
            # Records are written too before the disk is full, so that it is the intake that hits the end.
            for id in acknowledged:
                daemon.delivery(id)
            fill()
            answers = []
            for number in range(300):
                answers.append(post(f"full-{number}"))
                if answers[-1].status != 202:
                    break
            refused = answers[-1]
            if self.check(refused.status == 503, "without room: 503", str(refused)):
                self.is_problem(refused, "without room")
                self.check(
                    re.search(r"disk|space|full|room|write", refused.body.decode()), "it names the reason",
                    str(refused))
            more = [post(f"still-{number}").status for number in range(5)]
            self.check(set(more) == {503}, "and again", str(more))
            batch = daemon.post(
                "/v1/notifications?app=example.town",
                "".join(json.dumps(dict(quiet(), filling="x" * 3000)) + "\n" for _ in range(20)),
                type="application/x-ndjson")
            self.check(batch.status == 503, "a batch: 503", str(batch)[:300])
            health = daemon.get("/healthz")
            self.check(health.status in (200, 503), "it is still there to ask", str(health))
            with concurrent.futures.ThreadPoolExecutor(8) as senders:
                statuses = collections.Counter(
                    answer.status for answer in senders.map(post, [f"many-{number}" for number in range(40)]))
            self.check(set(statuses) <= {503, 429}, "eight senders at once", str(statuses))
            empty()
            recovered = eventually(lambda: post("after").status == 202, pause=0.2)
            self.check(recovered, "with room again it goes on, without a restart", shown(daemon.log()[-800:]))
            waited = daemon.post("/v1/notifications?wait=1", quiet(), topic())
            self.check(waited.status == 200, "and records are written", str(waited))
            states = collections.Counter(daemon.delivery(id).get("state") for id in acknowledged)
            self.check(
                states == {"done": len(acknowledged)}, "nothing that was acknowledged is lost", str(states))
            listed = daemon.get("/v1/deliveries?limit=1000", over="unix").json
            ids = [entry["id"] for entry in members(listed, "deliveries")]
            strangers = set(ids) - set(acknowledged) - {waited.json.get("id")}
            self.check(not strangers, "nothing that was refused is there", str(len(strangers)))
            self.checks.note(
                f"a full disk: {len(acknowledged)} acknowledged and kept, "
                f"{len(more) + 1 + sum(statuses.values())} refused")
            self.check(daemon.end() == 0, "it ends with 0")

    def clock(self):
        with self.station() as station, station.start() as daemon:
            def push(expiration):
                headers = dict(topic(), **{"apns-expiration": str(expiration)})
                return daemon.post("/v1/notifications?wait=1", shop(f"until-{expiration}"), headers).json or {}

            late = push(int(time.time()) - 3600)
            self.check(
                late.get("reason") == "expired" and late.get("action") == "none", "apns-expiration an hour ago",
                str(late))
            self.check(daemon.delivery(late.get("id")).get("state") == "expired", "its delivery is expired")
            early = push(int(time.time()) + 3600)
            self.check(early.get("reason") == "opens", "apns-expiration in an hour", str(early))
        library = sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))
        if not library:
            self.checks.note(
                "SKIPPED a clock that jumps: there is no libfaketime (Debian: faketime); only expiry was tried")
            return
        with self.station() as station:
            station.write("clock", "+0d")
            daemon = station.start(environment=jumping(station, library[0]))
            sender = str(uuid.uuid4())
            ids, kept = [], []
            # The farthest is beyond what is kept, seen from the others.
            for days in (0, -3, 5, -20, -400, 8, 0):
                station.write("clock", f"{days:+d}d")
                answer = daemon.post("/v1/notifications?wait=1", shop(f"clock-{len(ids)}"), timeout=10)
                record = answer.json or {}
                name = f"the clock jumps to {days:+d} days"
                self.check(
                    answer.status == 200 and record.get("outcome") == "done", f"{name}: delivered and recorded",
                    str(answer))
                time_of = record.get("time", "1970-01-01T00:00:00")[:19]
                off = abs(calendar.timegm(time.strptime(time_of, "%Y-%m-%dT%H:%M:%S")) - time.time() - 86400 * days)
                self.check(off < 120, f"{name}: the daemon sees it", record.get("time"))
                latency = record.get("latency_us") or {}
                self.check(
                    all(0 <= (value or 0) < 60_000_000 for value in latency.values()), f"{name}: durations are real",
                    str(latency))
                ids.append(record.get("id"))
                kept += ids[-1:] if days > -30 else []
                again = daemon.post("/v1/notifications?wait=1", shop("same"), {"apns-id": sender}).json or {}
                if days in (0, -3) and len(ids) > 1:
                    self.check(again.get("reason") == "duplicate", f"{name}: a duplicate is still one", str(again))
            self.check(len(set(ids)) == len(ids), "ids are never given twice")
            known = [(daemon.get(f"/v1/deliveries/{id}").json or {}).get("state") for id in kept]
            self.check(known == ["done"] * len(kept), "nothing within the time to keep was dropped", str(known))
            order = [row["id"] for row in station.rows("SELECT id FROM delivery ORDER BY number") if row["id"] in kept]
            self.check(order == kept, "the journal keeps the order of arrival")
            self.check(daemon.end() == 0, "it ends with 0")

    def schedule(self):
        """Scheduled notifications: once each over kills, and by a clock that jumps."""
        def waiting(daemon, payload, **more):
            answer = daemon.post("/v1/notifications/pending", {"payload": payload, "app": "example.town", **more}, over="unix")
            self.check(answer.status == 201, f"it is scheduled: {more}", str(answer))

        def came(daemon):
            return {entry["id"]: entry for entry in daemon.get("/v1/notifications/delivered", over="unix").json}

        count = 200
        with self.station() as station:
            daemon = station.start()
            for number in range(count):
                waiting(daemon, quiet(number), at=moment(time.time() + 2 + number / 100), id=f"n{number}")
            for _ in range(12):
                time.sleep(0.25)
                daemon.kill()
                daemon = station.start()
            self.check(eventually(lambda: len(came(daemon)) == count), "all of them came", str(len(came(daemon))))
            rows = station.rows("SELECT count(*) AS all_rows, count(DISTINCT schedule) AS ids FROM delivery")
            self.check([*rows[0]] == [count, count], "each has one delivery, over twelve kills", str([*rows[0]]))
            self.check(daemon.get("/v1/notifications/pending", over="unix").json == [], "and none waits")
            self.check(daemon.end() == 0, "it ends with 0")
        library = sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))
        if not library:
            self.checks.note("SKIPPED scheduled notifications of a clock that jumps: there is no libfaketime (Debian: faketime)")
            return
        with self.station() as station:
            def set_clock(text):
                then = calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))
                station.write("clock", f"{then - int(time.time()):+d}")

            set_clock("2027-03-27T20:00:00Z")
            environment = dict(jumping(station, library[0]), TZ="Europe/Berlin")
            daemon = station.start(environment=environment)
            waiting(daemon, quiet(), every="day 02:30", id="day")
            waiting(daemon, quiet(), every="1h", id="hour")
            waiting(daemon, quiet(), at="tomorrow 12:00", id="noon")
            set_clock("2027-03-28T00:59:58Z")
            day = eventually(lambda: came(daemon).get("day"))
            self.check(day and (day["due"], day["late"]) == ("2027-03-28T01:00:00.000Z", 0),
                "a time that is skipped is the first moment after the gap", str(day))
            set_clock("2027-03-28T00:00:10Z")
            time.sleep(7)
            set_clock("2027-03-28T00:59:55Z")
            time.sleep(12)
            days = station.rows("SELECT schedule FROM delivery WHERE schedule = 'day'")
            self.check(len(days) == 1, "a clock that is set back brings it no second time", str(len(days)))
            set_clock("2027-03-31T10:00:00Z")
            late = eventually(lambda: came(daemon).get("noon"), 15)
            self.check(late and late["late"] // 3600 == 72, "what three days of sleep missed comes late", str(late))
            rows = eventually(lambda: station.rows("SELECT record FROM delivery WHERE schedule = 'noon' AND record IS NOT NULL"))
            self.check(len(rows) == 1 and "schedule.late" in rows[0]["record"], "once, with a warning", str(len(rows)))
            self.check(daemon.end() == 0, "it ends with 0")
            daemon = station.start(environment=dict(environment, TZ="America/New_York"))
            listed = {entry["id"]: entry["next"] for entry in daemon.get("/v1/notifications/pending", over="unix").json}
            self.check(listed.get("day") == "2027-04-01T06:30:00.000Z", "another zone counts after a start", str(listed))
            self.check(daemon.end() == 0, "it ends with 0")

    def durability(self):
        with self.station() as station:
            trace = station.path("strace")
            prefix, pid_file = tracer(
                station, "-y", "-s", "96", "-o", trace, "-e", "trace=fdatasync,fsync,sendto,write,writev,sendmsg")
            daemon = station.start(prefix=prefix, pid_file=pid_file)
            self.check(daemon.get("/healthz").status == 200, "it runs under strace")

            def mark():
                return len(Trace(trace).events)

            begun = mark()
            connection = daemon.connection()
            for number in range(SINGLE_POSTS):
                answer = daemon.post("/v1/notifications", quiet(number + 1), topic(), connection=connection)
                self.check(answer.status == 202, "202 under strace", str(answer))
            connection.close()
            singles = eventually(lambda: answered(Trace(trace).since(begun), "202", SINGLE_POSTS))
            if self.check(singles, f"strace sees {SINGLE_POSTS} answers",
                lambda: str(Trace(trace).since(begun).events)):
                unsynced = singles.unsynced("202")
                self.check(unsynced == 0, "an fdatasync before each 202", f"{unsynced} without: {singles.events}")
                self.checks.note(
                    f"{SINGLE_POSTS} single posts: {SINGLE_POSTS - unsynced} of {SINGLE_POSTS} answers after an"
                    f" fdatasync, {singles.syncs()} in all")
                self.check(
                    all(station.path("state") in name for kind, name in singles.events if kind == "sync"),
                    "of the store's own files", str(set(singles.events)))
            begun = mark()
            sockets = [socket.create_connection(("127.0.0.1", daemon.port), timeout=DEADLINE)
                                                for _ in range(GROUP_POSTS)]
            body = json.dumps(quiet()).encode()
            request = (
                f"POST /v1/notifications HTTP/1.1\r\nHost: localhost\r\napns-topic: example.town\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body
            for one in sockets:
                one.sendall(request)
            statuses = collections.Counter(one.recv(4096)[9:12].decode() for one in sockets)
            for one in sockets:
                one.close()
            self.check(statuses == {"202": GROUP_POSTS}, f"{GROUP_POSTS} at once", str(statuses))
            group = eventually(lambda: answered(Trace(trace).since(begun), "202", GROUP_POSTS))
            if self.check(group, f"strace sees {GROUP_POSTS} answers"):
                first = group.events[0] if group.events else None
                last = max(place for place, event in enumerate(group.events) if event == ("answer", "202"))
                syncs = sum(1 for kind, _ in group.events[:last] if kind == "sync")
                self.check(first and first[0] == "sync", "an fdatasync before the first of them", str(group.events[:3]))
                self.check(syncs <= GROUP_POSTS // 2, "one fdatasync for many", f"{syncs} for {GROUP_POSTS}")
                self.checks.note(f"{GROUP_POSTS} posts at once: {syncs} fdatasync before the last 202")
            self.check(daemon.end() == 0, "it ends with 0")

    def idle(self):
        with self.station(attached=True) as station, station.start() as daemon:
            for number in range(50):
                daemon.post("/v1/notifications", shop(number))
            daemon.post("/v1/notifications?wait=1", alert("https://town.example/house/idle"))
            station.settle()
            kept = daemon.connection()
            daemon.get("/healthz", connection=kept)

            moving = daemon.restless()
            self.check(not moving, "nothing wakes it by itself", "; ".join(moving))
            megabytes = daemon.status("VmRSS") / 1024
            self.check(megabytes <= IDLE_MEGABYTES, f"at most {IDLE_MEGABYTES} MB", f"{megabytes:.1f} MB")
            self.checks.note(
                f"idle: no timer of its own within {LEAST_SLEEP} s, {megabytes:.1f} MB, {daemon.status('Threads')} threads")
            kept.close()
        # What was just relied on tells a program that sleeps from one that does not.
        for way, program in dict(RESTLESS, nothing="import signal\nsignal.pause()").items():
            with subprocess.Popen(["python3", "-c", program]) as process:
                found = eventually(lambda: self.settled(process.pid, way))
                self.check(found, f"a process that is woken by {way} is distinguished from others", str(found))
                process.kill()

    @staticmethod
    def settled(pid, way):
        """Whether this is all that wakes a process."""
        found = waits.restless(pid, LEAST_SLEEP)
        return not found if way == "nothing" else len(found) == 1 and way in found[0]


def answered(trace, status, count):
    return trace if trace.answers(status) >= count else None
