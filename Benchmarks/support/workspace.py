"""Where a run works: a folder of its own under .build, gone afterwards."""

import contextlib
import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile

from . import generate

# Floor → what compiles it.
FLOORS = {
    "decide": ["g++", "-std=c++20", "-O2", "decide.cpp", "-lsimdjson"],
    "store": ["gcc", "-O2", "store.c", "-lsqlite3"],
}
# More sessions are refused in one request.
MOST_AT_ONCE = 100_000


def fail(text):
    sys.exit(f"bench: {text}")


class Workspace:
    def __init__(self, root, folder, programs):
        self.root, self.folder = root, folder
        self.program, self.daemon = programs / "usher", programs / "usherd"
        self.configuration = self.make_configuration("configuration")
        self._states = {}
        self._numbers = itertools.count()

    @staticmethod
    @contextlib.contextmanager
    def create(root, programs):
        """`programs`: the folder of usher and usherd. Ours is beside the build, not in memory: fsync must be real."""
        for path in (programs / "usher", programs / "usherd"):
            if not path.exists():
                fail(f"there is no {path}: make build")
        for tool in ["jq", "time", "wrk", "webhook", "valgrind", "g++"]:
            if shutil.which(tool) is None:
                fail(f"{tool} is not installed: make deps-bench")
        base = root / ".build"
        base.mkdir(exist_ok=True)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=base))
        try:
            yield Workspace(root, folder, programs.resolve())
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def make_configuration(self, name, settings="", background=""):
        """The sample apps; `background` is the first one's handler for pushes in the background."""
        folder = self.folder / name
        (folder / "apps").mkdir(parents=True)
        for file, text in generate.MANIFESTS.items():
            if background and file == "clown-town.toml":
                text += f"\n[handlers]\nbackground = {background}\n"
            (folder / "apps" / file).write_text(text)
        if settings:
            (folder / "usher.toml").write_text(settings)
        return folder

    def usher(self, *arguments, state, configuration=None):
        return [str(self.program), *arguments, "--config", str(configuration or self.configuration), "--log-level", "error",
                "--state", str(state)]

    def tool(self, name):
        """A program that is only there to be measured."""
        path = self.program.parent / name
        return path if path.exists() else fail(f"there is no {path}: make build-bench")

    def floor(self, name):
        """A program of Benchmarks/floors, compiled."""
        path = self.folder / name
        if not path.exists():
            subprocess.run([*FLOORS[name], "-o", str(path)], cwd=self.root / "Benchmarks" / "floors", check=True)
        return path

    def path(self, name):
        return self.folder / name

    def new_state(self, like=None):
        """A folder for a store of its own; as a copy of another's."""
        path = self.folder / f"state-new-{next(self._numbers)}"
        if like:
            shutil.copytree(like, path)
        return path

    def state(self, count, is_mixed=False):
        """A store with that many sessions, made by the program's own bulk connect."""
        key = f"state-{count}" + ("-mixed" if is_mixed else "")
        if key not in self._states:
            state = self._states[key] = self.folder / key
            state.mkdir()
            lines, made = self.folder / "sessions.jsonl", generate.sessions(count, is_mixed)
            while some := list(itertools.islice(made, MOST_AT_ONCE)):
                lines.write_text("".join(line + "\n" for line in some))
                self.must(self.usher("scene", "connect", "--from", str(lines), state=state))
                lines.unlink()
        return self._states[key]

    def history(self, session_count, deliveries):
        """A store with sessions, and with deliveries that have ended."""
        key = f"history-{session_count}-{deliveries}"
        if key not in self._states:
            state = self._states[key] = self.new_state(self.state(session_count))
            lines = self.folder / "history.ndjson"
            lines.write_text("".join(generate.push(number, session_count) + "\n" for number in range(deliveries)))
            with open(lines) as source:
                self.must(self.usher("dispatch", "-", state=state), stdin=source)
        return self._states[key]

    @staticmethod
    def must(command, **options):
        made = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)
        if made.returncode != 0:
            fail(f"exit status {made.returncode} of {' '.join(command)}: {made.stderr.strip()[-800:]}")
