"""The stories of `check-windows` about hardship: windows that do not behave, and servers that go away."""

import json
import time

from checklist import eventually
from windows import CROWD, STORM, processor_seconds
from windows_section import Section, brief, story, words

DESKTOPS = ("openbox", "i3", "sway")


class Hardship(Section):
    """Bad input: recorded as what it is, and the next request works."""

    def works(self, name="the next request works"):
        """A request after the trouble."""
        target = "https://pages.example/next"
        if not self.count(target):
            record = self.send(target)
            self.is_record(record, f"{name}: launched", action="launch", outcome="verified", error=None)
        record = self.send(target)
        return self.is_record(record, name, action="focus", outcome="verified", error=None) and self.check(
            self.screen.active() == target, f"{name}, others say", lambda: self.screen.active())

    @story("a title that changes 100 times a second", is_long=True)
    def storm(self):
        target = "https://pages.example/calm"
        self.open(target)
        path = self.desk.write("config/bin/storm", STORM, executable=True)
        if self.section == "tmux":
            self.screen.say("new-window", "-d", path)
        elif self.section == "sway":
            self.desk.start_program("foot", "--config=/dev/null", "--app-id=Storm", path)
        else:
            self.desk.start_program("xterm", "-class", "Storm", "-e", path)
        if self.section != "tmux":
            self.check(
                eventually(lambda: any(title.startswith("storm") for title in self.screen.titles())), "it blows")
        # What it uses is measured: a second to settle, five to count.
        time.sleep(1)
        before, begin = processor_seconds(self.daemon.pid), time.monotonic()
        time.sleep(5)
        share = (processor_seconds(self.daemon.pid) - before) / (time.monotonic() - begin)
        self.check(share < 0.1, "the daemon stays calm", f"{share:.1%} of a processor")
        self.checks.note(f"{self.section}: 100 titles a second: {share:.1%} of a processor")
        record = self.send(target)
        self.is_record(record, "a request works", action="focus", outcome="verified", error=None)
        self.check(self.screen.active() == target, "others say so", lambda: self.screen.active())
        if self.section == "tmux":
            for line in self.screen.say("list-windows", "-a", "-F", "#{window_id} #{pane_current_command}").splitlines():
                if line.endswith("python3"):
                    self.screen.say("kill-window", "-t", line.split()[0])

    @story("a wrong class", *DESKTOPS, is_long=True)
    def wrong_class(self):
        for name, least, most in (("at-once", 2, 12), ("slow/1", 7, 20)):
            target, begin = f"https://wrong.example/{name}", time.monotonic()
            record = self.send(target)
            took = time.monotonic() - begin
            self.is_record(record, f"{name}: launched", action="launch", outcome="verified", error=None)
            self.check(least - 0.1 <= took < most, f"{name}: the window is taken 2 s after it came", f"{took:.1f} s")
            help = " ".join(str(item.get("help")) for item in record.get("warning_details") or [])
            self.check(
                ' = "Real" at apps/wrong.toml:' in help, f"{name}: the warning shows the line to write", lambda: brief(record))
            text = self.desk.usher("deliveries", "show", str(record.get("id")), "--json").stdout.decode()
            self.check("activation.not-ready" in text, f"{name}: and it is kept", lambda: text[:500])
            self.close_session(target)
        target = "https://wrong.example/splash/1"
        record = self.send(target)
        self.is_record(record, "a picture at the start is passed over", action="launch", outcome="verified", error=None,
                       warnings=[])
        self.check(self.screen.active() == target, "its own window is in front", lambda: self.screen.active())

    def close_session(self, title):
        self.screen.close(title)
        eventually(lambda: not self.desk.sessions(app="example.wrong", state="connected"))

    @story("500 windows", *DESKTOPS, is_long=True)
    def crowd(self):
        script = self.desk.write("crowd.py", CROWD)
        words = ["python3", script, "500", "Crowd", "crowd"] + ["paced"] * (self.section == "sway")
        program = self.desk.start_program(*words)

        def are_there():
            nonlocal program
            if program.poll() is not None:
                # sway starts Xwayland for the first client of X, which may be too early on a busy machine.
                program = self.desk.start_program(*words)
            return len(self.screen.titles()) >= 501
        self.check(
            eventually(are_there, seconds=180, pause=1), "they are there", lambda: len(self.screen.titles()))
        session = eventually(lambda: self.desk.session(app="example.crowd"))
        self.check(session, "the one that is meant is a session", lambda: len(self.desk.sessions()))
        self.screen.focus("elsewhere")
        record = self.send("https://crowd.example/377")
        # i3 goes on drawing for some time after it has listed them all: until then requests are unverified, and say so.
        end, late = time.monotonic() + 120, 0
        while self.section == "i3" and record.get("outcome") == "unverified" and time.monotonic() < end:
            late += 1
            self.check(record.get("seen"), f"request {late}, unverified, says what is seen instead", lambda: brief(record))
            time.sleep(2)
            record = self.send("https://crowd.example/377")
        self.is_record(record, "it is focused", action="focus", outcome="verified", error=None)
        self.check(self.screen.active() == "crowd 377", "others say so", lambda: self.screen.active())
        act = ((record.get("latency_us") or {}).get("act") or 0) / 1000
        before = f", after {late} unverified; it may have been in front by then" if late else ""
        self.checks.note(f"{self.section}: 500 windows: {act:.1f} ms to the verified focus{before}")
        program.terminate()
        program.wait()
        self.check(
            eventually(lambda: not self.desk.sessions(app="example.crowd"), seconds=60), "they go, and so does it",
            lambda: self.desk.sessions(app="example.crowd"))
        # i3 takes its time to clear them away.
        eventually(lambda: self.screen.titles() == ["elsewhere"], seconds=120, pause=1)
        self.works()

    @story("a client that ignores focus", "openbox", "i3")
    def deaf(self):
        script = self.desk.write("crowd.py", CROWD)
        program = self.desk.start_program("python3", script, "1", "Deaf", "deaf window", "no-input")
        self.check(eventually(lambda: self.count("deaf window") == 1), "it is there")
        eventually(lambda: self.desk.sessions(app="example.deaf"))
        self.screen.focus("elsewhere")
        record = self.send("https://deaf.example/x")
        if self.section == "i3":
            # It gives such a client the keyboard all the same: then that is what must be said.
            self.is_record(record, "it is called verified", action="focus", outcome="verified", error=None)
            self.check(self.screen.active() == "deaf window", "others say so", lambda: self.screen.active())
        else:
            self.is_record(record, "it is not called verified", action="focus", outcome="unverified", error=None)
            self.check(record.get("seen"), "what is seen instead is said", lambda: brief(record))
        program.terminate()
        program.wait()
        self.works()

    @story("a window that asks before it closes", "openbox", "i3")
    def unsaved(self):
        script = self.desk.write("crowd.py", CROWD)
        program = self.desk.start_program("python3", script, "1", "Deaf", "save?", "stays")
        session = eventually(lambda: self.desk.session(app="example.deaf")) or {}
        ending = self.desk.usher("scene", "close", session.get("session") or "", "--window", "--json")
        answer = json.loads(ending.stdout or b"{}")
        self.check(
            ending.returncode == 1 and answer.get("window") == "open", "`scene close --window` says that it is open",
            lambda: (ending.returncode, ending.stdout, ending.stderr))
        self.check(self.count("save?") == 1, "the window is there", lambda: self.screen.titles())
        self.check(
            self.desk.session(session=session.get("session")), "and its session", lambda: self.desk.sessions())
        program.terminate()
        program.wait()
        self.check(
            eventually(lambda: not self.desk.sessions(app="example.deaf")), "closed by its user, its session ends",
            lambda: self.desk.sessions(app="example.deaf"))

    @story("desktop entries", *DESKTOPS)
    def entries(self):
        record = self.send("https://entries.example/good")
        self.is_record(record, "one that is right is launched", action="launch", outcome="verified", error=None)
        self.check(eventually(lambda: self.count("entry") == 1), "its window is there")
        for name in ("gone", "broken"):
            record = self.send(f"https://entries.example/{name}")
            error = record.get("error") or {}
            self.check(
                record.get("outcome") in ("failed", "skipped") and error.get("code") and error.get("message"),
                f"{name}: a clear error", lambda: brief(record))
        self.works()

    @story("the server is killed", *DESKTOPS, "tmux", is_long=True)
    def server(self):
        target = "https://pages.example/killed"
        session = self.open(target).get("session")
        before = processor_seconds(self.daemon.pid)
        self.screen.kill_server()
        self.check(
            eventually(lambda: (self.desk.session(session=session) or {}).get("state") == "disconnected"),
            "its sessions are disconnected, not closed", lambda: self.desk.session(session=session))
        # What it uses meanwhile is measured.
        time.sleep(3)
        used = processor_seconds(self.daemon.pid) - before
        self.check(used < 0.5, "nothing is asked again and again", f"{used:.2f} s of a processor")
        if self.section != "tmux":
            record = self.send(target)
            self.check(
                record.get("outcome") in ("failed", "unverified", "done") and (record.get("error") or words(record)),
                "the record says what is wrong", lambda: brief(record))
            self.check(self.daemon.process.poll() is None, "the daemon goes on", lambda: self.daemon.log()[-500:])
        number = self.desk.environment.get("DISPLAY")
        self.screen.stop()
        if self.section in ("openbox", "i3"):
            self.screen.start(number)
            self.check(self.desk.environment["DISPLAY"] == number, "the server is back in its place")
        else:
            self.screen.start()
        if self.section == "sway":
            # Its socket has another name now: what was started before cannot know it.
            self.daemon.end()
            self.daemon = self.desk.start()
        if self.section != "tmux":
            self.screen.terminal("elsewhere")
        record = eventually(lambda: self.verified(target), seconds=60, pause=1)
        self.check(record, "once it is back, the window is launched again", lambda: brief(self.send(target)))
        self.check(eventually(lambda: self.screen.active() == target), "others say so", lambda: self.screen.active())

    def verified(self, target):
        record = self.send(target)
        return record if record.get("outcome") == "verified" else None

    @story("stale addresses", *DESKTOPS)
    def stale(self):
        """A daemon configured with servers that are not there."""
        self.daemon.end()
        gone = {"DISPLAY": ":4711", "WAYLAND_DISPLAY": "wayland-4711", "SWAYSOCK": self.desk.path("gone.sock"),
                "I3SOCK": self.desk.path("gone.sock")}
        try:
            self.daemon = self.desk.start(environment={
                name: value for name, value in gone.items() if name in self.screen.variables or name == "I3SOCK"})
            begin = time.monotonic()
            record = self.send("https://board.example/stale", channel="webhook")
            self.check(
                record.get("outcome") in ("failed", "unverified") and (record.get("error") or words(record)),
                "the record says what is wrong", lambda: brief(record))
            self.check(time.monotonic() - begin < 45, "within the time limit", f"{time.monotonic() - begin:.1f} s")
            self.check(self.daemon.get("/healthz").status == 200, "the daemon is well")
        finally:
            self.daemon.end()
            self.daemon = self.desk.start()
            for row in self.desk.sessions(app="example.board"):
                self.desk.usher("scene", "close", row["session"])
        self.works()

    @story("the bus is killed", *DESKTOPS)
    def bus(self):
        self.desk.bus.terminate()
        self.desk.bus.wait()
        record = self.send("https://entries.example/good")
        self.check(record.get("outcome"), "what needs it is recorded", lambda: brief(record))
        self.works("what does not need it works")
        self.check(self.daemon.get("/healthz").status == 200, "the daemon is well")
        self.daemon.end()
        self.desk.start_bus()
        self.daemon = self.desk.start()
        self.works("and after it came back")
