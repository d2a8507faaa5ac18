"""Every scheme of `signature` and every name of a sender, with right and wrong requests.

The section `schemes` of `check-hooks`. Each sender below says how it signs, in code of its own; `battery` sends what every sender
must be judged by, and the methods after it what only one scheme has.
"""

import base64
import concurrent.futures
import dataclasses
import datetime
import hashlib
import json
import os
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from checklist import eventually
from hooks_section import HookSection, body_of, code, encoded, hook, number, replaced, send, value_of, without

MISSING, MALFORMED = (401, "signature.missing"), (401, "signature.malformed")
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
    time_header: str = None
    # "header", "list", "body" or None: where the signed time stands.
    timed: str = None
    body: object = None
    type: str = "application/json"
    lines: tuple = ()
    query: str = ""
    mismatch: tuple = MISMATCH
    remembers_codes: bool = True
    tolerance: int = 300
    values: str = '{ n = "/n" }'

    def request(self, daemon, text=None, at=None, query=None):
        given = text if text is not None else str(number())
        body = self.body(given, at) if self.body else body_of({"n": given})
        query = self.query if query is None else query
        path = f"/hooks/{self.name}" + (f"?{query}" if query else "")
        return Request(path, body, self.type, url=f"http://127.0.0.1:{daemon.port}{path}")

    def hook(self):
        return hook(self.signature, *self.lines, values=self.values)


# Keys


def raw_public(key):
    return key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def der_public(key):
    return key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def pem_public(*keys):
    return b"".join(
        key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        for key in keys)


def unpadded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jwk(key, **members):
    """A public key as RFC 7517 and 8037 write it."""
    if isinstance(key, rsa.RSAPrivateKey):
        numbers = key.public_key().public_numbers()
        value = {
            "kty": "RSA", "n": unpadded(numbers.n.to_bytes((numbers.n.bit_length() + 7) // 8, "big")),
            "e": unpadded(numbers.e.to_bytes(3, "big"))}
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        numbers = key.public_key().public_numbers()
        value = {
            "kty": "EC", "crv": "P-256", "x": unpadded(numbers.x.to_bytes(32, "big")),
            "y": unpadded(numbers.y.to_bytes(32, "big"))}
    else:
        value = {"kty": "OKP", "crv": "Ed25519", "x": unpadded(raw_public(key))}
    return dict(value, **members)


ED, ED_SECOND, ED_OTHER = (ed25519.Ed25519PrivateKey.generate() for _ in range(3))
EC, EC_SECOND, EC_OTHER = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
RSA, RSA_SECOND, RSA_OTHER = (rsa.generate_private_key(65537, 2048) for _ in range(3))


def ecdsa(key, content, form="der"):
    signature = key.sign(content, ec.ECDSA(hashes.SHA256()))
    if form == "der":
        return signature
    return b"".join(part.to_bytes(32, "big") for part in decode_dss_signature(signature))


# How they sign


def seconds(at):
    """The time as text; a text stands for itself."""
    return at if isinstance(at, str) else str(int(at))


def milliseconds(at):
    return at if isinstance(at, str) else str(int(at * 1000))


def rfc3339(at):
    return at if isinstance(at, str) else datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def plain(header, algorithm="sha256", encoding="hex", prefix="", key_of=str.encode, content=lambda request: request.body):
    """A code of the body, without a time."""
    return lambda request, key, at: [
        (header, prefix + code(key_of(key), content(request), algorithm, encoding))]


def timed(header, time_header, form, prefix="", stamp=seconds, **options):
    """A code of time and body; the time is in a header."""
    def sign(request, key, at):
        content = form.replace("{timestamp}", stamp(at)).encode().replace(b"{body}", request.body)
        return [(time_header, stamp(at)), (header, prefix + code(key.encode(), content, **options))]
    return sign


def listed(header, form="{time},{code}", scheme="v1", time_name="t"):
    """A list in one header, as Stripe has it."""
    def sign(request, key, at):
        right = code(key.encode(), seconds(at).encode() + b"." + request.body)
        return [(header, form.format(time=f"{time_name}={seconds(at)}", code=f"{scheme}={right}"))]
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


def signed_by_key(header, key_form, time_header=None, encoding="hex", form="{body}", prefix="", stamp=seconds):
    def sign(request, key, at):
        content = form.replace("{timestamp}", stamp(at)).encode().replace(b"{body}", request.body)
        signature = key.sign(content) if key_form == "ed25519" else ecdsa(key, content, key_form)
        headers = [(time_header, stamp(at))] if time_header else []
        return headers + [(header, prefix + encoded(signature, encoding))]
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
HEX_KEYS = tuple(os.urandom(32).hex() for _ in range(3))
BASE64_KEYS = tuple(base64.b64encode(os.urandom(32)).decode() for _ in range(3))
SECRET_FILE = 'secret-file = "NAME.secret"'
KEY_FILE = 'key-file = "NAME.keys"'


def general(name, rest, sign, header, scheme="hmac", **options):
    """A sender without a name of its own."""
    file = SECRET_FILE if scheme == "hmac" else KEY_FILE
    return Sender(
        name, f'{{ scheme = "{scheme}", {file.replace("NAME", name)}, header = "{header}"{", " if rest else ""}{rest} }}',
        sign, header, **options)


def vendor(scheme, sign, header, name=None, rest="", file=SECRET_FILE, **options):
    """A sender that the contract's second table names, with nothing but its secret."""
    name = name or scheme
    return Sender(
        name, f'{{ scheme = "{scheme}", {file.replace("NAME", name)}{", " if rest else ""}{rest} }}', sign, header, **options)


def public_key(name, rest, keys, file, sign, **options):
    """A general `public-key` sender with its key file."""
    return general(name, rest, sign, "X-Code", scheme="public-key", keys=keys, files={f"{name}.keys": file}, **options)


def linear_body(text, at):
    return body_of({"n": text, "webhookTimestamp": int((at or time.time()) * 1000)})


def pointer_body(text, at):
    return body_of({"n": text, "meta": {"sent": int(at or time.time())}})


def content_request(request, key, at):
    path, _, query = request.path.partition("?")
    content = f"{request.method}\n{path}\n{query}\nid-7\n".encode() + request.body
    return [("X-Id", "id-7"), ("X-Code", code(key.encode(), content))]


ED_KEYS, EC_KEYS = (ED, ED_SECOND, ED_OTHER), (EC, EC_SECOND, EC_OTHER)
FORM = "application/x-www-form-urlencoded"

SENDERS = [
    # `hmac`, key by key.
    general("h-sha256", "", plain("X-Code"), "X-Code", remembers_codes=False),
    general("h-sha1", 'algorithm = "sha1"', plain("X-Code", "sha1"), "X-Code", remembers_codes=False),
    general("h-sha512", 'algorithm = "sha512", encoding = "base64"', plain("X-Code", "sha512", "base64"), "X-Code",
            remembers_codes=False),
    general("h-base64url", 'encoding = "base64url"', plain("X-Code", encoding="base64url"), "X-Code", remembers_codes=False),
    general("h-prefix", 'prefix = "sha256="', plain("X-Code", prefix="sha256="), "X-Code", remembers_codes=False),
    general("h-secret-hex", 'secret-encoding = "hex"', plain("X-Code", key_of=bytes.fromhex), "X-Code", keys=HEX_KEYS,
            remembers_codes=False),
    general("h-secret-base64", 'secret-encoding = "base64"', plain("X-Code", key_of=base64.b64decode), "X-Code",
            keys=BASE64_KEYS, remembers_codes=False),
    general("h-remembers", "", plain("X-Code"), "X-Code", lines=('replays = "code"',)),
    general("h-time", 'timestamp-header = "X-Time"', timed("X-Code", "X-Time", "{timestamp}.{body}"), "X-Code", timed="header",
            time_header="X-Time"),
    general("h-time-ids", 'timestamp-header = "X-Time"', timed("X-Code", "X-Time", "{timestamp}.{body}"), "X-Code",
            timed="header", time_header="X-Time", lines=('replays = "id"',), remembers_codes=False),
    general("h-milliseconds", 'timestamp-header = "X-Time", timestamp-format = "milliseconds"',
            timed("X-Code", "X-Time", "{timestamp}.{body}", stamp=milliseconds), "X-Code", timed="header", time_header="X-Time"),
    general("h-rfc3339", 'timestamp-header = "X-Time", timestamp-format = "rfc3339", content = "{body}{timestamp}"',
            timed("X-Code", "X-Time", "{body}{timestamp}", stamp=rfc3339), "X-Code", timed="header", time_header="X-Time"),
    # As Grafana signs: its webhooks have no name of their own.
    general("grafana", 'timestamp-header = "X-Grafana-Alerting-Timestamp", content = "{timestamp}:{body}"',
            timed("X-Grafana-Alerting-Signature", "X-Grafana-Alerting-Timestamp", "{timestamp}:{body}"),
            "X-Grafana-Alerting-Signature", timed="header", time_header="X-Grafana-Alerting-Timestamp"),
    general("h-tolerance", 'timestamp-header = "X-Time", tolerance = 30',
            timed("X-Code", "X-Time", "{timestamp}.{body}"), "X-Code", timed="header", time_header="X-Time", tolerance=30),
    general("h-list", 'separator = ";", prefix = "sig:", timestamp-prefix = "at:"',
            lambda request, key, at: [
                ("X-Code", f"at:{seconds(at)};sig:" + code(key.encode(), f"{seconds(at)}.".encode() + request.body))],
            "X-Code", timed="list"),
    general("h-pointer", 'timestamp-pointer = "/meta/sent"', plain("X-Code"), "X-Code", timed="body", body=pointer_body),
    general("h-content", 'content = "{method}\\n{path}\\n{query}\\n{header.X-Id}\\n{body}"', content_request, "X-Code",
            query="a=1&b=%20x", remembers_codes=False),
    general("h-url", 'content = "{url}|{body}"',
            plain("X-Code", content=lambda request: request.url.encode() + b"|" + request.body), "X-Code", query="a=1",
            remembers_codes=False),
    general("h-form", 'content = "{form}"', plain("X-Code", content=lambda request: form_text(request.body)), "X-Code",
            body=lambda text, at: f"n={text}&b=2&b=1&b=2&a=%C3%A4+x&empty=".encode(), type=FORM, lines=('input = ["form"]',),
            remembers_codes=False),
    # The names.
    vendor("github", plain("X-Hub-Signature-256", prefix="sha256="), "X-Hub-Signature-256"),
    vendor("gitea", plain("X-Gitea-Signature"), "X-Gitea-Signature"),
    vendor("sentry", plain("Sentry-Hook-Signature"), "Sentry-Hook-Signature"),
    vendor("stripe", listed("Stripe-Signature"), "Stripe-Signature", timed="list"),
    vendor("pagerduty", plain("X-PagerDuty-Signature", prefix="v1="), "X-PagerDuty-Signature"),
    vendor("slack", timed("X-Slack-Signature", "X-Slack-Request-Timestamp", "v0:{timestamp}:{body}", prefix="v0="),
           "X-Slack-Signature", timed="header", time_header="X-Slack-Request-Timestamp"),
    vendor("zoom", timed("x-zm-signature", "x-zm-request-timestamp", "v0:{timestamp}:{body}", prefix="v0="),
           "x-zm-signature", timed="header", time_header="x-zm-request-timestamp"),
    vendor("shopify", plain("X-Shopify-Hmac-Sha256", encoding="base64"), "X-Shopify-Hmac-Sha256"),
    vendor("linear", plain("Linear-Signature"), "Linear-Signature", timed="body", body=linear_body, tolerance=60),
    vendor("twilio", twilio, "X-Twilio-Signature", body=twilio_form, type=FORM, query="a=1&b=two"),
    vendor("discord", signed_by_key("X-Signature-Ed25519", "ed25519", "X-Signature-Timestamp", form="{timestamp}{body}"),
           "X-Signature-Ed25519", file=KEY_FILE, keys=ED_KEYS, timed="header", time_header="X-Signature-Timestamp",
           files={"discord.keys": "\n".join(raw_public(key).hex() for key in ED_KEYS[:2])}, mismatch=(401, "signature.mismatch")),
    vendor("sendgrid",
           signed_by_key("X-Twilio-Email-Event-Webhook-Signature", "der", "X-Twilio-Email-Event-Webhook-Timestamp", "base64",
                         "{timestamp}{body}"),
           "X-Twilio-Email-Event-Webhook-Signature", file=KEY_FILE, keys=EC_KEYS, timed="header",
           time_header="X-Twilio-Email-Event-Webhook-Timestamp",
           files={"sendgrid.keys": "\n".join(base64.b64encode(der_public(key)).decode() for key in EC_KEYS[:2])}),
    vendor("standard", standard("v1"), "webhook-signature", keys=WHSEC, timed="header", time_header="webhook-timestamp"),
    vendor("standard", standard("v1", "svix"), "svix-signature", name="svix", keys=WHSEC, timed="header",
           time_header="svix-timestamp"),
    vendor("standard", standard("v1a"), "webhook-signature", name="standard-v1a", keys=ED_KEYS, timed="header",
           time_header="webhook-timestamp",
           secrets="\n".join("whpk_" + base64.b64encode(raw_public(key)).decode() for key in ED_KEYS[:2])),
    # A key beside a name goes before its default.
    vendor("github", plain("X-Other", "sha512", "base64", "v9="), "X-Other", name="github-other",
           rest='header = "X-Other", algorithm = "sha512", encoding = "base64", prefix = "v9="'),
    vendor("slack", timed("X-Slack-Signature", "X-When", "{timestamp}|{body}", prefix="v0=", stamp=milliseconds),
           "X-Slack-Signature", name="slack-other", timed="header", time_header="X-When", tolerance=20,
           rest='timestamp-header = "X-When", content = "{timestamp}|{body}", timestamp-format = "milliseconds", tolerance = 20'),
    vendor("stripe", listed("X-List", form="{time};{code}", scheme="v2", time_name="when"), "X-List", name="stripe-other",
           timed="list", rest='header = "X-List", separator = ";", prefix = "v2=", timestamp-prefix = "when="'),
    vendor("shopify", plain("X-Shopify-Hmac-Sha256", encoding="base64"), "X-Shopify-Hmac-Sha256", name="shopify-ids",
           lines=('replays = "id"',), remembers_codes=False),
    # `public-key`, by the forms of its keys.
    public_key("p-pem", "", ED_KEYS, pem_public(*ED_KEYS[:2]), signed_by_key("X-Code", "ed25519"), remembers_codes=False),
    public_key("p-hex", "", ED_KEYS, "\n".join(raw_public(key).hex() for key in ED_KEYS[:2]),
               signed_by_key("X-Code", "ed25519"), remembers_codes=False),
    public_key("p-base64", 'encoding = "base64"', ED_KEYS,
               "\n".join(base64.b64encode(raw_public(key)).decode() for key in ED_KEYS[:2]),
               signed_by_key("X-Code", "ed25519", encoding="base64"), remembers_codes=False),
    public_key("p-spki", "", ED_KEYS, "\n".join(der_public(key).hex() for key in ED_KEYS[:2]),
               signed_by_key("X-Code", "ed25519"), remembers_codes=False),
    public_key("p-jwks", "", ED_KEYS, json.dumps({"keys": [jwk(key) for key in ED_KEYS[:2]]}),
               signed_by_key("X-Code", "ed25519"), remembers_codes=False),
    public_key("p-p256", 'algorithm = "ecdsa-p256", encoding = "base64"', EC_KEYS, pem_public(*EC_KEYS[:2]),
               signed_by_key("X-Code", "der", encoding="base64"), remembers_codes=False),
    public_key("p-p256-raw", 'algorithm = "ecdsa-p256"', EC_KEYS, json.dumps({"keys": [jwk(key) for key in EC_KEYS[:2]]}),
               signed_by_key("X-Code", "raw"), remembers_codes=False),
    public_key("p-time", 'timestamp-header = "X-Time", prefix = "ed="', ED_KEYS, pem_public(*ED_KEYS[:2]),
               signed_by_key("X-Code", "ed25519", "X-Time", form="{timestamp}.{body}", prefix="ed="), timed="header",
               time_header="X-Time"),
]


class Schemes(HookSection):
    def schemes(self):
        hooks = {sender.name: sender.hook() for sender in SENDERS}
        secrets = {
            f"{sender.name}.secret": (sender.secrets or "\n".join(sender.keys[:2])) + "\n"
            for sender in SENDERS if "secret-file" in sender.signature}
        for sender in SENDERS:
            secrets.update(sender.files)
        for text, files in (self.list_hooks, self.token_hooks, self.word_hooks, self.other_hooks):
            hooks.update(text)
            secrets.update(files)
        with self.running(hooks, secrets, prepare=self.credentials) as (station, daemon):
            for sender in SENDERS:
                if not self.lacks(sender.name):
                    self.battery(daemon, sender)
            self.lists(daemon)
            self.twilio_forms(daemon)
            self.jwts(station, daemon)
            self.basic(daemon)
            self.bearer(daemon)
            self.secrets(station, daemon)
            self.transfer(daemon)
            self.check(daemon.get("/healthz").status == 200, "the daemon is well afterwards")
            self.replays(station, daemon)
        self.urls()

    def battery(self, daemon, sender):
        """What every sender is judged by. Each hook gets fewer refusals than the burst that its address has (50)."""
        def ask(headers, request, query=""):
            path = request.path + (("&" if "?" in request.path else "?") + query if query else "")
            return send(daemon, path, request.body, headers, request.method, request.type)

        def request(text=None, at=None):
            return sender.request(daemon, text, at)

        name, now = sender.name, time.time()
        first = request()
        right = sender.sign(first, sender.keys[0], now)
        answer = ask(right, first)
        # Twilio retries and logs an error unless the body is empty or TwiML: its default answer to a taken event is 204.
        if sender.signature.startswith('{ scheme = "twilio"'):
            self.check(answer.status == 204 and not answer.body, f"{name}, right: an empty 204", str(answer))
        else:
            self.accepted(f"{name}, right", answer)
        self.sent_again(daemon, sender, ask)

        def case(what, headers, *allowed, of=None):
            self.refused(f"{name}, {what}", ask(headers, of or first), *allowed)

        second = request()
        answer = ask(sender.sign(second, sender.keys[1], now), second)
        self.check(answer.status in (202, 204), f"{name}, signed with the second secret: taken", str(answer))
        third = request()
        headers = sender.sign(third, sender.keys[0], now)
        answer = ask([(key.swapcase(), value) for key, value in headers], third)
        self.check(answer.status in (202, 204), f"{name}, names of headers in other letters: taken", str(answer))
        case("another secret", sender.sign(first, sender.keys[2], now), sender.mismatch)
        case("the code of another body", right, sender.mismatch, of=request(at=now))
        case("no header", without(right, sender.header), MISSING)
        case("no headers at all", [], MISSING)
        old = value_of(right, sender.header)
        case("an empty header", replaced(right, sender.header, ""), MISSING, MALFORMED)
        for what, value in (
            ("no code", "%%%%"), ("a text outside ASCII", "é".encode()), ("bytes that are no UTF-8", b"\xff\xfe\xfd"),
            ("a text of another script", old[:-4] + "١٢٣٤"),
        ):
            value = value.encode() if isinstance(value, str) else value
            case(f"{what} in the header", replaced(right, sender.header, value), MALFORMED)
        # A code that is cut is not unreadable in every encoding: 401 and 403 are both refusals of it.
        case("a code that is cut", replaced(right, sender.header, old[:-8]), MALFORMED, sender.mismatch)
        if not any(word in sender.signature for word in ("separator", '"stripe"', '"pagerduty"', '"standard"')):
            # Without `separator` the header is one code: two lines of it are none.
            case("the header twice", right + [(sender.header, "0" * 64)], MALFORMED, sender.mismatch)
        self.times(sender, ask, request, now)

    def sent_again(self, daemon, sender, ask):
        """Replays: a code that held is remembered, or only the sender's id counts."""
        now = time.time()
        # `wait` stands in the URL, which some sign.
        request = sender.request(daemon, query=(sender.query + "&" if sender.query else "") + "wait=1")
        target = json.loads(request.body)["n"] if sender.type == "application/json" else dict(
            urllib.parse.parse_qsl(request.body.decode()))["n"]
        headers = sender.sign(request, sender.keys[0], now)
        self.recorded(f"{sender.name}, right", ask(headers, request), target=f"https://town.example/shop/{target}", title=target)
        again = ask(headers, request)
        if sender.remembers_codes:
            self.duplicate(f"{sender.name}, the same code again", again)
            if "standard" not in sender.signature:
                self.duplicate(f"{sender.name}, the same code with another id", ask(
                    headers + [("Idempotency-Key", f"other-{number()}")], request))
            return
        self.check(
            again.status == 200 and (again.json or {}).get("reason") != "duplicate",
            f"{sender.name}, the same request without an id: not a duplicate", str(again))
        id = f"id-{number()}"
        for attempt in (1, 2):
            answer = ask(headers + [("Idempotency-Key", id)], request)
        self.duplicate(f"{sender.name}, the same id again", answer)

    def times(self, sender, ask, request, now):
        if not sender.timed:
            return
        name = sender.name
        for what, shift, is_taken in (
            ("an hour old", -HOUR, False), ("an hour early", HOUR, False), ("from 1970", 1 - now, False),
            ("almost too old", 10 - sender.tolerance, True), ("almost too early", sender.tolerance - 10, True),
        ):
            one = request(at=now + shift)
            answer = ask(sender.sign(one, sender.keys[0], now + shift), one)
            if is_taken:
                self.check(answer.status == 202, f"{name}, {what}: taken", str(answer))
            else:
                self.refused(f"{name}, {what}", answer, STALE)
        one = request(at=now - HOUR)
        # Which of two faults is named first is left open; a sender without the secret learns nothing about the time.
        self.refused(
            f"{name}, an hour old and another secret", ask(sender.sign(one, sender.keys[2], now - HOUR), one),
            STALE, sender.mismatch)
        if sender.timed in ("header", "list"):
            # Signed rightly: only the time is at fault.
            for what, value in (("a word", "now"), ("a fraction", "1.5e3"), ("a sign", "-1"), ("Arabic digits", "١٢٣")):
                one = request()
                self.refused(f"{name}, {what} as the time", ask(sender.sign(one, sender.keys[0], value), one), MALFORMED)
            one = request()
            self.refused(
                f"{name}, forty digits as the time", ask(sender.sign(one, sender.keys[0], "9" * 40), one), MALFORMED, STALE)
        if sender.timed == "header":
            one = request()
            headers = sender.sign(one, sender.keys[0], now)
            self.refused(f"{name}, no time", ask(without(headers, sender.time_header), one), MISSING)
            other = value_of(sender.sign(one, sender.keys[0], now - 5), sender.time_header)
            self.refused(
                f"{name}, another time than the signed one", ask(replaced(headers, sender.time_header, other), one),
                sender.mismatch)
        elif sender.timed == "body":
            # The place in the body is looked at once the code holds.
            for what, body in (
                ("no time", {"n": "1"}), ("a text as the time", {"n": "1", "webhookTimestamp": "x", "meta": {"sent": "x"}}),
                ("null as the time", {"n": "1", "webhookTimestamp": None, "meta": {"sent": None}}),
            ):
                one = request()
                one.body = body_of(body)
                self.refused(f"{name}, {what} in the body", ask(sender.sign(one, sender.keys[0], now), one), MISSING, MALFORMED)
            one = request()
            one.body = b"no JSON"
            self.refused(f"{name}, wrong code and no JSON", ask(sender.sign(one, sender.keys[2], now), one), sender.mismatch)

    # Lists

    list_hooks = (
        {
            "l-stripe": hook('{ scheme = "stripe", secret-file = "list.secret" }'),
            "l-pagerduty": hook('{ scheme = "pagerduty", secret-file = "list.secret" }'),
            # No time in the list, and items without a prefix.
            "l-bare": hook('{ scheme = "hmac", secret-file = "list.secret", header = "X-Code", separator = " " }'),
        }, {"list.secret": "listed\nsecond\n"})

    def lists(self, daemon):
        wrong = "0" * 64

        def stripe(*lines):
            """A request whose header lines are made by functions of the right item and the time."""
            body, now = body_of({"n": str(number())}), int(time.time())
            right = "v1=" + code(b"listed", f"{now}.".encode() + body)
            return send(daemon, "/hooks/l-stripe", body, [
                ("Stripe-Signature", line(right, f"t={now}")) for line in lines])

        def many(count):
            return ",".join([f"v1={wrong}"] * count)

        taken = {
            "one code": lambda right, at: f"{at},{right}",
            "the time last": lambda right, at: f"{right},{at}",
            "blanks around the items": lambda right, at: f"  {at} ,\t{right}  ",
            "an old scheme beside it": lambda right, at: f"{at},v0={wrong},{right}",
            "an unknown item beside it": lambda right, at: f"{at},{right},key=x",
            "a wrong code before it": lambda right, at: f"{at},v1={wrong},{right}",
            "a wrong code after it": lambda right, at: f"{at},{right},v1={wrong}",
            "16 codes, the last right": lambda right, at: f"{at},{many(15)},{right}",
            "64 items": lambda right, at: ",".join([at, right] + ["v0=1"] * 62),
        }
        for name, items in taken.items():
            self.accepted(f"stripe, {name}", stripe(items))
        refused = {
            "17 codes, the first right": lambda right, at: f"{at},{right},{many(16)}",
            "forty codes, one right": lambda right, at: f"{at},{many(20)},{right},{many(19)}",
            "forty right codes": lambda right, at: ",".join([at] + [right] * 40),
            "65 items": lambda right, at: ",".join([at, right] + ["v0=1"] * 63),
            "no time": lambda right, at: right,
            "two times": lambda right, at: f"{at},{at},{right}",
            "two different times": lambda right, at: f"t=1,{at},{right}",
            "no code": lambda right, at: at,
            "only codes of another scheme": lambda right, at: f"{at},{right.replace('v1', 'v0')}",
            "nothing but separators": lambda right, at: ",,,,",
        }
        for name, items in refused.items():
            self.refused(f"stripe, {name}", stripe(items), MALFORMED)
        self.refused("stripe, only wrong codes", stripe(lambda right, at: f"{at},{many(3)}"), MISMATCH)
        # Several lines of one header are one list (RFC 9110, section 5.3).
        self.accepted("stripe, time and code in two lines", stripe(lambda right, at: at, lambda right, at: right))
        self.accepted("stripe, a wrong code in a second line", stripe(
            lambda right, at: f"{at},{right}", lambda right, at: f"v1={wrong}"))
        self.refused("stripe, a second line with a second time", stripe(
            lambda right, at: f"{at},{right}", lambda right, at: "t=1"), MALFORMED)
        self.refused("stripe, 17 codes in two lines", stripe(
            lambda right, at: f"{at},{right},{many(8)}", lambda right, at: many(8)), MALFORMED)
        self.refused("stripe, 65 items in two lines", stripe(
            lambda right, at: ",".join([at, right] + ["v0=1"] * 31), lambda right, at: ",".join(["v0=1"] * 32)), MALFORMED)

        def codes(path, header, *lines):
            body = body_of({"n": str(number())})
            right = code(b"listed", body)
            return send(daemon, path, body, [(header, line.replace("RIGHT", right)) for line in lines])

        self.accepted("pagerduty, two codes while a secret is replaced", codes(
            "/hooks/l-pagerduty", "X-PagerDuty-Signature", f"v1={wrong},v1=RIGHT"))
        self.accepted("pagerduty, codes in two header lines", codes(
            "/hooks/l-pagerduty", "X-PagerDuty-Signature", f"v1={wrong}", "v1=RIGHT"))
        self.refused("pagerduty, no item of its scheme", codes(
            "/hooks/l-pagerduty", "X-PagerDuty-Signature", "RIGHT"), MALFORMED)
        self.refused("pagerduty, 17 codes", codes(
            "/hooks/l-pagerduty", "X-PagerDuty-Signature", ",".join(["v1=RIGHT"] * 17)), MALFORMED)
        self.accepted("a list without prefix", codes("/hooks/l-bare", "X-Code", f"{wrong} RIGHT"))
        self.accepted("a list without prefix, several blanks", codes("/hooks/l-bare", "X-Code", f"RIGHT   {wrong}"))
        self.refused("a list without prefix, 17 codes", codes("/hooks/l-bare", "X-Code", " ".join(["RIGHT"] * 17)), MALFORMED)

    # Twilio

    def twilio_forms(self, daemon):
        key = "first-secret-of-the-hook"

        def url(path):
            return f"http://127.0.0.1:{daemon.port}{path}"

        def form(fields, path="/hooks/twilio", signed=None, content_type=FORM):
            body = fields if isinstance(fields, bytes) else urllib.parse.urlencode(fields).encode()
            request = Request(path, body, FORM, url=signed or url(path))
            return send(daemon, path, body, twilio(request, key, 0), type=content_type)

        def one():
            return ("n", str(number()))

        for name, answer in (
            ("repeated values once, sorted", form([one(), ("b", "2"), ("b", "1"), ("b", "2")])),
            ("a form of one field", form([one()])),
            ("a parameter of the type", form([one()], content_type=FORM + "; charset=UTF-8")),
            ("a query", form([one()], "/hooks/twilio?foo=1&bar=%2F")),
            ("names in byte order", form([one(), ("a", "1"), ("B", "2"), ("_", "3")])),
        ):
            self.check(answer.status == 204, f"twilio, {name}: 204", str(answer))
        self.refused("twilio, signed for https", form([one()], signed=f"https://127.0.0.1:{daemon.port}/hooks/twilio"), MISMATCH)
        self.refused("twilio, signed for another host", form([one()], signed="http://other.example/hooks/twilio"), MISMATCH)
        self.refused("twilio, signed for another query", form([one()], "/hooks/twilio?a=1", url("/hooks/twilio?a=2")), MISMATCH)

        def json_body(body=None, hash=None, name="bodySHA256"):
            body = body or body_of({"n": str(number())})
            path = f"/hooks/twilio?{name}={hash or hashlib.sha256(body).hexdigest()}"
            request = Request(path, body, url=url(path))
            return send(daemon, path, body, twilio(request, key, 0))

        answer = json_body()
        self.check(answer.status == 204, "twilio, JSON with its SHA-256 in the query: 204", str(answer))
        self.refused("twilio, JSON with another SHA-256", json_body(hash="0" * 64), MISMATCH)
        self.refused("twilio, JSON with a SHA-256 that is cut", json_body(hash="abc"), MISMATCH, MALFORMED)
        self.refused("twilio, JSON without its SHA-256", json_body(name="other"), MISSING, MALFORMED, MISMATCH)

    # Tokens

    token_hooks = (
        {
            "j-plain": hook('{ scheme = "jwt", key-file = "jwt.jwks", audience = "usher" }'),
            "j-more": hook('{ scheme = "jwt", key-file = "jwt.jwks", audience = ["usher", "door"], issuer = ["https://a.example", '
                           '"https://b.example"], claims = { email = "a@b.example", email_verified = true, level = 3 } }'),
            "j-rs256": hook('{ scheme = "jwt", key-file = "jwt.pem", audience = "usher", algorithm = "RS256" }'),
            "j-pem": hook('{ scheme = "jwt", key-file = "jwt.pem", audience = "usher" }'),
            "j-ec": hook('{ scheme = "jwt", key-file = "jwt-ec.pem", audience = "usher" }'),
            "j-header": hook('{ scheme = "jwt", key-file = "jwt.pem", audience = "usher", header = "X-Token", prefix = "" }'),
            "j-query": hook('{ scheme = "jwt", key-file = "jwt.pem", audience = "usher", query = "token" }'),
            "j-tolerance": hook('{ scheme = "jwt", key-file = "jwt.pem", audience = "usher", tolerance = 600 }'),
            "j-huge": hook('{ scheme = "jwt", key-file = "huge.jwks", audience = "usher" }'),
            "j-rotated": hook('{ scheme = "jwt", key-file = "rotated.pem", audience = "usher" }'),
        }, {
            "jwt.jwks": json.dumps({"keys": [
                jwk(RSA, kid="one", alg="RS256", use="sig"), jwk(RSA_SECOND, kid="two"), jwk(EC, kid="three"),
                # Of a kind that no token here may use.
                {"kty": "oct", "kid": "four", "k": unpadded(b"shared-secret-of-32-bytes-or-more")}]}),
            "jwt.pem": pem_public(RSA, RSA_SECOND, EC), "jwt-ec.pem": pem_public(EC), "rotated.pem": pem_public(RSA_OTHER),
            # 5 MB: each key is right in itself.
            "huge.jwks": json.dumps({"keys": [jwk(RSA, kid=f"key-{place}") for place in range(12_000)]}),
        })

    def jwts(self, station, daemon):
        def claims(**changes):
            value = dict({"aud": "usher", "exp": int(time.time()) + 600, "iat": int(time.time())}, **changes)
            return {key: item for key, item in value.items() if item is not ...}

        def ask(token, path="j-plain", header="Authorization", prefix="Bearer ", query=""):
            headers = [(header, prefix + token)] if token is not None and header else []
            return send(daemon, f"/hooks/{path}{query}", body_of({"n": str(number())}), headers)

        def rs(key=RSA, kid=None, path="j-plain", **changes):
            return ask(jwt.encode(claims(**changes), key, "RS256", {"kid": kid} if kid else None), path)

        def es(key=EC, kid=None, path="j-plain", **changes):
            return ask(jwt.encode(claims(**changes), key, "ES256", {"kid": kid} if kid else None), path)

        now = int(time.time())
        for name, answer in (
            ("RS256", rs()), ("ES256", es()), ("RS256 with kid", rs(kid="one")), ("ES256 with kid", es(kid="three")),
            ("the second key", rs(RSA_SECOND)), ("the second key by its kid", rs(RSA_SECOND, "two")),
            ("PEM, RS256", rs(path="j-pem")), ("PEM, ES256", es(path="j-pem")),
            ("a kid where the PEM has none", rs(kid="whatever", path="j-pem")),
            ("the audience in a list", rs(aud=["other", "usher"])), ("a text outside ASCII in a claim", rs(name="Ünïcödé")),
            ("30 s after its end, within the skew", rs(exp=now - 30)), ("30 s before its beginning", rs(nbf=now + 30)),
            ("an end that is a fraction", rs(exp=now + 600.5)), ("ten minutes after its end, with tolerance", rs(
                path="j-tolerance", exp=now - 500)),
            ("everything that is asked for", rs(
                path="j-more", aud="door", iss="https://b.example", email="a@b.example", email_verified=True, level=3)),
            ("of the one allowed algorithm", rs(path="j-rs256")),
            ("in another header", ask(jwt.encode(claims(), RSA, "RS256"), "j-header", "X-Token", "")),
            ("in the URL", ask(None, "j-query", query="?token=" + jwt.encode(claims(), RSA, "RS256"))),
        ):
            self.accepted(f"jwt, {name}", answer)
        more = {"aud": "usher", "iss": "https://a.example", "email": "a@b.example", "email_verified": True, "level": 3}
        none = jwt.encode(claims(), None, "none")
        shared = b"shared-secret-of-32-bytes-or-more"
        head, payload, signature = jwt.encode(claims(), RSA, "RS256").split(".")
        other_payload = unpadded(json.dumps(claims(admin=True)).encode())
        confused = unpadded(b'{"alg":"HS256","typ":"JWT"}') + "." + unpadded(json.dumps(claims()).encode())
        for name, answer, *allowed in (
            ("nothing", ask(None), MISSING),
            ("alg none", ask(none), MALFORMED), ("alg none with a signature", ask(none + signature), MALFORMED),
            ("alg NONE", ask(unpadded(b'{"alg":"NONE"}') + f".{payload}."), MALFORMED),
            ("no alg", ask(unpadded(b'{"typ":"JWT"}') + f".{payload}.{signature}"), MALFORMED),
            ("alg as a number", ask(unpadded(b'{"alg":256}') + f".{payload}.{signature}"), MALFORMED),
            ("HS256", ask(jwt.encode(claims(), shared, "HS256", {"kid": "four"})), MALFORMED),
            ("HS256 with the public key as its secret", ask(confused + "." + unpadded(bytes.fromhex(
                code(pem_public(RSA), confused.encode())))), MALFORMED),
            ("RS512", ask(jwt.encode(claims(), RSA, "RS512")), MALFORMED),
            ("an algorithm that this hook does not take", es(path="j-rs256"), MALFORMED),
            ("two parts", ask(f"{head}.{payload}"), MALFORMED), ("four parts", ask(f"{head}.{payload}.{signature}.x"), MALFORMED),
            ("a word", ask("token"), MALFORMED), ("parts that are no base64", ask("a b.c d.e f"), MALFORMED),
            ("a head that is no JSON", ask(f"{unpadded(b'{')}.{payload}.{signature}"), MALFORMED),
            ("another scheme", ask("dXNlcjpwYXNz", prefix="Basic "), MALFORMED, MISSING),
            ("an unknown key", rs(RSA_OTHER), MISMATCH), ("an unknown kid", rs(kid="nine"), MISMATCH),
            ("the kid of another key", rs(RSA_SECOND, "one"), MISMATCH),
            ("RS256, and the kid of an elliptic key", rs(kid="three"), MISMATCH),
            ("RS256, and only an elliptic key", rs(path="j-ec"), MISMATCH),
            ("a changed payload", ask(f"{head}.{other_payload}.{signature}"), MISMATCH),
            ("a changed head", ask(unpadded(b'{"typ":"JWT","alg":"RS256"}') + f".{payload}.{signature}"), MISMATCH),
            ("no signature", ask(f"{head}.{payload}."), MISMATCH, MALFORMED),
            ("another audience", rs(aud="other"), MISMATCH), ("no audience", rs(aud=...), MISMATCH),
            ("an audience that is a number", ask(forged({"aud": 5, "exp": now + 600})), MISMATCH, MALFORMED),
            ("no end", rs(exp=...), MISMATCH),
            ("an end that is a text", ask(forged({"aud": "usher", "exp": str(now + 600)})), MISMATCH),
            ("an end that is null", ask(forged({"aud": "usher", "exp": None})), MISMATCH),
            ("an end that is true", ask(forged({"aud": "usher", "exp": True})), MISMATCH),
            ("an end before 1970", ask(forged({"aud": "usher", "exp": -1})), STALE),
            ("a beginning that is a text", ask(forged({"aud": "usher", "exp": now + 600, "nbf": "x"})), MISMATCH, MALFORMED),
            ("two audiences of one name", ask(forged('{"aud":"other","aud":"usher","exp":%d}' % (now + 600))), MALFORMED, MISMATCH),
            # RFC 7515, section 4.1.11: a critical member that is not understood makes a token invalid.
            ("a critical member", ask(forged({"aud": "usher", "exp": now + 600}, {"crit": ["x"], "x": 1})), MALFORMED, MISMATCH),
            ("ECDSA in DER", ask(forged({"aud": "usher", "exp": now + 600}, form="der")), MISMATCH, MALFORMED),
            ("an hour after its end", rs(exp=now - HOUR), STALE), ("an hour before its beginning", rs(nbf=now + HOUR), STALE),
            # The skew is said to hold for `iat` too, the refusal only for `exp` and `nbf`.
            ("issued in an hour", rs(iat=now + HOUR), STALE, MISMATCH),
            ("another issuer", rs(path="j-more", **dict(more, iss="https://c.example")), MISMATCH),
            ("no issuer", rs(path="j-more", **dict(more, iss=...)), MISMATCH),
            ("a claim with another value", rs(path="j-more", **dict(more, email="c@b.example")), MISMATCH),
            ("a claim of another type", rs(path="j-more", **dict(more, email_verified="true")), MISMATCH),
            ("1 where true is wanted", rs(path="j-more", **dict(more, email_verified=1)), MISMATCH),
            ("a claim that is missing", rs(path="j-more", **dict(more, level=...)), MISMATCH),
        ):
            self.refused(f"jwt, {name}", answer, *allowed)
            if answer.status == 429:
                self.check(False, "jwt: the cases fit into the burst of refusals")
        self.refused("jwt in the URL, nothing", ask(None, "j-query"), MISSING)
        self.refused("jwt in the URL, in the header instead", rs(path="j-query"), MISSING)
        # 5 MB of keys: read, or said to be too much; never an abort, and never open.
        answer = rs(kid="key-11999", path="j-huge")
        self.check(
            answer.status == 202 or (answer.status, answer.error.get("name")) == SECRET,
            "jwt, keys of 5 MB: taken, or 503 signature.secret", str(answer))
        self.check(daemon.status("VmHWM") < 250_000, "jwt, keys of 5 MB: memory stays small", lambda: f"{daemon.status('VmHWM')} KiB")
        # Keys are read again within a second.
        self.refused("jwt, before its key is there", rs(path="j-rotated"), MISMATCH)
        station.secret("hooks/rotated.pem", pem_public(RSA).decode())
        self.check(
            eventually(lambda: rs(path="j-rotated").status == 202, seconds=10, pause=0.25), "jwt, a key file that was replaced holds",
            lambda: str(rs(path="j-rotated")))
        self.check(rs(RSA_OTHER, path="j-rotated").status == 403, "jwt, and the old one does not any more")

    # Words

    word_hooks = (
        {
            "b-basic": hook('{ scheme = "basic", secret-file = "basic.secret" }'),
            "b-bearer": hook('{ scheme = "bearer", secret-file = "bearer.secret" }'),
            "b-header": hook('{ scheme = "bearer", secret-file = "bearer.secret", header = "X-Token", prefix = "" }'),
            "b-prefix": hook('{ scheme = "bearer", secret-file = "bearer.secret", header = "X-Token", prefix = "Token " }'),
            "b-query": hook('{ scheme = "bearer", secret-file = "bearer.secret", query = "key" }'),
            "gitlab": hook('{ scheme = "gitlab", secret-file = "bearer.secret" }'),
        }, {"basic.secret": "wall:brick:and:stone\nGrün:schön\n", "bearer.secret": "bear-one\nbear two\n"})

    def basic(self, daemon):
        def ask(text=None, header=None, **options):
            value = header if header is not None else "Basic " + base64.b64encode(text.encode()).decode() if text else None
            return send(daemon, "/hooks/b-basic", body_of({"n": str(number())}), [("Authorization", value)] if value else [])

        for name, answer in (
            ("right", ask("wall:brick:and:stone")), ("the second line, outside ASCII", ask("Grün:schön")),
            ("the scheme in other letters", ask(header="bAsIc " + base64.b64encode(b"wall:brick:and:stone").decode())),
        ):
            self.accepted(f"basic, {name}", answer)
        wrong = (401, "signature.mismatch")
        for name, answer, *allowed in (
            ("nothing", ask(), MISSING), ("no base64", ask(header="Basic %%%"), MALFORMED),
            ("no colon", ask("wall"), MALFORMED, wrong), ("no password", ask(header="Basic"), MALFORMED, MISSING),
            ("another scheme", ask(header="Bearer abc"), MALFORMED, MISSING),
            ("bytes outside ASCII", ask(header="Basic ü".encode()), MALFORMED),
            # HTTP's answer to a wrong password is 401 with a challenge (RFC 7617); the contract's 403 for what is wrong is
            # overridden by its sentence "`basic` answers 401 with `WWW-Authenticate`".
            ("another password", ask("wall:brick"), wrong), ("another user", ask("well:brick:and:stone"), wrong),
            ("an empty password", ask("wall:"), wrong), ("the user of one line, the password of the other", ask("wall:schön"), wrong),
            ("capital letters", ask("Wall:brick:and:stone"), wrong),
        ):
            self.refused(f"basic, {name}", answer, *allowed)
            self.check(
                answer.status != 401 or answer.headers.get("WWW-Authenticate") == 'Basic realm="usher"',
                f"basic, {name}: WWW-Authenticate", str(answer.headers))

    def bearer(self, daemon):
        def ask(path, *headers, query=""):
            return send(daemon, f"/hooks/{path}{query}", body_of({"n": str(number())}), headers)

        for name, answer in (
            ("bearer", ask("b-bearer", ("Authorization", "Bearer bear-one"))),
            ("bearer, the second line", ask("b-bearer", ("Authorization", "Bearer bear two"))),
            ("bearer in another header", ask("b-header", ("X-Token", "bear-one"))),
            ("bearer with another prefix", ask("b-prefix", ("X-Token", "Token bear-one"))),
            ("bearer in the URL", ask("b-query", query="?a=b&key=bear-one")),
            ("bearer in the URL, encoded", ask("b-query", query="?key=bear%20two")),
            ("bearer in the URL, a plus", ask("b-query", query="?key=bear+two")),
            ("gitlab", ask("gitlab", ("X-Gitlab-Token", "bear-one"))),
            ("gitlab, the second line", ask("gitlab", ("X-Gitlab-Token", "bear two"))),
        ):
            self.accepted(name, answer)
        for name, answer, *allowed in (
            ("bearer, nothing", ask("b-bearer"), MISSING),
            ("bearer, another token", ask("b-bearer", ("Authorization", "Bearer bear")), MISMATCH),
            ("bearer, a longer token", ask("b-bearer", ("Authorization", "Bearer bear-one1")), MISMATCH),
            ("bearer, an empty token", ask("b-bearer", ("Authorization", "Bearer ")), MISSING, MALFORMED, MISMATCH),
            ("bearer, without its prefix", ask("b-bearer", ("Authorization", "bear-one")), MALFORMED, MISSING),
            ("bearer, bytes outside ASCII", ask("b-bearer", ("Authorization", "Bearer bär".encode())), MISMATCH, MALFORMED),
            ("bearer, in the URL instead", ask("b-bearer", query="?key=bear-one"), MISSING),
            ("bearer in the URL, nothing", ask("b-query"), MISSING),
            ("bearer in the URL, another parameter", ask("b-query", query="?token=bear-one"), MISSING),
            ("bearer in the URL, another token", ask("b-query", query="?key=bear"), MISMATCH),
            ("bearer in the URL, in the header instead", ask("b-query", ("Authorization", "Bearer bear-one")), MISSING),
            ("bearer in the URL, twice", ask("b-query", query="?key=bear&key=bear-one"), MALFORMED, MISMATCH),
            ("bearer in another header, the usual one instead", ask("b-header", ("Authorization", "Bearer bear-one")), MISSING),
            ("gitlab, nothing", ask("gitlab"), MISSING),
            ("gitlab, another token", ask("gitlab", ("X-Gitlab-Token", "bear")), MISMATCH),
            ("gitlab, with a prefix", ask("gitlab", ("X-Gitlab-Token", "Bearer bear-one")), MISMATCH),
        ):
            self.refused(name, answer, *allowed)
        # An id identifies a duplicate: the token signs no body.
        answers = [
            send(daemon, "/hooks/gitlab?wait=1", b'{"n":"again"}', [("X-Gitlab-Token", "bear-one"), ("Idempotency-Key", id)])
            for id in ("gl-1", "gl-1", "gl-2")]
        self.check(
            [(answer.json or {}).get("reason") == "duplicate" for answer in answers] == [False, True, False],
            "gitlab: the id decides what is a duplicate", str([str(answer) for answer in answers]))

    # Secrets

    other_hooks = (
        {
            "s-absent": hook('{ scheme = "hmac", secret-file = "absent.secret", header = "X-Code" }'),
            "s-empty": hook('{ scheme = "hmac", secret-file = "empty.secret", header = "X-Code" }'),
            "s-no-hex": hook('{ scheme = "hmac", secret-file = "no-hex.secret", header = "X-Code", secret-encoding = "hex" }'),
            "s-no-key": hook('{ scheme = "public-key", key-file = "no-hex.secret", header = "X-Code" }'),
            "s-no-keys": hook('{ scheme = "jwt", key-file = "empty.secret", audience = "usher" }'),
            "d-base64url": hook('{ scheme = "hmac", secret-file = "github.secret", header = "X-Code", encoding = "base64url" }',
                                'replays = "code"'),
            "d-ecdsa": hook('{ scheme = "public-key", key-file = "jwt-ec.pem", header = "X-Code", algorithm = "ecdsa-p256" }',
                            'replays = "code"'),
            "github-twin": hook('{ scheme = "github", secret-file = "github.secret" }'),
            "s-flooded": hook('{ scheme = "hmac", secret-file = "rotated.secret", header = "X-Code" }'),
            "s-credential": hook('{ scheme = "hmac", secret-credential = "hook-secret", header = "X-Code" }'),
            "s-key-credential": hook('{ scheme = "public-key", key-credential = "hook-key", header = "X-Code" }'),
            "s-rotated": hook('{ scheme = "hmac", secret-file = "rotated.secret", header = "X-Code" }'),
        }, {"empty.secret": "\n", "no-hex.secret": "not a key in any form\n", "rotated.secret": "old\n"})

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
        token = jwt.encode({"aud": "usher", "exp": int(time.time()) + 600}, RSA, "RS256")
        self.refused("s-no-keys", send(daemon, "/hooks/s-no-keys", body, [("Authorization", f"Bearer {token}")]), SECRET)

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


def forged(claims, more=None, form="raw"):
    """A token that PyJWT would not make: signed, with claims of any type, or a text as they are."""
    head = dict({"alg": "ES256", "typ": "JWT"}, **(more or {}))
    claims = claims if isinstance(claims, str) else json.dumps(claims)
    text = f"{unpadded(json.dumps(head).encode())}.{unpadded(claims.encode())}"
    return f"{text}.{unpadded(ecdsa(EC, text.encode(), form))}"
