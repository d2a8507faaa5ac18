"""The stories of `check-windows` about what Usher knows: windows that come, go and take the focus without it."""

import json

from checklist import eventually, shown
from windows_section import Section, brief, story

DESKTOPS = ("openbox", "i3", "sway")


class Registry(Section):
    """The registry follows the windows."""

    def activation(self, session):
        return (self.desk.session(session=session) or {}).get("activation")

    @story("registry: an undeclared window", *DESKTOPS)
    def undeclared(self):
        self.screen.terminal("board", "Board")
        self.screen.terminal("unheard", "Undeclared")
        found = eventually(lambda: self.desk.sessions(app="example.board"))
        self.check(found and len(found) == 1, "it is a session of its scene", lambda: self.desk.sessions())
        session = found[0] if found else {}
        self.check(
            session.get("state") == "connected" and session.get("handle") == self.screen.handle("board"),
            "connected, with the handle", session)
        self.check(
            not any(row.get("handle") == self.screen.handle("unheard") for row in self.desk.sessions()),
            "one that fits nothing is ignored", lambda: self.desk.sessions())
        self.screen.focus("elsewhere")
        record = self.send("https://board.example/x")
        self.is_record(record, "and it is focused, not launched", action="focus", outcome="verified", error=None,
                       session=session.get("session"))
        self.check(self.screen.active() == "board", "others say so", lambda: self.screen.active())
        self.screen.close("board")
        self.check(
            eventually(lambda: not self.desk.sessions(app="example.board")), "a window that closes ends its session",
            lambda: self.desk.sessions(app="example.board"))

    @story("registry: focus is followed")
    def followed(self):
        one, two = "https://pages.example/r1", "https://pages.example/r2"
        first, second = (self.open(target).get("session") for target in (one, two))
        self.check(
            eventually(lambda: self.activation(second) == "foregroundActive"), "the window in front is active",
            lambda: self.activation(second))
        used = (self.desk.session(session=first) or {}).get("used")
        self.screen.focus(one)
        self.check(
            eventually(lambda: self.activation(first) == "foregroundActive"), "and follows what the user does",
            lambda: self.activation(first))
        self.check(
            eventually(lambda: self.activation(second) in ("foregroundInactive", "background")),
            "the other is active no longer", lambda: self.activation(second))
        self.check(
            eventually(lambda: (self.desk.session(session=first) or {}).get("used") != used), "it was used last",
            lambda: f"{used}, {self.desk.session(session=first)}")
        listed = [row["session"] for row in self.desk.sessions(app="example.pages")]
        self.check(listed.index(first) < listed.index(second), "and is listed first", listed)
        self.screen.close(one)
        self.check(
            eventually(lambda: not self.desk.session(session=first)), "closed by its user, it ends",
            lambda: self.desk.session(session=first))

    @story("registry: out of sight", *DESKTOPS)
    def out_of_sight(self):
        target = "https://pages.example/sight"
        session = self.open(target).get("session")
        self.screen.send_away(target)
        self.check(
            eventually(lambda: self.activation(session) == "background"), "on another workspace it is in the background",
            lambda: self.activation(session))

    @story("registry: scenes without a window")
    def unattached(self):
        target = "https://pages.example/unattached"
        self.desk.usher(
            "scene", "connect", "--app", "example.pages", "--scene", "page", "--target", target, "--session", "page-0")
        self.check(
            self.activation("page-0") != "foregroundActive", "a page in the background is not reported as visible",
            lambda: self.desk.session(session="page-0"))
        self.desk.usher("scene", "disconnect", "page-0")
        self.check(
            eventually(lambda: self.activation("page-0") == "unattached"), "a session without a window is unattached",
            lambda: self.desk.session(session="page-0"))
        self.desk.usher("scene", "close", "page-0")

    @story("without the daemon: one look")
    def one_look(self):
        target = "https://pages.example/look"
        self.open(target)
        handle = self.screen.handle(target)
        self.check(self.daemon.end() == 0, "the daemon ends")
        try:
            # A compositor need not have an X server.
            isWayland = self.desk.environment.get("WAYLAND_DISPLAY")
            environment = {
                name: value for name, value in self.desk.environment.items() if name != "DISPLAY" or not isWayland}
            listed = self.desk.usher("scene", "windows", "--json", env=environment)
            found = json.loads(listed.stdout or b"[]")
            # Those of a connection differ from one program to the other.
            self.check(
                any(window.get("title") == target or window.get("handle") == handle for window in found),
                "its windows are listed", lambda: f"{found} {shown(listed.stderr)}")
            record = self.send(target, channel="usher")
            self.is_record(record, "an open window is focused", action="focus", outcome="verified", error=None)
            self.check(self.screen.active() == target, "others say so", lambda: self.screen.active())
            self.screen.close(target)
            self.check(eventually(lambda: not self.count(target)), "closed by hand")
            record = self.send(target, channel="usher")
            self.is_record(record, "and is then launched, not focused", action="launch", outcome="verified", error=None)
            self.check(eventually(lambda: self.count(target) == 1), "it is there again", lambda: brief(record))
        finally:
            self.daemon = self.desk.start()

    @story("idle", is_long=True)
    def idle(self):
        targets = [f"https://pages.example/idle{number}" for number in range(3)]
        for target in targets:
            self.open(target)
        for target in targets:
            self.send(target)
        self.is_asleep()

    @story("doctor")
    def doctor(self):
        said = self.desk.usher("doctor", "--json")
        text = said.stdout.decode("utf-8", "replace")
        try:
            json.loads(text)
        except ValueError:
            self.check(False, "it says what this window system can", text[:500])
            return
        word = {"openbox": "openbox", "i3": "i3"}.get(self.section, self.section)
        self.check(word in text, "it names the window system", text[:1500])
