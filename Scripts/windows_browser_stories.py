"""The stories of `check-windows` about browsers that are those of every window system, told on openbox, i3 and sway."""

import json
import os
import signal

from checklist import eventually
from daemon import arguments_of, pids, variable_of
from windows import Tmux, stop
from windows_browser_places import PlaceStories
from windows_notify import RULES
from windows_section import brief, story

# Two scenes whose windows match the same words.
TWINS = """
id = "example.twins"
name = "Twins"
domains = ["twins.example"]
""" + "".join(f"""
[[scenes]]
name = "{name}"
focus = {{{{ browser = "{{browser}}", tab = "*/twin-*" }}}}
""" for name in ("left", "right"))

PAGE_IN_TMUX = """
id = "example.idle"
name = "Idle"
domains = ["idle.example"]

[[scenes]]
name = "page"
launch = { tmux = ["../bin/listen", "{target}"] }
"""


class BrowserStories(PlaceStories):
    """One browser on one window system."""

    def __init__(self, name, *rest, **options):
        super().__init__(name, *rest, **options)
        self.programs = (*self.programs, "dunst", "dunstctl", "tmux")

    def front(self, name):
        """The whole title of the window that shows a page."""
        return eventually(lambda: next((t for t in self.screen.titles() if t.startswith(f"Page {name}")), None))

    def is_away(self):
        """The browser is out of sight."""
        return eventually(lambda: not (self.screen.active() or "").startswith("Page "))

    def host(self):
        """The program that stands between the extension and usherd."""
        return next((int(pid) for pid in pids() if arguments_of(pid)[1:3] == ["browser", "host"]
                     and variable_of(pid, "HOME") == self.desk.path("home")), None)

    @story("hold until ready")
    def hold(self):
        self.stop_browser()
        eventually(lambda: not self.session())
        self.site.fetched.clear()
        names = ("one", "two", "three")
        records = self.send_in_order([self.site.url(name) for name in names])
        self.check(
            [record.get("action") for record in records] == ["launch", "focus", "focus"],
            "three requests are one launch", lambda: "\n".join(map(brief, records)))
        self.check(
            all(record.get("outcome") == "verified" for record in records), "verified, all of them",
            lambda: "\n".join(map(brief, records)))
        self.check(len({record.get("session") for record in records}) == 1, "of one session", lambda: records)
        self.is_seen("three", "the last one is in front")
        self.check(sorted(self.site.fetched) == sorted(names), "each page was loaded once", lambda: self.site.fetched)

    @story("right tab of three")
    def right_tab(self):
        super().right_tab()
        if self.section.endswith("sway"):
            node = next((node for node, _ in self.screen.nodes() if (node.get("name") or "").startswith("Page ")), {})
            self.check(node.get("shell") == "xdg_shell", "it is a client of Wayland, not of XWayland", node.get("shell"))
            self.check(node.get("focused") and node.get("pid") == self.process, "its container has the focus", node)

    @story("moved workspace")
    def moved(self):
        self.start_browser()
        self.send(self.site.url("two"))
        self.check(self.screen.send_away(self.front("two")), "it was moved", lambda: self.screen.tree())
        self.check(self.is_away(), "it is out of sight", lambda: self.screen.active())
        here = self.screen.here()
        self.is_record(self.send(self.site.url("one")), "verified", action="focus", outcome="verified", error=None)
        self.is_seen("one", "the right tab")
        place = self.screen.place(self.front("one"))
        self.check(
            eventually(lambda: self.screen.here() == place) and place != here, "its user was taken there",
            lambda: f"{self.screen.here()}, {place}, was {here}")

    @story("scratchpad", "firefox-i3", "firefox-sway", "chromium-sway")
    def scratchpad(self):
        self.start_browser()
        self.send(self.site.url("two"))
        self.check(self.screen.scratch(self.front("two")), "it is in the scratchpad")
        self.check(self.is_away(), "it is out of sight", lambda: self.screen.active())
        self.is_record(self.send(self.site.url("three")), "verified", action="focus", outcome="verified", error=None)
        self.is_seen("three", "the right tab")
        self.check(self.screen.workspace(self.front("three")) != "__i3_scratch", "it was shown")

    @story("closed meanwhile")
    def closed_meanwhile(self):
        self.start_browser()
        target = self.site.url("two")
        self.send(target)
        self.is_seen("two", "it is in front")
        fetched = self.site.fetched.count("two")
        # What usherd knows is old: the request is decided for a tab that is there no more.
        host = self.host()
        if not self.check(host, "its host is known"):
            return
        os.kill(host, signal.SIGSTOP)
        try:
            self.screen.press("ctrl+w")
            self.check(
                eventually(lambda: not (self.screen.active() or "").startswith("Page two")), "its user closes the tab",
                lambda: self.screen.active())
            record = self.later(target)
            eventually(lambda: self.waiting())
        finally:
            os.kill(host, signal.SIGCONT)
        record = record()
        self.is_record(record, "verified", action="focus", reason="prefers", outcome="verified", error=None)
        self.is_seen("two", "in a new tab")
        self.check(self.site.fetched.count("two") == fetched + 1, "loaded once more", lambda: self.site.fetched)

    @story("closed on request")
    def closed_on_request(self):
        self.start_browser()
        session = self.send(self.site.url("two")).get("session") or ""
        self.is_seen("two", "it is in front")
        ending = self.desk.usher("scene", "close", session, "--window", "--json")
        self.check(
            ending.returncode == 0 and json.loads(ending.stdout).get("window") == "closed", "`scene close --window` closes it",
            lambda: (ending.stdout, ending.stderr))
        self.check(not self.desk.sessions(session=session), "its session has ended", lambda: self.desk.sessions())

    @story("urgent only")
    def urgent(self):
        self.start_browser()
        self.send(self.site.url("two"))
        self.screen.focus("elsewhere")
        self.configure('focus = { browser', 'focus = { policy = "urgent", browser')
        try:
            self.check(not self.screen.is_urgent(self.front("two")), "it is not urgent yet")
            record = self.send(self.site.url("one"))
            self.is_record(record, "verified", action="focus", outcome="verified", error=None)
            self.check(
                eventually(lambda: self.screen.is_urgent(self.front("one"))), "it is marked, others say",
                lambda: self.screen.tree())
            self.check(self.screen.active() == "elsewhere", "the keyboard stays where it is", lambda: self.screen.active())
        finally:
            self.configure()

    @story("notify, click, focus")
    def notify(self):
        self.start_browser()
        self.send(self.site.url("two"))
        self.screen.focus("elsewhere")
        self.configure('name = "Web"', 'name = "Web"\ndeliver = "notify"')
        rules = self.desk.write("dunstrc", RULES.format(script="/bin/true"))
        dunst = self.desk.start_program("dunst", "-conf", rules, log="dunst.log")
        try:
            self.check(eventually(lambda: self.displayed() == 0), "dunst is there")
            record = self.send(self.site.url("one"), channel="webhook")
            self.is_record(record, "it is shown first", action="notify", error=None)
            self.check(eventually(lambda: self.displayed() == 1), "dunst shows it")
            self.check(self.screen.active() == "elsewhere", "nothing comes forward", lambda: self.screen.active())
            self.desk.run("dunstctl", "action", "0")
            self.is_seen("one", "clicked, the right tab comes")
        finally:
            self.configure()
            stop(dunst)

    @story("page, note, link, leave, return", "firefox", "chromium")
    def note_of_page(self):
        self.start_browser()
        self.desk.write("config/usher.toml", '[browser]\npages = "all"\ndeny = ["*/secret"]\n')
        self.configure()
        rules = self.desk.write("dunstrc", RULES.format(script="/bin/true"))
        dunst = self.desk.start_program("dunst", "-conf", rules, log="dunst.log")
        try:
            self.check(eventually(lambda: self.displayed() == 0), "dunst is there")
            page = self.site.url("quote")
            self.send(page)
            self.check(
                eventually(lambda: self.current().get("webpage") == page and self.current().get("title") == "Page quote"),
                "the page in front is the activity", self.current)
            self.check(self.current().get("type") == "NSUserActivityTypeBrowsingWeb", "of a browser", self.current)
            note = self.desk.usher("note", "new", "About the quote").stdout.decode().strip()
            link = (self.answer("link", "add", "--note", note, "--from-current") or {}).get("link") or {}
            place = f"{page}#:~:text=the%20quoted%20sentence%20of%20quote"
            self.check(link.get("target") == place, "the link leads to the selected text", link)
            self.send(self.site.url("secret"))
            self.check(eventually(lambda: not self.current().get("webpage")), "a denied page is none", self.current)
            self.send(page)
            self.check(eventually(lambda: self.displayed() == 1), "back on the page, its note is suggested", self.current)
            self.desk.run("dunstctl", "action", "0")
            self.check(
                eventually(lambda: self.desk.session(app="usher.notes")), "clicked, the note opens",
                lambda: self.answer("deliveries", "list"))
            opened = self.answer("link", "open", link.get("id", ""))
            self.check(
                eventually(lambda: ("quote", "scrolled") in self.site.heard), "its link scrolls to the selected text",
                opened)
            said = self.answer("browser", "pause")
            self.check(said == {"paused": True, "until": None}, "paused", said)
            self.check(eventually(lambda: not self.current().get("webpage")), "no page is an activity", self.current)
            self.answer("browser", "resume")
            self.check(eventually(lambda: self.current().get("webpage")), "resumed, it is one again", self.current)
            self.desk.write("config/usher.toml", '[browser]\npages = "none"\n')
            self.configure()
            self.check(eventually(lambda: not self.current().get("webpage")), "pages are none", self.current)
            said = self.desk.usher("note", "About no page")
            said_note = self.answer("note", "show", said.stdout.decode().strip())
            self.check(not said_note.get("links") and "activity.not-in-front" in said.stderr.decode(),
                       "a note about such a page has no link, and the reason is said", (said_note, said.stderr))
            self.desk.write("config/usher.toml", '[browser]\npages = "all"\ndeny = ["*/secret"]\n')
            self.configure()
            self.check(eventually(lambda: self.current().get("webpage")), "they are again", self.current)
            self.send(self.site.url("restless"))
            self.check(
                eventually(lambda: (self.current().get("title") or "").startswith("Page restless 2")),
                "a page that changes its title ten times a second is followed", self.current)
        finally:
            self.desk.write("config/usher.toml", "")
            self.configure()
            stop(dunst)

    @story("idle", "firefox")
    def idle(self):
        """Beside a browser that runs: a window of tmux, a desktop, a bus that was spoken with."""
        self.start_browser()
        self.configure(page=PAGE_IN_TMUX)
        tmux = Tmux(self.desk).begin()
        try:
            target = "https://idle.example/1"
            record = self.send(target)
            self.is_record(record, "a window of tmux is there", action="launch", outcome="verified", error=None)
            self.is_record(self.send(self.site.url("two")), "and the browser", action="focus", outcome="verified")
            # All that it can follow at once; more than four fifths are clean pages of the program and its libraries.
            self.is_asleep(most=24)
        finally:
            tmux.stop()
            os.unlink(self.desk.path("config/apps/page.toml"))
            self.configure()

    @story("ambiguous")
    def ambiguous(self):
        self.start_browser()
        self.send(self.site.url("two"))
        twins = [self.site.url(f"twin-{number}") for number in (1, 2)]
        # Else its scene would describe the new windows as well, before they show anything.
        self.configure('focus = { browser', 'focus = { tab = "*/one", browser', twins=TWINS.format(browser=self.browser))
        for number, target in enumerate(twins, 1):
            self.desk.start_program(self.further, "--new-window", target, log="browser.log")
            self.check(self.front(f"twin-{number}"), f"window {number} is there", lambda: self.screen.titles())
        self.check(
            eventually(lambda: all(target in self.desk.usher("scene", "windows", "--json").stdout.decode()
                                   for target in twins)),
            "the browser has told of them", lambda: self.desk.usher("scene", "windows", "--json").stdout)
        self.screen.focus("elsewhere")
        try:
            self.is_ambiguous("twin-1", "twin-2")
            self.check(self.screen.active() == "elsewhere", "nothing was focused", lambda: self.screen.active())
        finally:
            self.desk.usher("scene", "close", "left-0")
            os.unlink(self.desk.path("config/apps/twins.toml"))
            self.configure()
            self.check(eventually(self.are_closed, pause=0.5), "both are closed", lambda: self.screen.titles())

    def are_closed(self):
        """Titles change while pages load: what still says that it is a twin is closed again."""
        twins = [title for title in self.screen.titles() if title.startswith("Page twin")]
        for title in twins:
            self.screen.close(title)
        return not twins
