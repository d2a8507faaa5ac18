"""The stories of `check-windows` about a kiosk's browser: Chromium on openbox, driven by its DevTools port, no extension.

The pages are those of the browsers' stories: a server gets each key that is pressed in one of them. What the browser
itself says is asked over HTTP, `/json/list`, in which the page that was seen last comes first; the window's title is read with
xdotool. Endpoints that hang or talk nonsense are plain servers of this process.
"""

import json
import os
import signal
import socket
import threading
import time
import urllib.request

from daemon import eventually
from windows import Openbox
from windows_browser import Site, Tabs
from windows_section import brief, story

BOARD = """
id = "example.board"
name = "Board"

[[scenes]]
name = "window"
launch = {{ exec = ["../bin/browse", "{{target}}"], time-limit = "60s" }}
focus = {{ browser = "chromium", tab = "{site}*" }}
show = {{ tab = "{{target}}" }}
"""

# Windows that are connected by hand, at endpoints that are no browsers.
ODD = """
id = "example.odd"
name = "Odd"

[[scenes]]
name = "window"
opens = 'SELF BEGINSWITH "https://odd.example/"'
can = 'SELF BEGINSWITH "https://odd.example/"'
launch = { exec = ["true"] }
"""

BROWSE = """#!/bin/sh
exec chromium --kiosk --no-sandbox --no-first-run --no-default-browser-check --disable-gpu --disable-sync \\
    --disable-component-update --disable-background-networking --disable-dev-shm-usage --password-store=basic \\
    --disable-features=MediaRouter --disable-session-crashed-bubble --hide-crash-restore-bubble \\
    --user-data-dir='{profile}' --remote-debugging-port={port} "$@"
"""


class Endpoint:
    """A server that is no browser: sends `text` or nothing to each client, and keeps the connection open."""

    def __init__(self, text=b""):
        self.text, self.kept = text, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.kept.append(connection)
            try:
                connection.sendall(self.text)
            except OSError:
                pass

    def close(self):
        for one in (self.listener, *self.kept):
            one.close()


class Kiosks(Tabs):
    """One Chromium with a port of its own."""

    app = "example.board"

    programs = (*Openbox.programs, "dbus-daemon", "chromium")

    def furnish(self):
        self.desk.start_bus()
        self.screen = self.desk.screen = Openbox(self.desk)
        self.screen.start()
        self.site = Site()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.desk.write("config/apps/board.toml", BOARD.format(site=self.site.url("")))
        self.desk.write("config/apps/odd.toml", ODD)
        self.profile = self.desk.path("profile")
        self.browse = self.desk.write(
            "config/bin/browse", BROWSE.format(profile=self.profile, port=self.port), executable=True)
        self.set_up([self.port])

    def set_up(self, ports):
        """A daemon that knows these endpoints."""
        if self.daemon:
            self.check(self.daemon.end() == 0, "the daemon ends")
        listed = ", ".join(f'"127.0.0.1:{port}"' for port in ports)
        self.desk.write("config/usher.toml", f"[browser]\ndevtools = [{listed}]\n")
        self.daemon = self.desk.start()

    def kill_browser(self):
        """Ends the browser, whichever program started it."""
        pid = int(os.readlink(os.path.join(self.profile, "SingletonLock")).rpartition("-")[2])
        os.kill(pid, signal.SIGKILL)
        return eventually(lambda: not self.pages())

    def before(self):
        self.start_browser()
        self.screen.terminal("elsewhere")
        self.screen.focus("elsewhere")

    # The witnesses

    def is_running(self):
        return bool(self.pages())

    def is_bound(self):
        return (self.session() or {}).get("handle") in [window["handle"] for window in self.windows()]

    def pages(self):
        """What the browser says, the page that was seen last first."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json/list", timeout=20) as answer:
                return [page for page in json.load(answer) if page["type"] == "page"]
        except OSError:
            return []

    def close_tab(self, name):
        page = next(page for page in self.pages() if page["url"] == self.site.url(name))
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json/close/{page['id']}", timeout=20).close()
        return eventually(lambda: all(found["id"] != page["id"] for found in self.pages()))

    def is_seen(self, name, what):
        """The browser says that the page was seen last, its window is in front, and the page gets the keys."""
        self.check(
            eventually(lambda: self.pages()[:1] and self.pages()[0]["url"].split("#")[0] == self.site.url(name)),
            f"{what}, the browser says", lambda: [page["url"] for page in self.pages()])
        super().is_seen(name, what)

    def windows(self):
        """`usher scene windows`, those of kiosks."""
        listed = json.loads(self.desk.usher("scene", "windows", "--json").stdout or b"[]")
        return [window for window in listed if window["handle"].startswith("devtools:")]

    def doctor(self):
        """The doctor's row."""
        said = json.loads(self.desk.usher("doctor", "--json").stdout or b"{}")
        return next((row for row in said.get("windows", []) if row["system"].startswith("devtools")), None)

    def send(self, target, **options):
        app = "example.odd" if "odd.example" in target else "example.board"
        return super().send(target, **{"Simulator Target Bundle": app}, **options)

    # The stories

    @story("listed")
    def listed(self):
        window = eventually(lambda: next((one for one in self.windows() if len(one["tabs"]) == 3), None))
        if not self.check(window and len(self.windows()) == 1, "a window with three tabs", lambda: self.windows()):
            return
        self.check(
            {tab["address"] for tab in window["tabs"]} == {page["url"] for page in self.pages()},
            "their addresses are the browser's", lambda: f"{window} {self.pages()}")
        self.check(
            [tab["address"] for tab in window["tabs"] if tab["active"]] == [self.pages()[0]["url"]],
            "the one in front is marked", lambda: f"{window} {self.pages()}")
        self.check(
            window["browser"] == "chromium" and window["handle"].startswith(f"devtools:127.0.0.1:{self.port}/"),
            "it has a browser's name and a handle", lambda: window)
        with open(f"/proc/{window['pid']}/cmdline", encoding="utf-8") as file:
            self.check(f"--remote-debugging-port={self.port}" in file.read(), "and its process", lambda: window)
        row = self.doctor()
        self.check(
            row and all(row[ability] is True for ability in ("list", "focus", "verify", "watch"))
            and f"chromium on 127.0.0.1:{self.port}" in row["system"] and isinstance(row["token"], str),
            "the doctor has a row for it", lambda: row)

    @story("right tab of three")
    def right_tab(self):
        self.brings_each_tab()

    @story("a page in no tab")
    def new_tab(self):
        def close():
            self.check(len(self.pages()) == 4, "there is one more", lambda: self.pages())
            self.check(self.close_tab("four"), "it was closed")
        self.is_record(self.opens_a_tab(close), "verified", outcome="verified")

    @story("a place on a page")
    def fragment(self):
        loaded = len(self.site.fetched)
        record = self.send(self.site.url("two") + "#part")
        self.is_record(record, "verified", action="focus", outcome="verified", error=None)
        self.is_seen("two", "the page comes forward")
        self.check(
            self.pages()[0]["url"] == self.site.url("two") + "#part", "at the place that was meant",
            lambda: self.pages()[0])
        self.check(
            len(self.site.fetched) == loaded and len(self.pages()) == 3, "without loading it", lambda: self.pages())
        record = self.send(self.site.url("two"))
        self.is_record(record, "and back", action="focus", outcome="verified", error=None)
        self.check(
            eventually(lambda: self.pages()[0]["url"] == self.site.url("two")), "where it was", lambda: self.pages()[0])

    @story("minimised")
    def minimised(self):
        self.comes_back_minimised()

    @story("tab closed meanwhile")
    def closed(self):
        self.send(self.site.url("five"))
        url = self.site.url("five")
        tab = eventually(lambda: next(
            (tab["handle"] for window in self.windows() for tab in window["tabs"] if tab["address"] == url), None))
        connected = self.desk.usher(
            "scene", "connect", "--json", "--app", "example.odd", "--scene", "window", "--handle", tab or "-")
        self.check(connected.returncode == 0, "a tab can be a session's", lambda: connected.stderr)
        record = self.send("https://odd.example/tab")
        self.is_record(record, "it is focused by its name", action="focus", outcome="verified", error=None)
        # It is closed while a request for it is on its way: whichever comes first, the page is there in the end.
        answer = self.later(url)
        self.close_tab("five")
        record = answer()
        self.check(record.get("action") == "focus" and record.get("outcome"), "the request ends", lambda: brief(record))
        record = self.send(url)
        self.is_record(record, "the next one works", action="focus", outcome="verified", error=None)
        self.is_seen("five", "the page is there again")
        self.check(
            eventually(lambda: not [row for row in self.desk.sessions(app="example.odd") if row["handle"] == tab]),
            "the tab's session has ended", lambda: self.desk.sessions(app="example.odd"))
        self.close_tab("five")

    @story("restart of the daemon")
    def restart(self):
        session = (self.session() or {}).get("session")
        self.check(self.daemon.end() == 0, "the daemon ends")
        self.daemon = self.desk.start()
        record = self.send(self.site.url("three"))
        self.is_record(record, "verified", action="focus", outcome="verified", error=None, session=session)
        self.is_seen("three", "the right one comes")

    @story("without the daemon: one look")
    def one_look(self):
        self.check(self.daemon.end() == 0, "the daemon ends")
        try:
            self.check(len(self.windows()) == 1, "its window is listed", lambda: self.windows())
            row = self.doctor()
            self.check(row and row["focus"] is True, "the doctor has a row for it", lambda: row)
            for name in ("one", "two"):
                self.screen.focus("elsewhere")
                record = self.send(self.site.url(name), channel="usher")
                self.is_record(record, f"{name}: verified", action="focus", outcome="verified", error=None)
                self.is_seen(name, name)
            record = self.send(self.site.url("six"), channel="usher")
            self.is_record(record, "a page in no tab", action="focus", outcome="verified", error=None)
            self.is_seen("six", "it has a tab then")
            self.close_tab("six")
        finally:
            self.daemon = self.desk.start()

    @story("an endpoint that hangs, one that talks nonsense")
    def hostile(self):
        hung, garbage = Endpoint(), Endpoint(b"\x81\x7f\xff\xff\xff\xff garbage\r\n\r\n" * 4000)
        absent = socket.create_server(("127.0.0.1", 0))
        unused = absent.getsockname()[1]
        absent.close()
        codes = {hung.port: "browser.no-answer", garbage.port: "browser.refused", unused: "browser.not-connected"}
        self.set_up([hung.port, garbage.port, unused, self.port])
        try:
            for port, code in codes.items():
                connected = self.desk.usher(
                    "scene", "connect", "--json", "--app", "example.odd", "--scene", "window", "--handle",
                    f"devtools:127.0.0.1:{port}/1")
                self.check(connected.returncode == 0, f"{code}: a window of it is connected", lambda: connected.stderr)
                began = time.monotonic()
                record = self.send("https://odd.example/page")
                self.check(
                    record.get("action") == "focus" and code in json.dumps(record.get("error")),
                    f"{code}: it is said so", lambda: f"{brief(record)} {self.desk.sessions(app='example.odd')}")
                self.check(time.monotonic() - began < 20, f"{code}: in time", lambda: time.monotonic() - began)
                record = self.send(self.site.url("two"))
                self.is_record(
                    record, f"{code}: the next request works", action="focus", outcome="verified", error=None)
                self.desk.usher("scene", "close", *(row["session"] for row in self.desk.sessions(app="example.odd")))
            self.is_seen("two", "the right tab")
            row = self.doctor() or {"system": ""}
            self.check(
                all(f"127.0.0.1:{port}: {what}" in row["system"] for port, what in (
                    (hung.port, "it does not answer"), (garbage.port, "it does not speak the DevTools protocol"),
                    (unused, "no process listens there"))),
                "the doctor says which is which", lambda: row)
            self.check(len(self.windows()) == 1, "the one that is well is listed", lambda: self.windows())
        finally:
            self.set_up([self.port])
            hung.close()
            garbage.close()

    @story("the browser is killed")
    def killed(self):
        answer = self.later(self.site.url("three"))
        self.check(self.kill_browser(), "it was killed")
        record = answer()
        self.check(
            record.get("outcome") in ("verified", "done")
            or any(code in json.dumps(record.get("error")) for code in ("browser.", "window-gone")),
            "a request in its midst ends, and says how", lambda: brief(record))
        record = self.send(self.site.url("two"))
        self.check(
            record.get("outcome") in ("verified", "done") and not record.get("error"), "the next one works",
            lambda: brief(record))
        # Which of both pages a browser that starts puts in front is its own affair.
        self.check(
            eventually(lambda: {self.site.url("two")} <= {page["url"] for page in self.pages()}), "its page comes",
            lambda: self.pages())
        # A browser that was away is looked for twice a minute.
        self.check(eventually(self.is_bound, seconds=90), "its window is the session's", lambda: self.desk.sessions())
        record = self.send(self.site.url("two"))
        self.is_record(record, "verified", action="focus", outcome="verified", error=None)
        self.is_seen("two", "and comes forward")

    @story("the browser is gone")
    def gone(self):
        eventually(self.is_bound, seconds=90)
        self.check(self.kill_browser(), "it was killed")
        self.is_launched("seven")
        self.check(
            eventually(self.is_bound, seconds=90), "its window is the session's again", lambda: self.desk.sessions())
        record = self.send(self.site.url("eight"))
        self.is_record(record, "which is driven as before", action="focus", outcome="verified", error=None)
        self.is_seen("eight", "the next page comes")
