"""The table, and the file that keeps it. No host names, no user names, no paths."""

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
        "swift": version(["swift", "--version"], r"Swift version ([\d.]+)"),
        "jq": version(["jq", "--version"], r"jq-([\w.]+)"),
    }


def version(command, pattern):
    try:
        output = subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        return None
    found = re.search(pattern, output)
    return found[1] if found else None


def text(machine, results):
    head = "{cores} cores {architecture}, {processor}, {memory_gb} GB, Linux {kernel}, Swift {swift}, jq {jq}"
    counted = any("allocations" in result["usher"] for result in results)
    columns = ["row", "n", "usher", "peer", "ratio"]
    columns += ["mallocs", "peer's"] if counted else ["by CPU", "CPU µs", "peer's", "peak MB", "peer's", "start ms"]
    columns.append("the peer is")
    table = [columns]
    for result in results:
        usher, peer = result["usher"], result["peer"]
        row = [
            result["row"],
            f"{result['count']}",
            f"{number(usher['value'])} {result['unit']}",
            number(peer["value"]),
            f"{number(result['ratio'])} ×",
        ]
        if counted:
            row += [number(usher["allocations"]), number(peer["allocations"])]
        else:
            row.append(f"{number(result['cpu_ratio'])} ×")
            row += [number(usher["cpu_us"]), number(peer["cpu_us"]), number(usher["peak_mb"]), number(peer["peak_mb"])]
            row.append(number(usher["start_ms"]))
        table.append(row + [peer["name"]])
    widths = [max(len(row[column]) for row in table) for column in range(len(columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
    if counted:
        notes = "By callgrind; the difference of two sizes, so without start-up. Ratio: usher's by the peer's; less is better."
    else:
        notes = (
            "Every answer was checked. Medians of interleaved runs; CPU a line, delivery or run, children included."
            "\nRatios: how much usher does in the peer's time, and in its CPU time (steadier on a busy machine); more is better."
            "\nstart: one line (streams), /bin/true (ms rows)."
        )
    return "\n".join([head.format(**machine), "", *lines, "", notes])


def number(value):
    if value is None:
        return "–"
    if abs(value) >= 10_000:
        return f"{value:,.0f}".replace(",", " ")
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"


def save(folder, machine, results, kind=None):
    folder.mkdir(exist_ok=True)
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    name = f"{date}-{machine['cores']}-core-{machine['architecture']}" + (f"-{kind}" if kind else "")
    path = folder / f"{name}.json"
    value = {"date": date, "machine": machine, "results": results}
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
    return path
