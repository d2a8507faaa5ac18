"""Instructions and allocations a durable notification, by callgrind: the same on a busy machine as on an idle one."""

import http.client
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from . import http as servers
from . import instructions

# Rounds of one request a connection: the first ones warm up, and are not counted.
WARMING, COUNTED = 20, 60


class CountedServer(servers.Server):
    """A server under callgrind, which counts from `begin` to `end`."""

    def __init__(self, name, command, port, folder, processor):
        for tool in ("valgrind", "callgrind_control"):
            if shutil.which(tool) is None:
                servers.fail(f"{tool} is not installed: make deps-bench")
        self.folder = folder
        # callgrind of Debian 12 cannot read the DWARF 5 of an unstripped program.
        program = folder / "counted"
        subprocess.run(["strip", "-g", "-o", str(program), str(command[0])], check=True)
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind", str(program)]
        super().__init__(name, [*valgrind, *command[1:]], port, folder, processor)

    def control(self, option):
        # What was answered last is still being tidied up.
        time.sleep(1)
        subprocess.run(["callgrind_control", option, str(self.process.pid)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def begin(self):
        self.control("-z")

    def end(self):
        """The file with the counts."""
        self.control("-d")
        path = self.folder / "callgrind.1"
        deadline = time.monotonic() + servers.PATIENCE
        while not path.exists() or "totals:" not in path.read_text() and "summary:" not in path.read_text():
            if time.monotonic() > deadline:
                servers.fail("callgrind wrote no counts")
            time.sleep(0.1)
        return path


def measure(program, base, connections):
    with tempfile.TemporaryDirectory(dir=base) as name:
        folder = pathlib.Path(name)
        processor = sorted(os.sched_getaffinity(0))[0]
        server = servers.start_usherd(folder, processor, program, "durable", CountedServer)
        try:
            servers.check_record(server)
            senders = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=servers.PATIENCE)
                       for _ in range(connections)]
            send(senders, WARMING)
            server.begin()
            send(senders, COUNTED)
            counts = instructions.totals(server.end())
        finally:
            server.stop()
        # The one more is the record that was checked.
        servers.check_journal(folder / "durable" / "usher.db", (WARMING + COUNTED) * connections - 1, 0)
    requests = COUNTED * connections
    return tuple(count / requests for count in counts)


def send(senders, rounds):
    """All send, then all are answered: so that they share their commits, as busy senders do."""
    for _ in range(rounds):
        for sender in senders:
            sender.request("POST", "/v1/notifications", servers.BODY, servers.HEADERS)
        for sender in senders:
            answer = sender.getresponse()
            answer.read()
            if answer.status != 202:
                servers.fail(f"wrong answer: {answer.status}")
