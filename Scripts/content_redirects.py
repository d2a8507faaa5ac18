"""The section `tombstones` of `check-content`: content that is gone, and what its app is told.

Moves, prefixes, chains, loops and movers at once are proved by RedirectionTests, RedirectRefusalTests, RedirectProcessesTests,
RedirectDispatchTests and RedirectsTests.
"""

import json

from content import ContentSection, listed, shown


def page(name):
    return f"https://maps.example/pages/{name}"


class Redirects(ContentSection):
    def tombstones(self):
        with self.desk() as desk:
            session = desk.connect(page="dead")
            desk.run("content", "moved", page("elder"), page("dead"))
            start = len(desk.effects())
            said = desk.run("content", "deleted", page("dead"), "--reason", "it burnt down")
            self.holds(said, "content deleted")
            redirect = said.json.get("redirect") or {}
            self.check(
                redirect.get("kind") == "deleted" and redirect.get("reason") == "it burnt down"
                and redirect.get("made"),
                "answers the tombstone: when and why", str(said))
            said = desk.run("open", page("elder"))
            record = said.json
            error = record.get("error") or {}
            self.check(
                said.status == 1 and (record.get("action"), record.get("reason")) == ("none", "content-deleted"),
                "the dispatch that meets it opens nothing", str(said))
            self.check(
                error.get("name", "").endswith("content-deleted") and "it burnt down" in json.dumps(error)
                and redirect.get("made", "?")[:10] in json.dumps(error) and error.get("help"),
                "its error says when and why", str(error))
            ran = desk.since(start, "content-deleted")
            self.check(
                len(ran) == 1 and ran[0]["variables"].get("USHER_TARGET") == page("dead")
                and ran[0]["variables"].get("USHER_ORIGINAL_TARGET") == page("elder")
                and "it burnt down" in ran[0]["variables"].get("USHER_ERROR", "")
                and [line for line in desk.effects()[start:] if line["verb"] != "content-deleted"] == [],
                "the app's handler runs, nothing else", str(desk.effects()[start:]))
            self.check(
                [one.get("verb") for one in listed(record, "handlers")] == ["content-deleted"], "the record has it",
                str(record))
            start = len(desk.effects())
            said = desk.run(
                "dispatch", "--dry-run", "-", input=json.dumps({"url": page("dead"), "app": "example.maps"}) + "\n")
            self.check(
                said.json.get("reason") == "content-deleted" and desk.effects()[start:] == [],
                "a dry run says it and runs nothing", str(said))
            explained = desk.run("explain", page("elder"))
            self.check(
                explained.status == 1 and "it burnt down" in explained.out and len(listed(explained.json, "hops")) >= 1,
                "explain shows hop and tombstone", shown(str(explained), 900))
            status, text = desk.at_terminal([], "explain", page("elder"))
            self.check(
                status == 1 and "hop 1" in text and "it burnt down" in text and "content-deleted" in text,
                "to people, too, with the handler that would run", shown(text, 900))
            again = desk.run("content", "deleted", page("dead"))
            self.check(
                again.status == 0 or again.is_refusal(), "deleted twice: no change or one clear error", str(again))
            desk.order("fail", "content-deleted", 3)
            record = desk.open(page("dead"))
            self.check(
                record.get("reason") == "content-deleted" and (record.get("handlers") or [{}])[0].get("status") not in (
                    None, "ok", 0), "the record names a handler that fails", str(record))
            self.holds(desk.run("content", "restore", page("dead")), "restore")
            record = desk.open(page("elder"))
            self.check(
                (record.get("session"), record.get("resolved")) == (session, page("dead")), "and it is there again",
                str(record))
            self.refused(desk.run("content", "restore", page("dead")), "restore what is not gone", page("dead"))
            self.notes_of_the_dead(desk)

    def notes_of_the_dead(self, desk):
        note = desk.note("About what is gone")
        link = desk.link(note, page("late")).id
        desk.run("content", "deleted", page("late"))
        said = desk.run("link", "open", link)
        self.check(
            said.status == 1 and said.json.get("reason") == "content-deleted", "a link to it: the error", str(said))
        self.check(desk.ask("note", "show", note).get("id") == note, "its note stays")
