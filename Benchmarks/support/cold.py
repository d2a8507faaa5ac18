"""Commands from start to end, beside what any process costs here."""

import json
import subprocess

from . import generate, process, servers
from .report import Table
from .workspace import fail


def measure(workspace, repetitions):
    table = Table("commands", ["command", "ms", "CPU ms", "MB", "limited by"])
    figures = []
    small, large = workspace.state(1_000), workspace.state(100_000)
    one = workspace.path("one.json")
    one.write_text(generate.push(1, 1_000))
    page = workspace.path("page.json")
    generate.web_page(page)
    inspect = workspace.usher("page", "inspect", str(page), state=small)
    check_page(inspect)
    explain = ("explain", generate.clown(777), "--json")
    check_explanation(workspace.usher(*explain, state=small))
    with servers.running({"usherd": lambda cpu: servers.Usherd(workspace, small, cpu, "usherd-commands")}) as (running, _):
        daemon = running["usherd"]
        rows = [
            ("`/bin/true`", ["/bin/true"], "the kernel"),
            ("`jq -n 1`", ["jq", "-n", "1"], "compiling its library of functions"),
            ("`usher --version`", [str(workspace.program), "--version"], "the dynamic linker"),
            ("`usher explain`, 1 000 sessions", workspace.usher(*explain, state=small), "reading the sessions"),
            ("`usher explain`, 100 000 sessions", workspace.usher(*explain, state=large), "reading the sessions"),
            ("`usher scene activate`, 1 000 sessions",
             workspace.usher("scene", "activate", generate.session_id(777), state=small), "the sync of its commit"),
            ("`usher page inspect`, 5 MB of JSON-LD", inspect, "reading the JSON"),
            ("`usher dispatch`, one payload, no daemon", workspace.usher("dispatch", str(one), state=small),
             "opening the store, and the syncs"),
            ("`usher dispatch`, one payload, with a daemon",
             workspace.usher("dispatch", str(one), state=daemon.state, configuration=daemon.configuration),
             "starting the process, and the syncs"),
        ]
        medians = process.interleaved(
            repetitions * 5, {name: lambda command=command: process.run(command) for name, command, _ in rows})
        for name, command, limit in rows:
            figure = {"row": name, "ms": medians[name].wall * 1e3, "cpu_ms": medians[name].cpu * 1e3,
                      "peak_mb": process.peak(command, workspace.path("peak"))}
            figures.append(figure)
            table.add(name, figure["ms"], figure["cpu_ms"], figure["peak_mb"], limit)
    return [table], {"commands": figures}


def check_explanation(command):
    answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    decision = answer["decision"]
    wanted = ("focus", "prefers", "clown", generate.session_id(777))
    if tuple(decision[key] for key in ("action", "reason", "scene", "session")) != wanted:
        fail(f"explain: decided {decision}, must be {wanted}")


def check_page(command):
    answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    names = [item["attributes"].get("namedLocation") for item in answer["items"]]
    if names != ["The Big Top", "Ring 1"] or answer["findings"]:
        fail(f"page inspect: {names}, {answer['findings']}")
