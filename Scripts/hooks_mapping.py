"""What a hook reads from a request, and what it makes of it.

The section `mapping` of `check-hooks`: `input`, `when`, `each`, `values`, templates, paths, `run`, and configurations that are
refused.
"""

import base64
import json
import os
import time
import urllib.parse

from hooks_section import HookSection, body_of, code, hook, number, send

ABSENT = object()
FORM = "application/x-www-form-urlencoded"

# Test, values of /v that it holds for, values that it does not hold for.
TESTS = [
    ('equals = "x"', ["x"], ["y", "X", "x ", "", 1, None, ["x"], {"x": "x"}, ABSENT]),
    ('equals = ""', [""], ["x", 0, False, None, ABSENT]),
    ('equals = "ä"', ["ä"], ["a\u0308", "Ä"]),
    ("equals = 5", [5], ["5", 6, -5, True, [5], ABSENT]),
    ("equals = true", [True], [False, 1, "true", ABSENT]),
    ("equals = false", [False], [True, 0, "", None, ABSENT]),
    ('in = ["a", 5, true]', ["a", 5, True], ["b", "5", "true", 6, False, ["a"], ABSENT]),
    ("exists = true", ["x", "", 0, False, [], {}], [ABSENT]),
    ("exists = false", [ABSENT], ["x", "", 0, False, [], {}]),
    ('prefix = "refs/"', ["refs/heads", "refs/"], ["ref", "Refs/x", "/refs/", 5, ["refs/"], ABSENT]),
    ('starts-with = "refs/"', ["refs/heads", "refs/"], ["ref", "Refs/x", "/refs/", 5, ["refs/"], ABSENT]),
    ('ends-with = ".toml"', ["a.toml", ".toml"], ["a.toml ", "toml", "a.TOML", 5, [".toml"], ABSENT]),
    ('contains = "bug"', ["a bug", "debugger", "bug", ["bug"], ["a", "bug"]],
     ["bu g", "BUG", ["bugs"], ["a bug"], [["bug"]], [], {"bug": 1}, 5, ABSENT]),
    ("contains = 5", [[5], [1, 5]], [["5"], [55], [], 5, ABSENT]),
    ("less-than = 5", [4, 4.9, -1, 0], [5, 5.1, 1e9, "4", True, None, [4], ABSENT]),
    ("at-most = 5", [5, 4, -1e9], [5.1, 6, "5", False, ABSENT]),
    ("greater-than = 5", [5.1, 6, 1e30], [5, 4, "6", True, ABSENT]),
    ("at-least = 5", [5, 5.5, 6], [4.99, 4, "5", ABSENT]),
    ("at-least = 0.5", [0.5, 1], [0.4, 0]),
    ("greater-than = 9007199254740992", [9007199254740993], [9007199254740992, 9007199254740991]),
]
# The same of text in a header, in the query, and in a form: numbers are decimal text there.
TEXT_TESTS = [
    ('equals = "x"', ["x"], ["y", "X"]), ('in = ["a", "b"]', ["a", "b"], ["c", "ab"]), ("exists = true", ["x"], [ABSENT]),
    ("exists = false", [ABSENT], ["x"]), ('starts-with = "a"', ["a", "ab"], ["b", ABSENT]), ('ends-with = "z"', ["z", "az"], ["za"]),
    ('contains = "mid"', ["amidst"], ["mi", ABSENT]), ("less-than = 5", ["4", "-1", "4.5"], ["5", "x", "0x1", "4 5", ABSENT]),
    ("at-most = 5", ["5", "5.0"], ["5.01", "five"]), ("greater-than = 5", ["6", "5.01", "100"], ["5", "6a", ABSENT]),
    ("at-least = 5", ["5", "10"], ["4", "4.99", ""]),
]


class Ask:
    """A request to a hook: a body, and what else can be read."""

    def __init__(self, body=None, headers=(), query="", type="application/json", method="POST"):
        self.body = body_of(body) if body is not None else b""
        self.headers, self.query, self.type, self.method = list(headers), query, type, method

    def send(self, daemon, path, wait=False):
        query = "&".join(part for part in (self.query, "wait=1" if wait else "") if part)
        return send(
            daemon, f"/hooks/{path}" + (f"?{query}" if query else ""), self.body, self.headers, self.method, self.type)


def with_value(value):
    return Ask({"other": 1} if value is ABSENT else {"other": 1, "v": value})


def conditional(condition):
    # A constant title and nothing else to read: only the condition decides.
    return hook('{ scheme = "none" }', f"when = [{condition}]", values="", target="", title="held")


class Mapping(HookSection):
    def mapping(self):
        hooks, checks = {}, []
        for plan in (self.conditions, self.inputs, self.elements, self.values, self.templates, self.paths, self.runs):
            text, run = plan()
            hooks.update(text)
            checks.append(run)
        with self.running(hooks, {"path.secret": "path\n"}, prepare=self.prepare) as (station, daemon):
            for run in checks:
                run(station, daemon)
            self.check(daemon.end() == 0, "the daemon ends with 0")
        self.refusals()

    # Conditions

    def conditions(self):
        hooks, asked = {}, []

        def case(condition, holding, failing, name):
            hooks[name] = conditional(condition)
            asked.append((name, condition, holding, failing))

        for place, (test, holding, failing) in enumerate(TESTS):
            test = f'pointer = "/v", {test}'
            yes, no = [with_value(value) for value in holding], [with_value(value) for value in failing]
            case(f"{{ {test} }}", yes, no, f"c-{place:02}")
            # A missing place fails every test but `exists = false`, so `not` holds for it.
            case(f"{{ not = {{ {test} }} }}", no, yes, f"c-{place:02}-not")
            case(f'{{ any = [{{ pointer = "/never", exists = true }}, {{ {test} }}] }}', yes[:1], no[:1], f"c-{place:02}-any")
            case(f'{{ all = [{{ pointer = "/other", equals = 1 }}, {{ {test} }}] }}', yes[:1], no[:1], f"c-{place:02}-all")
        for place, (test, holding, failing) in enumerate(TEXT_TESTS):
            def header(value):
                return Ask({}, [("X-V", value)] if value is not ABSENT else [])

            def query(value):
                return Ask({}, query=f"v={urllib.parse.quote(value)}" if value is not ABSENT else "w=1")

            def field(value):
                return Ask(urllib.parse.urlencode({"v": value} if value is not ABSENT else {"w": "1"}), type=FORM)

            for kind, make in (("header", header), ("query", query), ("pointer", field)):
                at = {"header": 'header = "x-v"', "query": 'query = "v"', "pointer": 'pointer = "/v"'}[kind]
                name = f"t-{place:02}-{kind}"
                case(f"{{ {at}, {test} }}", [make(value) for value in holding], [make(value) for value in failing], name)
                if kind == "pointer":
                    hooks[name] += 'input = ["form"]\n'
        case('{ any = [{ pointer = "/v", equals = "a" }, { header = "X-V", equals = "b" }, { query = "v", equals = "c" }] }',
             [with_value("a"), Ask({}, [("X-V", "b")]), Ask({}, query="v=c")], [Ask({}), with_value("b"), Ask({}, query="v=a")],
             "n-any")
        case('{ not = { any = [{ pointer = "/v", equals = "a" }, { pointer = "/v", equals = "b" }] } }',
             [with_value("c"), with_value(ABSENT)], [with_value("a"), with_value("b")], "n-not-any")
        case('{ not = { all = [{ pointer = "/v", starts-with = "a" }, { pointer = "/v", ends-with = "z" }] } }',
             [with_value("a"), with_value("z")], [with_value("az")], "n-not-all")
        case('{ pointer = "/v", exists = true }, { header = "X-V", equals = "b" }',
             [Ask({"v": 1}, [("X-V", "b")])], [Ask({"v": 1}), Ask({}, [("X-V", "b")]), Ask({})], "n-two")
        # "At most 8 deep": with the test itself as the eighth, every reading allows it; nine around it, none does.
        case(deep(7), [with_value("x")], [with_value("y")], "n-deep")
        case('{ pointer = "", exists = true }', [Ask({}), Ask([]), Ask("5")], [], "n-whole")
        case('{ pointer = "/a~1b/m~0n/1", equals = "x" }', [Ask({"a/b": {"m~n": ["w", "x"]}})],
             [Ask({"a/b": {"m~n": ["x"]}}), Ask({"a": {"b": 1}})], "n-escaped")

        def run(station, daemon):
            for name, condition, holding, failing in asked:
                if self.lacks(name):
                    continue
                for ask in holding:
                    self.accepted(f"when {condition}: {ask.body.decode()} {ask.headers or ''} {ask.query}", ask.send(daemon, name))
                # One condition: the answer says which, where it stands, and what it looked at.
                is_one = not any(word in condition for word in ("not =", "any =", "all =")) and "}, {" not in condition
                at = "/v" if is_one and 'pointer = "/v"' in condition else None
                text = hooks[name].splitlines()
                line = next(index for index, value in enumerate(text, 1) if value.startswith("when"))
                rule = f"hooks/{name}.toml:{line}:9" if is_one else None
                for ask in failing:
                    self.ignored(
                        f"when {condition}: {ask.body.decode()} {ask.headers or ''} {ask.query}", ask.send(daemon, name), at,
                        rule, [name])
        return hooks, run

    # Input

    def inputs(self):
        shown = {"values": '{ n = "/n", all = "/all" }', "target": "", "title": "{n}|{all}"}
        hooks = {
            "i-json": hook('{ scheme = "none" }', **shown),
            "i-form": hook('{ scheme = "none" }', 'input = ["form"]', values='{ n = "/n", first = "/all/0", second = "/all/1" }',
                           target="", title="{n}|{first}|{second}"),
            "i-payload": hook('{ scheme = "none" }', 'input = [{ form-json = "payload" }]', **shown),
            "i-query": hook('{ scheme = "none" }', 'input = ["query"]', **shown),
            "i-several": hook('{ scheme = "none" }', 'input = ["json", "form", { form-json = "payload" }]', **shown),
            "i-github": hook('{ scheme = "none" }', 'input = ["json", { form-json = "payload" }]', **shown),
        }

        def run(station, daemon):
            def titled(name, path, ask, title):
                self.recorded(name, ask.send(daemon, path, wait=True), title=title)

            def refused(name, path, ask, *allowed):
                self.refused(name, ask.send(daemon, path), *allowed)

            media = (415, "webhook.media-type")
            titled("JSON", "i-json", Ask({"n": "a", "all": 1}), "a|1")
            titled("JSON with a charset", "i-json", Ask({"n": "a"}, type="application/json; charset=utf-8"), "a|")
            for type in (FORM, "text/plain", "multipart/form-data; boundary=x", "application/xml"):
                refused(f"{type} where JSON is read", "i-json", Ask("n=1", type=type), media)
            refused("JSON where a form is read", "i-form", Ask({"n": "a"}), media)
            titled("a form", "i-form", Ask("n=a", type=FORM), "a||")
            titled("a form with everything", "i-form", Ask(
                "n=%C3%A4+%26%3D&all=1&all=2", type=FORM + ";charset=UTF-8"), "ä &=|1|2")
            titled("a form's empty field", "i-form", Ask("n=&all=1&all=", type=FORM), "|1|")
            titled("a form's field without =", "i-form", Ask("n", type=FORM), "||")
            titled("a field that looks like a number stays text", "i-form", Ask("n=007", type=FORM), "007||")
            titled("a form of 1000 fields", "i-form", Ask("n=a&" + "&".join(f"f{place}=1" for place in range(999)), type=FORM), "a||")
            for count in (1_001, 10_000):
                refused(f"a form of {count} fields", "i-form", Ask(
                    "&".join(f"f{place}=1" for place in range(count)), type=FORM), (413, "size.form-fields"))
            refused("a form of 10000 fields of one name", "i-form", Ask(
                "&".join(["n=1"] * 10_000), type=FORM), (413, "size.form-fields"))
            payload = json.dumps({"n": "ä & b", "all": True})
            titled("JSON in a form", "i-payload", Ask(urllib.parse.urlencode({"payload": payload}), type=FORM), "ä & b|true")
            titled("JSON in a form beside other fields", "i-payload", Ask(
                urllib.parse.urlencode({"a": "1", "payload": payload, "z": "2"}), type=FORM), "ä & b|true")
            answer = Ask("n=1", type=FORM).send(daemon, "i-payload")
            self.check(
                answer.status == 400 and "payload" in str(answer.error.get("message")), "JSON in a form, no such field: 400 names it",
                str(answer))
            for name, value in (("no JSON", "{"), ("nothing", "")):
                answer = Ask(urllib.parse.urlencode({"payload": value}), type=FORM).send(daemon, "i-payload")
                self.check(answer.status == 400 and answer.error.get("name"), f"JSON in a form, {name}: 400", str(answer))
            titled("a query, GET", "i-query", Ask(query="n=%C3%A4+b&all=1", type=None, method="GET"), "ä b|1")
            titled("a query, POST", "i-query", Ask(query="n=a", type=None), "a|")
            titled("a query, POST with a body of any type", "i-query", Ask("x", query="n=a", type="text/plain"), "a|")
            titled("one of several, JSON", "i-several", Ask({"n": "j"}), "j|")
            titled("one of several, a form", "i-several", Ask("n=f", type=FORM), "f|")
            titled("one of several, JSON in a form", "i-several", Ask(
                urllib.parse.urlencode({"payload": payload}), type=FORM), "ä & b|true")
            titled("GitHub's both, JSON", "i-github", Ask({"n": "j"}), "j|")
            titled("GitHub's both, a form", "i-github", Ask(urllib.parse.urlencode({"payload": payload}), type=FORM), "ä & b|true")
            answer = Ask("n=1", type=FORM).send(daemon, "i-github")
            self.check(answer.status == 400, "GitHub's both, a form without payload: 400", str(answer))
            for body in ("{", "", "[1,", '{"n":1}x', "\ufeff{}", '{"n":1,"n":2}'):
                answer = Ask(body).send(daemon, "i-json")
                self.check(answer.status == 400 and answer.error.get("name"), f"{body!r} is no JSON: 400", str(answer))
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
            for count in (1, 3, 40):
                answer = alerts(*["resolved"] * count).send(daemon, "e-some")
                value = answer.json
                why = value.get("why") if isinstance(value, dict) else [
                    reason for item in value or [] for reason in item.get("why") or []]
                self.check(
                    answer.status == 200 and isinstance(why, list) and 1 <= len(why) <= max(16, 0 if isinstance(value, dict) else 40)
                    and (count > 16 or len(why) == count), f"each with when, {count} elements and none is wanted: 200, ignored",
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
            self.refused("each, a wanted element without a value of the target", answer, (422, "hook.value-missing"))
            ask = alerts("firing", "firing")
            _first, second = ask.send(daemon, "e-id", wait=True), ask.send(daemon, "e-id", wait=True)
            self.check(
                isinstance(second.json, list) and [item.get("reason") for item in second.json] == ["duplicate"] * 2,
                "each, the same ids again: duplicates", str(second))
        return hooks, run

    # Values

    def values(self):
        encoded = base64.b64encode(b'{"name":"in base64","list":[1,2]}').decode()
        # A value, a request, and the title that has it in brackets; a missing value is empty in a text.
        table = [
            ('"/a/b"', Ask({"a": {"b": "x"}}), "x"), ('"/a/0"', Ask({"a": ["x"]}), "x"), ('"/a~1b"', Ask({"a/b": "x"}), "x"),
            ('"/a"', Ask({}), ""), ('"/a"', Ask({"a": None}), ""), ('"/a"', Ask({"a": ""}), ""),
            ('"/a"', Ask('{"a": 1.50}'), "1.50"), ('"/a"', Ask('{"a": 12345678901234567890123}'), "12345678901234567890123"),
            ('"/a"', Ask('{"a": 1e3}'), "1e3"), ('"/a"', Ask({"a": True}), "true"), ('"/a"', Ask({"a": "{b}"}), "{b}"),
            ('["/a", "/b"]', Ask({"a": "x", "b": "y"}), "x"), ('["/a", "/b"]', Ask({"b": "y"}), "y"),
            ('["/a", "/b"]', Ask({"a": None, "b": "y"}), "y"), ('["/a", "/b"]', Ask({"a": "", "b": "y"}), ""),
            ('["/a", "/b"]', Ask({"c": 1}), ""), ('["/a", "/b", "/c", "/d"]', Ask({"d": 4}), "4"),
            ('{ pointer = "/a", default = "d" }', Ask({}), "d"), ('{ pointer = "/a", default = "d" }', Ask({"a": "x"}), "x"),
            ('{ pointer = ["/a", "/b"], default = "" }', Ask({"b": "y"}), "y"),
            ('{ pointer = ["/a", "/b"], default = "" }', Ask({}), ""),
            ('{ header = "X-A" }', Ask({}, [("x-a", "h")]), "h"), ('{ header = ["X-A", "X-B"] }', Ask({}, [("X-B", "h")]), "h"),
            ('{ query = "a" }', Ask({}, query="a=q+r"), "q r"), ('{ query = ["a", "b"] }', Ask({}, query="b=q"), "q"),
            ('{ body-pointer = ["/a", "/b"] }', Ask({"b": "y"}), "y"),
            ('[{ header = "X-Id" }, "/id"]', Ask({"id": "b"}, [("X-Id", "h")]), "h"),
            ('[{ header = "X-Id" }, "/id"]', Ask({"id": "b"}), "b"),
            ('[{ query = "id" }, { header = "X-Id" }, { pointer = "/id", default = "none" }]', Ask({}), "none"),
            ('{ pointer = "/s", map = { firing = "critical", resolved = "passive" } }', Ask({"s": "firing"}), "critical"),
            ('{ pointer = "/s", map = { firing = "critical", resolved = "passive" } }', Ask({"s": "other"}), "other"),
            ('{ pointer = "/s", map = { firing = "critical" }, map-default = "active" }', Ask({"s": "other"}), "active"),
            ('{ pointer = "/s", map = { firing = "critical" }, map-default = "active" }', Ask({"s": "firing"}), "critical"),
            ('{ pointer = "/s", map = { "5" = "five", true = "yes" } }', Ask({"s": 5}), "five"),
            ('{ pointer = "/s", map = { "5" = "five", true = "yes" } }', Ask({"s": True}), "yes"),
            ('{ pointer = "/s", map = { "" = "empty" } }', Ask({"s": ""}), "empty"),
            ('{ pointer = ["/s", "/t"], map = { a = "b" }, default = "d" }', Ask({"t": "a"}), "b"),
            ('{ pointer = "/d", decode = "base64" }', Ask({"d": base64.b64encode("grün".encode()).decode()}), "grün"),
            ('{ pointer = "/d", decode = "base64", default = "d" }', Ask({"d": "%%%"}), "d"),
            ('{ pointer = "/d", decode = "base64", default = "d" }', Ask({"d": base64.b64encode(b"\xff\xfe").decode()}), "d"),
            ('{ pointer = "/d", decode = "json", at = "/name" }', Ask({"d": '{"name":"in JSON"}'}), "in JSON"),
            ('{ pointer = "/d", decode = "json", at = "/name", default = "d" }', Ask({"d": "{"}), "d"),
            ('{ pointer = "/d", decode = "json", at = "/name", default = "d" }', Ask({"d": '{"other":1}'}), "d"),
            ('{ pointer = "/d", decode = "base64-json", at = "/name" }', Ask({"d": encoded}), "in base64"),
            ('{ pointer = "/d", decode = "base64-json", at = "/list/1" }', Ask({"d": encoded}), "2"),
            ('{ pointer = "/d", decode = "base64-json", at = "/name", default = "d" }', Ask({"d": "e30"}), "d"),
            ('[{ pointer = "/d", decode = "base64-json", at = "/name" }, "/b"]', Ask({"d": "%", "b": "y"}), "y"),
            ('{ header = "X-D", decode = "json", at = "/name" }', Ask({}, [("X-D", '{"name":"h"}')]), "h"),
        ]
        texts = list(dict.fromkeys(value for value, _, _ in table))
        hooks = {
            f"v-{place:02}": hook('{ scheme = "none" }', values=f"{{ v = {text} }}", target="", title="[{v}] {{}}")
            for place, text in enumerate(texts)}
        hooks["v-target"] = hook('{ scheme = "none" }', values='{ a = "/a", b = ["/b", "/c"] }', target=TEMPLATE, title="{a}")

        def run(station, daemon):
            for value, ask, title in table:
                self.recorded(
                    f"values {value}: {ask.body.decode()} {ask.headers or ''} {ask.query}",
                    ask.send(daemon, f"v-{texts.index(value):02}", wait=True), title=f"[{title}] {{}}")
            for value in ([1], {"a": 1}):
                self.refused(f"values, {value}", Ask({"a": {"b": value}}).send(daemon, "v-00"), (422, "hook.value-type"))
            self.recorded("a target of values", Ask({"a": "x/y z", "b": "p/q"}).send(daemon, "v-target", wait=True),
                          target="https://town.example/shop/x%2Fy%20z/p/q", title="x/y z")
            self.recorded("a target of the second place", Ask({"a": "x", "c": "r"}).send(daemon, "v-target", wait=True),
                          target="https://town.example/shop/x/r")
            self.refused("a target without a value", Ask({"a": "x"}).send(daemon, "v-target"), (422, "hook.value-missing"))
        return hooks, run

    # Templates

    def templates(self):
        level = '{ pointer = "/status", map = { firing = "critical", resolved = "passive" } }'
        hooks = {
            "m-level": hook('{ scheme = "none" }', 'level = "{level}"', 'thread = "t-{n}"', 'collapse = "c-{n}"',
                            values=f'{{ n = "/n", level = {level} }}'),
            "m-expires": hook('{ scheme = "none" }', 'expires = "{ttl}"', values='{ n = "/n", ttl = "/ttl" }'),
            "m-app": hook('{ scheme = "none" }', values='{ n = "/n", app = "/app" }').replace(
                'app = "example.town"', 'app = "example.{app}"'),
            "m-session": hook('{ scheme = "none" }', 'session = "{session}"', values='{ n = "/n", session = "/session" }'),
        }

        def run(station, daemon):
            def made(path, body):
                answer = Ask(body).send(daemon, path)
                value = self.input_of(daemon, answer)
                return answer, value, (value.get("payload") or {}).get("aps") or {}, value.get("headers") or {}

            for status, wanted in (("firing", "critical"), ("resolved", "passive"), ("time-sensitive", "time-sensitive")):
                answer, value, aps, headers = made("m-level", {"n": f"l{number()}", "status": status})
                self.check(aps.get("interruption-level") == wanted, f"level of {status}: {wanted}", f"{answer} {value}")
            self.check(
                str(aps.get("thread-id")).startswith("t-l") and str(headers.get("apns-collapse-id")).startswith("c-l"),
                "thread and collapse", str(value))
            answer = Ask({"n": "loud", "status": "loud"}).send(daemon, "m-level", wait=True)
            record = answer.json if isinstance(answer.json, dict) else {}
            self.check(
                answer.status == 200 and record.get("warnings") and record.get("error") is None,
                "a level that is none: done, with a warning", str(answer))
            answer, value, aps, headers = made("m-level", {"n": "loud", "status": "loud"})
            self.check(aps.get("interruption-level") in (None, "active"), "a level that is none: active", str(value))

            now = int(time.time())
            for ttl, lowest, highest in (
                (600, now + 599, now + 660), ("600", now + 599, now + 660), ("2099-01-02T03:04:05Z", 4071006245, 4071006245),
                ("2099-01-02T04:04:05+01:00", 4071006245, 4071006245),
            ):
                answer, value, aps, headers = made("m-expires", {"n": f"x{number()}", "ttl": ttl})
                found = headers.get("apns-expiration")
                self.check(
                    str(found).isdigit() and lowest <= int(found) <= highest, f"expires {ttl!r}", f"{answer} {value}")
            answer = Ask({"n": "old", "ttl": "2001-01-01T00:00:00Z"}).send(daemon, "m-expires", wait=True)
            self.recorded("expires in the past", answer, reason="expired", action="none")

            self.recorded("app of a value", Ask({"n": "own", "app": "town"}).send(daemon, "m-app", wait=True), app="example.town")
            answer = Ask({"n": "own", "app": "nowhere"}).send(daemon, "m-app", wait=True)
            self.check(
                answer.status in (200, 422) and "U" in str((answer.json or {}).get("error")), "app of a value that is none: an error",
                str(answer))
            first = Ask({"n": f"s{number()}"}).send(daemon, "m-level", wait=True)
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
        hmac = 'scheme = "hmac", secret-file = "x.secret", header = "X-Code"'
        bad = {
            "unknown-key": hook('{ scheme = "none" }', 'colour = "red"'),
            "unknown-signature-key": hook(f'{{ {hmac}, colour = "red" }}'),
            "inline-secret": hook('{ scheme = "bearer", secret = "1234" }'),
            "no-such-scheme": hook('{ scheme = "githup", secret-file = "x.secret" }'),
            "hmac-audience": hook(f'{{ {hmac}, audience = "x" }}'),
            "hmac-key-file": hook('{ scheme = "hmac", key-file = "x.pem", header = "X-Code" }'),
            "hmac-no-header": hook('{ scheme = "hmac", secret-file = "x.secret" }'),
            "hmac-no-secret": hook('{ scheme = "hmac", header = "X-Code" }'),
            "hmac-md5": hook(f'{{ {hmac}, algorithm = "md5" }}'),
            "hmac-ed25519": hook(f'{{ {hmac}, algorithm = "ed25519" }}'),
            "hmac-encoding": hook(f'{{ {hmac}, encoding = "base32" }}'),
            "hmac-secret-encoding": hook(f'{{ {hmac}, secret-encoding = "rot13" }}'),
            "hmac-format": hook(f'{{ {hmac}, format = "stripe" }}'),
            "hmac-payload": hook(f'{{ {hmac}, payload = "body" }}'),
            "hmac-time-format": hook(f'{{ {hmac}, timestamp-header = "X-Time", timestamp-format = "unix" }}'),
            "hmac-two-times": hook(f'{{ {hmac}, timestamp-header = "X-Time", timestamp-pointer = "/time" }}'),
            "hmac-item-without-list": hook(f'{{ {hmac}, timestamp-prefix = "t=" }}'),
            "hmac-content": hook(f'{{ {hmac}, content = "{{nothing}}" }}'),
            "hmac-content-time": hook(f'{{ {hmac}, content = "{{timestamp}}.{{body}}" }}'),
            "bearer-algorithm": hook('{ scheme = "bearer", secret-file = "x.secret", algorithm = "sha256" }'),
            "bearer-secret-encoding": hook('{ scheme = "bearer", secret-file = "x.secret", secret-encoding = "hex" }'),
            "basic-header": hook('{ scheme = "basic", secret-file = "x.secret", header = "X-Auth" }'),
            "none-secret": hook('{ scheme = "none", secret-file = "x.secret" }'),
            "standard-audience": hook('{ scheme = "standard", secret-file = "x.secret", audience = "x" }'),
            "key-secret-file": hook('{ scheme = "public-key", secret-file = "x.secret", header = "X-Code" }'),
            "key-sha256": hook('{ scheme = "public-key", key-file = "x.pem", header = "X-Code", algorithm = "sha256" }'),
            "jwt-no-audience": hook('{ scheme = "jwt", key-file = "x.pem" }'),
            "jwt-none": hook('{ scheme = "jwt", key-file = "x.pem", audience = "x", algorithm = "none" }'),
            "jwt-hs256": hook('{ scheme = "jwt", key-file = "x.pem", audience = "x", algorithm = ["RS256", "HS256"] }'),
            "condition-no-test": hook('{ scheme = "none" }', 'when = [{ pointer = "/a" }]'),
            "condition-two-tests": hook('{ scheme = "none" }', 'when = [{ pointer = "/a", equals = 1, exists = true }]'),
            "condition-no-place": hook('{ scheme = "none" }', "when = [{ equals = 1 }]"),
            "condition-two-places": hook('{ scheme = "none" }', 'when = [{ pointer = "/a", header = "X", equals = "1" }]'),
            "condition-number": hook('{ scheme = "none" }', 'when = [{ pointer = "/a", less-than = "5" }]'),
            "condition-regex": hook('{ scheme = "none" }', 'when = [{ pointer = "/a", matches = ".*" }]'),
            "condition-not-list": hook('{ scheme = "none" }', 'when = [{ not = [{ pointer = "/a", exists = true }] }]'),
            "condition-not-and-test": hook('{ scheme = "none" }', 'when = [{ not = { pointer = "/a", exists = true }, equals = 1 }]'),
            "condition-nine": hook('{ scheme = "none" }', f"when = [{deep(9)}]"),
            "pointer-relative": hook('{ scheme = "none" }', 'when = [{ pointer = "a", exists = true }]'),
            "each-number": hook('{ scheme = "none" }', "each = 5"),
            "value-decode": hook('{ scheme = "none" }', values='{ n = { pointer = "/n", decode = "rot13" } }'),
            "value-unknown": hook('{ scheme = "none" }', title="{other}"),
            "input-xml": hook('{ scheme = "none" }', 'input = ["xml"]'),
            "input-empty": hook('{ scheme = "none" }', "input = []"),
            "accepted-201": hook('{ scheme = "none" }', "accepted = 201"),
            "unmatched-word": hook('{ scheme = "none" }', 'unmatched = "fail"'),
            "run-text": hook('{ scheme = "none" }', 'run = { exec = "deploy now" }'),
            "run-empty": hook('{ scheme = "none" }', "run = { exec = [] }"),
            "run-unknown-value": hook('{ scheme = "none" }', 'run = { exec = ["true", "{value.other}"] }'),
            "replays-word": hook(f"{{ {hmac} }}", 'replays = "never"'),
            # A token signs no body: there is no code to remember.
            "replays-bearer": hook('{ scheme = "bearer", secret-file = "x.secret" }', 'replays = "code"'),
            "answer-empty": hook('{ scheme = "none" }', '[[hooks.NAME.answers]]', "status = 200"),
            "answer-both": hook('{ scheme = "none" }', '[[hooks.NAME.answers]]', 'text = "a"', "json = { a = 1 }"),
        }
        pair = hook('{ scheme = "none" }', 'path = "pair"').replace("[hooks.NAME]", "[hooks.pair-one]") + hook(
            f"{{ {hmac} }}", 'path = "pair"').replace("[hooks.NAME]", "[hooks.pair-two]")
        with self.station() as station:
            station.secret("x.secret", "x\n")
            for name, text in dict(bad, pair=pair).items():
                station.write(f"config/hooks/{name}.toml", text.replace("[hooks.NAME", f"[hooks.{name}"))
            checked = station.usher("check", "--format", "text")
            said = checked.stdout.decode()
            self.check(checked.returncode in (1, 2), "configurations that are refused: check fails", f"{checked.returncode}")
            for name in [*bad, "pair"]:
                is_said = any(
                    line.lstrip().startswith(f"hooks/{name}.toml:") and ": error: " in line for line in said.splitlines())
                # Each error of each file, in one run, with its place.
                self.check(is_said, f"the configuration {name} is refused", lambda: bad.get(name, pair).splitlines()[-1])
            status, log = station.run_daemon()
            self.check(status == 2, "and usherd does not start with them", str(status))
            self.check("1234" not in said + log, "a secret in the configuration is not repeated")


TEMPLATE = "https://town.example/shop/{a}/{+b}"


def deep(levels):
    """`/v` equals "x", inside so many of `not`, `any` and `all`; an even number of `not`s."""
    text = '{ pointer = "/v", equals = "x" }'
    for level in range(levels):
        text = f"{{ any = [{text}] }}" if level % 2 else f"{{ all = [{text}] }}"
    return text


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
