"""The stories of `check-windows` about launches at once: programs that hand over to an instance which runs already.

Several windows are asked for at the same time. No two sessions may have the same window, and each record that says
`verified` is checked from outside: the window of its session is a window of its own, and shows what was asked for.
"""

import concurrent.futures
import os
import random
import sys

from checklist import eventually
from windows import missing
from windows_section import Section, brief, story

# `--hours` of check-windows: twenty launches at once, 200 times, on each desktop.
IS_LONG = "--hours" in sys.argv
DESKTOPS = ("openbox", "i3", "sway") if IS_LONG else ("openbox",)
CROWD = 20 if IS_LONG else 6
# The first round, of which nothing is known yet, a second one, and so on.
FEW = 2
ROUNDS = 200 if IS_LONG else FEW

# Each window says by its title which target it was launched for.
INSTANCE = """
id = "example.{name}"
domains = ["{name}.example"]

[[scenes]]
name = "page"
opens = 'SELF BEGINSWITH "https://{name}.example/"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = {{ exec = ["../bin/{name}", "{{target}}"], time-limit = "30s" }}
focus = {{ app-id = "{look}" }}
"""

# Programs by name: what their windows look like, the script that opens one, and the program that it needs.
KITTY = """#!/bin/sh
exec kitty --single-instance --instance-group {group} --config NONE -o confirm_os_window_close=0 --class Kitten --title "$1" sleep 600
"""
EMACS = """#!/bin/sh
exec emacsclient --no-wait --create-frame --socket-name {socket} --frame-parameters "((name . \\"$1\\"))"
"""
FOOT = """#!/bin/sh
exec footclient --server-socket={socket} --app-id=Footling --title="$1" sleep 600
"""
# It shows the name of the file.
FEATHERPAD = """#!/bin/sh
file={folder}/"$(printf %s "$1" | tr -c 'A-Za-z0-9\\n' '_')"
echo "$1" > "$file"
exec featherpad --win "$file"
"""


def instances(section):
    """The programs of a section: name → what a window looks like."""
    looks = {"kitty": "Kitten", "emacs": "Emacs", "featherpad": "featherpad|FeatherPad"}
    return dict(looks, footclient="Footling") if section == "sway" else looks


class Instances(Section):
    """Launches at once."""

    def instance_apps(self):
        return {name: INSTANCE.format(name=name, look=look.split("|")[-1])
                for name, look in instances(self.section).items()}

    @story("launches at once: kitty --single-instance", *DESKTOPS, is_long=True)
    def kitty(self):
        self.desk.write("config/bin/kitty", KITTY.format(group=f"usher{random.randint(1, 10**9)}"), executable=True)
        self.crowd_of("kitty", "kitty")

    @story("launches at once: emacsclient", *DESKTOPS, is_long=True)
    def emacs(self):
        socket = self.desk.path("run/editor")
        self.desk.write("config/bin/emacs", EMACS.format(socket=socket), executable=True)
        ask = ("emacsclient", "--socket-name", socket, "--eval", "t")
        servers = []

        def start():
            servers.append(self.desk.start_program("emacs", "-Q", f"--fg-daemon={socket}"))
            self.check(eventually(lambda: self.desk.run(*ask).strip() == "t", seconds=60), "its server is there")

        def is_crashed():
            """Emacs with this toolkit sometimes ends by a signal when frames are deleted: it is started anew."""
            if servers[-1].poll() is None:
                return False
            self.checks.note(f"{self.section}: {self.title}: Emacs ended by itself ({servers[-1].returncode})")
            start()
            return True
        start()
        try:
            self.crowd_of("emacs", "emacs", "emacsclient", is_crashed=is_crashed)
        finally:
            servers[-1].terminate()
            servers[-1].wait()

    @story("launches at once: footclient", "sway", is_long=True)
    def footclient(self):
        socket = self.desk.path("run/foot")
        self.desk.write("config/bin/footclient", FOOT.format(socket=socket), executable=True)
        server = self.desk.start_program("foot", "--config=/dev/null", f"--server={socket}")
        self.check(eventually(lambda: os.path.exists(socket)), "its server is there")
        try:
            self.crowd_of("footclient", "foot", "footclient")
        finally:
            server.terminate()
            server.wait()

    @story("launches at once: featherpad", *DESKTOPS, is_long=True)
    def featherpad(self):
        os.makedirs(self.desk.path("pad"), exist_ok=True)
        self.desk.write("config/bin/featherpad", FEATHERPAD.format(folder=self.desk.path("pad")), executable=True)
        self.crowd_of("featherpad", "featherpad")

    # What they have in common

    def crowd_of(self, name, *programs, is_crashed=lambda: False):
        """`is_crashed`: whether the program that has the windows ended by itself; then the round says nothing."""
        absent = missing(*programs)
        if not self.check(not absent, "can be run here", "missing: " + ", ".join(absent)):
            return
        outcomes = {}
        for round in range(ROUNDS):
            targets = [f"https://{name}.example/r{round}n{number}" for number in range(CROWD)]
            with concurrent.futures.ThreadPoolExecutor(CROWD) as pool:
                records = dict(zip(targets, pool.map(self.ask, targets)))
            # A program that is busy gives its windows their titles late; a window of two sessions stays one.
            eventually(lambda: not self.wrong(name, records), seconds=10)
            wrong = self.wrong(name, records)
            if wrong and is_crashed():
                self.clear(name)
                continue
            if not self.check(not wrong, f"round {round + 1}: each window has one session, and shows what it was asked for",
                              lambda: "\n        ".join(wrong[:8])):
                break
            for record in records.values():
                why = ", ".join(sorted(set(record.get("warnings") or [])))
                key = f"{record.get('action')} {record.get('outcome')}" + (f" ({why})" if why else "")
                key += " at first" if round == 0 else ""
                outcomes[key] = outcomes.get(key, 0) + 1
            if round < FEW:
                # A window that opens late takes the keyboard from the one that was asked for again.
                eventually(lambda: self.all_opened(targets), seconds=30)
                self.again(name, records)
            self.clear(name)
        self.checks.note(f"{self.section}: {self.title}: " + ", ".join(
            f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))

    def ask(self, target):
        # A program that hands over is launched once at a time, and the last one waits for all the others: on a busy machine
        # longer than a webhook waits for a record.
        return self.send(target, channel="usher", patience=600)

    def wrong(self, name, records):
        """What is wrong with the sessions and with the records that say `verified`, in words."""
        titles, found = self.by_handle(), []
        sessions = {row["session"]: row for row in self.desk.sessions(app=f"example.{name}")}
        handles = [row["handle"] for row in sessions.values() if row.get("handle")]
        found += [f"{handle} is the window of two sessions" for handle in set(handles) if handles.count(handle) > 1]
        for target, record in records.items():
            if record.get("outcome") not in ("verified", "unverified") or record.get("error"):
                found.append(f"{target}: {brief(record)}")
            if record.get("outcome") != "verified":
                continue
            handle = (sessions.get(record.get("session")) or {}).get("handle")
            if not self.shows(titles.get(handle), target):
                found.append(f"{target} is verified, and its window {handle} is {titles.get(handle)!r}")
        return found

    def all_opened(self, targets):
        titles = self.by_handle().values()
        return all(any(self.shows(title, target) for title in titles) for target in targets)

    def again(self, name, records):
        """One of those that were verified is asked for again, and comes to the front, as others say."""
        verified = [target for target, record in records.items() if record.get("outcome") == "verified"]
        if not verified:
            return
        record = self.send(verified[0])
        self.is_record(record, "one is asked for again", action="focus", outcome="verified", error=None)
        self.check(self.shows(self.screen.active(), verified[0]), "it is in front, others say", lambda: self.screen.active())

    def shows(self, title, target):
        """Whether a window of this title was opened for the target; an editor shows a file's name, with more around it."""
        name = "".join(one if one.isascii() and one.isalnum() else "_" for one in target)
        words = (title or "").replace("*", " ").split()
        return any(word == target or word.rpartition("/")[2] == name for word in words)

    def by_handle(self):
        """The titles of all windows, by their handles in Usher's words."""
        if self.section == "sway":
            return {f"sway:{node['id']}": node.get("name") for node, _ in self.screen.nodes()}
        # From the X server: i3's own tree may go on with the first title of a window.
        return {f"x11:0x{number:x}": self.desk.run("xdotool", "getwindowname", str(number)).rstrip("\n")
                for number in self.screen.windows()}

    def clear(self, name):
        """Closes the windows of a round, and forgets their sessions."""
        def are_closed():
            # A program that is busy may not hear the first request.
            others = [title for title in self.screen.titles() if title != "elsewhere"]
            for title in others:
                self.screen.close(title)
            return not others
        if not eventually(are_closed, seconds=60, pause=1):
            self.check(False, "its windows close", lambda: self.screen.titles())
        eventually(lambda: not any(row.get("handle") for row in self.desk.sessions(app=f"example.{name}")))
        for row in self.desk.sessions(app=f"example.{name}"):
            self.desk.usher("scene", "close", row["session"])
