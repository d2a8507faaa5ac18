"""What a running daemon makes of signatures: every sender by its name, secrets that change, codes that come again.

The section `schemes` of `check-hooks`. Each sender below says how it signs, in code of its own, which is what its defaults are judged
by. Each scheme, key by key, is proved by `SignatureSchemeTests`, `SignatureTests` and `PublicKeyTests`, with libraries of others.
"""

import base64
import concurrent.futures
import dataclasses
import hashlib
import os
import time
import urllib.parse

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from checklist import eventually
from hooks_section import HookSection, body_of, code, encoded, hook, number, send, without

MISSING = (401, "signature.missing")
MISMATCH, STALE, SECRET = (403, "signature.mismatch"), (403, "signature.stale"), (503, "signature.secret")
HOUR = 3600
# The order of the curve's group (FIPS 186-4, D.1.2.3).
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclasses.dataclass
class Request:
    """What is signed: everything that `content` can name."""
    path: str
    body: bytes
    type: str = "application/json"
    method: str = "POST"
    url: str = ""


@dataclasses.dataclass
class Sender:
    """How a sender signs. `sign` makes its headers from a request, a key and the time in seconds."""
    name: str
    signature: str
    sign: object
    header: str
    keys: tuple = ("first-secret-of-the-hook", "second-secret-of-the-hook", "a-secret-of-no-hook")
    secrets: str = None
    files: dict = dataclasses.field(default_factory=dict)
    # Whether a time is signed.
    timed: bool = False
    body: object = None
    type: str = "application/json"
    query: str = ""
    mismatch: tuple = MISMATCH

    def request(self, daemon, at=None, query=None):
        given = str(number())
        body = self.body(given, at) if self.body else body_of({"n": given})
        query = self.query if query is None else query
        path = f"/hooks/{self.name}" + (f"?{query}" if query else "")
        return Request(path, body, self.type, url=f"http://127.0.0.1:{daemon.port}{path}")

    def hook(self):
        return hook(self.signature)


# Keys


def raw_public(key):
    return key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def der_public(key):
    return key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


ED, ED_SECOND, ED_OTHER = (ed25519.Ed25519PrivateKey.generate() for _ in range(3))
EC, EC_SECOND, EC_OTHER = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))


# How they sign


def seconds(at):
    return str(int(at))


def plain(header, encoding="hex", prefix=""):
    """A code of the body, without a time."""
    return lambda request, key, at: [(header, prefix + code(key.encode(), request.body, encoding=encoding))]


def timed(header, time_header, form, prefix=""):
    """A code of time and body; the time is in a header."""
    def sign(request, key, at):
        content = form.replace("{timestamp}", seconds(at)).encode().replace(b"{body}", request.body)
        return [(time_header, seconds(at)), (header, prefix + code(key.encode(), content))]
    return sign


def listed(header):
    """A list in one header, as Stripe has it."""
    def sign(request, key, at):
        return [(header, f"t={seconds(at)},v1=" + code(key.encode(), seconds(at).encode() + b"." + request.body))]
    return sign


def form_text(body):
    """`{form}`: the names sorted, each followed by its distinct values sorted, without separators."""
    fields = {}
    for name, value in urllib.parse.parse_qsl(body.decode(), keep_blank_values=True):
        fields.setdefault(name, set()).add(value)
    return "".join(name + value for name in sorted(fields) for value in sorted(fields[name])).encode()


def twilio(request, key, at):
    is_form = request.type.startswith("application/x-www-form-urlencoded")
    content = request.url.encode() + (form_text(request.body) if is_form else b"")
    return [("X-Twilio-Signature", code(key.encode(), content, "sha1", "base64"))]


def twilio_form(text, at):
    return urllib.parse.urlencode([("n", text), ("From", "+14155552671"), ("Body", "Grüße, & more"), ("Empty", "")]).encode()


def signed_by_key(header, key_form, time_header, encoding="hex"):
    """A signature of time and body by a private key."""
    def sign(request, key, at):
        content = seconds(at).encode() + request.body
        signature = key.sign(content) if key_form == "ed25519" else key.sign(content, ec.ECDSA(hashes.SHA256()))
        return [(time_header, seconds(at)), (header, encoded(signature, encoding))]
    return sign


def standard(kind, names="webhook"):
    def sign(request, key, at):
        id = f"msg_{hashlib.sha256(request.body).hexdigest()[:24]}"
        content = f"{id}.{seconds(at)}.".encode() + request.body
        if kind == "v1":
            signature = "v1," + code(base64.b64decode(key.removeprefix("whsec_")), content, encoding="base64")
        else:
            signature = "v1a," + encoded(key.sign(content), "base64")
        return [(f"{names}-id", id), (f"{names}-timestamp", seconds(at)), (f"{names}-signature", signature)]
    return sign


WHSEC = tuple("whsec_" + base64.b64encode(os.urandom(32)).decode() for _ in range(3))
SECRET_FILE = 'secret-file = "NAME.secret"'
KEY_FILE = 'key-file = "NAME.keys"'


def vendor(scheme, sign, header, name=None, file=SECRET_FILE, **options):
    """A sender that the contract's second table names, with nothing but its secret."""
    name = name or scheme
    return Sender(name, f'{{ scheme = "{scheme}", {file.replace("NAME", name)} }}', sign, header, **options)


def linear_body(text, at):
    return body_of({"n": text, "webhookTimestamp": int((at or time.time()) * 1000)})


ED_KEYS, EC_KEYS = (ED, ED_SECOND, ED_OTHER), (EC, EC_SECOND, EC_OTHER)
FORM = "application/x-www-form-urlencoded"

SENDERS = [
    vendor("github", plain("X-Hub-Signature-256", prefix="sha256="), "X-Hub-Signature-256"),
    vendor("gitea", plain("X-Gitea-Signature"), "X-Gitea-Signature"),
    vendor("sentry", plain("Sentry-Hook-Signature"), "Sentry-Hook-Signature"),
    vendor("stripe", listed("Stripe-Signature"), "Stripe-Signature", timed=True),
    vendor("pagerduty", plain("X-PagerDuty-Signature", prefix="v1="), "X-PagerDuty-Signature"),
    vendor("slack", timed("X-Slack-Signature", "X-Slack-Request-Timestamp", "v0:{timestamp}:{body}", prefix="v0="),
           "X-Slack-Signature", timed=True),
    vendor("zoom", timed("x-zm-signature", "x-zm-request-timestamp", "v0:{timestamp}:{body}", prefix="v0="),
           "x-zm-signature", timed=True),
    vendor("shopify", plain("X-Shopify-Hmac-Sha256", encoding="base64"), "X-Shopify-Hmac-Sha256"),
    vendor("linear", plain("Linear-Signature"), "Linear-Signature", timed=True, body=linear_body),
    vendor("twilio", twilio, "X-Twilio-Signature", body=twilio_form, type=FORM, query="a=1&b=two"),
    vendor("discord", signed_by_key("X-Signature-Ed25519", "ed25519", "X-Signature-Timestamp"),
           "X-Signature-Ed25519", file=KEY_FILE, keys=ED_KEYS, timed=True,
           files={"discord.keys": "\n".join(raw_public(key).hex() for key in ED_KEYS[:2])}, mismatch=(401, "signature.mismatch")),
    vendor("sendgrid",
           signed_by_key("X-Twilio-Email-Event-Webhook-Signature", "ecdsa", "X-Twilio-Email-Event-Webhook-Timestamp", "base64"),
           "X-Twilio-Email-Event-Webhook-Signature", file=KEY_FILE, keys=EC_KEYS, timed=True,
           files={"sendgrid.keys": "\n".join(base64.b64encode(der_public(key)).decode() for key in EC_KEYS[:2])}),
    vendor("standard", standard("v1"), "webhook-signature", keys=WHSEC, timed=True),
    vendor("standard", standard("v1", "svix"), "svix-signature", name="svix", keys=WHSEC, timed=True),
    vendor("standard", standard("v1a"), "webhook-signature", name="standard-v1a", keys=ED_KEYS, timed=True,
           secrets="\n".join("whpk_" + base64.b64encode(raw_public(key)).decode() for key in ED_KEYS[:2])),
]


class Schemes(HookSection):
    def schemes(self):
        hooks = {sender.name: sender.hook() for sender in SENDERS}
        secrets = {
            f"{sender.name}.secret": (sender.secrets or "\n".join(sender.keys[:2])) + "\n"
            for sender in SENDERS if "secret-file" in sender.signature}
        for sender in SENDERS:
            secrets.update(sender.files)
        hooks.update(self.other_hooks[0])
        secrets.update(self.other_hooks[1])
        with self.running(hooks, secrets, prepare=self.credentials) as (station, daemon):
            for sender in SENDERS:
                if not self.lacks(sender.name):
                    self.battery(daemon, sender)
            self.secrets(station, daemon)
            self.transfer(daemon)
            self.check(daemon.get("/healthz").status == 200, "the daemon is well afterwards")
            self.replays(station, daemon)
        self.urls()

    def battery(self, daemon, sender):
        """What every sender is judged by. Each hook gets fewer refusals than the burst that its address has (50)."""
        def ask(headers, request):
            return send(daemon, request.path, request.body, headers, request.method, request.type)

        def request(at=None):
            return sender.request(daemon, at=at)

        name, now = sender.name, time.time()
        first = request()
        right = sender.sign(first, sender.keys[0], now)
        answer = ask(right, first)
        # Twilio retries and logs an error unless the body is empty or TwiML: its default answer to a taken event is 204.
        if name == "twilio":
            self.check(answer.status == 204 and not answer.body, f"{name}, right: an empty 204", str(answer))
        else:
            self.accepted(f"{name}, right", answer)
        # `wait` stands in the URL, which some sign.
        again = sender.request(daemon, query=(sender.query + "&" if sender.query else "") + "wait=1")
        headers = sender.sign(again, sender.keys[0], now)
        ask(headers, again)
        self.duplicate(f"{name}, the same code again", ask(headers, again))
        second = request()
        answer = ask(sender.sign(second, sender.keys[1], now), second)
        self.check(answer.status in (202, 204), f"{name}, signed with the second secret: taken", str(answer))
        self.refused(f"{name}, another secret", ask(sender.sign(first, sender.keys[2], now), first), sender.mismatch)
        self.refused(f"{name}, the code of another body", ask(right, request(at=now)), sender.mismatch)
        self.refused(f"{name}, no header", ask(without(right, sender.header), first), MISSING)
        if sender.timed:
            old = request(at=now - HOUR)
            self.refused(f"{name}, an hour old", ask(sender.sign(old, sender.keys[0], now - HOUR), old), STALE)

    # Secrets

    other_hooks = (
        {
            "s-absent": hook('{ scheme = "hmac", secret-file = "absent.secret", header = "X-Code" }'),
            "s-empty": hook('{ scheme = "hmac", secret-file = "empty.secret", header = "X-Code" }'),
            "s-no-hex": hook('{ scheme = "hmac", secret-file = "no-hex.secret", header = "X-Code", secret-encoding = "hex" }'),
            "s-no-key": hook('{ scheme = "public-key", key-file = "no-hex.secret", header = "X-Code" }'),
            "d-base64url": hook('{ scheme = "hmac", secret-file = "github.secret", header = "X-Code", encoding = "base64url" }',
                                'replays = "code"'),
            "d-ecdsa": hook('{ scheme = "public-key", key-file = "ec.keys", header = "X-Code", algorithm = "ecdsa-p256" }',
                            'replays = "code"'),
            "github-twin": hook('{ scheme = "github", secret-file = "github.secret" }'),
            "s-flooded": hook('{ scheme = "hmac", secret-file = "rotated.secret", header = "X-Code" }'),
            "s-credential": hook('{ scheme = "hmac", secret-credential = "hook-secret", header = "X-Code" }'),
            "s-key-credential": hook('{ scheme = "public-key", key-credential = "hook-key", header = "X-Code" }'),
            "s-rotated": hook('{ scheme = "hmac", secret-file = "rotated.secret", header = "X-Code" }'),
        }, {"empty.secret": "\n", "no-hex.secret": "not a key in any form\n", "rotated.secret": "old\n",
            "ec.keys": der_public(EC).hex() + "\n"})

    @staticmethod
    def credentials(station):
        """What systemd hands over."""
        station.write("credentials/hook-secret", "from systemd\n")
        station.write("credentials/hook-key", raw_public(ED).hex() + "\n")
        station.environment["CREDENTIALS_DIRECTORY"] = station.path("credentials")

    def secrets(self, station, daemon):
        body = b'{"n":"secret"}'
        for name in ("s-absent", "s-empty", "s-no-hex", "s-no-key"):
            answer = send(daemon, f"/hooks/{name}", body, [("X-Code", code(b"", body))])
            self.refused(f"{name}, a code under an empty secret", answer, SECRET)

        def ask(secret, path="s-rotated"):
            body = body_of({"n": str(number())})
            return send(daemon, f"/hooks/{path}", body, [("X-Code", code(secret, body))])

        self.accepted("secret-credential", ask(b"from systemd", "s-credential"))
        self.refused("secret-credential, another secret", ask(b"other", "s-credential"), MISMATCH)
        body = body_of({"n": str(number())})
        self.accepted("key-credential", send(daemon, "/hooks/s-key-credential", body, [("X-Code", ED.sign(body).hex())]))
        # Forgeries are limited; a right signature never is.
        statuses = [ask(b"forged", "s-flooded").status for _ in range(80)]
        self.check(
            statuses[:40] == [403] * 40 and 429 in statuses and set(statuses) == {403, 429}, "eighty forgeries: 403, then 429",
            str(statuses))
        for _ in range(3):
            self.accepted("a right signature beside forgeries from its own address", ask(b"old", "s-flooded"))

        self.accepted("a secret before its rotation", ask(b"old"))
        station.secret("hooks/rotated.secret", "new\nold\n")
        self.check(
            eventually(lambda: ask(b"new").status == 202, seconds=10, pause=0.25), "a secret that was added holds")
        self.accepted("and the old one beside it", ask(b"old"))
        station.secret("hooks/rotated.secret", "new\n")
        self.check(
            eventually(lambda: ask(b"old").status == 403, seconds=10, pause=0.25), "a secret that was taken away does not")

    # However the bytes come

    def transfer(self, daemon):
        body = body_of({"n": str(number())})
        header = ("X-Hub-Signature-256", "sha256=" + code(b"first-secret-of-the-hook", body))
        chunks = b"".join(b"1\r\n" + bytes([byte]) + b"\r\n" for byte in body) + b"0\r\n\r\n"
        self.accepted("a signed body in chunks of a byte", send(
            daemon, "/hooks/github", chunks, [header, ("Transfer-Encoding", "chunked")]))
        connection = daemon.connection()
        statuses = []
        for secret in (b"first-secret-of-the-hook", b"wrong", b"first-secret-of-the-hook"):
            body = body_of({"n": str(number())})
            answer = daemon.request("POST", "/hooks/github", body, {
                "Content-Type": "application/json", "X-Hub-Signature-256": "sha256=" + code(secret, body)}, connection=connection)
            statuses.append(answer.status)
        connection.close()
        self.check(statuses == [202, 403, 202], "right, wrong and right on one connection", str(statuses))

    # Again and again

    def replays(self, station, daemon):
        body = body_of({"n": str(number())})
        headers = [("X-Hub-Signature-256", "sha256=" + code(b"first-secret-of-the-hook", body))]

        def ask(daemon, path="github"):
            return send(daemon, f"/hooks/{path}?wait=1", body, headers)

        with concurrent.futures.ThreadPoolExecutor(8) as senders:
            answers = list(senders.map(ask, [daemon] * 16))
        reasons = [(answer.json or {}).get("reason") for answer in answers]
        self.check(
            reasons.count("duplicate") == 15 and {answer.status for answer in answers} == {200}, "one code sixteen times at once: once",
            str(reasons))
        self.rewritten(daemon)
        # Remembered by hook: two hooks with one secret are two receivers.
        self.check(
            (ask(daemon, "github-twin").json or {}).get("reason") not in (None, "duplicate"),
            "the same code at another hook: not a duplicate")
        self.check(daemon.end() == 0, "the daemon ends with 0")
        with station.start() as again:
            self.duplicate("the same code after a restart", ask(again))
            again.kill()
        with station.start() as again:
            self.duplicate("the same code after a kill", ask(again))

    def rewritten(self, daemon):
        """A recorded code that is written in another way, or stands among other codes, is the same code."""
        first, second = (secret.encode() for secret in SENDERS[0].keys[:2])
        body, at = body_of({"n": str(number())}), str(int(time.time()))
        hexadecimal = code(first, body)
        padded = code(first, body, encoding="base64url")
        one, two = (code(secret, f"{at}.".encode() + body) for secret in (first, second))
        signature = EC.sign(body, ec.ECDSA(hashes.SHA256()))
        r, s = decode_dss_signature(signature)
        # From a known ECDSA signature, this second valid one can be made without the key.
        mirrored = encode_dss_signature(r, P256_ORDER - s)
        for name, path, header, *values in (
            ("hex in capital letters", "github", "X-Hub-Signature-256", f"sha256={hexadecimal}", f"sha256={hexadecimal.upper()}"),
            ("base64url without its padding", "d-base64url", "X-Code", padded, padded.rstrip("=")),
            ("one of two right codes alone", "stripe", "Stripe-Signature", f"t={at},v1={one},v1={two}", f"t={at},v1={two}"),
            ("a wrong code before it", "stripe", "Stripe-Signature", None, f"t={at},v1={'0' * 64},v1={one}"),
            ("ECDSA, in 64 bytes", "d-ecdsa", "X-Code", encoded(signature, "hex"),
             (r.to_bytes(32, "big") + s.to_bytes(32, "big")).hex()),
            ("ECDSA, its mirrored signature", "d-ecdsa", "X-Code", None, mirrored.hex()),
        ):
            answers = [send(daemon, f"/hooks/{path}?wait=1", body, [(header, value)]) for value in values if value]
            if len(answers) == 2:
                self.check((answers[0].json or {}).get("reason") not in (None, "duplicate"), f"{name}: at first", str(answers[0]))
            # Either it is no code of this hook, or it is a duplicate.
            self.check(
                answers[-1].status == 401 or (answers[-1].json or {}).get("reason") == "duplicate", f"the same code, {name}: not again",
                str(answers[-1]))

    # Addresses

    def urls(self):
        """`{url}` behind a proxy."""
        hooks = {"u": hook('{ scheme = "hmac", secret-file = "u.secret", header = "X-Code", content = "{url}{body}" }'),
                 "t": hook('{ scheme = "twilio", secret-file = "u.secret" }')}

        def ask(daemon, url, *headers, query="?a=%2F"):
            body = body_of({"n": str(number())})
            return send(daemon, "/hooks/u" + query, body, [("X-Code", code(b"url", url.encode() + query.encode() + body)), *headers])

        secrets = {"u.secret": "url\n"}
        with self.running(hooks, secrets, '[server]\npublic-url = "https://hooks.example"\n') as (_, daemon):
            self.accepted("public-url", ask(daemon, "https://hooks.example/hooks/u"))
            self.refused("public-url, signed for the local address", ask(
                daemon, f"http://127.0.0.1:{daemon.port}/hooks/u"), MISMATCH)
            self.accepted("public-url goes before what a header says", ask(
                daemon, "https://hooks.example/hooks/u", ("X-Forwarded-Host", "other.example")))
            body = b"n=1&From=%2B1"
            request = Request("/hooks/t", body, FORM, url="https://hooks.example/hooks/t")
            answer = send(daemon, "/hooks/t", body, twilio(request, "url", 0), type=FORM)
            self.check(answer.status == 204, "twilio with public-url: 204", str(answer))
        forwarded = [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "hooks.example")]
        with self.running(hooks, secrets, '[server]\ntrusted-proxies = ["127.0.0.1"]\n') as (_, daemon):
            self.accepted("X-Forwarded-Proto and -Host of a trusted proxy", ask(daemon, "https://hooks.example/hooks/u", *forwarded))
            self.accepted("Forwarded of a trusted proxy", ask(
                daemon, "https://hooks.example/hooks/u", ("Forwarded", 'for=192.0.2.1;proto=https;host="hooks.example"')))
            self.accepted("a trusted proxy that says nothing", ask(daemon, f"http://127.0.0.1:{daemon.port}/hooks/u"))
        with self.running(hooks, secrets, "") as (_, daemon):
            self.refused("X-Forwarded-Host of a client that is no proxy", ask(
                daemon, "https://hooks.example/hooks/u", *forwarded), MISMATCH)
            self.accepted("and it counts as absent", ask(daemon, f"http://127.0.0.1:{daemon.port}/hooks/u", *forwarded))
