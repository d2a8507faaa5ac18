"""Sections of `check-content`: an app's three handlers, failures, apps that are gone, and other versions."""

import json
import os

from checklist import always
from content import ContentSection, listed, shown

ALL = ("will-continue", "continue", "did-fail")


def activity(page="a", **more):
    """An activity as an envelope's line."""
    return json.dumps({"userActivity": dict(
        {"activityType": "example.maps.view", "title": "Place", "targetContentIdentifier":
         f"https://maps.example/pages/{page}", "userInfo": {"zoom": 3}}, **more)}) + "\n"


class Continuation(ContentSection):
    def verbs(self, effects):
        return [line["verb"] for line in effects]

    def continuation(self):
        with self.desk() as desk:
            desk.manifest("maps", handlers=ALL)
            start = len(desk.effects())
            record = desk.ask("dispatch", "-", input=activity())
            self.check(
                record.get("action") == "launch" and record.get("error") is None, "an activity launches its window",
                str(record))
            effects = desk.since(start, count=3)
            # The launched program goes on by itself: its line may come at any time.
            will, went = ([line for line in effects if line["verb"] in ALL] + [{}, {}])[:2]
            self.check(
                sorted(self.verbs(effects)) == ["continue", "launch", "will-continue"]
                and (will.get("verb"), went.get("verb")) == ALL[:2], "the handlers are called in order", str(effects))
            if went:
                self.check(
                    will["variables"].get("USHER_ACTIVITY_TYPE") == "example.maps.view"
                    and will["variables"].get("USHER_SESSION") == record.get("session"), "will-continue knows the type",
                    str(will))
                given = json.loads(went["input"] or "{}")
                self.check(
                    given.get("userInfo") == {"zoom": 3} and given.get("activityType") == "example.maps.view"
                    and given.get("title") == "Place", "continue has the whole activity on standard input",
                    went["input"])
            start = len(desk.effects())
            record = desk.ask("dispatch", "-", input=activity())
            order = self.verbs(desk.since(start, count=3))
            self.check(
                record.get("action") == "focus" and order == ["focus", "will-continue", "continue"],
                "a window that is open comes to the front, and show is not run", f"{order} {record}")
            self.check(
                [one.get("verb") for one in listed(record, "handlers")][-2:] == ["will-continue", "continue"],
                "the record has them", str(record))
            self.pushed(desk)
            self.linked(desk)
            desk.manifest("maps")
            start = len(desk.effects())
            record = desk.ask("dispatch", "-", input=activity())
            self.check(
                record.get("error") is None and not set(self.verbs(desk.since(start))) & set(ALL),
                "each handler is optional", str(record))

    def pushed(self, desk):
        """A push that carries an activity, as an envelope does."""
        line = json.loads(activity("pushed", userInfo={"zoom": 9}))
        line = dict(line, app="example.maps")
        start = len(desk.effects())
        record = desk.ask("dispatch", "-", input=json.dumps(line) + "\n")
        went = [one for one in desk.since(start, "continue") if '"zoom":9' in one["input"].replace(" ", "")]
        self.check(record.get("error") is None and len(went) == 1, "an activity for a named app, too", str(record))
        if not self.with_daemon:
            return
        start = len(desk.effects())
        answer = desk.served.post("/v1/notifications?wait=1", line)
        went = [one for one in desk.since(start, "continue") if '"zoom":9' in one["input"].replace(" ", "")]
        self.check(answer.status == 200 and len(went) == 1, "and over HTTP", str(answer))

    def linked(self, desk):
        session = desk.connect(page="linked")
        desk.become(session, "Linked", target=desk.id_of("maps", "linked"), user_info='{"deep":[1,2,{"x":null}]}')
        note = desk.note("to the view")
        link = desk.run("link", "add", "--note", note, "--from-current").id
        start = len(desk.effects())
        record = desk.ask("link", "open", link)
        effects = desk.since(start, count=3)
        self.check(
            record.get("session") == session and self.verbs(effects)[-2:] == ["will-continue", "continue"],
            "link open continues the activity in the right window", f"{record} {self.verbs(effects)}")
        info = json.loads(effects[-1]["input"] or "{}").get("userInfo") if effects else None
        self.check(info == {"deep": [1, 2, {"x": None}]}, "with the userInfo of then", str(info))
        start = len(desk.effects())
        listing = listed(desk.ask("activity", "list"), "activities")
        said = desk.run("activity", "continue", listing[0]["id"] if listing else "none")
        self.check(
            said.status == 0 and "continue" in self.verbs(desk.since(start, "continue")), "activity continue does, too",
            str(said))

    def failing(self):
        with self.desk() as desk:
            desk.manifest("maps", handlers=ALL, options=', time-limit = "2s"')
            for name, kind, order, outcome in (
                ("not handled", "fail", 1, "failed"), ("a time limit", "slow", 30, "unverified"),
            ):
                desk.order(kind, "continue", order)
                start = len(desk.effects())
                said = desk.run("dispatch", "-", input=activity(name.replace(" ", "-")))
                record = said.json
                failed = desk.since(start, "did-fail")
                self.check(
                    record.get("outcome") == outcome, f"{name}: outcome {outcome}", str(record))
                self.check(
                    outcome != "failed" or (said.status == 1 and (record.get("error") or {}).get("name")
                                            == "continuation.not-handled"), f"{name}: the error says so", str(record))
                if self.check(len(failed) == 1, f"{name}: did-fail is called, once",
                    self.verbs(desk.effects()[start:])):
                    told = failed[0]["input"] + json.dumps(failed[0]["variables"]) + json.dumps(failed[0]["arguments"])
                    self.check(
                        "continuation." in told or "time" in told or "U32" in told, f"{name}: with the error", told)
                self.check(
                    [verb for verb in self.verbs(desk.effects()[start:]) if verb in ALL] == list(ALL),
                    f"{name}: in order",
                    self.verbs(desk.effects()[start:]))
                desk.order(kind, "continue")
            self.failing_link(desk)
            desk.order("fail", "will-continue", 1)
            start = len(desk.effects())
            record = desk.ask("dispatch", "-", input=activity("feedback"))
            self.check(
                "continue" in self.verbs(desk.since(start, "continue")),
                "will-continue is feedback: its failure stops nothing",
                str(record))
            desk.order("fail", "did-fail", 1)
            desk.order("fail", "continue", 1)
            record = desk.run("dispatch", "-", input=activity("both")).json
            self.check(
                (record.get("error") or {}).get("name") == "continuation.not-handled",
                "a did-fail that fails hides nothing", str(record))

    def failing_link(self, desk):
        session = desk.connect(page="fails")
        desk.become(session, "Fails", target=desk.id_of("maps", "fails"))
        link = desk.run("link", "add", "--note", desk.note("fails"), "--from-current").id
        desk.order("fail", "continue", 1)
        start = len(desk.effects())
        said = desk.run("link", "open", link)
        self.check(
            said.status == 1 and len(desk.since(start, "did-fail")) == 1, "a link that fails also runs did-fail",
            str(said))
        desk.order("fail", "continue")

    def fallback(self):
        with self.desk() as desk:
            desk.manifest("guide", handlers=ALL)
            web = "https://guide.example/web/a"
            session = desk.connect(app="guide", page="a")
            desk.become(session, "Guide", target=desk.id_of("guide", "a"), webpage=web, type="example.guide.view")
            note = desk.note("Guide")
            link = desk.run("link", "add", "--note", note, "--from-current").id
            plain = desk.link(desk.note("No page"), "guide:internal:7").id
            desk.run("scene", "close", session)

            def opened(name):
                start = len(desk.effects())
                said = desk.run("link", "open", link)
                pages = [line["arguments"][-1] for line in desk.since(start, "open-web")]
                self.check(
                    [said.json.get(member) for member in ("action", "reason")] == ["open-web", "web-fallback"]
                    and pages == [web],
                    f"{name}: the link's web page", f"{said} {pages}")

            desk.uninstall("guide")
            opened("the program is gone")
            desk.install("guide")
            record = desk.ask("link", "open", link)
            self.check(record.get("action") in ("launch", "focus"), "installed again, it is the window again",
                str(record))
            desk.run("scene", "close", record.get("session") or "none")
            desk.manifest("guide", handlers=ALL, website="false")
            desk.uninstall("guide")
            opened("the program is gone, and its ids are no pages")
            desk.install("guide")
            os.unlink(desk.path("config/apps/guide.toml"))
            desk.reload()
            opened("its manifest is gone")
            said = desk.run("link", "open", plain)
            self.check(
                said.status == 1 and (said.json.get("error") or {}).get("help"), "a link without a page: a clear error",
                str(said))
            desk.manifest("guide", handlers=ALL)
            record = desk.ask("link", "open", link)
            self.check(record.get("action") in ("launch", "focus"), "it is back, and so is the window", str(record))

    def versions(self):
        with self.desk() as desk:
            keys = 'version = "2.1"\nactivity-schema = 3\nnewer = "{}"\n'
            desk.manifest("maps", keys=keys.format("try"), handlers=ALL + ("upgrade",))
            start = len(desk.effects())
            desk.order("answer", "upgrade", json.dumps({
                "activityType": "example.maps.view", "title": "Place", "schemaVersion": 3,
                "targetContentIdentifier": desk.id_of("maps", "a"), "userInfo": {"upgraded": True}}))
            record = desk.ask("dispatch", "-", input=activity(version="1.0", schemaVersion=1))
            given = desk.since(start, "upgrade")
            self.check(len(given) == 1 and '"zoom"' in given[0]["input"], "an older activity is upgraded", str(record))
            went = desk.since(start, "continue")
            self.check(
                went and json.loads(went[0]["input"])["userInfo"] == {"upgraded": True}, "and handed on as it is now",
                str(went))
            for name, kind, order in (("fails", "fail", 1), ("writes nonsense", "answer", "{")):
                desk.order(kind, "upgrade", order)
                start = len(desk.effects())
                said = desk.run("dispatch", "-", input=activity(schemaVersion=1))
                self.check(
                    said.status == 1 and (said.json.get("error") or {}).get("code", "").startswith("U32")
                    or listed(said.json, "warnings"),
                    f"an upgrade that {name} is reported", str(said))
                desk.order(kind, "upgrade")
            start = len(desk.effects())
            record = desk.ask("dispatch", "-", input=activity(version="2.1", schemaVersion=3))
            self.check(
                desk.since(start, "continue") and not [
                    line for line in desk.effects()[start:] if line["verb"] == "upgrade"],
                "one of this version is not upgraded", str(record))
            self.newer(desk, keys)
            self.unknown(desk)

    def newer(self, desk, keys):
        web = "https://maps.example/web/newer"
        line = activity("newer", version="9.0", schemaVersion=9, webpageURL=web)
        for rule in ("try", "web", "refuse"):
            desk.manifest("maps", keys=keys.format(rule), handlers=ALL + ("upgrade",))
            start = len(desk.effects())
            said = desk.run("dispatch", "-", input=line)
            if rule in ("try", "web"):
                desk.since(start, "continue" if rule == "try" else "open-web")
            always(lambda: "launch" not in self.verbs(desk.effects()[start:]), seconds=0.2)
            effects = self.verbs(desk.effects()[start:])
            error = said.json.get("error") or {}
            expected = {
                "try": "continue" in effects and said.status == 0 and "upgrade" not in effects,
                "web": said.json.get("action") == "open-web" and "open-web" in effects and "continue" not in effects,
                "refuse": said.status == 1 and error.get("name") == "continuation.newer" and bool(error.get("help"))
                and "continue" not in effects and "launch" not in effects,
            }
            self.check(expected[rule], f'a newer one, with newer = "{rule}"', f"{said} {effects}")
        desk.manifest("maps", keys='activity-schema = 3\nnewer = "later"\n')
        said = desk.run("check")
        self.check(said.status == 1 and "newer" in said.out and "refuse" in said.out, "newer takes one of three words",
            str(said))
        desk.manifest("maps", keys=keys.format("try"), handlers=ALL + ("upgrade",))

    def unknown(self, desk):
        strange = '"x-future": {"b":1.50,"a":[1e2,"\\u00e9", null],  "z" :18446744073709551616}'
        line = (
            '{"userActivity":{"activityType":"example.maps.view","schemaVersion":3,' + strange
            + ',"targetContentIdentifier":"https://maps.example/pages/strange"}}\n')
        start = len(desk.effects())
        record = desk.ask("dispatch", "-", input=line)
        went = desk.since(start, "continue")
        self.check(
            went and strange in went[0]["input"], "unknown members are handed on byte for byte, missing ones tolerated",
            lambda: shown(f"{went} {record}", 1500))
