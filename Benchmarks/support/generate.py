"""Input that is the same in every run on every machine: payloads, sessions, and what must come out."""

import json
import random

PAYLOAD_SIZE = 431
HOST = "https://clowntown.example"

# Three apps, as on a machine where more than one thing notifies; every command is /bin/true.
MANIFESTS = {
    "clown-town.toml": """
id = "example.clowntown"
name = "Clown Town"
domains = ["clowntown.example"]

[targets]
clown = "https://clowntown.example/clowns/{clown}"

[[scenes]]
name = "main"
launch = { exec = ["/bin/true", "--main"] }

[[scenes]]
name = "clown"
target = "clown"
opens = 'SELF LIKE "https://clowntown.example/clowns/*"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { exec = ["/bin/true", "--", "{target}"] }
focus = { exec = ["/bin/true", "--", "{session}"] }
""",
    "orders.toml": """
id = "example.orders"
name = "Orders"
domains = ["orders.example"]

[[scenes]]
name = "list"
launch = { exec = ["/bin/true", "--list"] }
""",
    "documents.toml": """
id = "example.documents"
name = "Documents"
domains = ["documents.example", "*.documents.example"]

[[scenes]]
name = "browser"
launch = { exec = ["/bin/true", "--browser"] }
""",
}

TITLES = [
    "Your clown is on the way",
    "Bozo is late",
    "Crusty left you a message",
    "Clown überbucht: bitte bestätigen",
    "A pie has been thrown",
]
WORDS = (
    "balloon pie horn nose wig shoe town parade trick juggle unicycle tent ring laugh confetti bow tie flower squirt "
    "drum trumpet mask paint glove hat stage bell"
).split()


def clown(number):
    return f"{HOST}/clowns/c{number:07d}"


def session_id(number):
    return f"clown-{number:07d}"


# Of the sessions with a mix of conditions: an OR in one of so many, of so many terms.
OR_EACH, OR_TERMS = 50, 200


def condition(number):
    """The condition of a session in the mix, and a target that fits it and no other session's; None: the manifest's.

    A fifth each: IN of three, BEGINSWITH, LIKE; the rest ==, but for one OR of 200 in 50.
    """
    kind = number % 5
    if kind == 1:
        members = [clown(number), clown(number + 10_000_000), clown(number + 20_000_000)]
        return "SELF IN {" + ", ".join(f'"{member}"' for member in members) + "}", members[2]
    if kind == 2:
        return f'SELF BEGINSWITH "{clown(number)}/"', f"{clown(number)}/pie"
    if kind == 3:
        return f'SELF LIKE "*-x{number:07d}"', f"{HOST}/clowns/pie-x{number:07d}"
    if number % OR_EACH == 4:
        members = [clown(30_000_000 + number * OR_TERMS + place) for place in range(OR_TERMS)]
        return " OR ".join(f'SELF == "{member}"' for member in members), members[number % OR_TERMS]
    return None, clown(number)


def sessions(count, is_mixed=False):
    """`count` clown windows, one a clown, as JSON Lines for `usher scene connect --from`."""
    for number in range(count):
        session = {
            "app": "example.clowntown",
            "scene": "clown",
            "target": clown(number),
            "session": session_id(number),
        }
        text = condition(number)[0] if is_mixed else None
        yield compact({**session, "can": text, "prefers": text} if text else session)


def payloads(count, session_count, is_mixed=False, seed=13):
    """`count` pairs of a payload line of exactly 431 bytes and the decision that it must lead to.

    Of ten payloads five are about content that has a window (if any has), four about a clown that has none, and one is
    about a page that no configuration opens for.
    """
    draw = random.Random(seed)
    for _ in range(count):
        kind = draw.randrange(10)
        if kind < 5 and session_count:
            number = draw.randrange(session_count)
            target = condition(number)[1] if is_mixed else clown(number)
            expected = ("clown", session_id(number), "focus", "prefers")
        elif kind < 9:
            target = clown(5_000_000 + draw.randrange(4_000_000))
            expected = ("clown", None, "launch", "opens")
        else:
            target = f"{HOST}/streets/{draw.randrange(10_000):05d}"
            expected = ("main", None, "launch", "default")
        yield payload(draw, target), (target, *expected)


def payload(draw, target):
    order = draw.randrange(10**9)
    value = {
        "aps": {
            "alert": {"title": draw.choice(TITLES), "body": ""},
            "badge": draw.randrange(1, 100),
            "sound": "horn.caf",
            "thread-id": f"order-{order:09d}",
            "interruption-level": "active",
            "target-content-id": target,
        },
        "order": {"id": f"{order:09d}", "clowns": draw.randrange(1, 9), "paid": draw.random() < 0.5},
        "campaign": f"spring-{draw.randrange(100):02d}",
    }
    body = []
    size = len(compact(value).encode())
    while size + len(" ".join(body)) < PAYLOAD_SIZE:
        body.append(draw.choice(WORDS))
    value["aps"]["alert"]["body"] = " ".join(body)[: PAYLOAD_SIZE - size]
    line = compact(value)
    if len(line.encode()) != PAYLOAD_SIZE:
        raise AssertionError(f"a payload has {len(line.encode())} bytes, not {PAYLOAD_SIZE}: {line}")
    return line


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# A push in the background: decided like any other, and without an effect where the app has no handler for it. Half of them are
# about a clown that has a window; no two in a row are alike.
PUSH_HEAD = (
    '{"aps":{"content-available":1,"target-content-id":"' + HOST + "/clowns/c")
PUSH_TAIL = '"},"action":"opened","repository":{"full_name":"example/clowns"},"text":"' + " ".join(WORDS)[:170] + '"}'


def push(number, session_count):
    """The body of the request with this number."""
    clown_number = number // 2 % session_count if number % 2 else 5_000_000 + number
    return f"{PUSH_HEAD}{clown_number:07d}{PUSH_TAIL}"


def web_page(path, size=5_000_000):
    """What a page says: a restaurant, articles that are no items, and a place at its end."""
    draw = random.Random(15)
    words = "clown ring tent juggler canvas sawdust trapeze popcorn lion hoop stilts trumpet".split()
    nodes = [{"@type": "Restaurant", "name": "The Big Top", "telephone": "+1 555 0100"}]
    for number in range(size // 180):
        text = " ".join(draw.choices(words, k=16))
        nodes.append({"@type": "Article", "@id": f"#c{number}", "headline": text[:20], "description": text, "image": f"/i/{number}.png"})
    nodes.append({"name": "Ring 1", "address": "12 Ring Road"})
    path.write_text(compact({"title": "Cards", "data": [{"@context": "https://schema.org", "@graph": nodes}]}), encoding="utf-8")
