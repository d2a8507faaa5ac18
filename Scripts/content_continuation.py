"""Sections of `check-content`: an app's three handlers, and apps that are gone.

Failures and other versions are ContinuationTests'.
"""

import json
import os

from content import ContentSection, listed

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
