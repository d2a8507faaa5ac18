"""Tables, and the files that keep them. No host names, no user names, no paths."""

import datetime
import json
import os
import platform
import re
import subprocess


def machine():
    model = "unknown"
    memory = 0
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo") as lines:
        memory = round(int(lines.readline().split()[1]) / 1024 / 1024)
    return {
        "architecture": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "processor": model,
        "memory_gb": memory,
        "kernel": re.match(r"[\d.]+", platform.release())[0],
        # Before anything is measured: what else the machine does.
        "load": round(os.getloadavg()[0], 1),
        "swift": version(["swift", "--version"], r"Swift version ([\d.]+)"),
    }


def version(command, pattern):
    try:
        ended = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    found = re.search(pattern, ended.stdout + ended.stderr)
    return found[1] if found else None


def peers():
    """The versions of what is measured beside usher."""
    known = {
        "jq": (["jq", "--version"], r"jq-([\w.]+)"),
        "simdjson": (["pkg-config", "--modversion", "simdjson"], r"([\d.]+)"),
        "webhook": (["webhook", "-version"], r"([\d.]+)"),
        "nginx": (["/usr/sbin/nginx", "-v"], r"nginx/([\d.]+)"),
        "SQLite": (["sqlite3", "--version"], r"([\d.]+)"),
        "openbox": (["openbox", "--version"], r"Openbox ([\d.]+)"),
        "i3": (["i3", "--version"], r"i3 version ([\d.]+)"),
        "sway": (["sway", "--version"], r"version ([\d.]+)"),
    }
    return {name: version(*how) for name, how in known.items()}


class Table:
    """Rows of texts under columns, as Markdown that is readable in a terminal too."""

    def __init__(self, name, columns):
        self.name, self.columns, self.rows = name, columns, []

    def add(self, *cells):
        """Cells are texts, or numbers, which are rounded to three digits; None where nothing was measured."""
        self.rows.append([cell if isinstance(cell, str) else number(cell) for cell in cells])

    def text(self):
        lines = [self.columns, *self.rows]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.columns))]
        marks = ["-" * width for width in widths]
        return "\n".join(
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
            for line in [self.columns, marks, *self.rows])


def head(machine, programs):
    words = [f"{machine['cores']} cores {machine['architecture']}, {machine['processor']}", f"{machine['memory_gb']} GB",
             f"load {machine['load']} before", f"Linux {machine['kernel']}", f"Swift {machine['swift']}"]
    return ", ".join(words + [f"{name} {version}" for name, version in programs.items() if version])


def write(page, figures, machine, tables, data):
    """Puts tables into a page, between `<!-- table NAME -->` and the next `<!-- end -->`, and all figures into a file."""
    text = page.read_text()
    for table in tables:
        place = re.compile(rf"(<!-- table {re.escape(table.name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not place.search(text):
            raise SystemExit(f"bench: {page.name} has no place for the table {table.name}")
        body = f"{head(machine, machine['peers'])}:\n\n{table.text()}\n"
        text = place.sub(lambda found: found[1] + body + found[2], text)
    page.write_text(text)
    stored = json.loads(figures.read_text()) if figures.exists() else {}
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    for name, value in data.items():
        stored[name] = {"date": date, "machine": machine, "figures": [rounded(figure) for figure in value]}
    figures.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n")


def rounded(value):
    """Numbers to four digits: more would be noise."""
    if isinstance(value, dict):
        return {key: rounded(member) for key, member in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def number(value):
    if value is None:
        return "–"
    if abs(value) >= 10_000:
        return f"{value:,.0f}".replace(",", " ")
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"
