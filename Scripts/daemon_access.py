"""Which clients are accepted, and which are refused.

Sections of `check-daemon`.
"""

import http.client
import collections
import json
import os
import random
import re
import socket
import ssl
import stat
import subprocess
import sys
import time

from checklist import always, eventually, shown
from daemon import ACTIVATION
from daemon_section import Section, loaded, quiet, shop, topic


class Access(Section):
    def refusals(self):
        settings = '[server]\nallowed-hosts = ["usher.internal"]\nallowed-origins = ["https://good.example"]\n'
        with self.station(settings) as station, station.start() as daemon:
            count = 0

            def ask(headers, type="application/json", method="POST", over="tcp"):
                return daemon.post("/v1/notifications", shop("refused"), headers, type=type, over=over)

            port = daemon.port
            # What else is no Host, no Origin and no media type of ours is OriginPolicyTests' and NotificationsRouteTests'.
            refused = [
                ("a foreign Host with our port", ask({"Host": f"evil.example:{port}"}), (421,)),
                ("a foreign Origin", ask({"Origin": "https://evil.example"}), (403,)),
                ("Sec-Fetch-Site: cross-site", ask({"Sec-Fetch-Site": "cross-site"}), (403,)),
                ("a form", ask({}, "application/x-www-form-urlencoded"), (415,)),
                ("an encoded body", ask({"Content-Encoding": "gzip"}), (400, 415)),
                ("a page that reads", daemon.get("/v1/records",
                 headers={"Origin": "https://evil.example"}), (401, 403)),
            ]
            for name, answer, statuses in refused:
                self.check(answer.status in statuses, f"{name} is refused", str(answer))
                self.is_problem(answer, name)
                self.check(
                    "Access-Control-Allow-Origin" not in answer.headers, f"{name}: no page gets permission to read")
            self.check(not station.rows() and not station.effects(), "nothing of it was journalled or done")
            preflight = daemon.request("OPTIONS", "/v1/notifications", headers={
                "Origin": "https://evil.example", "Access-Control-Request-Method": "POST"})
            self.check(
                preflight.status >= 400 or "Access-Control-Allow-Origin" not in preflight.headers,
                "a foreign preflight is not answered with leave", f"{preflight.status} {preflight.headers}")
            for name, headers in (
                ("Host in capitals", {"Host": f"LOCALHOST:{port}"}), ("an allowed Host", {"Host": "usher.internal"}),
                ("an allowed Origin", {"Origin": "https://good.example"}),
            ):
                count += 1
                answer = ask(headers, "Application/JSON; charset=utf-8")
                self.check(answer.status == 202, f"{name} is welcome", str(answer))
            self.check(len(station.rows()) == count, "what was welcome was journalled", str(len(station.rows())))
            for method, path in (
                ("GET", "/v1/scenes"), ("POST", "/v1/scenes"), ("GET", "/v1/scenes/shop-1"), ("POST", "/v1/reload"),
                ("POST", "/v1/scenes/shop-1/close"), ("PATCH", "/v1/scenes/shop-1"), ("DELETE", "/v1/scenes/shop-1"),
            ):
                answer = daemon.request(method, path, b"{}", {"Content-Type": "application/json"})
                self.check(answer.status in (401, 403), f"{method} {path} over TCP needs a token", str(answer))
            sent = daemon.post("/v1/notifications", shop("mine"), {"Idempotency-Key": "1"}).json or {}
            self.check(daemon.delivery(sent.get("id")), "our own id tells of a delivery without a token", str(sent))
            guessed = daemon.get("/v1/deliveries/1")
            self.check(guessed.status == 404, "a sender's id, which can be guessed, does not", str(guessed))
            self.check(
                daemon.get("/v1/deliveries/1", over="unix").status == 200, "but on the Unix socket it does")
            listed = daemon.get("/v1/scenes", over="unix")
            self.check(listed.status == 200, "the Unix socket serves them", str(listed))
            large = daemon.post("/v1/notifications", b'{"aps":{"badge":1},"x":"' + b"x" * (2 << 20) + b'"}')
            self.check(large.status == 413, "a body beyond the limit: 413", str(large)[:200])
            self.is_problem(large, "a large body")
        # An address of the command line alone is a name of the daemon, too.
        with self.station() as station, station.start(listen="127.0.0.2:0") as daemon:
            status, body, _ = self.curl(station, f"http://127.0.0.2:{daemon.port}/healthz")
            self.check(status == 200, "the address of --listen is welcome as Host", f"{status} {body}")
            status, body, _ = self.curl(
                station, "--header", "Host: 127.0.0.3", f"http://127.0.0.2:{daemon.port}/healthz")
            self.check(status == 421, "another one is not", f"{status} {body}")

    def exposure(self):
        with self.station() as station:
            certificate(station, "cert.pem", "key.pem")
            station.secret("token", "sesame\n")
            pair = 'certificate = "cert.pem"\nkey = "key.pem"\n'
            cases = [
                ("neither TLS nor token", ""), ("a token without TLS", 'token-file = "token"\n'),
                ("TLS without a token", pair),
            ]
            for address in ("0.0.0.0:0", "[::]:0"):
                for name, settings in cases:
                    station.settings("[server]\n" + settings)
                    status, said = station.run_daemon("--listen", address)
                    self.check(status == 2, f"{address} with {name} refuses to start", f"{status}: {shown(said)}")
                    self.check(
                        re.search(r"TLS|certificate|token", said) and '"listening"' not in said,
                        f"{address} with {name}: it says what is needed", shown(said))
            station.settings(f'[server]\nlisten = ["0.0.0.0:0"]\n{cases[1][1]}')
            status, said = station.run_daemon()
            self.check(status == 2, "nor when the file asks for it", f"{status}: {shown(said)}")
            self.inherited_exposure(station, cases)
            station.settings("[server]\n" + pair + 'token-file = "token"\n')
            daemon = station.start(listen="0.0.0.0:0")
            self.check(daemon.port > 0, "with both it starts")
            base = f"https://localhost:{daemon.port}"
            trust = ["--cacert", station.path("config/cert.pem")]
            status, body, _ = self.curl(station, *trust, f"{base}/v1/scenes")
            self.check(status == 401, "without the token: 401", f"{status} {body}")
            status, body, _ = self.curl(station, *trust, "--oauth2-bearer", "sesame", f"{base}/v1/scenes")
            self.check(status == 200, "with the token: 200", f"{status} {body}")
            # The token stays, whatever the new settings say.
            for name, settings in (("no token", pair), ("nothing", "")):
                before = len(daemon.log())
                station.settings("[server]\n" + settings)
                asked = daemon.post("/v1/reload", {}, over="unix")
                self.check(
                    400 <= asked.status < 500 and "token" in str(asked.error), f"a reload that leaves {name} is refused",
                    str(asked))
                self.check(
                    eventually(lambda: "configuration-refused" in daemon.log()[before:]), "and the log says so",
                    shown(daemon.log()[before:], 1500))
                status, body, _ = self.curl(
                    station, *trust, "--header", "Content-Type: application/json", "--data", json.dumps(quiet()),
                    f"{base}/v1/notifications")
                self.check(status == 401, "without the token: still 401", f"{status} {body}")
            status, body, _ = self.curl(station, *trust, "--oauth2-bearer", "sesame", f"{base}/v1/scenes")
            self.check(status == 200, "with the token: still 200", f"{status} {body}")
            self.check(daemon.end() == 0, "it ends with 0")
            station.settings('[server]\ntoken-file = "missing"\n')
            status, said = station.run_daemon("--listen", "127.0.0.1:0")
            self.check(
                status == 2 and "missing" in said, "a token file that is not there stops the start",
                f"{status}: {said}")

    def inherited_exposure(self, station, cases):
        """What the service manager opened is judged by its real address."""
        with socket.socket() as inet:
            inet.bind(("0.0.0.0", 0))
            inet.listen(16)
            for name, settings in cases:
                station.settings("[server]\n" + settings)
                status, said = station.run_daemon(
                    prefix=[sys.executable, "-c", ACTIVATION, "1", str(inet.fileno())], pass_fds=[inet.fileno()])
                self.check(status == 2, f"an inherited socket with {name} refuses to start", f"{status}: {shown(said)}")
                self.check(
                    "can be reached from other machines" in said and '"listening"' not in said,
                    f"an inherited socket with {name}: it says why", shown(said))

    def tokens(self):
        with self.station('[server]\ntoken-file = "token"\n') as station:
            station.secret("token", "first-token\nsecond-token\n")
            with station.start() as daemon:
                def ask(token):
                    headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
                    return daemon.post("/v1/notifications", quiet(), dict(headers, **topic()))

                without = ask(None)
                self.check(without.status == 401, "no token: 401", str(without))
                self.check(
                    "bearer" in (without.headers.get("WWW-Authenticate") or "").lower(), "401 says how",
                    str(without.headers))
                self.is_problem(without, "no token")
                # Which tokens are none is NotificationsRouteTests'.
                self.check(ask("third-token").status == 401, "a wrong token: 401")
                # As many as it takes: 50 at once and 5 a second are judged.
                guesses, began = collections.Counter(), time.monotonic()
                while guesses[429] < 10 and guesses.total() < 1000:
                    guesses[ask(f"guess-{guesses.total()}").status] += 1
                self.check(set(guesses) == {401, 429} and guesses[429] == 10, "guesses are slowed", str(guesses))
                judged = 50 + 5 * (time.monotonic() - began)
                self.check(guesses[401] <= judged + 1, "no more are judged than the limit allows", f"{guesses} {judged}")
                through = [(ask("guess").status, ask("first-token").status)[1] for _ in range(20)]
                self.check(set(through) == {202}, "a right one among them is not", str(through))
                for token in ("first-token", "second-token"):
                    self.check(ask(token).status == 202, f"{token}: 202")
                control = daemon.get("/v1/scenes", headers={"Authorization": "Bearer first-token"})
                self.check(control.status == 200, "control over TCP with a token", str(control))
                self.check(daemon.get("/v1/scenes").status == 401, "control over TCP without one: 401")
                local = daemon.post("/v1/notifications", quiet(), topic(), over="unix")
                self.check(local.status == 202, "the Unix socket needs none", str(local))
                station.secret("token", "new-token\n")
                self.check(
                    eventually(lambda: ask("new-token").status == 202)
                    # Until the bucket of wrong tokens has room again, a wrong one is answered 429.
                    and eventually(lambda: ask("first-token").status == 401, pause=0.5),
                    "a token file that was rewritten holds")
                log = daemon.log()
                self.check(
                    not any(token in log for token in ("first-token", "new-token", "third-token")),
                    "no token is in the log")

    def tls(self):
        """Versions and broken pairs are TLSTests', handshakes that stop check-http's."""
        with self.station() as station:
            daemon = station.start("--dev-certificate")
            ca, cert, key = (station.path("state/tls", name) for name in ("ca.pem", "cert.pem", "key.pem"))
            for path in (ca, cert, key):
                self.check(os.path.exists(path), f"tls/{os.path.basename(path)} is made")
            self.check(stat.S_IMODE(os.stat(key).st_mode) == 0o600, "the key is the user's own")
            base = f"https://localhost:{daemon.port}"
            for host in ("localhost", "127.0.0.1"):
                status, body, _ = self.curl(
                    station, "--cacert", ca, f"https://{host}:{daemon.port}/healthz")
                self.check(status == 200, f"curl --cacert trusts {host}", f"{status} {body}")
            status, body, _ = self.curl(station, f"http://127.0.0.1:{daemon.port}/healthz")
            self.check(status == 200, "without TLS, on the same port, on loopback", f"{status} {body}")
            _, _, ended = self.curl(station, f"{base}/healthz")
            self.check(ended == 60, "curl without --cacert refuses the certificate", f"curl ended with {ended}")
            station.write("payload.json", json.dumps(shop("over-tls")))
            status, body, _ = self.curl(
                station, "--cacert", ca, "--header", "Content-Type: application/json", "--data", "@payload.json",
                f"{base}/v1/notifications?wait=1")
            self.check(
                status == 200 and loaded(body).get("outcome") == "done", "a payload over TLS", f"{status} {body}")
            with open(ca, "rb") as file:
                before = file.read()
            self.check(daemon.end() == 0, "it ends with 0")
            daemon = station.start("--dev-certificate")
            with open(ca, "rb") as file:
                self.check(file.read() == before, "the next start keeps the authority")
            self.check(daemon.end() == 0, "and ends with 0")

            # A certificate of one's own, replaced while the daemon runs.
            certificate(station, "cert.pem", "key.pem")
            station.settings('[server]\ncertificate = "cert.pem"\nkey = "key.pem"\n')
            daemon = station.start()

            plain = None
            try:
                plain = daemon.get("/healthz", timeout=10)
            except (OSError, http.client.HTTPException):
                pass
            self.check(plain is None or plain.status >= 400, "clear text on the port of TLS is not served", str(plain))

            def served():
                return ssl.get_server_certificate(("127.0.0.1", daemon.port), timeout=10)

            first = served()
            certificate(station, "cert.pem", "key.pem")
            self.check(eventually(lambda: served() != first), "a new certificate is used without a restart")
            second = served()
            station.write("config/cert.pem", "no certificate\n")
            self.check(always(lambda: served() == second, seconds=2), "a broken one is not")
            self.check(daemon.end() == 0, "it ends with 0")
            self.warnings_of_files(station)

    def warnings_of_files(self, station):
        """What the start says of a certificate's dates and of its key's mode."""
        path = station.path("config/key.pem")
        for name, days, mode, expected in (
            ("15 days left", 15, 0o600, {}),
            ("3 days left, and a key that others can read", 3, 0o644,
             {"certificate-expires": (False, None), "key-exposed": (False, path)}),
            ("an expired certificate", -1, 0o600, {"certificate-expires": (True, None)}),
        ):
            certificate(station, "cert.pem", "key.pem", days)
            os.chmod(path, mode)
            daemon = station.start()

            def said():
                return {
                    line["event"]: (line.get("days.left", 0) < 0, line.get("key")) for line in daemon.lines()
                    if line.get("event") in ("certificate-expires", "key-exposed") and line.get("level") == "warning"}
            eventually(lambda: said() == expected and "daemon-ready" in daemon.log())
            self.check(daemon.end() == 0, f"{name}: it runs all the same")
            self.check(said() == expected, f"{name}: the warnings", lambda: f"{said()}: {shown(daemon.log(), 1500)}")


def certificate(station, certificate, key, days=2):
    """A new certificate for localhost; the key comes first, so that no moment has a certificate without its key."""
    made = [station.path("config", name + ".new") for name in (certificate, key)]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-set_serial",
         str(random.getrandbits(64)), "-keyout", made[1], "-out", made[0]], capture_output=True, check=True)
    if days != 2:
        # Only this one takes negative days.
        subprocess.run(
            ["openssl", "x509", "-in", made[0], "-signkey", made[1], "-days", str(days), "-out", made[0]],
            capture_output=True, check=True)
    os.chmod(station.path("config", key + ".new"), 0o600)
    os.rename(station.path("config", key + ".new"), station.path("config", key))
    os.rename(station.path("config", certificate + ".new"), station.path("config", certificate))
