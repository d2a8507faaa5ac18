"""The stories of `check-windows` about desktop notifications: dunst shows them, and is clicked.

What was shown is recorded by a program that dunst itself runs for each notification, with what it has understood of it.
"""

import json

from checklist import DEADLINE, always, eventually
from daemon import alert
from windows import SCREENS, Tmux, stop
from windows_section import Section, brief, story, words

POST = """
id = "example.post"
name = "Post"
domains = ["post.example"]
deliver = "notify"

[targets]
letter = "https://post.example/{letter}"

[handlers]
background = { exec = ["../bin/tell", "background", "--", "{target}"] }

[[scenes]]
name = "letter"
target = "letter"
opens = 'SELF BEGINSWITH "https://post.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = { exec = ["../bin/terminal", "Letter", "{target}"], time-limit = "30s" }
focus = { app-id = "Letter" }
show = { exec = ["../bin/tell", "{session}", "--", "{target}"] }
"""

# The same in tmux.
TOWER = """
id = "example.tower"
name = "Tower"
domains = ["tower.example"]
deliver = "notify"

[[scenes]]
name = "bell"
opens = 'SELF BEGINSWITH "https://tower.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
target = "bell"
launch = { tmux = ["../bin/listen", "{target}"] }

[targets]
bell = "https://tower.example/{bell}"
"""

# A file that a program was given when its user started it by hand.
DOCUMENTS = """
id = "example.documents"
schemes = ["file"]
""" + "".join(f"""
[[scenes]]
name = "{name}"
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
focus = {{ app-id = "{app}" }}
content = {{ process = "argv", path = "{{file}}", relative-to = "cwd" }}
""" for name, app in {"viewer": "*?athura", "terminal": "Shell"}.items())

# One empty page.
PDF = """%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>> endobj
trailer <</Root 1 0 R>>
"""

# Brought forward at once, unless its user does not want to be disturbed.
CALLS = """
id = "example.calls"
name = "Calls"
domains = ["calls.example"]
quiet = { do-not-disturb = "notify" }

[[scenes]]
name = "call"
launch = { exec = ["../bin/terminal", "Call", "{target}"], time-limit = "30s" }
focus = { app-id = "Call" }
"""

# It has a window only for a customer with money.
BANK = """
id = "example.bank"
name = "Bank"
domains = ["bank.example"]
deliver = "notify"

[[scenes]]
name = "bill"
launch = { exec = ["../bin/pay", "{target}"], time-limit = "30s" }
focus = { app-id = "Bill" }
"""

PAY = """#!/bin/sh
test -e '{money}' || {{ echo 'no money' >&2; exit 3; }}
exec '{terminal}' Bill "$1"
"""

RULES = """[global]
    follow = none
    sticky_history = yes
    history_length = 100
    idle_threshold = 0
    show_age_threshold = -1
    notification_limit = 20
[urgency_low]
    timeout = 0
[urgency_normal]
    timeout = 0
[urgency_critical]
    timeout = 0
[everything]
    summary = "*"
    script = {script}
"""

# dunst runs it for each notification that it shows.
SEEN = """#!/usr/bin/env python3
import json, os
names = ("ID", "APP_NAME", "SUMMARY", "BODY", "URGENCY", "CATEGORY", "TIMEOUT", "ICON_PATH", "STACK_TAG")
with open({path!r}, "a") as file:
    file.write(json.dumps({{name.lower(): os.environ.get("DUNST_" + name, "") for name in names}}) + "\\n")
"""


# The others tell what depends on the window system.
WHOLE = ("notify", "notify-sway")


class Notices(Section):
    """Shown first, and acted upon when it is clicked."""

    def __init__(self, name, *rest, **options):
        super().__init__(name, *rest, **options)
        self.kind = SCREENS[name.partition("-")[2] or "openbox"]
        self.programs = (*self.kind.programs, "dbus-daemon", "dunst", "dunstctl", "gdbus", "tmux", "zathura", "nvim")

    def apps(self):
        return {"post": POST, "tower": TOWER, "documents": DOCUMENTS, "calls": CALLS, "bank": BANK}

    def furnish(self):
        self.desk.start_bus()
        self.screen = self.desk.screen = self.kind(self.desk)
        self.screen.start()
        self.seen_path = self.desk.write("seen", "")
        script = self.desk.write("bin/seen", SEEN.format(path=self.seen_path), executable=True)
        self.money = self.desk.path("money")
        self.desk.write("config/bin/pay", PAY.format(money=self.money, terminal=self.desk.path("config/bin/terminal")), executable=True)
        self.rules = self.desk.write("dunstrc", RULES.format(script=script))
        self.start_dunst()
        self.daemon = self.desk.start()

    def start_dunst(self):
        self.dunst = self.desk.start_program("dunst", "-conf", self.rules, log="dunst.log")
        if not eventually(lambda: self.desk.run("dunstctl", "count", "displayed").strip().isdigit()):
            raise RuntimeError("dunst does not come")

    def before(self):
        self.screen.terminal("elsewhere")

    def after(self):
        self.desk.run("dunstctl", "close-all")
        self.screen.close_all()

    def seen(self, title):
        """What dunst was asked to show under this title."""
        with open(self.seen_path, encoding="utf-8") as file:
            found = [json.loads(line) for line in file if line.endswith("\n")]
        return [item for item in found if item["summary"] == title]

    def displayed(self):
        return int(self.desk.run("dunstctl", "count", "displayed").strip() or 0)

    def notify(self, target, title, **payload):
        """A notification that is shown, and nothing more; its record."""
        record = self.send(target, title, channel="webhook", **payload)
        self.is_record(record, f"{title}: it is shown first", action="notify", error=None)
        self.check(eventually(lambda: self.seen(title)), f"{title}: dunst shows it", lambda: brief(record))
        self.check(self.screen.active() == "elsewhere", f"{title}: nothing comes forward", lambda: self.screen.active())
        return record

    def click(self):
        """The notification on top, as with the mouse."""
        self.desk.run("dunstctl", "action", "0")

    @story("notify, click, focus")
    def click_focus(self):
        target = "https://post.example/open"
        self.desk.usher("open", target)
        self.check(eventually(lambda: target in self.screen.titles()), "a link opens the window at once")
        session = (self.desk.session(app="example.post") or {}).get("session")
        self.screen.focus("elsewhere")
        record = self.notify(target, "A letter")
        shown = self.seen("A letter")[-1]
        self.check(shown["body"] == "b" and shown["app_name"], "with body and the app's name", shown)
        self.click()
        self.check(eventually(lambda: self.screen.active() == target), "clicked, the window comes forward",
                   lambda: self.screen.active())
        child = self.child(record)
        self.is_record(child, "a delivery of its own, with its parent", action="focus", outcome="verified", error=None,
                       session=session, parent=record.get("id"))
        self.screen.type("after the click")
        self.check(eventually(lambda: "after the click" in self.desk.typed(target)), "keys arrive there")

    @story("notify, click, launch")
    def click_launch(self):
        target = "https://post.example/absent"
        record = self.notify(target, "Another letter")
        self.click()
        self.check(eventually(lambda: self.screen.active() == target), "clicked, the window comes",
                   lambda: self.screen.active())
        self.is_record(self.child(record), "with its parent", action="launch", outcome="verified", error=None)

    @story("notify, click, tmux window", "notify")
    def click_tmux(self):
        one, two = "https://tower.example/1", "https://tower.example/2"
        tmux = Tmux(self.desk).begin()
        try:
            for target in (one, two):
                self.desk.usher("open", target)
                self.check(eventually(lambda: tmux.active() == target), "a link opens the window at once", tmux.tree)
            record = self.notify(one, "A bell")
            self.check(tmux.active() == two, "nor in tmux", lambda: tmux.tree())
            self.click()
            self.check(eventually(lambda: tmux.active() == one), "clicked, the window comes forward", lambda: tmux.tree())
            # Its client is in a terminal that has no window on this desktop, as over ssh.
            child = self.child(record)
            self.is_record(child, "with its parent", action="focus", outcome="unverified", error=None)
            self.check(child.get("warnings") == ["seen.no-window"], "and why it is not verified", child)
            tmux.type("after the bell")
            self.check(eventually(lambda: "after the bell" in self.desk.typed(one)), "keys arrive there")
        finally:
            tmux.stop()

    @story("a click that fails", *WHOLE)
    def failed_click(self):
        target, title, before = "https://bank.example/bill", "A bill", self.displayed()
        record = self.notify(target, title)
        for count in (2, 3):
            self.click()
            record = self.child(record)
            self.is_record(record, f"click {count - 1}: it fails", outcome="failed", action="launch",
                           notification_action="default" if count == 2 else "retry")
            message = (record.get("error") or {}).get("message", "none")
            self.check(eventually(lambda: len(self.seen(title)) == count), "it is shown why", lambda: self.seen(title))
            self.check(message in self.seen(title)[-1]["body"], "with the error", lambda: f"{message} {self.seen(title)}")
            self.check(eventually(lambda: self.displayed() == before + 1), "nothing else is displayed", self.displayed)
        self.check(self.seen(title)[1]["id"] == self.seen(title)[2]["id"], "one takes the other's place", lambda: self.seen(title))
        self.desk.write("money", "")
        self.click()
        self.check(eventually(lambda: self.screen.active() == target), "once more, the window comes", lambda: self.screen.active())
        self.is_record(self.child(record), "with its parent", action="launch", outcome="verified", error=None)
        self.check(eventually(lambda: self.displayed() == before), "nothing is displayed any more", self.displayed)

    @story("document, note, link, leave, return", *WHOLE)
    def note_of_document(self):
        """A document and a file that were opened by hand: a viewer, and an editor in the shell of a terminal."""
        plan, text = self.desk.write("home/the plan.pdf", PDF), self.desk.write("home/text.md", "one\ntwo\n")
        # A program that starts in a terminal is noticed by the title that it gives the window.
        shell = ["sh", "-c", f"cd '{self.desk.path('home')}'; nvim --clean --cmd 'set title' text.md; exit"]
        terminal = (["foot", "--config=/dev/null", "--app-id=Shell", *shell] if self.kind.name == "sway"
                    else ["xterm", "-class", "Shell", "-e", *shell])
        # Notes open in windows of tmux.
        tmux = Tmux(self.desk).begin()
        programs = []
        try:
            for name, command, path in (("viewer", ["zathura", plan], plan), ("terminal", terminal, text)):
                target = "file://" + path.replace(" ", "%20")
                programs.append(self.desk.start_program(*command))
                session = eventually(lambda: self.desk.session(scene=name, target=target))
                if not self.check(session, f"{name}: its document is known", self.desk.sessions):
                    continue
                words = f"About the {name}"
                self.check(
                    eventually(lambda: (self.desk.session(scene=name, target=target) or {}).get("activation") == "foregroundActive")
                    and self.screen.active() != "elsewhere", f"{name}: it is in front", self.screen.active)
                made = json.loads(self.desk.usher("note", words, "--json").stdout or b"{}")
                note, made_link = (made.get("note") or {}).get("id"), (made.get("links") or [{}])[0]
                link, heading = made_link.get("id", ""), made_link.get("title") or "Note about this document"
                self.check([one.get("target") for one in made.get("links") or []] == [session["target"]],
                           f"{name}: a note about it is linked to it", made)
                self.check(not self.seen(heading), f"{name}: nothing is suggested yet",
                           lambda: self.seen(heading))
                # Its user leaves, and comes back.
                handle = session["handle"]
                self.leave(name)
                said = self.desk.usher("note", f"Not about the {name}", "--json")
                self.check(not json.loads(said.stdout or b"{}").get("links"), f"{name}: a note about another window has no link to it", said.stdout)
                self.check("elsewhere" in said.stderr.decode() and "activity.not-in-front" in said.stderr.decode(),
                           f"{name}: and the reason is said", said.stderr)
                self.show(handle)
                self.check(eventually(lambda: [item["body"] for item in self.seen(heading)][-1:] == [words]),
                           f"{name}: back in its window, the note is suggested", lambda: self.seen(heading))
                shown = len(self.seen(heading))
                for _ in range(2):
                    self.leave(name)
                    self.show(handle)
                self.check(always(lambda: len(self.seen(heading)) == shown, seconds=0.5), f"{name}: once a visit",
                           lambda: self.seen(heading))
                self.click()
                def opened():
                    return self.desk.session(app="usher.notes", target=f"usher-note:{note}") or {}
                self.check(eventually(opened), f"{name}: clicked, the note opens", self.desk.sessions)
                self.check(eventually(lambda: tmux.terminal_client("#{window_id}") == opened().get("handle", "-")),
                           f"{name}: tmux shows it", tmux.tree)
                self.screen.focus("elsewhere")
                said = self.desk.usher("link", "open", link, "--json")
                record = json.loads(said.stdout or b"{}")
                self.is_record(record, f"{name}: its link brings up the same window", action="focus", reason="prefers",
                               outcome="verified", session=session["session"])
                self.check(self.screen.active() not in (None, "elsewhere"), f"{name}: which is in front", self.screen.active)
                self.desk.run("dunstctl", "close-all")
                self.desk.run("sh", "-c", f": > '{self.seen_path}'")
                stop(programs[-1])
                self.check(eventually(lambda: not self.desk.session(scene=name)), f"{name}: closed, its session ends", self.desk.sessions)
        finally:
            for program in programs:
                stop(program)
            tmux.stop()
            for session in self.desk.sessions(app="usher.notes"):
                self.desk.usher("scene", "close", session["session"])

    def leave(self, scene):
        """Goes to another window, for as long as the daemon needs to see it."""
        self.screen.focus("elsewhere")
        eventually(lambda: (self.desk.session(scene=scene) or {}).get("activation") != "foregroundActive", seconds=5)

    def show(self, handle):
        """Brings a window forward, as its user does."""
        system, _, id = handle.partition(":")
        if system == "sway":
            self.screen.say(f"[con_id={id}] focus")
        else:
            self.desk.run("wmctrl", "-i", "-a", id)
        eventually(lambda: self.screen.active() != "elsewhere")

    @story("interruption levels", *WHOLE)
    def levels(self):
        for level, urgency in (("active", "NORMAL"), ("time-sensitive", "CRITICAL"), ("critical", "CRITICAL")):
            target = f"https://post.example/{level}"
            self.notify(target, level, aps={
                "alert": {"title": level, "body": "b"}, "target-content-id": target, "interruption-level": level})
            got = (self.seen(level) or [{}])[-1].get("urgency")
            self.check(got == urgency or level == "time-sensitive" and got == "NORMAL", f"{level}: its urgency", got)
        target = "https://post.example/passive"
        record = self.send(target, aps={
            "alert": {"title": "passive", "body": "b"}, "target-content-id": target, "interruption-level": "passive"})
        self.check(not record.get("error"), "passive: no fault", lambda: brief(record))
        self.check(
            all(item["urgency"] == "LOW" for item in self.seen("passive")), "passive: does not interrupt",
            lambda: self.seen("passive"))
        self.check(self.screen.active() == "elsewhere", "passive: nothing comes forward")

    @story("collapsed", *WHOLE)
    def collapsed(self):
        target = "https://post.example/score"
        before = self.displayed()
        for title in ("1:0", "2:0"):
            answer = self.daemon.post("/v1/notifications?wait=1", {
                "payload": alert(target, title), "headers": {"apns-collapse-id": "score", "apns-topic": "example.post"}},
                timeout=DEADLINE)
            self.check(eventually(lambda: self.seen(title)), f"{title} is shown", str(answer))
        first, second = self.seen("1:0"), self.seen("2:0")
        self.check(
            first and second and first[-1]["id"] == second[-1]["id"], "one takes the other's place",
            lambda: f"{first} {second}")
        self.check(eventually(lambda: self.displayed() == before + 1), "one is displayed", lambda: self.displayed())

    @story("content-available alone", *WHOLE)
    def background(self):
        before, told = self.displayed(), len(self.desk.told())
        target = "https://post.example/sync"
        record = self.send(target, aps={"content-available": 1, "target-content-id": target})
        self.is_record(record, "the background handler runs", action="background", error=None)
        self.check(len(self.desk.told()) == told + 1, "once", lambda: self.desk.told()[told:])
        self.check(self.displayed() == before, "nothing is shown")

    @story("closed by its user", *WHOLE)
    def closed(self):
        record = self.notify("https://post.example/closed", "To be closed")
        self.desk.run("dunstctl", "close-all")
        def text():
            return self.desk.usher("deliveries", "show", str(record.get("id")), "--json").stdout.decode()
        self.check(
            eventually(lambda: "closed" in text() or "dismissed" in text()), "that is recorded", lambda: text()[:1500])
        self.check(self.screen.active() == "elsewhere", "nothing comes forward")

    @story("markup is text", *WHOLE)
    def markup(self):
        target = "https://post.example/markup"
        self.notify(target, "markup", aps={
            "alert": {"title": "markup", "body": "<b>5 &lt; 6 & 7</b>"}, "target-content-id": target})
        body = (self.seen("markup") or [{}])[-1].get("body")
        self.check(
            body in ("<b>5 &lt; 6 & 7</b>", "&lt;b&gt;5 &amp;lt; 6 &amp; 7&lt;/b&gt;"), "it is shown as it was sent", body)

    @story("quiet: do not disturb", *WHOLE)
    def quiet(self):
        target = "https://calls.example/1"
        self.desk.run("dunstctl", "set-paused", "true")
        record = self.send(target, "A call", channel="webhook")
        self.is_record(record, "a notification instead of a window", action="notify", outcome="done", policy="quiet",
                       session=None, error=None)
        self.check(self.screen.active() == "elsewhere" and target not in self.screen.titles(), "nothing comes forward",
                   lambda: self.screen.titles())
        self.desk.run("dunstctl", "set-paused", "false")
        self.check(eventually(lambda: self.seen("A call")), "dunst shows it later")
        self.click()
        self.check(eventually(lambda: self.screen.active() == target), "clicked, the window comes",
                   lambda: self.screen.active())
        self.is_record(self.child(record), "as a tap", action="launch", outcome="verified", policy=None, error=None)
        self.screen.focus("elsewhere")
        self.is_record(self.send(target, channel="webhook"), "undisturbed no longer, it comes at once", action="focus",
                       outcome="verified", policy=None)

    @story("no notification server", *WHOLE)
    def no_server(self):
        stop(self.dunst)
        record = self.send("https://post.example/nobody", "nobody", channel="webhook")
        self.check(
            record.get("outcome") in ("failed", "unverified") and (record.get("error") or words(record)),
            "the record says so", lambda: brief(record))
        self.start_dunst()
        self.notify("https://post.example/again", "there again")
        self.click()
        self.check(eventually(lambda: self.screen.active() == "https://post.example/again"), "the next request works",
                   lambda: self.screen.active())
