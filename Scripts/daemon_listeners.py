"""The way of a payload in, through every listener, and what stands beside the daemon.

Sections of `check-daemon`.
"""

import json
import os
import re
import select
import stat
import subprocess
import uuid

from checklist import DEADLINE, eventually, shown
from daemon import Daemon, alert
from daemon_section import Section, background, is_uuid7, loaded, members, quiet, settled, shop, topic


class Listeners(Section):
    def listener(self):
        with self.station(attached=True) as station, station.start() as daemon:
            lines = daemon.listening()
            self.check(
                lines["webhook"].get("address") == "127.0.0.1" and lines["webhook"].get("port", 0) > 0,
                "a ready line for TCP", str(lines))
            self.check(os.path.exists(str(lines["control"].get("address"))), "a ready line for the socket", str(lines))
            mode = stat.S_IMODE(os.stat(daemon.socket).st_mode)
            self.check(mode == 0o600, "the socket is the user's own", oct(mode))

            target = "https://town.example/house/1"
            url = f"http://127.0.0.1:{daemon.port}/v1/notifications"
            station.write("payload.json", json.dumps(alert(target)))
            status, body, _ = self.curl(
                station, "--header", "Content-Type: application/json", "--data", "@payload.json", url)
            accepted = loaded(body)
            self.check(
                status == 202 and accepted.get("status") == "accepted" and is_uuid7(accepted.get("id")),
                "curl posts a payload: 202 and an id", f"{status} {body}")
            shown_delivery = daemon.delivery(accepted.get("id"))
            record = shown_delivery.get("record") or {}
            self.check(
                shown_delivery.get("id") == accepted.get("id") and shown_delivery.get("state") == "done",
                "GET /v1/deliveries/<id> shows it", str(shown_delivery))
            self.check(
                record.get("outcome") == "verified" and record.get("action") == "launch"
                and record.get("target") == target and record.get("source") == "webhook",
                "its record: launched and verified", str(record))
            shown = station.in_front(target)
            self.check(shown == target, "the window is in front", str(shown))

            second = daemon.post("/v1/notifications?wait=1", alert("https://town.example/house/2"))
            self.check(
                second.status == 200 and second.json.get("outcome") == "verified", "?wait=1: 200 and the record",
                str(second))
            shown = station.in_front("https://town.example/house/2")
            self.check(shown == "https://town.example/house/2", "the second window is in front", str(shown))
            back = daemon.post("/v1/notifications?wait=1", alert(target), over="unix")
            record = back.json or {}
            self.check(
                back.status == 200 and record.get("action") == "focus" and record.get("reason") == "prefers"
                and record.get("outcome") == "verified", "over the Unix socket: focused, not opened again", str(back))
            shown = station.in_front(target)
            self.check(shown == target, "the first window is in front again", str(shown))
            self.check(len(station.windows()) == 2, "two windows for three payloads", str(station.windows()))

            status, body, _ = self.curl(
                station, "--unix-socket", daemon.socket, "http://localhost/v1/deliveries?limit=2")
            listed = loaded(body)
            self.check(
                status == 200 and isinstance(listed, (list, dict)) and len(members(listed, "deliveries")) == 2,
                "curl lists the deliveries", f"{status} {body[:300]}")

            sender = str(uuid.uuid4())
            answer = daemon.post(
                "/v1/notifications?wait=1", shop("by-headers"), dict(topic(), **{"apns-id": sender}))
            self.check(
                answer.json.get("sender_id") == sender and answer.json.get("app") == "example.town",
                "apns-id and apns-topic are understood", str(answer))
            self.check(
                daemon.get(f"/v1/deliveries/{sender}", over="unix").json["id"] == answer.json["id"],
                "found by the sender's id")
            named = daemon.post("/v1/notifications?wait=1&app=example.town", quiet())
            self.check((named.json or {}).get("app") == "example.town", "?app= names the app", str(named))

            missing = daemon.get("/v1/deliveries/0199aaaa-0000-7000-8000-000000000000")
            self.check(missing.status == 404, "no such delivery: 404", str(missing))
            self.is_problem(missing, "no such delivery")
            nowhere = daemon.get("/v2/nothing")
            self.check(nowhere.status == 404, "no such path: 404", str(nowhere))
            wrong = daemon.request("DELETE", "/v1/notifications")
            self.check(
                wrong.status == 405 and "POST" in (wrong.headers.get("Allow") or ""), "a wrong method: 405 and Allow",
                f"{wrong.headers}")
            for name, body in (("no JSON", '{"aps":'), ("an aps of a wrong type", '{"aps": 3}'), ("nothing", "")):
                refused = daemon.post("/v1/notifications", body)
                self.check(400 <= refused.status < 500, f"{name}: never 2xx", str(refused))
                self.is_problem(refused, name)
            self.check(daemon.end() == 0, "it ends with 0", daemon.log()[-400:])
            self.check(not os.path.exists(daemon.socket), "its socket is gone")

    def batch(self):
        with self.station() as station, station.start() as daemon:
            lines = [json.dumps(shop("a")), '{"aps":', json.dumps(shop("b")), json.dumps(shop("c"))]
            text = "".join(line + "\n" for line in lines)
            answer = daemon.post("/v1/notifications", text, type="application/x-ndjson")
            answers = answer.json if isinstance(answer.json, list) else []
            self.check(
                answer.status == 202 and len(answers) == 4, "one answer for each line", str(answer))
            good = [entry for place, entry in enumerate(answers) if place != 1]
            self.check(
                len(good) == 3 and all(entry.get("status") == "accepted" for entry in good), "good lines are accepted",
                str(answer))
            bad = answers[1] if len(answers) == 4 else {}
            fate = daemon.delivery(bad["id"]) if bad.get("id") else {}
            self.check(
                (bad.get("error") or (fate.get("record") or {}).get("error") or {}).get("code"),
                "the bad line is answered with its error", f"{bad} {fate}")
            targets = [daemon.delivery(entry["id"]).get("record", {}).get("target") for entry in good]
            self.check(
                targets == [f"https://town.example/shop/{name}" for name in "abc"], "answers are in order",
                str(targets))
            waited = daemon.post("/v1/notifications?wait=1", text, type="application/jsonl")
            records = waited.json if isinstance(waited.json, list) else []
            self.check(
                waited.status == 200 and [record.get("action") for record in records]
                == ["focus", "none", "focus", "focus"] and records[1].get("reason") == "invalid",
                "?wait=1: the records, in order", str(waited))
            empty = daemon.post("/v1/notifications", "", type="application/x-ndjson")
            self.check(empty.status in (200, 202, 400) and len(
                station.effects("launch")) == 3, "an empty batch", str(empty))
            many = "".join(json.dumps(quiet(number)) + "\n" for number in range(1, 501))
            answer = daemon.post("/v1/notifications", many, topic(), type="application/x-ndjson")
            ids = [entry.get("id") for entry in answer.json or []] if answer.status == 202 else []
            self.check(len(set(ids)) == 500, "500 lines, 500 ids", str(answer))
            order = [row["id"] for row in station.rows("SELECT id FROM delivery ORDER BY number")][-500:]
            self.check(order == ids, "they are journalled in order")

    def answers(self):
        with self.station(attached=True) as beside, self.station(attached=True) as alone:
            daemon = beside.start()
            through, direct = command_list(beside), command_list(alone)
            for one, other in zip(through, direct):
                name = one[0]
                self.check(
                    one[1] == other[1], f"{name}: same exit status",
                    f"{one[1]} with the daemon, {other[1]} without: {one[3]} / {other[3]}")
                self.check(
                    one[2] == other[2], f"{name}: same answer", lambda: difference(one[2], other[2]))
                if other[1] == 2:
                    self.check(one[3] == other[3], f"{name}: same words", lambda: difference(one[3], other[3]))
            # The daemon did it: no other process may write while it holds the store.
            self.check(daemon.process.poll() is None, "the daemon was there to the end")
            both = [
                [tuple(row) for row in station.rows(
                    "SELECT state, action, reason, scene, session, source, target FROM delivery ORDER BY number")]
                for station in (beside, alone)]
            self.check(both[0] == both[1], "same journal", lambda: difference(both[0], both[1]))
            before = len(beside.rows())
            ran = beside.usher("open", "https://town.example/shop/through")
            self.check(ran.returncode == 0 and len(beside.rows()) == before + 1, "one more delivery", shown(ran.stderr))
            log_before = daemon.delivery(json.loads(ran.stdout)["id"])
            self.check(log_before.get("state") == "done", "what `usher open` did is shown over HTTP", str(log_before))
            self.check(daemon.end() == 0, "it ends with 0")
            ran = beside.usher("open", "https://town.example/shop/through")
            self.check(
                ran.returncode == 0 and json.loads(ran.stdout)["action"] == "focus",
                "without it, the store is as the daemon left it", shown(ran.stdout))

    def single(self):
        with self.station() as station, station.start() as daemon:
            for name, arguments in (("the second", []), ("one with another listener", ["--listen", "127.0.0.1:0"])):
                status, said = station.run_daemon(*arguments)
                self.check(status == 2, f"{name} refuses with 2", f"{status}: {said}")
                self.check(
                    re.search(rf"\b{daemon.pid}\b", said), f"{name} names the first by its pid {daemon.pid}", said)
            self.check(daemon.get("/healthz").status == 200, "the first goes on")
            daemon.kill()
            after = station.start()
            answer = after.post("/v1/notifications?wait=1", shop("after"))
            self.check(answer.status == 200, "what a kill leaves behind does not stop the next one", str(answer))
            self.check(after.end() == 0, "the next one ends with 0")
            served = Daemon(station, listen=None)
            served.kill()
            process = subprocess.Popen(
                [station.program, "serve", *served.arguments[1:], "--listen", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=station.environment)
            try:
                ready = select.select([process.stderr], [], [], DEADLINE)[0]
                line = process.stderr.readline() if ready else b""
                self.check(b'"listening"' in line, "`usher serve` runs it", shown(line))
            finally:
                process.terminate()
                process.stderr.close()
                self.check(process.wait(DEADLINE) == 0, "`usher serve` ends with 0", str(process.returncode))


def command_list(station):
    """Name, exit status, answer and complaint of each command, with what differs by nature taken out."""
    found = []
    names = {}

    def run(name, *arguments, input=b""):
        ran = station.usher(*arguments, input=input)
        found.append((
            name, ran.returncode, normalised(ran.stdout, station, names), normalised(ran.stderr, station, names)))
        return ran

    def line(payload, **members):
        return json.dumps(dict({"payload": payload}, **members)) + "\n"

    def sent(number):
        return {"apns-topic": "example.town", "apns-id": f"00000000-0000-4000-8000-{number:012d}"}

    run("scene list, empty", "scene", "list")
    run("deliveries list, empty", "deliveries", "list")
    run("scene connect", "scene", "connect", "--app", "example.town", "--scene", "shop", "--session", "mine",
        "--prefers", 'SELF == "https://town.example/shop/mine"', "--title", "Mine")
    run("scene connect, again", "scene", "connect", "--app", "example.town", "--scene", "shop", "--session", "mine")
    run("scene connect, no such scene", "scene", "connect", "--app", "example.town", "--scene", "shp")
    run("scene connect, no such app", "scene", "connect", "--app", "example.town", "--scene", "shop")
    run("scene connect, a broken condition", "scene", "connect", "--app", "example.town", "--scene", "shop", "--can",
        "SELF ==")
    run("scene connect, many", "scene", "connect", "--from", "-", input="".join(json.dumps({
        "app": "example.town", "scene": "shop", "target": f"https://town.example/shop/many-{number}",
        "session": f"many-{number}"}) + "\n" for number in range(3)))
    run("scene connect, all or none", "scene", "connect", "--from", "-", input="".join(json.dumps({
        "app": "example.town", "scene": scene, "session": f"none-{number}"}) + "\n" for number, scene in enumerate(
            ["shop", "nothing"])))
    run("scene list", "scene", "list")
    run("open, to a connected window", "open", "https://town.example/shop/mine")
    run("scene update", "scene", "update", "mine", "--can", "TRUEPREDICATE", "--prefers", 'SELF ENDSWITH "/ours"')
    run("scene update, no such window", "scene", "update", "minee", "--can", "TRUEPREDICATE")
    run("open, after an update", "open", "https://town.example/shop/ours")
    run("scene activate", "scene", "activate", "many-1")
    run("scene activate, no such window", "scene", "activate", "many-9")
    run("scene disconnect", "scene", "disconnect", "many-2")
    run("scene close", "scene", "close", "mine")
    run("scene close, again", "scene", "close", "mine")
    run("scene list, after all that", "scene", "list")
    run("dispatch", "dispatch", input=line(shop("one"), headers=sent(1)) + line(
        alert("https://town.example/house/1"), headers=sent(2)) + '{"aps":\n' + line(quiet(), headers=sent(3)) + line(
        shop("one"), headers=sent(1)) + line(shop("two"), app="example.nobody") + line(shop("one")))
    run("dispatch, nothing", "dispatch")
    station.write("payload.json", json.dumps(shop("file"), indent=2))
    run("dispatch, a file", "dispatch", station.path("payload.json"))
    run("dispatch, no such file", "dispatch", station.path("nothing.json"))
    run("dispatch, dry", "dispatch", "--dry-run", input=line(shop("dry")))
    run("open", "open", "https://town.example/house/1")
    run("open, nobody's", "open", "https://nobody.example/x", "--app", "example.nobody")
    run("open, an empty id", "open", "")
    run("shortcut perform", "shortcut", "perform", "visit")
    run("shortcut perform, no such type", "shortcut", "perform", "visits")
    run("explain", "explain", "https://town.example/shop/one")
    station.write("fail", "")
    run("dispatch, a handler that fails", "dispatch", input=line(background("fails"), headers=sent(4)))
    run("deliveries show, a failed one", "deliveries", "show", sent(4)["apns-id"])
    run("deliveries retry, still failing", "deliveries", "retry", sent(4)["apns-id"])
    # Where the answer is that it was put in the queue, the rest happens behind it.
    eventually(lambda: settled(station.rows()))
    os.unlink(station.fail)
    run("deliveries list, failed", "deliveries", "list", "--only", "failed")
    run("deliveries retry", "deliveries", "retry", sent(4)["apns-id"])
    eventually(lambda: settled(station.rows()))
    run("deliveries show, driven again", "deliveries", "show", sent(4)["apns-id"])
    run("deliveries retry, a done one", "deliveries", "retry", sent(2)["apns-id"])
    eventually(lambda: settled(station.rows()))
    run("deliveries show", "deliveries", "show", sent(1)["apns-id"])
    run("deliveries drop", "deliveries", "drop", sent(3)["apns-id"])
    run("deliveries show, dropped", "deliveries", "show", sent(3)["apns-id"])
    for verb in ("show", "retry", "drop"):
        run(f"deliveries {verb}, no such one", "deliveries", verb, "0199aaaa-0000-7000-8000-000000000000")
    run("deliveries list", "deliveries", "list", "--limit", "5")
    run("deliveries list, a wrong state", "deliveries", "list", "--only", "don")
    return found


# Members that tell moments and durations, and where an answer came from.
VOLATILE = {
    "time", "accepted", "finished", "created", "used", "changed", "latency_us", "age_ms", "ms", "snapshot", "config",
    "nonce", "next", "next_attempt", "retry_at", "short", "pid", "start", "server", "client"}


def normalised(data, station, names):
    text = data.decode("utf-8", "replace")
    values = []
    try:
        values = [json.loads(text)]
    except ValueError:
        for line in text.split("\n"):
            try:
                values.append(json.loads(line))
            except ValueError:
                values.append(line)

    def clean(text):
        text = text.replace(station.folder, "FOLDER")
        text = re.sub(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", lambda match: names.setdefault(
            match[0], f"ID{len(names) + 1}"), text)
        text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
        return re.sub(r"sha256:[0-9a-f]+", "DIGEST", text)

    # A walk with a stack of its own: answers may be deep.
    root = [values]
    waiting = [root]
    while waiting:
        container = waiting.pop()
        places = list(container.items()) if isinstance(container, dict) else list(enumerate(container))
        for place, value in places:
            if isinstance(container, dict) and place in VOLATILE and value is not None:
                container[place] = "~"
            elif isinstance(value, str):
                container[place] = clean(value)
            elif isinstance(value, (dict, list)):
                waiting.append(value)
    return root[0]


def difference(one, other):
    """The first place where two values differ."""
    waiting = [("", one, other)]
    while waiting:
        path, one, other = waiting.pop(0)
        if isinstance(one, dict) and isinstance(other, dict):
            waiting += [(f"{path}/{key}", one.get(key), other.get(key)) for key in {**one, **other}]
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            waiting += [(f"{path}/{place}", a, b) for place, (a, b) in enumerate(zip(one, other))]
        elif one != other:
            return f"{path or '/'}: {shown(str(one))} with the daemon, {shown(str(other))} without"
    return ""
