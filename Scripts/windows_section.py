"""What the sections of `check-windows` share: stories with names, a desk for them, what is sent, and evidence."""

import json
import os
import shutil
import tempfile
import threading
import time
import traceback

from checklist import DEADLINE, eventually, shown
from daemon import alert
from windows import Desk, missing


def story(name, *where, is_long=False):
    """Marks a method as a story, told in these sections; in all of its class, where none is named. A long one, which takes its time
    of the processor or of the clock, is not in the short form."""
    def mark(method):
        method.story, method.where, method.is_long = name, where, is_long
        return method
    return mark


class Section:
    """Stories on one desk, one after the other, with one daemon."""

    programs = ()

    def __init__(self, name, checks, usher, usherd):
        self.section, self.checks, self.paths = name, checks, (usher, usherd)
        self.title, self.folder, self.requests = None, None, 0
        self.desk = self.screen = self.daemon = None
        # Story → how long it took, in seconds, in the order in which they were told; and those that held.
        self.durations, self.proven = {}, set()

    @classmethod
    def methods(cls, section):
        """The stories of a section, in the order in which they are written; its own first."""
        found = {}
        for owner in cls.__mro__:
            for method in vars(owner).values():
                if hasattr(method, "story") and (not method.where or section in method.where):
                    found.setdefault(method.story, method)
        return found

    @classmethod
    def stories_of(cls, section):
        return list(cls.methods(section))

    def apps(self):
        """Manifests by name."""
        return {}

    def furnish(self):
        """What has to be there before the first story: a bus, a screen, a daemon."""

    def run(self, only="", is_short=False):
        absent = missing(*self.programs)
        if absent:
            self.checks.check(False, f"{self.section}: can be run here", "missing: " + ", ".join(absent))
            return
        with Desk(*self.paths, self.apps()) as desk:
            self.desk = desk
            self.title = "its desk"
            begin = time.monotonic()
            try:
                self.furnish()
            except Exception:
                self.check(False, "is there", traceback.format_exc(limit=-4))
                return
            finally:
                self.durations[self.title] = time.monotonic() - begin
            for name, method in self.methods(self.section).items():
                if only in name and not (is_short and method.is_long):
                    self.tell(name, method)

    def tell(self, name, method):
        self.title, self.folder = name, None
        begin, held, failed = time.monotonic(), self.checks.held, len(self.checks.failures)
        try:
            self.before()
            method(self)
        except Exception:
            # The others can still tell something.
            self.check(False, "comes to its end", traceback.format_exc(limit=-4))
        try:
            self.after()
        except Exception:
            self.check(False, "can be cleared away", traceback.format_exc(limit=-4))
        self.durations[name] = time.monotonic() - begin
        if self.checks.held > held and len(self.checks.failures) == failed:
            self.proven.add(name)

    def before(self):
        """What every story begins with."""

    def after(self):
        """What every story ends with, failed ones too."""

    def check(self, holds, name, detail=""):
        if not holds:
            text = detail() if callable(detail) else str(detail)
            detail = f"{text}\n        see {self.evidence()}"
        return self.checks.check(holds, f"{self.section}: {self.title}: {name}", detail)

    def evidence(self):
        """A folder with what can be seen now; of a story that failed, the first moment counts."""
        if self.folder is None:
            self.folder = tempfile.mkdtemp(prefix="usher-windows.")
            try:
                if self.screen:
                    self.screen.evidence(self.folder)
                if self.daemon:
                    with open(os.path.join(self.folder, "usherd.log"), "w", encoding="utf-8") as file:
                        file.write(self.daemon.log()[-20000:])
                if os.path.exists(self.desk.path("programs.log")):
                    shutil.copy(self.desk.path("programs.log"), self.folder)
                with open(os.path.join(self.folder, "sessions.json"), "w", encoding="utf-8") as file:
                    json.dump(self.desk.sessions(), file, indent=1)
            except Exception as error:
                print(f"        the evidence is not complete: {error!r}")
        return self.folder

    # What is sent

    def send(self, target, title="t", channel=None, patience=DEADLINE * 3, **payload):
        """Dispatches a notification; its record. By the webhook and by `usher dispatch` in turn."""
        self.requests += 1
        value = dict(alert(target, title), **payload)
        if (channel or ("usher", "webhook")[self.requests % 2]) == "webhook" and self.daemon:
            answer = self.daemon.post("/v1/notifications?wait=1", value, timeout=patience)
            record = answer.json
        else:
            ran = self.desk.usher("dispatch", "--json", "-", input=json.dumps(value) + "\n", time_limit=patience)
            lines = ran.stdout.decode("utf-8", "replace").splitlines()
            record = json.loads(lines[-1]) if lines else {"error": {"message": shown(ran.stderr)}}
        return record if isinstance(record, dict) else {}

    def later(self, target, **options):
        """The same, in the background: a function that waits for the record."""
        kept = {}

        def run():
            kept["record"] = self.send(target, channel="webhook", **options)
        thread = threading.Thread(target=run, daemon=True)
        thread.start()

        def wait():
            thread.join(DEADLINE * 3)
            return kept.get("record", {})
        return wait

    def is_asleep(self, most=20):
        """The daemon does nothing while nothing happens, and is small."""
        moving = self.daemon.restless()
        self.check(not moving, "nothing wakes it by itself", "; ".join(moving))
        megabytes = self.daemon.status("VmRSS") / 1024
        own = self.daemon.status("RssAnon") / 1024
        self.check(megabytes <= most, f"at most {most} MB", f"{megabytes:.1f} MB")
        self.checks.note(f"{self.section}: {self.title}: no timer of its own, {megabytes:.1f} MB "
                         f"(its own {own:.1f}, else pages of files), {self.daemon.status('Threads')} threads")

    # What is said

    def deliveries(self):
        """The last ones, as `usher deliveries list` tells of them."""
        return json.loads(self.desk.usher("deliveries", "list", "--json", "--limit", "20").stdout or b"[]")

    def child(self, record):
        """The record of what a click led to."""
        def question():
            listed = json.loads(self.desk.usher("deliveries", "list", "--json", "--limit", "20").stdout or b"[]")
            for row in listed:
                found = self.daemon.get(f"/v1/deliveries/{row.get('id')}").json or {}
                result = found.get("record") or {}
                if result.get("parent") == record.get("id"):
                    return result
            return None
        return eventually(question, pause=0.2) or {}

    def waiting(self):
        """Deliveries that are under way."""
        return [row for row in self.deliveries() if row.get("state") in ("accepted", "resolved", "acting")]

    def send_in_order(self, targets):
        """Sends requests at once, each when the one before has arrived; their records."""
        waits = []
        for target in targets:
            known = {row.get("id") for row in self.deliveries()}
            waits.append(self.later(target))
            eventually(lambda: any(row.get("id") not in known for row in self.deliveries()))
        return [wait() for wait in waits]

    def is_ambiguous(self, *titles):
        """What is sent to a window that two scenes match is not called a success, and both windows are named."""
        self.check(not self.desk.sessions(app="example.twins"), "a window that matches two scenes gets no session",
                   lambda: self.desk.sessions(app="example.twins"))
        self.desk.usher("scene", "connect", "--app", "example.twins", "--scene", "left", "--session", "left-0")
        record = self.send("https://twins.example/x")
        self.check(
            record.get("outcome") in ("failed", "unverified"), "it is not called a success", lambda: brief(record))
        self.check(all(title in words(record) for title in titles), "both are named", lambda: brief(record))

    def is_record(self, record, name, **wanted):
        """The record says this, member for member."""
        said = {key: record.get(key) for key in wanted}
        return self.check(said == wanted, name, lambda: f"wanted {wanted}\n        record {brief(record)}")


def brief(record):
    """A record, as much of it as a failure needs."""
    members = ("action", "reason", "policy", "outcome", "session", "target", "seen", "error", "warning_details",
               "handlers", "parent")
    return shown(json.dumps({key: record[key] for key in members if record.get(key)}), 900)


def words(record):
    """Everything that a record says in words: errors, warnings, what was seen."""
    error = record.get("error") or {}
    details = record.get("warning_details") or []
    return " ".join(
        [str(error.get("message", "")), str(record.get("seen") or "")] + [str(item.get("message")) for item in details])
