"""What a hook answers: to challenges, to requests that it accepts or ignores.

The section `answers` of `check-hooks`. What `accepted` and `unmatched` allow is proved by `HookRouteTests`, unknown paths by the
section `unknown` of `check-daemon`.
"""

import json
import os
import re
import time

from cryptography.hazmat.primitives.asymmetric import ed25519

from hooks_mapping import Ask
from hooks_schemes import raw_public
from hooks_section import HookSection, body_of, code, hook, number, send

KEY = ed25519.Ed25519PrivateKey.generate()
SECRET = "answers-secret"
SLACK, ZOOM = ("X-Slack-Signature", "X-Slack-Request-Timestamp"), ("x-zm-signature", "x-zm-request-timestamp")


def stamped(header, time_header, body, key=SECRET):
    """Headers as Slack and Zoom sign."""
    at = str(int(time.time()))
    return [(time_header, at), (header, "v0=" + code(key.encode(), f"v0:{at}:".encode() + body))]


class Answers(HookSection):
    def answers(self):
        hooks = {}
        for text in (self.challenge_hooks(), self.accepted_hooks(), self.unmatched_hooks()):
            hooks.update(text)
        secrets = {"a.secret": f"{SECRET}\nanother\n", "discord.keys": raw_public(KEY).hex() + "\n"}
        with self.running(hooks, secrets) as (station, daemon):
            self.challenges(station, daemon)
            self.custom(daemon)
            self.accepted_forms(daemon)
            self.unmatched(daemon)
            self.methods(daemon)
            self.early(daemon)
            self.changing(station, daemon)
            self.check(daemon.end() == 0, "the daemon ends with 0")

    # Senders that ask back

    def challenge_hooks(self):
        def vendor(scheme, *lines, file="secret-file", name="a.secret"):
            # A condition that no challenge fulfils: the answer is given before it.
            return hook(f'{{ scheme = "{scheme}", {file} = "{name}" }}', 'when = [{ pointer = "/n", exists = true }]', *lines)

        return {
            "token": hook('{ scheme = "bearer", secret-file = "a.secret" }'),
            "slack": vendor("slack"), "zoom": vendor("zoom"), "discord": vendor("discord", file="key-file", name="discord.keys"),
            "custom": hook(
                '{ scheme = "hmac", secret-file = "a.secret", header = "X-Code" }', 'when = [{ pointer = "/n", exists = true }]',
                "[[hooks.NAME.answers]]", 'when = [{ pointer = "/kind", equals = "text" }]', 'values = { c = "/challenge" }',
                'text = "{c}"',
                "[[hooks.NAME.answers]]", 'when = [{ pointer = "/kind", equals = "json" }]', 'values = { c = "/challenge" }',
                'json = { answer = { challenge = "{c}", code = "{hmac.c}", fixed = 5, list = [true, "{c}!"] } }', "status = 201",
                "[[hooks.NAME.answers]]", 'when = [{ pointer = "/kind", in = ["json", "third"] }]', 'text = "third"', "status = 404"),
        }

    def challenges(self, station, daemon):
        before = len(station.rows())
        body = body_of({"type": "url_verification", "token": "t", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"})
        slack = stamped(*SLACK, body)
        answer = send(daemon, "/hooks/slack", body, slack)
        challenge = json.loads(body)["challenge"]
        # Slack takes the challenge as text, or as a member of a JSON object.
        self.check(
            answer.status == 200 and (answer.body.decode() == challenge or (answer.json or {}).get("challenge") == challenge),
            "slack, url_verification: 200 with the challenge", str(answer))
        self.check(
            answer.headers.get_content_type() in ("text/plain", "application/json"), "slack, url_verification: its type",
            str(answer.headers))
        forged = stamped(*SLACK, body, "wrong")
        self.refused("slack, url_verification with another secret", send(daemon, "/hooks/slack", body, forged),
                     (403, "signature.mismatch"))
        huge = body_of({"type": "url_verification", "challenge": "x" * 1_000_000})
        self.refused("slack, a challenge of 1 MB", send(daemon, "/hooks/slack", huge, stamped(*SLACK, huge)), (422, "hook.answer-size"))
        odd = body_of({"type": "url_verification", "challenge": {"a": 1}})
        answer = send(daemon, "/hooks/slack", odd, stamped(*SLACK, odd))
        self.check(400 <= answer.status < 500 and answer.error.get("name"), "slack, a challenge that is no text: 4xx", str(answer))

        body = body_of({"event": "endpoint.url_validation", "payload": {"plainToken": "qgg8vlvZRS6UYooatFL8Aw"}, "event_ts": 1})
        zoom = stamped(*ZOOM, body)
        self.exact("zoom, endpoint.url_validation", send(daemon, "/hooks/zoom", body, zoom), 200, {
            "plainToken": "qgg8vlvZRS6UYooatFL8Aw", "encryptedToken": code(SECRET.encode(), b"qgg8vlvZRS6UYooatFL8Aw")})
        # What was answered is no event: a sender that asks again is answered again.
        self.exact("zoom, endpoint.url_validation again", send(daemon, "/hooks/zoom", body, zoom), 200, {
            "plainToken": "qgg8vlvZRS6UYooatFL8Aw", "encryptedToken": code(SECRET.encode(), b"qgg8vlvZRS6UYooatFL8Aw")})

        def discord(body, key=KEY):
            at = str(int(time.time()))
            return send(daemon, "/hooks/discord", body, [
                ("X-Signature-Timestamp", at), ("X-Signature-Ed25519", key.sign(at.encode() + body).hex())])

        self.exact("discord, PING", discord(b'{"type":1}'), 200, {"type": 1})
        self.exact("discord, PING with more members", discord(body_of({"type": 1, "id": "5", "token": "t"})), 200, {"type": 1})
        self.refused("discord, PING with another key", discord(b'{"type":1}', ed25519.Ed25519PrivateKey.generate()),
                     (401, "signature.mismatch"))
        self.check(len(station.rows()) == before, "a challenge delivers nothing", str(len(station.rows())))
        for name, answer in (
            ("slack", send(daemon, "/hooks/slack", body := body_of({"n": str(number())}), stamped(*SLACK, body))),
            ("zoom", send(daemon, "/hooks/zoom", body := body_of({"n": str(number()), "event": "meeting.started"}), stamped(*ZOOM, body))),
            ("discord", discord(body_of({"n": str(number()), "type": 2}))),
        ):
            self.accepted(f"{name}, an event beside its challenge", answer)

    def custom(self, daemon):
        def ask(value, secret=SECRET):
            body = body_of(value)
            return send(daemon, "/hooks/custom", body, [("X-Code", code(secret.encode(), body))])

        answer = ask({"kind": "text", "challenge": "ä {x} \"<script>"})
        self.exact("answers, text", answer, 200, "ä {x} \"<script>")
        self.check(answer.headers.get_content_type() == "text/plain", "answers, text: its type is text/plain", str(answer.headers))
        challenge = "a\"b\\c\nä"
        answer = ask({"kind": "json", "challenge": challenge})
        self.exact("answers, json with status", answer, 201, {"answer": {
            "challenge": challenge, "code": code(SECRET.encode(), challenge.encode()), "fixed": 5, "list": [True, challenge + "!"]}})
        self.check(answer.headers.get_content_type() == "application/json", "answers, json: its type", str(answer.headers))
        # `{hmac.NAME}` is under the first secret, whichever one signed.
        self.exact("answers, the first secret", ask({"kind": "json", "challenge": "c"}, "another"), 201, {"answer": {
            "challenge": "c", "code": code(SECRET.encode(), b"c"), "fixed": 5, "list": [True, "c!"]}})
        self.exact("answers, in order", ask({"kind": "third"}), 404, "third")
        self.exact("answers, 4096 bytes", ask({"kind": "text", "challenge": "x" * 4096}), 200, "x" * 4096)
        for name, text in (("4097 bytes", "x" * 4097), ("4098 bytes of two-byte letters", "ä" * 2049)):
            self.refused(f"answers, {name}", ask({"kind": "text", "challenge": text}), (422, "hook.answer-size"))
        self.ignored("answers, none of them", ask({"kind": "other"}))
        self.accepted("answers, an event", ask({"kind": "other", "n": str(number())}))
        self.refused("answers, another secret", ask({"kind": "text", "challenge": "x"}, "nobody's"), (403, "signature.mismatch"))

    # What is taken

    def accepted_hooks(self):
        return {
            f"taken-{name}": hook('{ scheme = "none" }', f"accepted = {value}") for name, value in (
                ("204", "204"), ("twiml", '{ status = 200, text = "<Response/>" }'),
                ("created", '{ status = 201, json = { ok = true, list = ["a"] } }'))}

    def accepted_forms(self, daemon):
        def ask(name, query=""):
            return Ask({"n": str(number())}, query=query).send(daemon, f"taken-{name}")

        self.exact("accepted = 204", ask("204"), 204, "")
        self.exact("accepted, a text", ask("twiml"), 200, "<Response/>")
        self.exact("accepted, JSON with a status", ask("created"), 201, {"ok": True, "list": ["a"]})
        for name in ("204", "twiml", "created"):
            self.recorded(f"accepted, {name}: ?wait=1 goes before", ask(name, "wait=1"), outcome="done")

    # What is not wanted

    def unmatched_hooks(self):
        condition = 'when = [{ pointer = "/wanted", equals = true }]'
        return {
            "default": hook('{ scheme = "none" }', condition),
            "not-204": hook('{ scheme = "none" }', condition, "unmatched = 204"),
        }

    def unmatched(self, daemon):
        unwanted = Ask({"n": "1", "wanted": False})
        self.ignored("unmatched by default with ?wait=1", unwanted.send(daemon, "default", wait=True), at="/wanted")
        self.exact("unmatched = 204", unwanted.send(daemon, "not-204"), 204, "")
        # An event that is wanted and cannot be made a notification is a fault of the hook, not of the event.
        answer = Ask({"wanted": True}).send(daemon, "default")
        self.refused("a wanted event without a value of its target", answer, (422, "hook.value-missing"))
        self.check("n" in str(answer.error.get("message")), "and it names the value", str(answer))
        self.accepted("a wanted event", Ask({"wanted": True, "n": str(number())}).send(daemon, "default"))

    # Methods and heads

    def methods(self, daemon):
        # `input` is JSON: POST. The hooks of `mapping` that read the query take GET too.
        for method, body in (("GET", None), ("PUT", b"{}"), ("DELETE", None), ("PATCH", b"{}")):
            answer = send(daemon, "/hooks/default", body, method=method)
            self.refused(f"{method} where POST is taken", answer, (405, "webhook.method"))
            self.check(
                words(answer.headers.get("Allow")) == {"POST"}, f"{method} where POST is taken: Allow", str(answer.headers))
        hooks = {"reads-query": hook('{ scheme = "none" }', 'input = ["query"]'),
                 "reads-both": hook('{ scheme = "none" }', 'input = ["json", "query"]')}
        with self.running(hooks) as (_, other):
            for name in hooks:
                answer = send(other, f"/hooks/{name}?n=1", b"{}", method="PUT")
                self.refused(f"PUT to {name}", answer, (405, "webhook.method"))
                self.check(
                    {"GET", "POST"} <= words(answer.headers.get("Allow")) <= {"GET", "HEAD", "POST"}, f"PUT to {name}: Allow",
                    str(answer.headers))

    def early(self, daemon):
        """Of a token the head is enough. Bodies that never end are the section `bodies` of `check-daemon`."""
        for name, headers, *allowed in (
            ("a wrong token", [("Authorization", "Bearer x")], (403, "signature.mismatch")),
            ("no token", [], (401, "signature.missing")),
        ):
            answer = send(daemon, "/hooks/token", None, [("Content-Length", "900000"), *headers])
            self.refused(f"{name} is judged from the head, before the body", answer, *allowed)

    # A hook file that changes while its path is called

    def changing(self, station, daemon):
        path = station.path("config/hooks/default.toml")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        seen = set()
        for place in range(30):
            # Replaced at once, as an editor does; every second time by half of it.
            content = text if place % 2 else text[: len(text) // 2 + place]
            with open(path + ".new", "w", encoding="utf-8") as file:
                file.write(content)
            os.rename(path + ".new", path)
            if place % 5 == 0:
                station.usher("reload", "--json")
            answer = Ask({"n": str(number()), "wanted": True}).send(daemon, "default")
            seen.add(answer.status)
        self.check(seen == {202}, "a hook file that changes while its path is called: the last good one holds", str(seen))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('"/wanted"', '"/other"'))
        reloaded = station.usher("reload", "--json")
        answer = Ask({"n": str(number()), "wanted": True}).send(daemon, "default")
        self.check(reloaded.returncode == 0, "and it is reloaded", reloaded.stderr.decode())
        self.ignored("a changed condition holds after the reload", answer, at="/other")


def words(text):
    return set(re.split(r"[,\s]+", (text or "").strip())) - {""}
