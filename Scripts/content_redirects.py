"""Sections of `check-content`: content that moved and content that is gone, in every dispatch, and which apps may redirect."""

import json

from content import ContentSection, listed, shown


def page(name):
    return f"https://maps.example/pages/{name}"


class Redirects(ContentSection):
    def moved(self, desk, *ids):
        for old, new in zip(ids, ids[1:]):
            self.holds(desk.run("content", "moved", old, new), f"move {old} to {new}")

    def redirects(self):
        with self.desk() as desk:
            desk.connect(page="old")
            said = desk.run("content", "moved", page("old"), page("new"), "--reason", "renamed")
            self.holds(said, "content moved")
            redirect = said.json.get("redirect") or {}
            self.check(
                redirect.get("kind") == "move" and redirect.get("source") == page("old")
                and redirect.get("destination") == page("new") and redirect.get("reason") == "renamed"
                and said.json.get("resolved") == page("new"), "answers what it made", str(said))
            for id in (page("old"), page("new")):
                record = desk.open(id)
                self.check(
                    (record.get("target"), record.get("resolved")) == (id, page("new")),
                    f"the record of {id}: target as sent, resolved the newest", str(record))
                self.check(
                    (record.get("session"), record.get("reason")) == ("page-1", "prefers"),
                    f"a window opened under the old id is the right one for {id}", str(record))
            found = desk.ask("explain", page("new"))
            matched = [one.get("prefers", {}).get("matched") for one in listed(found, "candidates")]
            self.check(matched == [page("old")], "explain says which id of the alias list matched", str(found))
            push = {"aps": {"alert": "x", "target-content-id": page("old")}}
            record = desk.ask("dispatch", "-", input=json.dumps({"app": "example.maps", "payload": push}) + "\n")
            self.check(
                record.get("resolved") == page("new") and record.get("session") == "page-1", "in a push, too",
                str(record))
            again = desk.run("content", "moved", page("old"), page("new"))
            self.check(
                again.status == 0 and len(listed(desk.ask("content", "list"), "redirects")) == 1,
                "the same move again: no change", str(again))
            self.refusals(desk)
            self.prefixes(desk)
            self.explained(desk)

    def refusals(self, desk):
        self.refused(desk.run("content", "moved", page("x"), page("x")), "onto itself", page("x"))
        self.refused(desk.run("content", "moved", page("old"), page("third")), "one that moved elsewhere", page("new"))
        loop = desk.run("content", "moved", page("new"), page("old"))
        self.refused(loop, "a loop", f"{page('new')} → {page('old')} → {page('new')}")
        self.refused(desk.run("content", "moved", "", page("y")), "from nothing")
        self.refused(desk.run("content", "moved", page("y"), ""), "to nothing")
        desk.run("content", "deleted", page("gone"), "--reason", "closed for good")
        before = desk.ask("content", "list")
        said = desk.run("content", "moved", page("y"), page("gone"))
        self.refused(said, "onto a tombstone", page("gone"), "usher content restore")
        said = desk.run("content", "moved", page("gone"), page("y"))
        self.refused(said, "of what is deleted", "usher content restore")
        self.check(desk.ask("content", "list") == before, "nothing was made of any of them")

    def prefixes(self, desk):
        a, b = "https://maps.example/pages/a/", "https://maps.example/pages/b/"
        self.holds(desk.run("content", "moved", a, b, "--prefix"), "a prefix move")
        self.holds(
            desk.run("content", "moved", a + "deep/", "https://maps.example/pages/deep/", "--prefix"), "a longer one")
        self.holds(desk.run("content", "moved", a + "deep/exact", page("exact")), "an exact one")
        for old, new in (
            (a + "1", b + "1"), (a + "deep/1", "https://maps.example/pages/deep/1"), (a + "deep/exact", page("exact")),
            (a, b), (a[:-1], a[:-1]),
        ):
            record = desk.ask("open", "--app", "example.maps", old)
            self.check(record.get("resolved") == new, f"the longest prefix wins: {old}", str(record))
        said = desk.run("content", "moved", b, b + "under/", "--prefix")
        self.holds(said, "a move under itself")
        record = desk.open(b + "1")
        self.check(record.get("resolved") == b + "under/1", "moves once, and does not feed itself", str(record))
        record = desk.open(b + "under/2")
        self.check(record.get("resolved") == b + "under/2", "what is there already stays", str(record))
        said = desk.run("content", "moved", b + "under/", a, "--prefix")
        self.refused(said, "a loop of prefixes", "→")

    def explained(self, desk):
        found = desk.run("explain", page("old"))
        hops = listed(found.json, "hops")
        self.check(
            len(hops) == 1 and hops[0].get("from") == page("old") and hops[0].get("to") == page("new"),
            "explain has the hop", shown(str(found), 900))
        status, text = desk.at_terminal([], "explain", page("old"))
        self.check(
            status == 0 and "hop 1" in text and "fix the sender" in text and page("new") in text,
            "and says it to people, with what to send", shown(text, 900))
        status, text = desk.at_terminal([], "explain", "https://maps.example/pages/a/1")
        self.check(
            text.count("hop ") == 2 and "prefix move" in text, "two hops, each a prefix move", shown(text, 900))

    def chains(self):
        with self.desk() as desk:
            ids = [page(f"c{number}") for number in range(34)]
            self.moved(desk, *ids[:33])
            record = desk.open(ids[0])
            self.check(record.get("resolved") == ids[32], "a chain of 32 is followed", str(record))
            hops = listed(desk.ask("explain", ids[0]), "hops")
            self.check(
                [(hop["from"], hop["to"]) for hop in hops] == list(zip(ids, ids[1:33])), "explain shows all 32",
                str(len(hops)))
            before = desk.counts()
            self.refused(desk.run("content", "moved", ids[32], ids[33]), "the 33rd, at its end", "32")
            self.refused(desk.run("content", "moved", page("before"), ids[0]), "the 33rd, at its beginning", "32")
            self.refused(desk.run("content", "moved", ids[32], ids[0]), "a loop of 33", "→")
            self.check(desk.counts() == before, "nothing was made of them")
            said = desk.run("content", "deleted", ids[0])
            self.check(
                said.status == 0 and len(listed(said.json, "hops")) == 32
                and said.json.get("redirect", {}).get("source") == ids[32],
                "delete puts the tombstone on the newest id, and says the hops", shown(str(said), 900))
            for id in (ids[0], ids[16], ids[32]):
                found = desk.run("open", id)
                self.check(
                    found.status == 1 and found.json.get("reason") == "content-deleted", f"{id} is deleted", str(found))
            self.prefix_chains(desk)

    def prefix_chains(self, desk):
        places = [f"https://maps.example/pages/p{number}/" for number in range(34)]
        for old, new in zip(places[16:32], places[17:33]):
            self.holds(desk.run("content", "moved", old, new, "--prefix"), "a chain of prefixes")
        for old, new in zip(places[:16], places[1:17]):
            self.holds(desk.run("content", "moved", old, new, "--prefix"), "and what leads into it")
        record = desk.open(places[0] + "x")
        self.check(record.get("resolved") == places[32] + "x", "32 of them are followed", str(record))
        said = desk.run("content", "moved", places[32], places[33], "--prefix")
        self.refused(said, "the 33rd of them", "32")
        said = desk.run("content", "moved", page("single"), places[0] + "y")
        self.refused(said, "an exact move into 32 prefixes", "32")

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

    def races(self):
        with self.desk() as desk:
            desk.note("there is a store")
            for number in range(3):
                source = page(f"race-{number}")
                movers = [desk.begin("content", "moved", source, page(f"race-{number}-{mover}")) for mover in range(6)]
                ends = [(mover.communicate(timeout=60), mover.returncode) for mover in movers]
                statuses = sorted(status for _, status in ends)
                self.check(
                    statuses == [0] + [2] * 5, "of six that move the same id at once, one does", str(ends))
                lost = [err.decode() for (_, err), status in ends if status]
                self.check(
                    all("already" in text and "help:" in text for text in lost), "the others get an error with a remedy",
                    str(lost))
                made = listed(desk.ask("content", "list", source, is_kept=False), "redirects")
                self.check(len(made) == 1, "one redirect is there", str(made))
                won = [json.loads(out)["redirect"]["destination"] for (out, _), status in ends if status == 0]
                record = desk.run("open", source, is_kept=False).json
                self.check([record.get("resolved")] == won, "the one that was acknowledged", f"{record} {won}")
            pair = [
                desk.begin("content", "moved", page("left"), page("right")),
                desk.begin("content", "moved", page("right"), page("left"))]
            ends = [(one.communicate(timeout=60), one.returncode) for one in pair]
            self.check(
                sorted(status for _, status in ends) == [0, 2], "two that would make a loop together: one does",
                str(ends))
            same = [desk.begin("content", "moved", page("same"), page("there")) for _ in range(4)]
            ends = [(one.communicate(timeout=60), one.returncode) for one in same]
            self.check([status for _, status in ends] == [0] * 4, "four that say the same: all did", str(ends))
            self.check(
                len(listed(desk.ask("content", "list", page("same"), is_kept=False), "redirects")) == 1,
                "one redirect is there")
            self.check(desk.is_sound, "the store is sound")
