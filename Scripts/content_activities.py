"""Sections of `check-content`: what users do, and what comes back after a window's end.

What is saved on demand is ActivityCommandsTests' and ActivityContinueTests'.
"""

import signal
import subprocess

from checklist import eventually
from content import ContentSection, listed, shown


def entry(activities, session):
    """The activity of a session, current or kept for it."""
    found = [one for one in listed(activities, "activities") if one.get("session") == session]
    return found[0] if found else {}


class Activities(ContentSection):
    def activities(self):
        with self.desk() as desk:
            first, second = desk.connect(page="a"), desk.connect(page="b")
            said = desk.become(first, "Place A", target=desk.id_of("maps", "a"), user_info='{"zoom":3}')
            self.holds(said, "become current")
            answer = said.json.get("activity") or {}
            self.check(
                answer.get("state") == "current" and answer.get("is_current") is True
                and answer.get("target") == desk.id_of("maps", "a") and answer.get("app") == "example.maps",
                "its answer is the activity", str(said))
            whole = answer.get("activity") or {}
            self.check(
                whole.get("activityType") == "example.maps.view" and whole.get("title") == "Place A"
                and whole.get("userInfo") == {"zoom": 3}, "which is whole", str(whole))
            self.check(
                whole.get("isEligibleForHandoff", True) is True and not any(
                    whole.get(name) for name in
                    ("isEligibleForSearch", "isEligibleForPublicIndexing", "isEligibleForPrediction")),
                "hand-off is opted out of, the others are opted into", str(whole))
            self.declared(desk, first)
            self.one_current(desk, first, second)
            self.reuse(desk, first)
            self.updates(desk, first)
            said = desk.become(second, "Nowhere")
            self.check(
                said.status == 0 and (listed(said.json, "warnings") or "warning" in said.err
                                      or listed(said.json, "findings")),
                "without an identifier it takes no part, and a message says so", str(said))
            gone = desk.become("nowhere-9", "Gone", target=desk.id_of("maps", "a"))
            self.refused(gone, "a session that is not there", "nowhere-9")
            self.search(desk)
            self.expiry(desk, first)

    def declared(self, desk, session):
        said = desk.become(session, "Other", target=desk.id_of("maps", "a"), type="example.maps.viev")
        self.refused(said, "an undeclared type", "example.maps.viev", "example.maps.view")
        said = desk.become(session, "Other", target=desk.id_of("maps", "a"), type="example.browser.view")
        self.refused(said, "a type of another app", "example.browser.view")
        self.check(
            entry(desk.ask("activity", "list"), session).get("title") == "Place A", "the current one stays")

    def one_current(self, desk, first, second):
        desk.become(second, "Place B", target=desk.id_of("maps", "b"))
        activities = listed(desk.ask("activity", "list"), "activities")
        self.check(
            {one["session"]: one["state"] for one in activities} == {first: "current", second: "current"},
            "one current a session", str(activities))
        self.check(
            [one["session"] for one in activities if one["is_current"]] == [second], "the system's is the latest",
            str(activities))
        desk.run("scene", "activate", first)
        activities = listed(desk.ask("activity", "list"), "activities")
        self.check(
            [one["session"] for one in activities if one["is_current"]] == [first],
            "and follows the session that was used last", str(activities))
        self.check(activities and activities[0]["session"] == first, "which is listed first", str(activities))
        desk.become(second, "Place C", target=desk.id_of("maps", "c"))
        activities = listed(desk.ask("activity", "list"), "activities")
        self.check(
            len(activities) == 2 and entry(activities, second).get("title") == "Place C",
            "new content is a new activity, the one before is over", str(activities))
        whole = listed(desk.ask("activity", "list", "--all"), "activities")
        self.check(
            [one["title"] for one in whole if one["state"] == "resigned"] == ["Place B"], "--all lists that, too",
            str(whole))
        said = desk.run("activity", "resign", "--session", second)
        self.holds(said, "resign")
        activities = listed(desk.ask("activity", "list"), "activities")
        self.check(
            [one["session"] for one in activities] == [first], "resigned: the session has none", str(activities))
        again = desk.run("activity", "resign", "--session", second)
        self.check(again.status in (0, 2), "resign twice is harmless or one clear error", str(again))

    def reuse(self, desk, session):
        before = desk.ask("activity", "list")
        said = desk.run("activity", "update", "--session", session, "--target", desk.id_of("maps", "other"))
        warned = listed(said.json, "warnings") + listed(said.json, "findings")
        self.check(
            said.status == 0 and warned, "other content in the same activity: a warning", f"{said} {before}")
        desk.become(session, "Place A", target=desk.id_of("maps", "a"))

    def updates(self, desk, session):
        before = entry(desk.ask("activity", "list"), session)
        said = desk.run("activity", "update", "--session", session, "--title", "Place A, seen from above")
        self.holds(said, "update")
        after = entry(desk.ask("activity", "list"), session)
        self.check(
            after.get("title") == "Place A, seen from above" and after.get("id") == before.get("id")
            and after.get("target") == before.get("target"), "an update changes what it names, and nothing else",
            f"{before} {after}")
        bad = desk.run("activity", "update", "--session", session, "--user-info", "[1]")
        self.refused(bad, "an update with a userInfo that is no object", "userInfo")
        self.check(entry(desk.ask("activity", "list"), session) == after, "and changes nothing")

    def search(self, desk):
        for name, more in (
            ("Café Zoë", ["--eligible-for", "search", "--keyword", "kaffee"]),
            ("Museum", ["--eligible-for", "search", "--keyword", "舊金山"]),
            ("Secret café", []),
        ):
            session = desk.connect(page=name)
            desk.become(session, name, target=desk.id_of("maps", name.replace(" ", "-")), more=more)

        def titles(query):
            return [one.get("title") for one in listed(desk.ask("activity", "search", query), "activities")]

        self.check(titles("café") == ["Café Zoë"], "search finds what is eligible, only that", str(titles("café")))
        self.check(titles("cafe") == ["Café Zoë"], "whatever the accents", str(titles("cafe")))
        self.check(titles("kaffee") == ["Café Zoë"], "by keyword", str(titles("kaffee")))
        self.check(titles("舊金山") == ["Museum"], "in every script", str(titles("舊金山")))
        self.check(titles("nothing") == [], "and nothing else", str(titles("nothing")))
        for query in ('"', "a OR", "NEAR(", "title:x", "*", "-", "(", "'; DROP TABLE activity"):
            said = desk.run("activity", "search", "--", query)
            self.check(
                said.status == 0 or said.is_refusal(), f"search for {query!r}: an answer or one clear error", str(said))

    def expiry(self, desk, session):
        desk.become(
            session, "Over", target=desk.id_of("maps", "over"), more=["--expires", "2020-01-01T00:00:00Z",
                "--eligible-for", "search"])
        found = listed(desk.ask("activity", "search", "over"), "activities")
        self.check(found == [], "an expired one is not found", str(found))

    def restoration(self):
        with self.desk() as desk:
            desk.manifest("maps", handlers=["continue"])
            target = desk.id_of("maps", "kept")
            session = desk.connect(page="kept")
            window = subprocess.Popen(["sleep", "600"], env=desk.environment)
            try:
                said = desk.become(
                    session, "Kept", target=target, user_info='{"scroll":77}', more=["--process", str(window.pid)],
                    is_kept=False)
                self.holds(said, "become current, with the process of the window")
            finally:
                window.send_signal(signal.SIGKILL)
                window.wait()

            def state():
                return entry(desk.ask("activity", "list", is_kept=False), session).get("state")

            self.check(eventually(lambda: state() == "kept"), "its process dies: kept for the session", str(state()))
            scenes = desk.ask("scene", "list")
            self.check(
                [one["state"] for one in scenes if one["session"] == session] == ["disconnected"],
                "which is disconnected", str(scenes))
            current = [one for one in listed(desk.ask("activity", "list"), "activities") if one["is_current"]]
            self.check(current == [], "and no longer the system's", str(current))
            start = len(desk.effects())
            record = desk.open(target)
            self.check(
                (record.get("action"), record.get("session")) == ("launch", session), "asked for, it is launched again",
                str(record))
            handed = [
                line for line in desk.since(start, "launch")
                if '"scroll":77' in ((line["restored"] or "") + line["input"]).replace(" ", "")]
            self.check(
                len(handed) == 1, "and handed its activity back", lambda: shown(str(desk.effects()[start:]), 1500))
            desk.become(session, "New", target=target)
            activities = listed(desk.ask("activity", "list"), "activities")
            self.check(
                [one["title"] for one in activities if one["session"] == session] == ["New"],
                "a new one takes its place", str(activities))
            desk.run("scene", "disconnect", session)
            self.check(state() == "kept", "a session that is disconnected keeps its activity, too")
            desk.run("scene", "close", session)
            self.check(state() is None, "one that the user closed has none")
            self.check(desk.is_sound, "the store is sound")
