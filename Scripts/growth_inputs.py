"""Inputs of `check-growth`: of each reader those that could make it slow, as functions of a size."""

import json
import os


class Case:
    """A command line, how large its input is, and with which statuses it may end."""

    def __init__(self, words, size, statuses=(0,)):
        self.words, self.size, self.statuses = list(words), size, statuses


# MARK: Texts

def payload(make, *statuses, file="p.json"):
    """One JSON text, read as a payload."""
    def case(folder, size):
        text = make(size)
        return Case(["payload", "inspect", folder.write(file, text)], len(text), statuses or (0, 1))
    return case


def with_member(value):
    return '{"aps":{"alert":"x"},"m":' + value + "}"


def members(size, name):
    return "{" + '"aps":{"alert":"x"},' + ",".join(f'"{name(place)}":{place}' for place in range(size)) + "}"


JSON = [
    ("json deep arrays", lambda size: with_member("[" * size + "]" * size), 2_000),
    ("json deep objects", lambda size: with_member('{"a":' * size + "1" + "}" * size), 2_000),
    ("json open arrays", lambda size: "[" * size, 5_000),
    ("json open objects", lambda size: '{"a":' * size, 5_000),
    ("json many members", lambda size: members(size, lambda place: f"member {place}"), 1_000),
    ("json one name", lambda size: members(size, lambda place: "m"), 1_000),
    ("json long beginnings", lambda size: members(size, lambda place: "a" * 60 + str(place)), 500),
    ("json escaped names", lambda size: members(size, lambda place: "\\u0061" * 4 + str(place)), 1_000),
    ("json small objects", lambda size: with_member("[" + ",".join('{"a":1,"b":2}' for _ in range(size)) + "]"), 1_000),
    ("json texts", lambda size: with_member("[" + ",".join('"x"' for _ in range(size)) + "]"), 2_000),
    ("json escapes", lambda size: with_member('"' + "\\ud83d\\ude00\\n" * size + '"'), 1_000),
    ("json accents", lambda size: with_member('"' + "e\u0301\u0327" * size + '"'), 2_000),
    ("json bad utf-8", lambda size: b'{"aps":{"alert":"' + b"\xff\xfe" * size + b'"}}', 2_000),
    ("json digits", lambda size: with_member("1" + "0" * size + "." + "0" * size + "e" + "1" * size), 2_000),
    ("json white space", lambda size: with_member(" \n\t" * size + "1"), 2_000),
    ("json arguments", lambda size: json.dumps({"aps": {"alert": {"loc-key": "k", "loc-args": ["a"] * size}}}), 1_000),
]
STREAMS = [
    ("stream {", lambda size: "{\n" * size, 1_000),
    ("stream [", lambda size: "[\n" * size, 1_000),
    ("stream \"", lambda size: '"\n' * size, 1_000),
    ("stream }", lambda size: "}\n" * size, 1_000),
    ("stream words", lambda size: "no json\n" * size, 500),
    ("stream objects", lambda size: '{"aps":{"badge":1}}\n' * size, 200),
    ("stream one line", lambda size: '{"aps":{"badge":1}}' * size, 200),
    ("stream open texts", lambda size: '{"a":"\n' * size, 500),
    ("stream blank lines", lambda size: "\n" * size + "{}", 5_000),
]


def dispatched(make):
    """A stream, read by `dispatch`."""
    def case(folder, size):
        text = make(size)
        folder.write("config/usher.toml", "")
        folder.write("config/apps/a.toml", 'id = "a"\nname = "A"\n')
        return Case(
            ["dispatch", "--dry-run", "--app", "a", "--quiet", "--config", folder.path + "/config", "--state", folder.path + "/state",
             folder.write("in.jsonl", text)], len(text), (0, 1, 2))
    return case


# MARK: Pages

def page(make):
    def case(folder, size):
        text = json.dumps(make(size))
        return Case(
            ["page", "inspect", "--url", "https://p.example/a/b", folder.write("page.json", text)], len(text), (0, 1))
    return case


def linked(graph):
    return {"@context": "https://schema.org", "@graph": graph}


def nested(size):
    """Items in items, each in an array of its own."""
    inner = {"name": "x"}
    for place in range(60):
        inner = {"@type": "Place", "name": f"n{place}", "address": inner}
    return [linked([inner] * (size // 60 + 1))]


PAGES = [
    ("page places", lambda size: linked([
        {"@type": "Place", "name": f"n{place}", "telephone": "+1 555 0100"} for place in range(size)]), 200),
    ("page references", lambda size: linked([
        {"@type": "Place", "@id": f"#{place}", "name": "n", "address": {"@id": f"#{(place + 1) % size}"}}
        for place in range(size)]), 200),
    ("page references of all to one", lambda size: linked([
        {"@id": "#a", "streetAddress": ["s"] * size, "telephone": ["+1 555 0100"] * size}] + [
        {"@type": "Place", "name": "n", "address": [{"@id": "#a"}] * 20} for _ in range(size)]), 100),
    ("page references of one to all", lambda size: linked([
        {"@type": "Place", "@id": "#a", "address": [{"@id": f"#{place}"} for place in range(size)]}] + [
        {"@id": f"#{place}", "name": "n", "address": {"@id": "#a"}} for place in range(size)]), 200),
    ("page references without parts", lambda size: linked([
        {"@id": f"#{place}", "address": [{"@id": f"#{other}"} for other in range(40)]} for place in range(size)]), 50),
    ("page one id", lambda size: linked([{"@id": "#a", "name": f"n{place}", "geo": {"@id": "#a"}} for place in range(size)]), 200),
    ("page properties", lambda size: linked([{"@type": "Place", **{f"p{place}": "v" for place in range(size)}}]), 400),
    ("page values", lambda size: linked([{"@type": "Place", "name": ["n"] * size, "telephone": [f"+1 555 {n:06}" for n in range(size)]}]), 400),
    ("page bad numbers", lambda size: linked([{"@type": "Place", "telephone": "+" + "1 " * size, "geo": {"latitude": "1" * size, "longitude": ["x"] * size}}]), 1_000),
    ("page nested", nested, 300),
    ("page blocks", lambda size: {"data": ['<!-- {"@context":"https://schema.org","name":"n","telephone":"1234"} -->'] * size}, 200),
    ("page broken blocks", lambda size: {"data": ["{"] * size}, 300),
    ("page long texts", lambda size: linked([{"@type": "Place", "name": " n\u0301\t" * size, "url": "../" * size, "image": "%2e/" * size}]), 500),
    ("page types", lambda size: linked([{"@type": ["Place"] * size + ["schema:Person"], "name": "n", "telephone": "12345"}]), 500),
    ("page contexts", lambda size: {"@context": ["x"] * size + ["https://schema.org"], "name": "n", "telephone": "12345"}, 500),
]

# MARK: Contacts

CARD = "BEGIN:VCARD\nVERSION:3.0\nFN:{name}\n{lines}END:VCARD\n"


def contacts(make):
    def case(folder, size):
        text = make(size)
        return Case(
            ["contact", "import", "--state", folder.path + "/state", folder.write("c.vcf", text)], len(text), (0, 1, 2))
    return case


def card(lines, name="A"):
    return CARD.format(name=name, lines=lines)


CARDS = [
    ("vcard cards", lambda size: "".join(card("TEL:+1 555 0100\n", f"N{place}") for place in range(size)), 50),
    ("vcard one name", lambda size: card("TEL:+1 555 0100\n") * size, 50),
    ("vcard one uid", lambda size: "".join(card("UID:u\nTEL:+1 555 0100\n", f"N{place}") for place in range(size)), 50),
    ("vcard numbers", lambda size: card("".join(f"TEL;TYPE=home:+1 555 {place}\n" for place in range(size))), 300),
    ("vcard one number", lambda size: card("TEL:+1 555 0100\n" * size), 300),
    ("vcard folded lines", lambda size: card("NOTE:x\n" + " x\n" * size), 2_000),
    ("vcard folded names", lambda size: card("ADR:;;x\n" + " x\n" * size), 2_000),
    ("vcard soft breaks", lambda size: card("NOTE;ENCODING=QUOTED-PRINTABLE:x=\n" + "=3D=\n" * size + "x\n"), 1_000),
    ("vcard folded heads", lambda size: card("TEL\n" + " ;X=\":\"\n" * size + " :123456\n"), 500),
    ("vcard blank lines", lambda size: card("NOTE;ENCODING=QUOTED-PRINTABLE:x\n" + "   \n" * size), 1_000),
    ("vcard old lines", lambda size: card("NOTE:x\n" + "  x \n" * size).replace("3.0", "2.1"), 1_000),
    ("vcard types", lambda size: card("TEL;TYPE=" + ",".join(f"t{n}" for n in range(size)) + ":123456\n"), 500),
    ("vcard parameters", lambda size: card("TEL" + ";TYPE=home" * size + ":123456\n"), 500),
    ("vcard quotes", lambda size: card("TEL;X=" + '"' * size + ":123456\n"), 2_000),
    ("vcard parts", lambda size: card("ADR:" + ";" * size + "\nN:" + ";" * size + "\n"), 1_000),
    ("vcard escapes", lambda size: card("ADR:;;" + "\\\\\\;\\n" * size + "\n"), 1_000),
    ("vcard begins", lambda size: "BEGIN:VCARD\n" * size, 500),
    ("vcard unended", lambda size: "BEGIN:VCARD\nVERSION:3.0\nFN:A\n" * size, 300),
    ("vcard groups", lambda size: card("".join(f"item{place}.TEL:+1 555 {place}\nitem{place}.X-ABLabel:x\n" for place in range(size))), 200),
    ("vcard photo", lambda size: card("PHOTO;ENCODING=b:\n" + " " + "QUJD" * 18 + "\n" * 1 + (" " + "QUJD" * 18 + "\n") * size), 300),
]

# MARK: Conditions


def condition(make, value="x", status=(0, 1, 2)):
    """`make` gives the condition, or that and the value."""
    def case(folder, size):
        made = make(size)
        text, target = made if isinstance(made, tuple) else (made, value)
        line = json.dumps({"format": text, "self": target})
        return Case(["predicate", "eval", "--from", folder.write("in.jsonl", line)], len(line), status)
    return case


CONDITIONS = [
    ("condition and", lambda size: " AND ".join(f'SELF != "a{place}"' for place in range(size)), 500),
    ("condition or", lambda size: " OR ".join(f'SELF == "a{place}"' for place in range(size)), 500),
    ("condition mixed", lambda size: " OR ".join(f'SELF == "a{place}" AND NOT SELF == "b"' for place in range(size)), 300),
    ("condition parentheses", lambda size: "(" * size + "SELF == nil" + ")" * size, 500),
    ("condition open parentheses", lambda size: "(" * size, 1_000),
    ("condition not", lambda size: "NOT " * size + "SELF == nil", 500),
    ("condition nested", lambda size: "(SELF == 'a' OR " * size + "SELF == 'b'" + ")" * size, 300),
    ("condition in", lambda size: "SELF IN {" + ", ".join(f'"a{place}"' for place in range(size)) + "}", 500),
    ("condition like *", lambda size: ('SELF LIKE "' + "*a" * 20 + '*b"', "a" * size), 1_000),
    ("condition like many *", lambda size: ('SELF LIKE "' + "*a" * size + '*"', "a" * 100), 300),
    ("condition like ?", lambda size: ('SELF LIKE "' + "?" * size + '*"', "a" * size), 500),
    ("condition like ?*", lambda size: ('SELF LIKE "' + "?*" * size + '"', "a" * 100), 300),
    ("condition like[c]", lambda size: ('SELF LIKE[cd] "*' + "a" * 20 + '*b"', "a" * size), 500),
    ("condition contains", lambda size: ('SELF CONTAINS "' + "a" * 20 + 'b"', "a" * size), 1_000),
    ("condition contains[cd]", lambda size: ('SELF CONTAINS[cd] "' + "a" * 20 + 'b"', "a\u0301" * size), 500),
    ("condition long text", lambda size: f'SELF == "{"a" * size}"', 2_000),
    ("condition escapes", lambda size: 'SELF == "' + "\\\\\\u0041" * size + '"', 500),
    ("condition accents", lambda size: ('SELF ==[cd] "' + "e\u0301\u0327" * size + '"', "e\u0301\u0327" * size), 300),
    ("condition white space", lambda size: " " * size + "SELF == nil", 2_000),
    ("condition names", lambda size: " AND ".join("unknown == 1" for _ in range(size)), 300),
]

# MARK: Configurations


def configured(make, *words, statuses=(0, 1)):
    """`make` gives the files of a configuration."""
    def case(folder, size):
        files = make(size)
        for name, text in {"usher.toml": "", **files}.items():
            folder.write("config/" + name, text)
        return Case(
            [*(words or ("check", "--json")), "--config", folder.path + "/config"], sum(map(len, files.values())), statuses)
    return case


def manifest(body, head=""):
    return {"apps/a.toml": f'id = "a"\nname = "A"\n{head}{body}'}


def scenes(size, body):
    return manifest("".join(f'[[scenes]]\nname = "s{place}"\n{body(place)}' for place in range(size)))


LAUNCH = 'launch = { exec = ["/bin/true"] }\n'
CONFIGURATIONS = [
    ("manifest scenes", lambda size: scenes(size, lambda place: LAUNCH), 50),
    ("manifest conditions", lambda size: scenes(size, lambda place: f"""{LAUNCH}can = 'SELF == "x{place}"'
opens = 'SELF BEGINSWITH "x{place}/" AND NOT SELF CONTAINS "z"'\n"""), 50),
    ("manifest equal conditions", lambda size: scenes(size, lambda place: f"""{LAUNCH}opens = 'SELF LIKE "x*"'\n"""), 50),
    ("manifest negations", lambda size: scenes(size, lambda place: f"""{LAUNCH}opens = 'SELF != "x{place}"'\n"""), 50),
    ("manifest one name", lambda size: manifest(f'[[scenes]]\nname = "s"\n{LAUNCH}' * size), 50),
    ("manifest shortcuts", lambda size: manifest("".join(
        f'[[shortcuts]]\ntype = "t{place}"\ntitle = "T"\ntarget-content-id = "x{place}"\n' for place in range(size)),), 50),
    ("manifest one shortcut", lambda size: manifest('[[shortcuts]]\ntype = "t"\ntitle = "T"\n' * size), 50),
    ("manifest expectations", lambda size: manifest(
        f"[[scenes]]\nname = \"s\"\n{LAUNCH}" + "".join(
            f'[[expect]]\ntarget = "x{place}"\nscene = "s"\n' for place in range(size))), 50),
    ("manifest domains", lambda size: manifest("", "domains = [" + ", ".join(
        f'"d{place}.example"' for place in range(size)) + "]\n"), 100),
    ("manifest templates", lambda size: manifest("[targets]\n" + "".join(
        f't{place} = "https://a.example/{place}/{{x}}"\n' for place in range(size))), 50),
    ("manifest unknown keys", lambda size: manifest("".join(f"unknown-{place} = 1\n" for place in range(size))), 100),
    ("manifest scenes and targets", lambda size: manifest(
        "".join(f'[[scenes]]\nname = "s{n}"\ntarget = "t{n}"\n{LAUNCH}' for n in range(size)),
        ("[targets]\n" + "".join(f't{n} = "https://a.example/{n}/{{x}}"\n' for n in range(size)))), 50),
    ("manifest targets and domains", lambda size: manifest(
        "[targets]\n" + "".join(f't{n} = "https://h{n}.example/{{x}}"\n' for n in range(size))
        + f'[[scenes]]\nname = "s"\n{LAUNCH}',
        "domains = [" + ", ".join(f'"*.h{n}.example"' for n in range(size)) + "]\n"), 50),
    ("manifest comments", lambda size: manifest("# comment\n" * size), 500),
    ("manifest deep arrays", lambda size: manifest("x = " + "[" * size + "]" * size + "\n"), 50),
    ("manifest long key", lambda size: manifest("a" + ".a" * size + " = 1\n"), 50),
    ("manifest long text", lambda size: manifest(f'[[scenes]]\nname = "s"\n{LAUNCH}title = "{"a" * size}"\n'), 2_000),
    ("manifest open text", lambda size: manifest('x = """' + "a\n" * size), 500),
    ("manifest types", lambda size: manifest("", "activity-types = [" + ", ".join(
        f'"a.t{place}"' for place in range(size)) + "]\n"), 100),
    ("manifests", lambda size: {
        f"apps/a{place}.toml": f'id = "a{place}"\nname = "A"\ndomains = ["d{place}.example"]\n[[scenes]]\nname = "s"\n{LAUNCH}'
        for place in range(size)}, 20),
    ("manifests of one domain", lambda size: {
        f"apps/a{place}.toml": f'id = "a{place}"\nname = "A"\ndomains = ["d.example"]\nschemes = ["s{place}"]\n[[scenes]]\nname = "s"\n{LAUNCH}'
        for place in range(size)}, 20),
    ("settings hooks", lambda size: {"usher.toml": "".join(
        f'[hooks.h{place}]\ntarget = "x{place}"\ntitle = "T"\n' for place in range(size))}, 30),
    ("settings one path", lambda size: {"usher.toml": "".join(
        f'[hooks.h{place}]\npath = "p"\ntarget = "x{place}"\ntitle = "T"\nwhen = [{{ pointer = "/a", equals = {place} }}]\n'
        for place in range(size))}, 30),
    ("settings hook values", lambda size: {"usher.toml": '[hooks.h]\ntarget = "x"\ntitle = "T"\n[hooks.h.values]\n' + "".join(
        f'v{place} = "/a/{place}"\n' for place in range(size))}, 100),
    ("settings addresses", lambda size: {"usher.toml": "".join(
        f'[addresses."a{place}.example"]\ndrop = ["p"]\n' for place in range(size))}, 50),
]


def association(make):
    return lambda size: {
        **manifest("", 'domains = ["a.example"]\nsite-association = { file = "aasa.json", app-id = "T.a" }\n'),
        "apps/aasa.json": json.dumps({"applinks": make(size)})}


def details(components, **more):
    return {"details": [{"appIDs": ["T.a"], "components": components}], **more}


ASSOCIATIONS = [
    ("association components", lambda size: details([{"/": f"/a{place}/*"} for place in range(size)]), 100),
    ("association one component", lambda size: details([{"/": "/a/*"}] * size), 100),
    ("association queries", lambda size: details([{"/": "/a", "?": {f"k{place}": "?*" for place in range(size)}}]), 100),
    ("association stars", lambda size: details([{"/": "/" + "*a" * size}, {"/": "/" + "?*" * size}]), 200),
    ("association variables", lambda size: details(
        [{"/": f"/$(v{place})/*"} for place in range(size)],
        substitutionVariables={f"v{place}": ["a", "b"] for place in range(size)}), 100),
    ("association values", lambda size: details(
        [{"/": "/$(v)/$(v)/*"}], substitutionVariables={"v": [f"a{place}" for place in range(size)]}), 200),
    ("association apps", lambda size: {"details": [
        {"appIDs": [f"T.a{place}"], "components": [{"/": "*"}]} for place in range(size)]}, 100),
    ("association ids", lambda size: {"details": [
        {"appIDs": [f"T.a{place}" for place in range(size)], "components": [{"/": "*"}]}]}, 200),
    ("association paths", lambda size: {"details": [{"appID": "T.a", "paths": [f"NOT /a{n}" for n in range(size)]}]}, 100),
]


def explained(files, target):
    """A decision about a long identifier."""
    def case(folder, size):
        for name, text in {"usher.toml": "", **files(size)}.items():
            folder.write("config/" + name, text)
        words = ["explain", "--json", "--config", folder.path + "/config", "--state", folder.path + "/state", "--", target(size)]
        return Case(words, len(target(size)), (0, 1))
    return case


def matched(template, target):
    """An identifier that is taken apart."""
    def case(folder, size):
        folder.write("config/usher.toml", "")
        folder.write("config/apps/a.toml", 'id = "a"\nname = "A"\n[targets]\n' + template(size))
        line = json.dumps({"id": target(size)})
        return Case(
            ["target", "match", "--config", folder.path + "/config", "--cases", folder.write("in.jsonl", line)],
            len(line) + len(template(size)), (0, 1, 2))
    return case


def cases(words, make):
    def case(folder, size):
        text = "".join(json.dumps(line) + "\n" for line in make(size))
        return Case([*words, "--cases", folder.write("in.jsonl", text)], len(text), (0, 1, 2))
    return case


MATCHES = [
    ("match many templates", matched(
        lambda size: "".join(f't{n} = "https://a.example/{n}/{{x}}"\n' for n in range(size)),
        lambda size: "https://a.example/1/x"), 50),
    ("match alike templates", matched(
        lambda size: "".join(f't{n} = "{{+a}}/{{b}}{"x" * n}"\n' for n in range(20)),
        lambda size: "/x" * size), 50),
    ("match many places", matched(
        lambda size: 't = "{a}-{b}-{c}-{d}-{e}-{f}!"\n', lambda size: "-" * size), 50),
    ("match reserved", matched(lambda size: 't = "x{+a}{+b}{+c}!"\n', lambda size: "x" + "/" * size), 50),
    ("match variables", matched(
        lambda size: 't = "x{?' + ",".join(f"v{n}" for n in range(20)) + '}"\n',
        lambda size: "x?" + "&".join(f"v{n}={n:0{size}}" for n in range(20))), 10),
    ("match list", matched(lambda size: 't = "x{/a*}"\n', lambda size: "x" + "/b" * size), 200),
    ("match escapes", matched(lambda size: 't = "x{a}"\n', lambda size: "x" + "%20" * size), 300),
    ("lint", cases(["target", "lint"], lambda size: [{"id": "https://u:p@a.example/%zz{x} /" + "%41{y}/12345/" * size}]), 200),
    ("canonical parameters", cases(["target", "canonical"], lambda size: [
        {"id": "https://a.example/?" + "&".join(f"utm_x{n}=1&b{n}=2" for n in range(size))}]), 200),
    ("canonical path", cases(["target", "canonical"], lambda size: [{"id": "https://a.example" + "/../%2e/x" * size}]), 300),
    ("canonical host", cases(["target", "canonical"], lambda size: [{"id": "https://" + "a." * size + "example/"}]), 300),
    ("places", cases(["place", "parse"], lambda size: [{"uri": "geo:1,2?q=" + "a%20" * size + ";x=1" * size}]), 300),
    ("place links", cases(["place", "parse"], lambda size: [
        {"uri": "https://www.google.com/maps/place/" + "a+" * size + "/@1,2,3z/data=" + "!1m1" * size}]), 300),
]

# MARK: Hooks


HOOK = '[hooks.h]\napp = "a"\nsignature = { scheme = "bearer", secret-file = "h.secret" }\n'


def hook(body, definition='target = "x{a}"\ntitle = "T"\n[hooks.h.values]\na = "/a"\n', *words, json_body=True):
    """A body that is judged by a hook."""
    def case(folder, size):
        text = body(size)
        config = definition(size) if callable(definition) else definition
        folder.write("config/usher.toml", HOOK + config)
        os.chmod(folder.write("config/h.secret", "0123456789abcdef0123456789abcdef"), 0o600)
        folder.write("config/apps/a.toml", f'id = "a"\nname = "A"\n[[scenes]]\nname = "s"\n{LAUNCH}')
        if not json_body:
            config = 'input = ["form"]\n' + config
            folder.write("config/usher.toml", HOOK + config)
        kind = "application/json" if json_body else "application/x-www-form-urlencoded"
        return Case(
            ["hook", "test", "--unsigned", "--config", folder.path + "/config", "--header", f"Content-Type: {kind}",
             *[word for one in words for word in one(size)], "h", folder.write("body", text)],
            len(text), (0, 1, 2))
    return case


EACH = 'each = { pointer = "/l" }\ntarget = "x{a}"\ntitle = "{a}"\n[hooks.h.values]\na = "/a"\n'
HOOKS = [
    ("hook each", hook(lambda size: json.dumps({"l": [{"a": n} for n in range(size)]}), EACH), 20),
    ("hook each wrong", hook(lambda size: json.dumps({"l": [{"a": n} for n in range(size)] + [{}]}), EACH), 20),
    ("hook each all wrong", hook(lambda size: json.dumps({"l": [{"b": n} for n in range(size)]}), EACH), 20),
    ("hook each left out", hook(lambda size: json.dumps({"l": [{"a": n} for n in range(size)]}), EACH.replace(
        '"/l" }', '"/l", when = [{ pointer = "/a", equals = -1 }] }')), 100),
    ("hook form", hook(lambda size: "&".join(f"f{n}=%41+{n}" for n in range(size)) + "&a=1", json_body=False), 200),
    ("hook form of one name", hook(lambda size: "a=1&" * size, json_body=False), 200),
    ("hook form of signs", hook(lambda size: "&" * size + "=" * size + "%" * size, json_body=False), 500),
    ("hook deep", hook(lambda size: '{"a":' + '{"a":' * size + "1" + "}" * size + "}",
                       lambda size: 'target = "x{a}"\ntitle = "T"\n[hooks.h.values]\na = "' + "/a" * size + '"\n'), 100),
    ("hook members", hook(lambda size: "{" + ",".join(f'"m{n}":{n}' for n in range(size)) + ',"a":1}'), 300),
    ("hook text", hook(lambda size: json.dumps({"a": "e\u0301\U0001f600 " * size})), 200),
    ("hook each body places", hook(
        lambda size: json.dumps({**{f"m{n}": n for n in range(20 * size)}, "l": [{"a": n} for n in range(size)], "g": 1}),
        EACH.replace('title = "{a}"', 'title = "{a}{g}"') + 'g = { body-pointer = "/g" }\n'), 50),
    ("hook headers", hook(lambda size: '{"a":1}' + " " * 30 * size, 'target = "x{a}"\ntitle = "T"\n[hooks.h.values]\na = "/a"\n',
                          lambda size: [word for n in range(size) for word in ("--header", f"X-A{n}: {n}")]), 50),
]

# MARK: Others


def plist(make):
    def case(folder, size):
        text = make(size)
        return Case(["shortcut", "import", folder.write("Info.plist", text)], len(text), (0, 1, 2))
    return case


def property_list(body):
    return f'<?xml version="1.0"?><plist version="1.0"><dict>{body}</dict></plist>'


ITEM = ("<dict><key>UIApplicationShortcutItemType</key><string>t{n}</string>"
        "<key>UIApplicationShortcutItemTitle</key><string>T</string></dict>")
LISTS = [
    ("plist items", lambda size: property_list("<key>UIApplicationShortcutItems</key><array>" + "".join(
        ITEM.format(n=n) for n in range(size)) + "</array>"), 50),
    ("plist deep", lambda size: property_list("<key>a</key>" + "<array>" * size + "</array>" * size), 200),
    ("plist open", lambda size: "<plist>" + "<array>" * size, 300),
    ("plist keys", lambda size: property_list("".join(f"<key>k{n}</key><true/>" for n in range(size))), 200),
    ("plist entities", lambda size: property_list("<key>a</key><string>" + "&amp;&#x41;" * size + "</string>"), 300),
    ("plist comments", lambda size: property_list("<!-- - -->" * size), 300),
    ("plist open comment", lambda size: property_list("<!--" + " -" * size), 500),
    ("plist attributes", lambda size: "<plist" + ' a="b"' * size + "/>", 300),
]


def imported(make):
    def case(folder, size):
        text = make(size)
        return Case(["note", "import", "--state", folder.path + "/state", folder.write("n.jsonl", text)], len(text), (0, 1, 2))
    return case


COMMANDS = [
    *((name, payload(make), size) for name, make, size in JSON),
    *((name, payload(make, file="p.jsonl"), size) for name, make, size in STREAMS),
    *((name.replace("stream", "dispatch"), dispatched(make), size) for name, make, size in STREAMS),
    *((name, page(make), size) for name, make, size in PAGES),
    *((name, contacts(make), size) for name, make, size in CARDS),
    *((name, condition(make), size) for name, make, size in CONDITIONS),
    *((name, configured(make), size) for name, make, size in CONFIGURATIONS),
    *((name, configured(association(make)), size) for name, make, size in ASSOCIATIONS),
    *MATCHES,
    *HOOKS,
    *((name, plist(make), size) for name, make, size in LISTS),
]

# MARK: Requests


def configuration():
    """Of the daemon that takes the requests."""
    return {
        # Its requests are read whole and ignored: what a delivery costs is another matter.
        "usher.toml": HOOK + 'input = ["json", "form"]\nwhen = [{ pointer = "/f1", equals = "none" }]\ntarget = "x"\ntitle = "T"\n',
        "h.secret": "0123456789abcdef0123456789abcdef",
        "apps/a.toml": f'id = "a"\nname = "A"\n[[scenes]]\nname = "s"\n{LAUNCH}',
    }


def head(line, *fields):
    return (line + " HTTP/1.1\r\nHost: localhost\r\n" + "".join(f"{field}\r\n" for field in fields) + "\r\n").encode()


def chunks(pieces):
    return b"".join(b"%x%b\r\n%b\r\n" % (len(piece), extension, piece) for piece, extension in pieces) + b"0\r\n\r\n"


POST, JSON_BODY = "POST /v1/notifications", "Content-Type: application/json"
# Each in the parts that it is sent in.
REQUESTS = [
    ("http fields", lambda size: [head("GET /none", *[f"X-A{n}: {n}" for n in range(size)])], 20, (404,)),
    ("http one field", lambda size: [head("GET /none", *["X-A: 1"] * size)], 20, (404,)),
    ("http long field", lambda size: [head("GET /none", "X-A: " + "a, " * size)], 1_000, (404,)),
    ("http blanks", lambda size: [head("GET /none", "X-A:" + " \t" * size)], 1_500, (404,)),
    ("http target", lambda size: [head("GET /" + "a/%2e/" * size)], 400, (404,)),
    ("http query", lambda size: [head("GET /none?" + "a=%41&" * size)], 400, (404,)),
    ("http byte by byte", lambda size: [bytes([byte]) for byte in head("GET /none", "X-A: " + "a" * size)], 100, (404,)),
    ("http body", lambda size: [head(POST, JSON_BODY, f"Content-Length: {size}") + b" " * size], 10_000, (400,)),
    ("http body in parts", lambda size: [head(POST, JSON_BODY, f"Content-Length: {10 * size}")] + [b" " * 10] * size, 100, (400,)),
    ("http chunks", lambda size: [head(POST, JSON_BODY, "Transfer-Encoding: chunked") + chunks(
        [(b" ", b"")] * size)], 1_000, (400,)),
    ("http extensions", lambda size: [head(POST, JSON_BODY, "Transfer-Encoding: chunked") + chunks(
        [(b" ", b";a=b")] * size)], 300, (400,)),
    ("http batch", lambda size: [(lambda text: head(POST, JSON_BODY, f"Content-Length: {len(text)}") + text)(b"{\n" * size)], 1_000,
     (200, 202, 400, 413)),
    ("http form", lambda size: [(lambda text: head(
        "POST /hooks/h", "Content-Type: application/x-www-form-urlencoded", "Authorization: Bearer 0123456789abcdef0123456789abcdef",
        f"Content-Length: {len(text)}") + text)(b"&".join(b"f%d=%%41+" % n for n in range(size)))], 200, (200,)),
]
