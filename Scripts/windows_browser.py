"""The stories of `check-windows` about browsers' tabs: Firefox ESR and Chromium with the extension, profiles of their own.

The pages come from a server on loopback, which gets each key that is pressed in one of them: so it is known which tab
has the keyboard. The window's title, which says what a browser shows, comes from xdotool.
"""

import http.server
import json
import os
import signal
import threading
import time
import urllib.parse
import zipfile

from checklist import eventually
from windows import SCREENS
from windows_section import Section, brief, story

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
EXTENSION = os.path.join(ROOT, "Extension")

WEB = """
id = "example.web"
name = "Web"
domains = ["127.0.0.1"]

[[scenes]]
name = "window"
launch = {{ exec = ["../bin/browse", "{{target}}"], ready = {{ window = true, time-limit = "90s" }} }}
focus = {{ browser = "{browser}" }}
show = {{ tab = "{{target}}" }}
"""

PAGE = """<!doctype html><html><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>{title}</title>{head}</head>
<body tabindex="0" onload="document.body.focus()"><h1>{title}</h1>{body}
<div style="height: 4000px"></div><p id="quote">the quoted sentence of {name}</p><div style="height: 4000px"></div>
<script>{script}
document.addEventListener('scroll', () => fetch('/heard?page={name}&key=scrolled'), {{once: true}});
document.addEventListener('keydown', event => fetch('/heard?page={name}&key=' + event.key))</script></body></html>
"""

# The DOM reader of the extension, on pages that are given as text: cases and limits become answers, which the site gets.
READER = """
%(function)s
const read = ([html, limits]) => {
    const page = new DOMParser().parseFromString(html, 'text/html');
    const all = { length: 131072, blocks: 50, elements: 100000, time: 60000, ...limits };
    return Function('document', 'limits', contentOfPage + '; return contentOfPage("data", 0, limits)')(page, all);
};
fetch('/read', { method: 'POST', body: JSON.stringify(%(cases)s.map(read)) });
"""

RESTAURANT = """<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Restaurant", "name": "The Big Top",
"telephone": "+1 555 0100", "image": "/tent.jpg", "geo": {"latitude": 40.7424, "longitude": "-74.006"}, "address": {"streetAddress":
"12 Ring Road", "addressLocality": "Clowntown", "addressRegion": "NY", "postalCode": "10014", "addressCountry": "USA"}}</script>"""

TENT = '<div itemscope><b itemprop="name">Tent</b><b itemprop="telephone">5551</b></div>'

# What pages have for programs: in their head, and in their body.
HEADS = {"restaurant": RESTAURANT, "slow": RESTAURANT.replace("Big", "Slow"), "hideout": RESTAURANT.replace("Big", "Hideout")}
BODIES = {
    "circus": """<div itemscope itemtype="https://schema.org/Circus" itemref="phone"><b itemprop="name" content=" ">Circus &amp; <i>Sons</i></b>
<p itemprop="address" itemscope><i itemprop="addressLocality" content="Ringtown">here</i> <span itemprop="streetAddress">1 Sawdust Lane<br>Ring 2</span> <data itemprop="postalCode" value="1010">X</data></p>
<form><input name="children"><meta itemprop="addressCountry" content="nowhere"></form></div>
<p id="phone"><a itemprop="telephone" href="tel:+43-1-555">Call us</a></p>""",
    # More than is read at once: items that all refer to all, and long ones.
    "itemrefs": TENT + "".join(
        f'<p id="r{number}" itemprop="address" itemscope itemref="{" ".join(f"r{other}" for other in range(200))}"></p>'
        for number in range(200)),
    "overfull": TENT + f'<div itemscope><b itemprop="telephone">5552</b><b itemprop="name">{"x" * 1000}</b></div>' * 1000,
}
# Pages that come in two parts, with so many seconds between them.
SLOW = {"slow": 3}

# What a page does by itself.
SCRIPTS = {
    "quote": "onload = () => getSelection().selectAllChildren(document.getElementById('quote'))",
    # For six seconds: its tab stays open while later stories look whether the daemon rests.
    "restless": "let n = 0; const timer = setInterval(() => { document.title = `Page restless ${++n}`; if (n == 60) {"
                " clearInterval(timer); document.title = 'Page restless 200' } }, 100)",
    # As applications in a page do it: another address, and later what it shows.
    "later": "setTimeout(() => history.pushState({}, '', '/later-still'), 500); setTimeout(() => { const data ="
             " document.createElement('script'); data.type = 'Application/LD+JSON; charset=utf-8'; data.textContent ="
             " JSON.stringify({'@context': 'http://schema.org/', '@type': 'Person', name: 'Crusty', email: 'mailto:crusty@clowns.example',"
             " telephone: '555-0103'}); document.body.append(data); document.title = 'Page later still' }, 1500)",
}

PREFERENCES = {
    "xpinstall.signatures.required": "false", "extensions.autoDisableScopes": "0", "extensions.startupScanScopes": "15",
    "browser.shell.checkDefaultBrowser": "false", "browser.aboutwelcome.enabled": "false",
    "browser.startup.homepage_override.mstone": '"ignore"', "datareporting.policy.dataSubmissionEnabled": "false",
    "toolkit.telemetry.reportingpolicy.firstRun": "false", "browser.sessionstore.resume_from_crash": "false",
    "app.update.enabled": "false", "extensions.update.enabled": "false", "app.normandy.enabled": "false",
    "network.captive-portal-service.enabled": "false", "network.connectivity-service.enabled": "false",
    "browser.newtabpage.enabled": "false", "browser.startup.page": "0", "browser.tabs.warnOnClose": "false",
    "trailhead.firstrun.didSeeAboutWelcome": "true", "datareporting.policy.dataSubmissionPolicyBypassNotification": "true",
}


class Site(http.server.ThreadingHTTPServer):
    """Pages on loopback, and what was typed into them."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.fetched, self.heard, self.read = [], [], None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """A browser that ends hangs up."""

    def url(self, name):
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        name = parts.path.strip("/")
        if name == "heard":
            query = dict(urllib.parse.parse_qsl(parts.query))
            self.server.heard.append((query.get("page"), query.get("key")))
        else:
            self.server.fetched.append(name)
        body = PAGE.format(
            title=f"Page {name}", name=name, head=HEADS.get(name, ""), body=BODIES.get(name, ""),
            script=SCRIPTS.get(name, "")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        begun = body.index(b"<title>") if name in SLOW else 0
        self.wfile.write(body[:begun])
        time.sleep(SLOW.get(name, 0))
        self.wfile.write(body[begun:])

    def do_POST(self):
        self.server.read = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        """Not logged."""


class Browsers(Section):
    """One browser, with the extension."""

    app = "example.web"
    # Further words of its command line.
    flags = ""

    def __init__(self, name, *rest, **options):
        super().__init__(name, *rest, **options)
        # `firefox` runs on openbox, `firefox-sway` on sway.
        self.browser, _, system = name.partition("-")
        self.kind = SCREENS[system or "openbox"]
        program = "firefox-esr" if self.browser == "firefox" else "chromium"
        self.programs = (*self.kind.programs, "dbus-daemon", program)

    def apps(self):
        return {"web": WEB.format(browser=self.browser)}

    def furnish(self):
        if not os.path.isdir(EXTENSION):
            raise RuntimeError("there is no Extension/ yet")
        self.desk.start_bus()
        self.screen = self.desk.screen = self.kind(self.desk)
        self.screen.start()
        self.site = Site()
        self.profile = self.desk.path("profile")
        os.makedirs(self.profile)
        is_wayland = self.kind.name == "sway"
        if self.browser == "firefox":
            os.makedirs(os.path.join(self.profile, "extensions"))
            with zipfile.ZipFile(os.path.join(self.profile, "extensions", "browser@usher.xpi"), "w") as archive:
                for name in os.listdir(EXTENSION):
                    archive.write(os.path.join(EXTENSION, name), name)
            self.desk.write("profile/user.js", "".join(
                f'user_pref("{name}", {value});\n' for name, value in PREFERENCES.items()))
            command = (
                f'MOZ_ENABLE_WAYLAND={int(is_wayland)} exec firefox-esr {self.flags} --no-remote --profile "{self.profile}" "$@"')
            installed = self.desk.usher("browser", "install", "firefox")
        else:
            command = (
                f'exec chromium {self.flags} --no-sandbox --no-first-run --hide-crash-restore-bubble --disable-gpu --disable-sync --disable-component-update '
                f'--disable-background-networking --password-store=basic --disable-dev-shm-usage '
                f'--disable-features=DisableLoadExtensionCommandLineSwitch,MediaRouter --user-data-dir="{self.profile}" '
                f'--load-extension="{EXTENSION}" --ozone-platform={"wayland" if is_wayland else "x11"} "$@"')
            installed = self.desk.usher("browser", "install", "chromium", "--profile", self.profile)
        if installed.returncode:
            raise RuntimeError(f"usher browser install: {installed.stderr.decode()}")
        # A further window of the one that runs.
        self.further = self.desk.write(
            "config/bin/further", f"#!/bin/sh\n{command.replace(' --no-remote', '')}\n", executable=True)
        # Its process is known, whichever program starts it.
        self.browse = self.desk.write(
            "config/bin/browse", f"#!/bin/sh\necho $$ > '{self.desk.path('browser.pid')}'\n{command}\n", executable=True)
        self.daemon = self.desk.start()

    @property
    def process(self):
        """The process of the browser; None where there is none."""
        try:
            with open(self.desk.path("browser.pid"), encoding="utf-8") as file:
                pid = int(file.read())
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                return None if file.read().rpartition(") ")[2].startswith("Z") else pid
        except (OSError, ValueError):
            return None

    def is_running(self):
        return self.process is not None

    def stop_browser(self):
        if pid := self.process:
            os.kill(pid, signal.SIGTERM)
            if not eventually(lambda: self.process is None):
                os.kill(pid, signal.SIGKILL)
        for program in self.desk.programs:
            # A child that was not waited for is still a process.
            program.poll()

    def session(self):
        return self.desk.session(app=self.app, state="connected")

    def start_browser(self):
        if self.is_running():
            return
        before = len(self.site.fetched)
        self.desk.start_program(
            self.browse, *(self.site.url(name) for name in ("one", "two", "three")), log="browser.log")
        if not eventually(lambda: {"one", "two", "three"} <= set(self.site.fetched[before:]), seconds=90):
            raise RuntimeError(f"the browser does not come: {self.log()}")
        eventually(self.session, seconds=90)

    def log(self):
        try:
            with open(self.desk.path("browser.log"), encoding="utf-8", errors="replace") as file:
                return file.read()[-800:]
        except OSError:
            return ""

    def before(self):
        self.screen.terminal("elsewhere")

    def after(self):
        self.screen.close("elsewhere")
        # The next one is not to be taken for this one.
        eventually(lambda: "elsewhere" not in self.screen.titles())

    def configure(self, old="", new="", **more):
        """Reads the manifest anew, with something else in it, and others beside it."""
        self.desk.write("config/apps/web.toml", WEB.format(browser=self.browser).replace(old, new))
        for name, text in more.items():
            self.desk.write(f"config/apps/{name}.toml", text)
        answer = self.daemon.post("/v1/reload", {}, over="unix")
        self.check(answer.status in (200, 202, 204), "the configuration is read anew", str(answer))

    def current(self):
        """The system's current activity."""
        return next((one for one in self.answer("activity", "list") if one.get("is_current")), {})

    def answer(self, *words):
        said = self.desk.usher(*words, "--json")
        return json.loads(said.stdout or "null") if said.returncode in (0, 1) else said.stderr.decode()

    def displayed(self):
        said = self.desk.run("dunstctl", "count", "displayed").strip()
        return int(said) if said.isdigit() else None

    def is_seen(self, name, what):
        """The page is what the window in front shows, and it gets the keys."""
        self.check(
            eventually(lambda: (self.screen.active() or "").startswith(f"Page {name}")), f"{what}, others say",
            lambda: f"{self.screen.active()!r}; {self.log()}")
        heard = len(self.site.heard)

        def is_heard():
            self.screen.press("k")
            return any(page == name for page, _ in self.site.heard[heard:])
        self.check(eventually(is_heard, pause=0.5), f"{what}: keys arrive there", lambda: self.site.heard[heard:])

    def prefers(self, *names):
        return all(self.site.url(name) in (self.session() or {}).get("prefers", "") for name in names)

    # The stories

    @story("right tab of three")
    def right_tab(self):
        self.start_browser()
        session = self.session()
        self.check(session, "its window is a session", lambda: f"{self.desk.sessions()} {self.log()}")
        self.check(
            eventually(lambda: self.prefers("one", "two", "three")), "that prefers what is in its tabs",
            lambda: self.session())
        loaded = len(self.site.fetched)
        for name in ("two", "one", "three", "two"):
            self.screen.focus("elsewhere")
            record = self.send(self.site.url(name))
            self.is_record(record, f"{name}: verified", action="focus", reason="prefers", outcome="verified", error=None)
            self.is_seen(name, name)
        rows = self.desk.sessions(app=self.app, state="connected")
        self.check(len(rows) == 1, "a window is one session", lambda: [(row["session"], row["handle"]) for row in rows])
        self.check(len(self.site.fetched) == loaded, "no page was loaded again", lambda: self.site.fetched)

    @story("a page in no tab")
    def new_tab(self):
        self.start_browser()
        self.screen.focus("elsewhere")
        record = self.send(self.site.url("four"))
        self.is_record(record, "its window takes it", action="focus", error=None)
        self.is_seen("four", "in a tab of its own")
        self.check(eventually(lambda: self.prefers("four")), "which is preferred then", lambda: self.session())
        # The tab is closed by its user.
        self.screen.press("ctrl+w")
        self.check(eventually(lambda: not self.prefers("four")), "until it is closed", lambda: self.session())

    @story("minimised", "firefox", "chromium", "kiosk-firefox", "kiosk-chromium")
    def minimised(self):
        self.start_browser()
        self.send(self.site.url("two"))
        title = eventually(lambda: next((t for t in self.screen.titles() if t.startswith("Page two")), None))
        self.check(title and self.screen.minimise(title), "it was minimised", lambda: self.screen.titles())
        record = self.send(self.site.url("one"))
        self.is_record(record, "verified", action="focus", outcome="verified", error=None)
        self.is_seen("one", "it is back")

    @story("restart of the daemon")
    def restart(self):
        self.start_browser()
        session = (self.session() or {}).get("session")
        self.check(self.daemon.end() == 0, "the daemon ends")
        self.daemon = self.desk.start()
        self.screen.focus("elsewhere")

        def answer():
            record = self.send(self.site.url("three"))
            return record if record.get("outcome") == "verified" and record.get("action") == "focus" else None
        # The extension comes back by itself, in its own time.
        record = eventually(lambda: answer() if self.session() else None, seconds=90, pause=1)
        self.check(record, "its tabs are known again", lambda: f"{self.desk.sessions()}")
        self.is_seen("three", "and the right one comes")
        self.check(record and record.get("session") == session, "it is the same session", lambda: f"{session} {record}")

    @story("launch absent")
    def launch_absent(self):
        self.start_browser()
        self.stop_browser()
        self.check(eventually(lambda: not self.session(), seconds=60), "its session is not connected any more",
                   lambda: self.desk.sessions())
        record = self.send(self.site.url("five"))
        self.check(
            record.get("action") == "launch" and record.get("outcome") in ("verified", "done"), "it is launched",
            lambda: brief(record))
        self.is_seen("five", "with the page")
