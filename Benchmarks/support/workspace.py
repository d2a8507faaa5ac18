"""Where a run works: a folder of its own under .build, gone afterwards."""

import contextlib
import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile

from . import generate


class Workspace:
    def __init__(self, root, folder, program):
        self.root = root
        self.folder = folder
        self.program = program
        self.configuration = folder / "configuration"
        apps = self.configuration / "apps"
        apps.mkdir(parents=True)
        for name, text in generate.MANIFESTS.items():
            (apps / name).write_text(text)
        self._states = {}
        self._numbers = itertools.count()

    @staticmethod
    @contextlib.contextmanager
    def create(root, program):
        """Builds the program unless one is given. The folder is beside the build, not in memory: fsync must be real."""
        if program is None:
            built = subprocess.run(["make", "--no-print-directory", "build"], cwd=root, stdout=sys.stderr)
            if built.returncode != 0:
                sys.exit("bench: the program cannot be built")
            program = root / ".build" / "release" / "usher"
        program = pathlib.Path(program).resolve()
        if not program.exists():
            sys.exit(f"bench: there is no {program}")
        for tool in ["jq", "time"]:
            if shutil.which(tool, path="/usr/bin:/usr/local/bin:/bin") is None:
                sys.exit(f"bench: {tool} is not installed: make deps-bench")
        base = root / ".build"
        base.mkdir(exist_ok=True)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=base))
        try:
            yield Workspace(root, folder, program)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def usher(self, *arguments, state=None):
        command = [str(self.program), *arguments, "--config", str(self.configuration), "--log-level", "error"]
        return command + ["--state", str(state or self.state(0))]

    def path(self, name):
        return self.folder / name

    def new_state(self):
        """A folder for a store that nobody else uses."""
        return self.folder / f"state-new-{next(self._numbers)}"

    def state(self, count):
        """A store with that many sessions, made by the program's own bulk connect."""
        if count not in self._states:
            state = self.folder / f"state-{count}"
            state.mkdir()
            self._states[count] = state
            if count:
                lines = self.folder / f"sessions-{count}.jsonl"
                lines.write_text("".join(line + "\n" for line in generate.sessions(count)))
                made = subprocess.run(
                    self.usher("scene", "connect", "--from", str(lines), state=state),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                if made.returncode != 0:
                    sys.exit(f"bench: {count} sessions cannot be connected: {made.stderr.strip()}")
        return self._states[count]
