"""What a hook reads from a request, and what it makes of it.

The section `mapping` of `check-hooks`, over a running daemon: `each`, paths and `run`, and a request or two of the rest. What each
test, input and value means is proved by `HookConditionTests` and `HookMappingTests`, what is refused by `SettingsDiagnosticsTests`.
"""

import json
import os
import re
import urllib.parse

from hooks_section import HookSection, body_of, code, hook, number, send

FORM = "application/x-www-form-urlencoded"


class Ask:
    """A request to a hook: a body, and what else can be read."""

    def __init__(self, body=None, headers=(), query="", type="application/json", method="POST"):
        self.body = body_of(body) if body is not None else b""
        self.headers, self.query, self.type, self.method = list(headers), query, type, method

    def send(self, daemon, path, wait=False):
        query = "&".join(part for part in (self.query, "wait=1" if wait else "") if part)
        return send(
            daemon, f"/hooks/{path}" + (f"?{query}" if query else ""), self.body, self.headers, self.method, self.type)


class Mapping(HookSection):
    def mapping(self):
        hooks, checks = {}, []
        for plan in (self.reading, self.elements, self.members, self.paths, self.runs):
            text, run = plan()
            hooks.update(text)
            checks.append(run)
        with self.running(hooks, {"path.secret": "path\n"}, prepare=self.prepare) as (station, daemon):
            for run in checks:
                run(station, daemon)
            self.check(daemon.end() == 0, "the daemon ends with 0")
        self.refusals()

    # Conditions, input and values

    def reading(self):
        condition = '{ any = [{ pointer = "/v", contains = "x" }, { header = "X-V", at-least = 5 }, { query = "v", exists = true }] }'
        hooks = {
            "held": hook('{ scheme = "none" }', 'when = [{ pointer = "/v", equals = "x" }]', values="", target="", title="held"),
            "any": hook('{ scheme = "none" }', f"when = [{condition}]", values="", target="", title="held"),
            "several": hook('{ scheme = "none" }', 'input = ["json", { form-json = "payload" }]', values='{ n = "/n", a = "/a/0" }',
                            target="https://town.example/shop/{n}/{+a}", title="{n}|{a}"),
            "query": hook('{ scheme = "none" }', 'input = ["query"]', target="", title="{n}"),
        }

        def run(station, daemon):
            self.accepted("when, and it holds", Ask({"v": "x"}).send(daemon, "held"))
            self.ignored("when, and it does not hold", Ask({"v": "y"}).send(daemon, "held"), "/v", "hooks/held.toml:5:9", ["held"])
            for name, ask in (("the body", Ask({"v": "a x"})), ("a header", Ask({}, [("X-V", "5.0")])), ("the query", Ask({}, query="v"))):
                self.accepted(f"any, by {name}", ask.send(daemon, "any"))
            self.ignored("any, by none", Ask({"v": "y"}, [("X-V", "4")]).send(daemon, "any"), hooks=["any"])
            value = {"n": "ä & b", "a": ["p/q"]}
            target = "https://town.example/shop/%C3%A4%20%26%20b/p/q"
            for name, ask in (
                ("JSON", Ask(value)),
                ("JSON in a form", Ask(urllib.parse.urlencode({"payload": json.dumps(value)}), type=FORM)),
            ):
                self.recorded(f"input, {name}", ask.send(daemon, "several", wait=True), title="ä & b|p/q", target=target)
            self.recorded(
                "input, a query by GET", Ask(query="n=%C3%A4+b", type=None, method="GET").send(daemon, "query", wait=True), title="ä b")
            self.refused("input, another type", Ask("n=1", type="text/plain").send(daemon, "several"), (415, "webhook.media-type"))
            self.refused("a form of 1001 fields", Ask("&".join(["n=1"] * 1001), type=FORM).send(daemon, "several"),
                         (413, "size.form-fields"))
            self.refused("values, a list", Ask({"n": [1]}).send(daemon, "several"), (422, "hook.value-type"))
            self.refused("a target without a value", Ask({"n": "x"}).send(daemon, "several"), (422, "hook.value-missing"))
        return hooks, run

    # Elements

    def elements(self):
        values = '{ name = "/name", group = { body-pointer = "/group" } }'
        same = {"values": values, "target": "https://town.example/shop/{name}", "title": "{name} of {group}"}
        filtered = ('{ pointer = "/alerts", when = [{ pointer = "/status", equals = "firing" }, '
                    '{ body-pointer = "/group", exists = true }] }')
        hooks = {
            "e-all": hook('{ scheme = "none" }', 'each = "/alerts"', **same),
            "e-some": hook('{ scheme = "none" }', f"each = {filtered}", **same),
            "e-both": hook('{ scheme = "none" }', f'when = [{{ pointer = "/status", equals = "firing" }}]\neach = {filtered}', **same),
            "e-id": hook('{ scheme = "none" }', 'each = "/alerts"', 'id = { template = "{name}" }', **same),
        }

        def alerts(*statuses, **more):
            return Ask(dict({"group": "g", "status": "firing", "alerts": [
                {"name": f"a{place}-{number()}", "status": status} for place, status in enumerate(statuses)]}, **more))

        def run(station, daemon):
            ask = alerts("firing", "resolved")
            answer = ask.send(daemon, "e-all", wait=True)
            records = answer.json if isinstance(answer.json, list) else []
            names = [alert["name"] for alert in json.loads(ask.body)["alerts"]]
            self.check(
                answer.status == 200 and [record.get("title") for record in records] == [f"{name} of g" for name in names],
                "each: a record for each element, in order", str(answer))
            self.check(
                isinstance(alerts("firing", "firing").send(daemon, "e-all").json, list), "each: the answer is an array", str(answer))

            ask = alerts("resolved", "firing", "silenced", "firing")
            answer = ask.send(daemon, "e-some", wait=True)
            found = answer.json if isinstance(answer.json, list) else []
            self.check(
                answer.status == 200 and len(found) == 4
                and [item.get("status") == "ignored" for item in found] == [True, False, True, False],
                "each with when: an answer for each element, those that fail are ignored", str(answer))
            why = [reason for item in found if item.get("status") == "ignored" for reason in item.get("why") or [{}]]
            self.check(
                why and all(reason.get("name") == "hook.no-match" and str(reason.get("rule")).startswith("hooks/e-some.toml:")
                            for reason in why), "each with when: and they say why", str(answer))
            answer = alerts("resolved", "firing").send(daemon, "e-some")
            found = answer.json if isinstance(answer.json, list) else [{}, {}]
            self.check(
                answer.status == 202 and [item.get("status") for item in found] == ["ignored", "accepted"],
                "each with when, without waiting: 202, ignored and accepted", str(answer))
            # If all are left out, the event is ignored; `why` has one an element, 16 at most.
            answer = alerts(*["resolved"] * 40).send(daemon, "e-some")
            why = answer.json.get("why") if isinstance(answer.json, dict) else []
            self.check(
                answer.status == 200 and len(why or []) == 16, "each with when, 40 elements and none is wanted: ignored, 16 reasons",
                str(answer))
            answer = alerts(group=None).send(daemon, "e-some")
            self.check(answer.status == 200 and not any(
                item.get("id") for item in answer.json or [{}] if isinstance(item, dict)), "each, no elements: nothing is accepted",
                str(answer))
            answer = Ask({"status": "firing", "alerts": [{"name": "x", "status": "firing"}]}).send(daemon, "e-some")
            self.check(answer.status == 200 and "accepted" not in answer.body.decode(),
                       "each with when: body-pointer starts at the body", str(answer))
            self.ignored("each beside when: the body's condition goes first", alerts(
                "firing", status="resolved").send(daemon, "e-both"), at="/status")
            for name, body in (("no array", {"alerts": {"name": "x"}}), ("no such place", {"group": "g"})):
                answer = Ask(body).send(daemon, "e-all")
                self.refused(f"each, {name}", answer, (422, "hook.elements"))
            answer = Ask({"group": "g", "alerts": [{"name": "x"}, {"other": "y"}]}).send(daemon, "e-all")
            found = answer.json if isinstance(answer.json, list) else [{}, {}]
            self.check(
                answer.status == 202 and [item.get("status") for item in found] == ["accepted", "invalid"]
                and (found[1].get("error") or {}).get("name") == "hook.value-missing",
                "each, a wanted element without a value of the target: the other is accepted", str(answer))
            kept = daemon.delivery(found[1].get("id"))
            self.check(
                (kept.get("state"), kept.get("reason")) == ("failed", "invalid"), "each, such an element is a delivery", str(kept))
            answer = Ask({"group": "g", "alerts": [{"other": "y"}]}).send(daemon, "e-all")
            self.refused("each, no element with a value of the target", answer, (422, "hook.value-missing"))
            ask = alerts("firing", "firing")
            _first, second = ask.send(daemon, "e-id", wait=True), ask.send(daemon, "e-id", wait=True)
            self.check(
                isinstance(second.json, list) and [item.get("reason") for item in second.json] == ["duplicate"] * 2,
                "each, the same ids again: duplicates", str(second))
        return hooks, run

    # Members of the notification

    def members(self):
        hooks = {
            "m-level": hook('{ scheme = "none" }', 'level = "{level}"', values='{ n = "/n", level = "/status" }'),
            "m-expires": hook('{ scheme = "none" }', 'expires = "{ttl}"', values='{ n = "/n", ttl = "/ttl" }'),
            "m-app": hook('{ scheme = "none" }', values='{ n = "/n", app = "/app" }').replace(
                'app = "example.town"', 'app = "example.{app}"'),
            "m-session": hook('{ scheme = "none" }', 'session = "{session}"', values='{ n = "/n", session = "/session" }'),
        }

        def run(station, daemon):
            answer = Ask({"n": "loud", "status": "loud"}).send(daemon, "m-level", wait=True)
            record = answer.json if isinstance(answer.json, dict) else {}
            self.check(
                answer.status == 200 and record.get("warnings") and record.get("error") is None,
                "a level that is none: done, with a warning", str(answer))
            answer = Ask({"n": "old", "ttl": "2001-01-01T00:00:00Z"}).send(daemon, "m-expires", wait=True)
            self.recorded("expires in the past", answer, reason="expired", action="none")
            self.recorded("app of a value", Ask({"n": "own", "app": "town"}).send(daemon, "m-app", wait=True), app="example.town")
            answer = Ask({"n": "own", "app": "nowhere"}).send(daemon, "m-app", wait=True)
            self.check(
                answer.status in (200, 422) and "U" in str((answer.json or {}).get("error")), "app of a value that is none: an error",
                str(answer))
            first = Ask({"n": f"s{number()}", "status": "passive"}).send(daemon, "m-level", wait=True)
            session = (first.json or {}).get("session") if isinstance(first.json, dict) else None
            answer = Ask({"n": f"s{number()}", "session": session}).send(daemon, "m-session", wait=True)
            self.recorded("session of a value", answer, session=session, reason="explicit")
        return hooks, run

    # Paths

    def paths(self):
        signature = '{ scheme = "hmac", secret-file = "path.secret", header = "X-Code" }'
        hooks = {
            # Files by name: 10 goes before 20, whatever their hooks are called.
            "10-shared": hook(signature, 'path = "shared"', 'when = [{ pointer = "/kind", equals = "a" }]', title="first {n}").replace(
                "[hooks.NAME]", "[hooks.zebra]")
            + hook("", 'path = "shared"', 'when = [{ pointer = "/kind", in = ["a", "b"] }]', title="second {n}").replace(
                "[hooks.NAME]", "[hooks.apple]"),
            "20-shared": hook(signature, 'path = "shared"', 'when = [{ pointer = "/kind", exists = true }]', title="third {n}").replace(
                "[hooks.NAME]", "[hooks.mango]"),
            "own-path": hook('{ scheme = "none" }', 'path = "another"'),
            "by-header": hook(
                signature, 'path = "by-header"', 'replays = "code"', 'when = [{ header = "X-Kind", equals = "a" }]').replace(
                "[hooks.NAME]", "[hooks.header-a]")
            + hook("", 'path = "by-header"', 'when = [{ header = "X-Kind", equals = "b" }]').replace(
                "[hooks.NAME]", "[hooks.header-b]"),
        }

        def run(station, daemon):
            def ask(kind, signed=True):
                body = body_of({"kind": kind, "n": str(number())} if kind else {"n": str(number())})
                headers = [("X-Code", code(b"path" if signed else b"other", body))]
                return send(daemon, "/hooks/shared?wait=1", body, headers)

            for kind, title, name in (("a", "first", "zebra"), ("b", "second", "apple"), ("c", "third", "mango")):
                answer = ask(kind)
                record = answer.json if isinstance(answer.json, dict) else {}
                self.check(
                    answer.status == 200 and str(record.get("title")).startswith(title) and record.get("source") == f"hook:{name}",
                    f"several hooks on one path, {kind}: {name} takes it", str(answer))
            self.ignored("several hooks on one path, none matches", ask(None), hooks=["zebra", "apple", "mango"])
            self.refused("several hooks on one path, one signature", ask("b", signed=False), (403, "signature.mismatch"))
            for name in ("zebra", "apple", "own-path"):
                self.refused(f"/hooks/{name}, whose path is another", Ask({"n": "1"}).send(daemon, name), (404, "hook.unknown"))
            self.accepted("a path that is not the name", Ask({"n": str(number())}).send(daemon, "another"))
            # The header that chooses the hook is not signed, so it can be changed in a recorded request.
            body = body_of({"n": str(number())})
            for kind, reason in (("a", "opens"), ("a", "duplicate"), ("b", "duplicate")):
                answer = send(
                    daemon, "/hooks/by-header?wait=1", body, [("X-Code", code(b"path", body)), ("X-Kind", kind)])
                self.check(
                    answer.status == 200 and ((answer.json or {}).get("reason") == "duplicate") == (reason == "duplicate"),
                    f"one signed request, X-Kind {kind}: {reason}", str(answer))
        return hooks, run

    # Commands

    @staticmethod
    def prepare(station):
        station.write("config/hooks/bin/record", RECORD, executable=True)
        station.write("config/hooks/bin/talk", TALK, executable=True)

    def runs(self):
        def run_hook(exec, *lines, values='{ repo = "/repo", "odd name-1" = "/odd" }', target=""):
            return hook('{ scheme = "none" }', f"run = {{ exec = {exec} }}", *lines, values=values, target=target, title="").replace(
                'app = "example.town"\n', "")

        hooks = {
            "r-record": run_hook('["bin/record", "--", "{value.repo}", "{target}", "a {value.repo} b"]',
                                 target="https://town.example/shop/{repo}"),
            "r-plain": run_hook('["bin/record", "plain"]'),
            "r-talk": run_hook('["bin/talk"]'),
            "r-fail": run_hook('["false"]'),
            "r-slow": run_hook('["sleep", "600"]').replace('"600"] }', '"600"], time-limit = 1 }'),
            "r-gone": run_hook('["bin/no-such-program"]'),
            "r-when": run_hook('["bin/record", "when"]', 'when = [{ pointer = "/repo", equals = "wanted" }]'),
        }

        def run(station, daemon):
            def recorded(name):
                path = station.path("config/hooks", name)
                if not os.path.exists(path):
                    return {}
                with open(path, encoding="utf-8") as file:
                    return json.load(file)

            hostile = "$(touch oops)`x`; rm -rf . #\n\"'"
            body = json.dumps({"repo": hostile, "odd": "ödd"}, indent=1)
            answer = Ask(body).send(daemon, "r-record", wait=True)
            record = answer.json if isinstance(answer.json, dict) else {}
            target = "https://town.example/shop/" + urllib.parse.quote(hostile, safe="")
            self.recorded("run", answer, action="background", outcome="done", target=target)
            found = recorded("record.json")
            self.check(found.get("argv") == ["--", hostile, target, f"a {hostile} b"], "run: argv, each value one argument", str(found))
            self.check(found.get("input") == body, "run: the raw body on standard input", str(found))
            self.check(
                os.path.realpath(found.get("cwd") or "/") == os.path.realpath(station.path("config/hooks")),
                "run: in the folder of the hook's file", str(found))
            environment = found.get("environment") or {}
            self.check(
                environment.get("USHER_HOOK") == "r-record" and environment.get("USHER_TARGET") == target
                and environment.get("USHER_DELIVERY") == record.get("id") and environment.get("USHER_VALUE_REPO") == hostile
                and environment.get("USHER_VALUE_ODD_NAME_1") == "ödd", "run: its environment", str(environment))
            self.check(not os.path.exists(station.path("config/hooks/oops")) and not os.path.exists(station.path("oops")),
                       "run: no shell reads a value")

            answer = Ask({"repo": "x"}).send(daemon, "r-plain", wait=True)
            self.recorded("run without a target and an app", answer, action="background", outcome="done", target=None)
            answer = Ask({"repo": "x"}).send(daemon, "r-talk", wait=True)
            handlers = (answer.json or {}).get("handlers") if isinstance(answer.json, dict) else None
            last = (handlers or [{}])[-1]
            self.check(
                last.get("output") == ("o" * 9_000 + "the end of output\n")[-4096:]
                and last.get("error_output") == ("e" * 9_000 + "the end of errors\n")[-4096:],
                "run: the last 4 KiB of both streams", lambda: f"{len(str(last.get('output')))} {str(answer)[-300:]}")
            for name in ("r-fail", "r-gone", "r-slow"):
                answer = Ask({"repo": "x"}).send(daemon, name, wait=True)
                record = answer.json if isinstance(answer.json, dict) else {}
                self.check(
                    answer.status == 200 and record.get("action") == "background" and record.get("outcome") == "failed"
                    and (record.get("error") or {}).get("name"), f"run, {name}: failed, with an error", str(answer))
            # No argument can hold a NUL byte: it is an error, and nothing is cut.
            answer = Ask('{"repo":"a\\u0000b"}').send(daemon, "r-record", wait=True)
            self.check(
                (answer.status == 422 and answer.error.get("name")) or (answer.json or {}).get("outcome") == "failed",
                "run, a NUL byte in a value: an error", str(answer))
            self.ignored("run, not wanted", Ask({"repo": "other"}).send(daemon, "r-when"))
            # One at a time, in order.
            ids = [(Ask({"repo": f"order-{place}"}).send(daemon, "r-plain").json or {}).get("id") for place in range(12)]
            states = [daemon.delivery(id).get("state") for id in ids if id]
            with open(station.path("config/hooks/order"), encoding="utf-8") as file:
                order = [line.split() for line in file]
            mine = [line for line in order if line[1].startswith("order-")]
            self.check(
                states == ["done"] * 12
                and mine == [[word, f"order-{place}"] for place in range(12) for word in ("begin", "end")],
                "run: one at a time, in order", str(mine))
        return hooks, run

    # What is not started with

    def refusals(self):
        bad = {
            "inline-secret": hook('{ scheme = "bearer", secret = "1234" }'),
            "no-value": hook('{ scheme = "none" }', title="{other}"),
            "pair": hook('{ scheme = "none" }', 'path = "pair"').replace("[hooks.NAME]", "[hooks.pair-one]") + hook(
                '{ scheme = "hmac", secret-file = "x.secret", header = "X-Code" }', 'path = "pair"').replace(
                "[hooks.NAME]", "[hooks.pair-two]"),
        }
        with self.station() as station:
            station.secret("x.secret", "x\n")
            for name, text in bad.items():
                station.write(f"config/hooks/{name}.toml", text.replace("[hooks.NAME", f"[hooks.{name}"))
            checked = station.usher("check", "--format", "text")
            said = checked.stdout.decode()
            self.check(checked.returncode in (1, 2), "configurations that are refused: check fails", f"{checked.returncode}")
            for name in bad:
                # Each error of each file, in one run, with its place.
                self.check(
                    re.search(rf"^\s*hooks/{name}\.toml:\d.*: error: ", said, re.M), f"the configuration {name} is refused", said)
            status, log = station.run_daemon()
            self.check(status == 2, "and usherd does not start with them", str(status))
            self.check("1234" not in said + log, "a secret in the configuration is not repeated")


RECORD = """#!/bin/sh
# Leaves what it was given: argv, input, folder and environment as JSON, and a line at its beginning and its end.
exec python3 -c '
import json, os, sys
body = sys.stdin.read()
try:
    name = json.loads(body).get("repo", "-")
except ValueError:
    name = "-"
name = name.split()[0] if name.startswith("order-") else "other"
with open("order", "a") as file:
    file.write("begin " + name + "\\n")
with open("record.json", "w") as file:
    json.dump({"argv": sys.argv[1:], "input": body, "cwd": os.getcwd(), "environment": dict(os.environ)}, file)
with open("order", "a") as file:
    file.write("end " + name + "\\n")
' "$@"
"""
TALK = """#!/bin/sh
head -c 9000 /dev/zero | tr '\\0' o; echo 'the end of output'
head -c 9000 /dev/zero | tr '\\0' e >&2; echo 'the end of errors' >&2
"""
