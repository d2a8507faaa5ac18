"""Input that is the same in every run on every machine: payloads, sessions, predicates, and what must come out."""

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


def sessions(count):
    """`count` clown windows, one a clown, as JSON Lines for `usher scene connect --from`."""
    for number in range(count):
        yield compact(
            {
                "app": "example.clowntown",
                "scene": "clown",
                "target": clown(number),
                "session": session_id(number),
            }
        )


def payloads(count, session_count, seed=13):
    """`count` pairs of a payload line of exactly 431 bytes and the decision that it must lead to.

    Of ten payloads five are about a clown that has a window (if any has), four about one that has none, and one is
    about a page that no configuration opens for.
    """
    draw = random.Random(seed)
    for _ in range(count):
        kind = draw.randrange(10)
        if kind < 5 and session_count:
            number = draw.randrange(session_count)
            target = clown(number)
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


def predicates(count, seed=17):
    """`count` pairs of a line for `usher predicate eval` and its truth."""
    draw = random.Random(seed)
    for _ in range(count):
        number = draw.randrange(1000)
        subject = clown(number)
        other = clown(draw.randrange(1000) if draw.random() < 0.5 else number)
        kind = draw.randrange(5)
        if kind == 0:
            text, truth = f'SELF == "{other}"', subject == other
        elif kind == 1:
            text, truth = f'SELF LIKE "{HOST}/clowns/*{number % 10}"', True
        elif kind == 2:
            text, truth = f'SELF BEGINSWITH[c] "{HOST.upper()}/STREETS/"', False
        elif kind == 3:
            text, truth = f'SELF IN {{"{other}", "{HOST}/"}}', subject == other
        else:
            text, truth = f'SELF CONTAINS "/clowns/" AND NOT SELF == "{other}"', subject != other
        yield compact({"format": text, "self": subject}), truth


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
