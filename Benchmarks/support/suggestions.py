"""Suggestions from a store of many activities, each asked by a process of its own."""

import json
import random
import sqlite3
import subprocess
import time

from . import contents, process
from .report import Table
from .workspace import fail

COUNT = 100_000
APPS = 20
# Of so many activities one names a place, and one a person.
EACH = 200
MANIFEST = """
id = "example.app{number:02d}"
name = "App {number}"
activity-types = ["example.view"]
{members}
[[scenes]]
name = "main"
launch = {{ exec = ["true"] }}
"""
TAXI = 'suggestions = ["place"]\ndirections-modes = ["ride-share"]\n[perform]\nride = "taxi:to{{?name}}"\n'


def configuration(workspace):
    folder = workspace.path("suggestions-configuration")
    (folder / "apps").mkdir(parents=True)
    for number in range(APPS):
        members = TAXI.format() if number == 0 else ""
        (folder / "apps" / f"app{number:02d}.toml").write_text(MANIFEST.format(number=number, members=members))
    return folder


def document(number, some):
    """An activity as an app writes it: 300 bytes."""
    value = {
        "activityType": "example.view", "title": f"{some.choice(contents.WORDS)} {some.choice(contents.WORDS)}",
        "targetContentIdentifier": contents.identifier(number),
        "userInfo": {"page": number, "selection": [some.choice(contents.WORDS) for _ in range(12)]},
    }
    if number % EACH == 2:
        value["contentAttributeSet"] = {
            "namedLocation": f"The {some.choice(contents.WORDS)} of {some.choice(contents.WORDS)}",
            "fullThoroughfare": f"{number % 90 + 1} {some.choice(contents.WORDS)} road", "city": "Clowntown",
            "stateOrProvince": "NY", "postalCode": "10014", "country": "USA", "latitude": 40.7, "longitude": -74.0,
            "phoneNumbers": [f"+1 555 {number:07d}"]}
    elif number % EACH == 3:
        value["contentAttributeSet"] = {
            "displayName": f"{some.choice(contents.WORDS)} {some.choice(contents.WORDS)}",
            "emailAddresses": [f"clown{number}@clowntown.example"]}
    return value


def make(workspace, count):
    """The program makes the empty store, with its own schema; the activities of the last twenty days are written beside it."""
    state = workspace.path(f"suggestions-{count}")
    subprocess.run(
        workspace.usher("note", "new", "the first", state=state), check=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    database = sqlite3.connect(state / "usher.db", isolation_level=None)
    database.executescript("PRAGMA synchronous = OFF; BEGIN")
    some = random.Random(count)
    now = int(time.time() * 1e6)
    for number in range(count):
        app, value = f"example.app{number % APPS:02d}", document(number, some)
        moment = now - (count - number) * (20 * 86_400_000_000 // max(count, 1))
        database.execute(
            "INSERT INTO activity (number, id, app, type, title, target, state, needs_save, is_searchable, became, changed,"
            " resigned, document) VALUES (?, ?, ?, 'example.view', ?, ?, 'resigned', 0, 0, ?, ?, ?, ?)",
            (number + 1, contents.key(1, number), app, value["title"], value["targetContentIdentifier"], moment, moment,
             moment, json.dumps(value, separators=(",", ":")).encode()))
        database.execute("INSERT INTO activity_use (activity, app, time) VALUES (?, ?, ?)", (number + 1, app, moment))
    database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return state


def questions(workspace, state, folder):
    """What is asked → the command, and a text that its answer must have."""
    def ask(*arguments):
        return workspace.usher("suggest", *arguments, "--json", state=state, configuration=folder)

    return {
        "place": (ask("place"), "Clowntown"),
        "text, addresses": (ask("text", "--content-type", "fullStreetAddress"), "Clowntown"),
        "place, for an app that takes focus": (
            ask("place", "--for", "example.app00", "--limit", "1"), "Get a ride to "),
        "app": (ask("app"), "example.app"),
        "app, for a ride": (ask("app", "--perform", "ride"), "example.app00"),
    }


def measure(workspace, repetitions):
    folder = configuration(workspace)
    table = Table("suggestions", ["`usher suggest`", "ms", "CPU ms", "of nothing: ms", "CPU ms", "MB"])
    figures = []
    asked = [questions(workspace, make(workspace, count), folder) for count in (COUNT, 0)]
    for name in asked[0]:
        (command, expected), (empty, _) = asked[0][name], asked[1][name]
        answer = subprocess.run(command, capture_output=True, text=True).stdout
        if expected not in answer:
            fail(f"suggest {name}: {answer[:300]}")
        medians = process.interleaved(
            repetitions * 3, {"all": lambda: process.run(command), "none": lambda: process.run(empty)})
        figure = {"row": name, "ms": medians["all"].wall * 1e3, "cpu_ms": medians["all"].cpu * 1e3,
                  "empty_ms": medians["none"].wall * 1e3, "empty_cpu_ms": medians["none"].cpu * 1e3,
                  "peak_mb": process.peak(command, workspace.path("peak"))}
        figures.append(figure)
        table.add(*figure.values())
    return [table], {"suggestions": figures}
