"""The stories of `check-windows` about pages that name places: a restaurant is looked at, and offered to other apps."""

import json
import os
import re

from checklist import always, eventually
from windows import stop
from windows_browser import EXTENSION, READER, SCRIPTS, TENT, Browsers
from windows_notify import RULES
from windows_section import story

# An app that opens targets of a scheme of its own in a window.
APP = """
id = "example.{name}"
name = "{title}"
schemes = ["{name}"]
{members}

[perform]
{verbs}

[[scenes]]
name = "window"
opens = 'SELF BEGINSWITH "{name}:"'
can = 'SELF == $TARGET'
prefers = 'SELF == $TARGET'
launch = {{ exec = ["../bin/terminal", "{title}", "{{target}}"], time-limit = "30s" }}
focus = {{ app-id = "{title}" }}
"""

RIDES = APP.format(
    name="rides", title="Rides", verbs='ride = "rides:to{?name,latitude,longitude}"',
    members='suggestions = ["place", "text"]\ndirections-modes = ["ride-share"]')
MAPS = APP.format(
    name="maps", title="Maps", verbs='directions = "maps:to{?query,latitude,longitude,mode}"',
    members='suggestions = ["place"]\ndirections-modes = ["pedestrian", "car"]')
PHONE = APP.format(name="phone", title="Phone", verbs='call = "phone:{number}"', members="")


CALL = {"supportsPhoneCalls": True}


def phones(*numbers, **more):
    return {**more, "phoneNumbers": list(numbers), **CALL}


def data(text, kind="application/ld+json"):
    return f'<script type="{kind}">{{"@context": "https://schema.org", "telephone": "{text}"}}</script>'


# What a page has, the limits that it is read with, and the attributes of its items.
CASES = {
    "values by element": ("""<div itemscope itemtype="https://schema.org/Cafe"><meta itemprop=name content="A &amp; B">
        <a itemprop=telephone href="tel:+49%2089"></a><a itemprop=telephone href="tel:+49 89 1">call</a>
        <data itemprop=telephone value=5552>x</data><time itemprop=telephone datetime=5553>x</time>
        <img itemprop=image src=https://a.example/i.png><div itemprop=geo itemscope><meta itemprop=latitude content="48.5">
        <span itemprop=longitude> 11 </span></div></div>""", {}, [phones(
            "+49 89 1", "5552", "5553", namedLocation="A & B", latitude=48.5, longitude=11, supportsNavigation=True,
            thumbnailURL="https://a.example/i.png")]),
    "a content attribute goes before the text, unless it is blank": (
        "<p itemscope><b itemprop=telephone content='+5551'>x</b><b itemprop=telephone content=' '>55<i>52</i><br>1</b>", {},
        [phones("+5551", "5552 1")]),
    "an item in an item": (
        "<div itemscope><b itemprop=telephone>5551</b><div itemprop=address itemscope><i itemprop=streetAddress>S</i>"
        "<i itemprop=telephone>5552</i></div><div itemprop=x itemscope><i itemprop=telephone>5553</i></div></div>", {},
        [phones("5551", "5552", fullThoroughfare="S", supportsNavigation=True), phones("5553")]),
    "itemref": (
        "<p id=a><b itemprop=telephone>5550</b></p><div itemscope itemref='b none a'><b itemprop=telephone>5551</b></div>"
        "<i id=b itemprop=telephone>5552</i><i id=b itemprop=telephone>5559</i>", {}, [phones("5550", "5551", "5552")]),
    "itemref in a circle": (
        "<div id=a itemscope itemref='b a b'><b itemprop=telephone>5551</b></div><div id=b itemprop=address itemscope "
        "itemref=a><b itemprop=telephone>5552</b></div>", {}, [phones("5551", "5552")]),
    "itemref to what is around": (
        "<div id=a><b itemprop=telephone>5550</b><div itemscope itemref=a><b itemprop=telephone>5551</b></div></div>", {},
        [phones("5550", "5551")]),
    "an element named again and again is one": (
        f"<p itemscope itemref='{'a ' * 5000}'></p><i id=a itemprop='{'telephone ' * 3}'>5551</i>", {"elements": 6000}, [phones("5551")]),
    "several names": ("<p itemscope><b itemprop='x  name telephone @id __proto__'>5551", {}, [phones("5551", namedLocation="5551")]),
    "on the page's own element": ("<html itemscope><body><p itemprop=telephone>5551", {}, [phones("5551")]),
    "a property of nothing": ("<p itemprop=telephone>5551", {}, []),
    "not in a template": ("<template><p itemscope><b itemprop=telephone>5551</b></p>" + data("5552") + "</template>", {}, []),
    "JSON-LD goes first": (
        "<p itemscope><b itemprop=telephone>5551</b></p>" + data("5552", " Application/LD+JSON ; charset=utf-8")
        + data("5553", "application/json"), {}, [phones("5552"), phones("5551")]),
    "a title and a base": (
        "<title> T &amp; U</title><base href=https://b.example/c/><p itemscope><b itemprop=telephone>5551</b><img itemprop=image src=i>",
        {}, [phones("5551", namedLocation="T & U", thumbnailURL="https://b.example/c/i")]),
    # Partial ones
    "more elements": (TENT * 2 + "<i></i>" * 1000 + data("5552"), {"elements": 9}, [phones("5552")]),
    "more elements in an item": ("<div itemscope><b itemprop=telephone>5551</b>" + "<i></i>" * 1000, {"elements": 100}, [phones("5551")]),
    "more empty elements in properties": (
        "<p itemscope>" + "<b itemprop=telephone>" * 300, {"elements": 2000}, []),
    "more characters": (TENT + "<p itemscope><b itemprop=telephone>5552", {"length": 100}, [phones("5551", namedLocation="Tent")]),
    "a block that is too long, and one that is not": (data("5551" + " " * 1000) + data("5552"), {"length": 1000}, [phones("5552")]),
    "more blocks": (data("5551") + data("5552"), {"blocks": 1}, [phones("5551")]),
    "more time": (TENT * 1000, {"time": -1}, []),
}
PARTIAL = list(CASES)[list(CASES).index("more elements"):]


class PlaceStories(Browsers):
    """One browser on one window system."""

    def attributes(self):
        """What the system's current activity says of a place or person, beside the language of its page."""
        said = ((self.current().get("activity") or {}).get("contentAttributeSet") or {}).items()
        return {name: value for name, value in said if name != "languages"}

    @story("page with a place", "firefox", "chromium")
    def place_of_page(self):
        self.start_browser()
        try:
            self.desk.write("config/usher.toml", '[browser]\npages = "all"\n')
            self.configure()
            self.send(self.site.url("restaurant"))
            street = {"fullThoroughfare": "12 Ring Road", "city": "Clowntown", "stateOrProvince": "NY", "postalCode": "10014",
                      "country": "USA", "latitude": 40.7424, "longitude": -74.006, "phoneNumbers": ["+1 555 0100"],
                      "supportsPhoneCalls": True, "supportsNavigation": True, "thumbnailURL": self.site.url("tent.jpg")}
            restaurant = {"namedLocation": "The Big Top", **street}
            self.check(eventually(lambda: self.attributes() == restaurant), "its JSON-LD becomes attributes", self.current)
            self.check(self.current().get("webpage") == self.site.url("restaurant"), "of its activity", self.current)
            circus = {"namedLocation": "Circus & Sons", "fullThoroughfare": "1 Sawdust Lane Ring 2", "city": "Ringtown",
                      "postalCode": "1010", "phoneNumbers": ["+43-1-555"], "supportsPhoneCalls": True, "supportsNavigation": True}
            self.send(self.site.url("circus"))
            self.check(eventually(lambda: self.attributes() == circus), "and its microdata", self.current)
            for name in ("itemrefs", "overfull"):
                self.send(self.site.url(name))
                self.check(
                    eventually(lambda: self.attributes() == phones("5551", namedLocation="Tent")),
                    f"{name}: of a page that has too much, what is read first", self.current)
            self.send(self.site.url("one"))
            self.check(
                eventually(lambda: self.current().get("webpage") == self.site.url("one")) and not self.attributes(),
                "a page without is an activity without", self.current)
            self.send(self.site.url("slow"))
            self.check(
                eventually(lambda: self.attributes() == {**restaurant, "namedLocation": "The Slow Top"}),
                "a page that comes slowly is read when it is there", self.current)
            self.send(self.site.url("later"))
            self.check(
                eventually(lambda: self.attributes().get("displayName") == "Crusty"),
                "a page that says later what it shows is read again", self.current)
            self.send(self.site.url("restaurant"))
            self.check(eventually(lambda: self.attributes() == restaurant), "back there, it is the same", self.current)
            for setting in ("pages = false", 'exclude-hosts = ["127.0.0.1"]'):
                self.send(self.site.url("one"))
                self.desk.write("config/usher.toml", f'[browser]\npages = "all"\n[suggestions]\n{setting}\n')
                self.configure()
                self.send(self.site.url("restaurant"))
                self.check(
                    eventually(lambda: self.current().get("webpage") == self.site.url("restaurant")),
                    f"{setting}: it is an activity", self.current)
                self.check(always(lambda: not self.attributes(), seconds=1.5), f"{setting}: its data is not read", self.current)
            self.desk.write("config/usher.toml", '[browser]\npages = "all"\n')
            self.configure()
            self.check(
                eventually(lambda: self.attributes() == restaurant), "on again, the page in front is read", self.current)
        finally:
            self.desk.write("config/usher.toml", "")
            self.configure()

    @story("DOM reader", "firefox", "chromium")
    def reader(self):
        """The extension's own function, on one page after the other: what it says is what `usher page inspect` takes."""
        self.start_browser()
        with open(os.path.join(EXTENSION, "background.js"), encoding="utf-8") as file:
            function = re.search(r"^function contentOfPage.*?^}$", file.read(), re.DOTALL | re.MULTILINE)[0]
        cases = json.dumps([[html, limits] for html, limits, _ in CASES.values()]).replace("</", "<\\/")
        SCRIPTS["reader"] = READER % {"function": function, "cases": cases}
        self.send(self.site.url("reader"))
        self.check(eventually(lambda: len(self.site.read or []) == len(CASES)), "it answers", self.log)
        for (name, (_, _, items)), page in zip(CASES.items(), self.site.read or []):
            said = self.desk.usher("page", "inspect", "-", "--json", input=json.dumps(page))
            read = [item["attributes"] for item in json.loads(said.stdout or "{}").get("items", [])]
            self.check(read == items, name, lambda: f"{read} {page}")
            self.check(page["partial"] == (name in PARTIAL), f"{name}: is it partial", page["partial"])

    @story("page with a place in a private window", "firefox", "chromium")
    def place_in_private(self):
        self.start_browser()
        try:
            self.desk.write("config/usher.toml", '[browser]\npages = "all"\n')
            self.configure()
            self.send(self.site.url("two"))
            self.check(
                eventually(lambda: self.current().get("webpage") == self.site.url("two")), "a page is looked at", self.current)
            option = "--private-window" if self.browser == "firefox" else "--incognito"
            self.desk.start_program(self.further, option, self.site.url("hideout"), log="private.log")
            self.check(
                eventually(lambda: any(title.startswith("Page hideout") for title in self.screen.titles()), seconds=60),
                "a page in a private window is there", lambda: self.screen.titles())
            # A page in front is read within a second.
            always(lambda: "hideout" not in json.dumps(self.answer("activity", "list", "--all")).lower(), seconds=3)
            for words in (("activity", "list", "--all"), ("suggest", "place"), ("scene", "list")):
                said = json.dumps(self.answer(*words)).lower()
                self.check("hideout" not in said, f"usher {' '.join(words)} does not know it", said)
            for name in ("usher.db", "usher.db-wal"):
                with open(self.desk.path("state", name), "rb") as store:
                    self.check(b"Hideout" not in store.read(), f"nor does {name}")
        finally:
            for title in self.screen.titles():
                if title.startswith("Page hideout"):
                    self.screen.close(title)
            self.desk.write("config/usher.toml", "")
            self.configure()

    @story("restaurant: suggestions, a reminder", "firefox", "chromium")
    def restaurant(self):
        self.start_browser()
        rules = self.desk.write("dunstrc", RULES.format(script="/bin/true"))
        dunst = self.desk.start_program("dunst", "-conf", rules, log="dunst.log")
        try:
            self.look_at_restaurant()
            page = self.site.url("restaurant")
            address = "12 Ring Road, Clowntown, NY 10014, USA"
            for app, label in (("rides", "Get a ride to The Big Top"), ("maps", "Get directions to The Big Top")):
                found = self.answer("suggest", "place", "--for", f"example.{app}")
                first = found[0] if found and isinstance(found, list) else {}
                said = {name: first.get(name) for name in ("kind", "title", "subtitle", "label")}
                self.check(
                    said == {"kind": "place", "title": "The Big Top", "subtitle": address, "label": label},
                    f"{app}: the place is offered", found)
                source = first.get("source") or {}
                self.check(
                    source.get("app") == "example.web" and source.get("name") == "Web" and source.get("url") == page,
                    f"{app}: with its source", source)
            self.is_offered("value", address, "its address", "text", "--content-type", "fullStreetAddress")
            self.is_offered(
                "value", "+1 555 0100", "its number after words that ask for one", "text", "--context", "My number is ",
                "--for", "example.rides")
            self.is_offered("app", "example.rides", "the app for rides", "app", "--perform", "ride")
            self.check(eventually(lambda: self.displayed() == 0), "dunst is there")
            self.answer("remind", "Book a table", "--in", "2s")
            self.send(self.site.url("two"))
            self.screen.focus("elsewhere")
            self.check(eventually(lambda: self.displayed() == 1), "the reminder is shown", lambda: self.answer("reminder", "list"))
            self.desk.run("dunstctl", "action", "0")
            self.is_seen("restaurant", "clicked, its page comes")
            self.check(self.site.fetched.count("restaurant") <= 1, "that was not loaded again", self.site.fetched)
        finally:
            self.leave_restaurant()
            stop(dunst)

    @story("restaurant: a ride, a call", "firefox", "chromium")
    def restaurant_done(self):
        self.start_browser()
        try:
            self.look_at_restaurant()
            for verb, app, target, label in (
                    ("ride", "rides", "rides:to?name=The%20Big%20Top&latitude=40.7424&longitude=-74.006", "Get a ride to The Big Top"),
                    ("directions", "maps", "maps:to?latitude=40.7424&longitude=-74.006", "Get directions to The Big Top"),
                    ("call", "phone", "phone:%2B1%20555%200100", "Call The Big Top")):
                self.send(self.site.url("restaurant"))
                self.is_seen("restaurant", "its page is in front")
                record = self.answer("perform", verb)
                self.check(
                    isinstance(record, dict) and record.get("outcome") == "verified" and record.get("title") == label,
                    f"{verb}: {label}", record)
                self.check(
                    eventually(lambda: any(title.startswith(f"{app}:") for title in self.screen.titles())),
                    f"{verb}: goes to its app", lambda: self.screen.titles())
                self.check(target in self.screen.titles(), f"{verb}: with what the page says", lambda: self.screen.titles())
        finally:
            self.leave_restaurant()

    def is_offered(self, member, value, what, *words):
        """One suggestion and no other, with this member."""
        found = self.answer("suggest", *words)
        said = [one.get(member) for one in found] if isinstance(found, list) else None
        self.check(said == [value], f"{what} is offered", found)

    def look_at_restaurant(self):
        self.desk.write("config/usher.toml", '[browser]\npages = "all"\n')
        self.configure(rides=RIDES, maps=MAPS, phone=PHONE)
        self.answer("forget", "--all")
        self.site.fetched.clear()
        self.send(self.site.url("two"))
        self.send(self.site.url("restaurant"))
        self.check(
            eventually(lambda: self.attributes().get("namedLocation") == "The Big Top"), "its page is looked at", self.current)

    def leave_restaurant(self):
        for app in ("rides", "maps", "phone"):
            for session in self.desk.sessions(app=f"example.{app}"):
                self.desk.usher("scene", "close", session.get("session", ""))
            for title in self.screen.titles():
                if title.startswith(f"{app}:"):
                    self.screen.close(title)
            os.unlink(self.desk.path(f"config/apps/{app}.toml"))
        self.desk.write("config/usher.toml", "")
        self.configure()
