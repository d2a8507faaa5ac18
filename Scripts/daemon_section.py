"""What the sections of `check-daemon` share: payloads, answers, and programs of others that judge."""

import json
import os
import re
import subprocess
import uuid

from checklist import DEADLINE
from daemon import TERMINAL, Station, alert

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
PYTHON = os.path.join(ROOT, ".build", "python", "bin", "python")


# What is sent


def shop(name):
    return alert(f"https://town.example/shop/{name}")


def quiet(number=1):
    """A payload that asks for nothing: journalled, recorded, and no effect."""
    return {"aps": {"badge": number}}


def background(name):
    return {"aps": {"content-available": 1, "target-content-id": f"https://town.example/sync/{name}"}}


def background_headers():
    return {"apns-topic": "example.town", "apns-id": str(uuid.uuid4()), "apns-push-type": "background"}


def topic():
    return {"apns-topic": "example.town"}


# What comes back


def loaded(text):
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value


def members(value, name):
    """A list, alone or as a member of an object."""
    return value.get(name, []) if isinstance(value, dict) else value if isinstance(value, list) else []


def is_uuid7(text):
    return re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", str(text)) is not None


def settled(rows):
    return rows if rows and all(row["state"] in TERMINAL for row in rows) else None


class Section:
    """What every section has."""

    def __init__(self, name, checks, usher, usherd):
        self.section, self.checks, self.programs = name, checks, (usher, usherd)

    def check(self, holds, name, detail=""):
        return self.checks.check(holds, f"{self.section}: {name}", detail)

    def station(self, settings="", attached=False):
        return Station(*self.programs, settings=settings, attached=attached)

    def is_problem(self, answer, name):
        """Every error is an RFC 9457 problem with our own error in it."""
        error = answer.error
        value = answer.json if isinstance(answer.json, dict) else {}
        return self.check(
            answer.headers.get_content_type() == "application/problem+json" and value.get("status") == answer.status
            and value.get("title") and value.get("detail") and value.get("help")
            and re.fullmatch(r"U\d{4}", str(error.get("code"))) and error.get("name") and error.get("message"),
            f"{name}: the answer says what is wrong", lambda: f"{answer.headers.get_content_type()}: {answer}")

    def python(self, program, text):
        """Runs a program with the clients from PyPI; gives status, output and error output."""
        ran = subprocess.run(
            [PYTHON, "-c", program], input=text.encode(), capture_output=True, timeout=DEADLINE * 2, check=False)
        return ran.returncode, ran.stdout.decode(), ran.stderr.decode()

    def curl(self, station, *arguments):
        """Status and body, as a user would see them; the status is 0 where there was no answer."""
        ran = subprocess.run(
            ["curl", "--silent", "--show-error", "--max-time", str(DEADLINE), "--write-out", "\n%{http_code}",
             *arguments],
            capture_output=True, env=station.environment, cwd=station.folder, timeout=DEADLINE * 2, check=False)
        body, _, status = ran.stdout.decode("utf-8", "replace").rpartition("\n")
        return int(status or 0), body, ran.returncode
