"""Senders as they are: programs of Debian, libraries that senders publish, and proxies in front.

The section `senders` of `check-hooks`. Each event ends at the window of its target in a tmux with an attached client, and no
delivery stays red at the sender.
"""

import base64
import datetime
import http.client
import json
import os
import re
import time
import urllib.parse
import urllib.request

import slack_sdk.signature
import standardwebhooks
import stripe
import svix.webhooks
import twilio.request_validator

from checklist import eventually
from daemon import arguments_of
from hooks_schemes import FORM
from hooks_section import HookSection, Program, body_of, code, exchange, free_port, send

HOUSE = "https://town.example/house/"
SECRETS = {
    "stripe": "whsec_" + "stripe" * 6, "slack": "5lack" * 6, "twilio": "tw1l10" * 5,
    "svix": "whsec_" + base64.b64encode(b"svix" * 8).decode(), "standard": "whsec_" + base64.b64encode(b"std!" * 8).decode(),
    "github": "github-secret", "bearer": "metrics-of-bears", "basic": "alert:manager-word",
}


def window(signature, values, target=HOUSE + "{n}", *lines):
    return "\n".join([
        "[hooks.NAME]", 'app = "example.town"', f"signature = {signature}", f"values = {{ {values} }}", f'target = "{target}"',
        'title = "{n}"', *lines]) + "\n"


def named(scheme, values, *lines):
    return window(f'{{ scheme = "{scheme}", secret-file = "{scheme}.secret" }}', values, HOUSE + "{n}", *lines)


ALERTS = (
    'n = "/labels/alertname", since = "/startsAt", fingerprint = "/fingerprint", status = "/status"',
    HOUSE + "alert-{n}",
    'each = { pointer = "/alerts", when = [{ pointer = "/status", equals = "firing" }] }',
    'id = { template = "{fingerprint}-{since}-{status}" }')
HOOKS = {
    "stripe": named("stripe", 'n = "/data/object/id"'),
    "slack": named("slack", 'n = "/event/channel"'),
    "slack-command": window('{ scheme = "slack", secret-file = "slack.secret" }', 'n = "/text"'),
    "twilio": named("twilio", 'n = "/MessageSid"'),
    "svix": window('{ scheme = "standard", secret-file = "svix.secret" }', 'n = "/data/n"'),
    "standard": named("standard", 'n = "/data/n"'),
    "github": named("github", 'n = "/issue/number"', 'when = [{ header = "X-GitHub-Event", equals = "issues" }]',
                    'id = { header = "X-GitHub-Delivery" }'),
    "alertmanager": window('{ scheme = "bearer", secret-file = "bearer.secret" }', ALERTS[0], ALERTS[1], *ALERTS[2:]),
    "alertmanager-basic": window('{ scheme = "basic", secret-file = "basic.secret" }', ALERTS[0], HOUSE + "basic-{n}", *ALERTS[2:]),
}
RULES = """
groups:
  - name: town
    interval: 1s
    rules:
      - alert: {name}
        expr: {expression}
        labels: {{ severity: critical }}
        annotations: {{ summary: "a rule of the check" }}
"""


class Senders(HookSection):
    def senders(self):
        secrets = {f"{name}.secret": f"{secret}\n" for name, secret in SECRETS.items()}
        settings = '[server]\ntoken-file = "token"\ntrusted-proxies = ["127.0.0.1"]\nallowed-hosts = ["hooks.example"]\n'
        with self.running(
                HOOKS, secrets, settings, attached=True, arguments=["--log-level", "info"],
                prepare=lambda station: station.secret("token", "scraper-token metrics\n")) as (station, daemon):
            for judge in (self.libraries, self.github, self.alerts, self.nginx, self.caddy):
                try:
                    judge(station, daemon)
                except Exception as error:
                    # The other senders can still tell something.
                    self.check(False, f"{judge.__name__}: comes to its end", f"{error.__class__.__name__}: {error}")
            self.check(daemon.end() == 0, "the daemon ends with 0")
        self.checks.note("senders: Grafana is in neither Debian nor PyPI; schemes has requests that are signed as it signs")

    def arrives(self, station, name, target, answer=None):
        """The window of the target is in front."""
        return self.check(
            eventually(lambda: self.in_front(station) == target, pause=0.05), f"{name}: its window is in front",
            lambda: f"{answer or ''} in front: {self.in_front(station)}")

    @staticmethod
    def in_front(station):
        """The target of the window that the client shows now."""
        pid = station.tmux("list-clients", "-F", "#{pane_pid}").partition("\n")[0]
        return arguments_of(pid)[-1] if pid else None

    def sent(self, station, daemon, name, path, body, headers, type="application/json", status=(200, 202, 204), n=None):
        """A request that is taken, and whose window comes to the front."""
        answer = send(daemon, path, body, headers, type=type)
        if self.check(answer.status in status, f"{name}: taken", str(answer)):
            self.arrives(station, name, HOUSE + n, answer)

    # Libraries

    def libraries(self, station, daemon):
        now = int(time.time())
        body = body_of({"id": "evt_1", "object": "event", "type": "charge.succeeded", "data": {"object": {"id": "ch_1"}}}).decode()
        header = stripe.WebhookSignature.generate_signature_header(body, SECRETS["stripe"])
        # The library itself takes what it made.
        stripe.Webhook.construct_event(body, header, SECRETS["stripe"])
        self.sent(station, daemon, "stripe's library", "/hooks/stripe", body.encode(), [("Stripe-Signature", header)], n="ch_1")
        other = stripe.WebhookSignature.generate_signature_header(body, "whsec_other")
        self.refused("stripe's library with another secret", send(
            daemon, "/hooks/stripe", body.encode(), [("Stripe-Signature", other)]), (403, "signature.mismatch"))

        verifier = slack_sdk.signature.SignatureVerifier(SECRETS["slack"])

        def slack(body):
            return [("X-Slack-Request-Timestamp", str(now)),
                    ("X-Slack-Signature", verifier.generate_signature(timestamp=str(now), body=body))]

        body = body_of({"type": "event_callback", "event": {"type": "message", "channel": "C1"}})
        self.sent(station, daemon, "slack's library, an event", "/hooks/slack", body, slack(body), n="C1")
        body = body_of({"type": "url_verification", "challenge": "c-1"})
        answer = send(daemon, "/hooks/slack", body, slack(body))
        self.check(answer.status == 200 and "c-1" in answer.body.decode(), "slack's library, url_verification", str(answer))
        # A slash command is a form, an interaction a form with JSON in `payload`.
        body = urllib.parse.urlencode({"command": "/town", "text": "slash-1", "user_name": "bozo"}).encode()
        self.sent(station, daemon, "slack's library, a slash command", "/hooks/slack-command", body, slack(body), FORM, n="slash-1")
        body = urllib.parse.urlencode({"payload": json.dumps({"type": "block_actions", "text": "action-1"})}).encode()
        self.sent(station, daemon, "slack's library, an interaction", "/hooks/slack-command", body, slack(body), FORM, n="action-1")

        validator = twilio.request_validator.RequestValidator(SECRETS["twilio"])
        fields = {"MessageSid": "SM1", "From": "+14155552671", "Body": "Grüße aus Köln & mehr", "NumMedia": "0"}
        url = f"http://127.0.0.1:{daemon.port}/hooks/twilio"
        self.sent(
            station, daemon, "twilio's library, a message", "/hooks/twilio", urllib.parse.urlencode(fields).encode(),
            [("X-Twilio-Signature", validator.compute_signature(url, fields))], FORM, n="SM1")
        body = json.dumps({"MessageSid": "SM2"})
        path = f"/hooks/twilio?bodySHA256={validator.compute_hash(body)}"
        signature = validator.compute_signature(f"http://127.0.0.1:{daemon.port}{path}", {})
        self.sent(station, daemon, "twilio's library, JSON", path, body.encode(), [("X-Twilio-Signature", signature)], n="SM2")

        when = datetime.datetime.fromtimestamp(now, datetime.timezone.utc)
        body = body_of({"type": "visit", "data": {"n": "svix-1"}})
        signature = svix.webhooks.Webhook(SECRETS["svix"]).sign("msg_1", when, body.decode())
        self.sent(station, daemon, "svix' library", "/hooks/svix", body, [
            ("svix-id", "msg_1"), ("svix-timestamp", str(now)), ("svix-signature", signature)], n="svix-1")
        body = body_of({"type": "visit", "data": {"n": "standard-1"}})
        signature = standardwebhooks.Webhook(SECRETS["standard"]).sign("msg_2", when, body.decode())
        self.sent(station, daemon, "Standard Webhooks' library", "/hooks/standard", body, [
            ("webhook-id", "msg_2"), ("webhook-timestamp", str(now)), ("webhook-signature", signature)], n="standard-1")

    def github(self, station, daemon):
        """GitHub publishes no library for its senders: its two body types, as its pages show them."""
        def headers(event, body, delivery):
            return [("X-GitHub-Event", event), ("X-GitHub-Delivery", delivery), ("User-Agent", "GitHub-Hookshot/044aadd"),
                    ("X-Hub-Signature", "sha1=" + code(SECRETS["github"].encode(), body, "sha1")),
                    ("X-Hub-Signature-256", "sha256=" + code(SECRETS["github"].encode(), body))]

        body = body_of({"action": "opened", "issue": {"number": 1}})
        self.sent(station, daemon, "github, application/json", "/hooks/github", body, headers("issues", body, "d-1"), n="1")
        form = urllib.parse.urlencode({"payload": json.dumps({"action": "opened", "issue": {"number": 2}})}).encode()
        self.sent(station, daemon, "github, a form, its default", "/hooks/github", form, headers("issues", form, "d-2"), FORM, n="2")
        ping = body_of({"zen": "Keep it logically awesome.", "hook_id": 1})
        self.ignored("github, ping: green in its list of deliveries", send(
            daemon, "/hooks/github", ping, headers("ping", ping, "d-3")))

    # Alertmanager and Prometheus

    def alerts(self, station, daemon):
        manager_port, prometheus_port = free_port(), free_port()
        hook = f"http://127.0.0.1:{daemon.port}/hooks/"
        station.write("alertmanager.yml", f"""
route:
  receiver: bearer
  group_by: [alertname]
  group_wait: 0s
  group_interval: 1s
  repeat_interval: 1h
  routes:
    - {{ receiver: bearer, continue: true }}
    - {{ receiver: basic, continue: true }}
receivers:
  - name: bearer
    webhook_configs:
      - url: {hook}alertmanager
        http_config: {{ authorization: {{ type: Bearer, credentials: {SECRETS["bearer"]} }} }}
  - name: basic
    webhook_configs:
      - url: {hook}alertmanager-basic
        http_config: {{ basic_auth: {{ username: alert, password: manager-word }} }}
""")
        station.write("prometheus.yml", f"""
global: {{ scrape_interval: 1s, evaluation_interval: 1s }}
rule_files: [rules.yml]
alerting:
  alertmanagers:
    - static_configs: [{{ targets: ["127.0.0.1:{manager_port}"] }}]
scrape_configs:
  - job_name: usherd
    authorization: {{ credentials: scraper-token }}
    static_configs: [{{ targets: ["127.0.0.1:{daemon.port}"] }}]
""")
        rules = station.write("rules.yml", RULES.format(name="DiskFull", expression="vector(1)"))
        manager = Program(
            station, "alertmanager", [
                "prometheus-alertmanager", "--cluster.listen-address=", f"--config.file={station.path('alertmanager.yml')}",
                f"--storage.path={station.path('alertmanager')}", f"--web.listen-address=127.0.0.1:{manager_port}"])
        # An alert that fires before Prometheus has found Alertmanager is sent again after the delay: a minute by default.
        prometheus = Program(
            station, "prometheus", [
                "prometheus", "--web.enable-lifecycle", "--rules.alert.resend-delay=1s",
                f"--config.file={station.path('prometheus.yml')}", f"--storage.tsdb.path={station.path('prometheus')}", f"--web.listen-address=127.0.0.1:{prometheus_port}"])
        with manager, prometheus:
            manager.listens(manager_port)
            prometheus.listens(prometheus_port)
            targets = {HOUSE + "alert-DiskFull", HOUSE + "basic-DiskFull"}

            def opened():
                return targets <= {effect.target for effect in station.windows()}

            if not self.check(
                    eventually(opened, pause=0.1), "Prometheus and Alertmanager: an alert opens its windows",
                    lambda: f"{station.windows()} {manager.log()}"):
                return
            self.check(
                self.in_front(station) in targets, "Alertmanager: one of its windows is in front",
                lambda: str(self.in_front(station)))

            def counted(name):
                text = fetch(f"http://127.0.0.1:{manager_port}/metrics")
                found = re.search(rf'^{name}\{{[^}}]*integration="webhook"[^}}]*\}} (\S+)', text, re.M)
                return float(found[1]) if found else 0.0

            before = counted("alertmanager_notifications_total")
            windows = len(station.windows())
            # The rule is gone: Prometheus resolves the alert, and Alertmanager says so to both hooks, which do not want it.
            with open(rules, "w", encoding="utf-8") as file:
                file.write(RULES.format(name="DiskFull", expression="vector(1) > 2"))
            fetch(f"http://127.0.0.1:{prometheus_port}/-/reload", b"")
            self.check(
                eventually(lambda: counted("alertmanager_notifications_total") >= before + 2, pause=0.1),
                "Alertmanager: the end of an alert is sent to both", lambda: f"{before} {manager.log()}")
            self.check(
                counted("alertmanager_notifications_failed_total") == 0
                and counted("alertmanager_notification_requests_failed_total") == 0,
                "Alertmanager: no notification failed", lambda: manager.log())
            self.check("failed" not in manager.log().lower(), "Alertmanager: nothing red in its log", lambda: manager.log())
            self.check(len(station.windows()) == windows, "Alertmanager: a resolved alert opens no window", str(station.windows()))
            resolved = eventually(lambda: [
                line for line in daemon.lines() if line.get("event") == "hook-ignored" and line.get("hook") == "alertmanager"])
            self.check(resolved, "Alertmanager: the resolved alert is in the log as ignored")

            # Prometheus reads the metrics with a token that may do nothing else.
            query = urllib.parse.urlencode({"query": 'usher_hook_requests_total{hook="alertmanager",result="accepted"}'})

            def scraped():
                value = json.loads(fetch(f"http://127.0.0.1:{prometheus_port}/api/v1/query?{query}"))
                return [result["value"][1] for result in value["data"]["result"]]

            self.check(
                eventually(lambda: scraped() and float(scraped()[0]) >= 1, pause=0.2), "Prometheus scrapes the requests of a hook",
                lambda: str(scraped()))
            answer = send(daemon, "/v1/notifications", b'{"aps":{"badge":1}}', [("Authorization", "Bearer scraper-token")])
            self.refused("the token of Prometheus does not send", answer, (403, "webhook.token-scope"))

    # Proxies

    def nginx(self, station, daemon):
        port = free_port()
        folder = station.path("nginx")
        os.makedirs(folder, exist_ok=True)
        station.write("nginx/nginx.conf", f"""
daemon off;
pid {folder}/pid;
error_log stderr;
worker_processes 1;
{"user root;" if os.getuid() == 0 else ""}
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location /hooks/ {{
            proxy_pass http://127.0.0.1:{daemon.port};
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto https;
            proxy_set_header X-Forwarded-Host $host;
        }}
    }}
}}
""")
        program = Program(station, "nginx", ["nginx", "-c", f"{folder}/nginx.conf", "-e", "stderr", "-p", folder])
        with program:
            program.listens(port)
            self.proxied(station, daemon, "nginx", port)

    def caddy(self, station, daemon):
        port = free_port()
        # Caddy replaces what a client says of itself, and has no X-Forwarded-Proto of its own choosing without TLS.
        station.write("Caddyfile", f"""
{{
    admin off
    auto_https off
    storage file_system {station.path("caddy")}
}}
http://:{port} {{
    bind 127.0.0.1
    reverse_proxy 127.0.0.1:{daemon.port} {{
        header_up X-Forwarded-Proto https
    }}
}}
""")
        program = Program(
            station, "caddy", ["caddy", "run", "--adapter", "caddyfile", "--config", station.path("Caddyfile")])
        with program:
            program.listens(port)
            self.proxied(station, daemon, "caddy", port)

    def proxied(self, station, daemon, name, port):
        """Through a proxy: the window opens, the URL that is signed is the public one, and the client is the one that the proxy names."""
        def ask(path, body, headers, type="application/json", source="127.0.0.2", direct=False):
            connection = http.client.HTTPConnection(
                "127.0.0.1", daemon.port if direct else port, timeout=30, source_address=(source, 0))
            host = [] if direct else [("Host", "hooks.example")]
            return exchange(connection, path, body, [*host, *headers], "POST", type)

        body = body_of({"id": f"evt_{name}", "data": {"object": {"id": f"{name}-1"}}})
        header = stripe.WebhookSignature.generate_signature_header(body.decode(), SECRETS["stripe"])
        answer = ask("/hooks/stripe", body, [("Stripe-Signature", header)])
        if self.check(answer.status == 202, f"{name} in front: taken", str(answer)):
            self.arrives(station, f"{name} in front", HOUSE + f"{name}-1", answer)
        fields = {"MessageSid": f"{name}-2", "Body": "x"}
        validator = twilio.request_validator.RequestValidator(SECRETS["twilio"])
        signature = validator.compute_signature("https://hooks.example/hooks/twilio", fields)
        answer = ask("/hooks/twilio", urllib.parse.urlencode(fields).encode(), [("X-Twilio-Signature", signature)], FORM)
        if self.check(answer.status == 204, f"{name} in front: a URL that is signed is the public one", str(answer)):
            self.arrives(station, f"{name} in front, twilio", HOUSE + f"{name}-2", answer)

        def client_of(before):
            """The client that the log names for the refusals since."""
            lines = eventually(lambda: [
                line for line in daemon.lines()[before:] if line.get("event") == "hook-refused" and line.get("hook") == "stripe"])
            return lines[-1].get("client") if lines else None

        for what, source, more, direct, wanted in (
            ("a client", "127.0.0.2", [], False, "127.0.0.2"),
            ("a client that says it is another", "127.0.0.3", [("X-Forwarded-For", "192.0.2.9")], False, "127.0.0.3"),
            ("a client past the proxy that says it is another", "127.0.0.4", [("X-Forwarded-For", "192.0.2.9")], True, "127.0.0.4"),
        ):
            before = len(daemon.lines())
            answer = ask("/hooks/stripe", b"{}", [("Stripe-Signature", f"t={int(time.time())},v1={'0' * 64}"), *more],
                         source=source, direct=direct)
            client = client_of(before) if answer.status == 403 else None
            # With or without the port that it came from.
            self.check(
                str(client).split(":")[0] == wanted, f"{name} in front, {what}: the log names {wanted}", f"{answer} {client}")
        # Many forgeries of one client behind the proxy do not lock the others out.
        # 50 at once and 5 a second are let in: a busy machine takes longer to send more.
        began = time.monotonic()
        for sent in range(1000):
            answer = ask("/hooks/stripe", b"{}", [("Stripe-Signature", f"t={int(time.time())},v1={'0' * 64}")], source="127.0.0.5")
            if answer.status == 429:
                break
        let_in = 50 + 5 * (time.monotonic() - began)
        self.check(
            answer.status == 429 and sent <= let_in + 1, f"{name} in front: a client that forges is limited",
            f"{answer} after {sent}, {let_in} are let in")
        body = body_of({"id": "evt", "data": {"object": {"id": f"{name}-3"}}})
        header = stripe.WebhookSignature.generate_signature_header(body.decode(), SECRETS["stripe"])
        answer = ask("/hooks/stripe", body, [("Stripe-Signature", header)], source="127.0.0.5")
        self.check(answer.status == 202, f"{name} in front: and its right request is still taken", str(answer))


def fetch(url, body=None):
    with urllib.request.urlopen(urllib.request.Request(url, body), timeout=10) as response:
        return response.read().decode()
