"""`inktex serve` as people start it: messages, several processes, an orderly end, a log without ink."""

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from inktex.server import ServerOptions
from inktex.server.running import config_for
from running_server import until

INK = {"strokes": [[[0, 0], [9, 9.125]], [[0, 9], [9, 0]]]}
SLOW_SERVER = Path(__file__).parents[1] / "slow_server.py"


class Command:
    """A running `inktex serve`, whose recognitions take so many seconds more than they do.

    `settings` are further ones of slow_server.py.
    """

    def __init__(self, *arguments: str, slow: float = 0.0, **settings: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(SLOW_SERVER), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "SECONDS": str(slow), **settings},
        )
        self.lines: list[str] = []
        assert self.process.stdout is not None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._told = False
        try:
            until(lambda: self.url or self.process.poll() is not None)
            until(lambda: self.get("/readyz").status_code == 200)
        except BaseException:
            self.process.kill()  # its workers end with it
            raise

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.lines.extend(line.rstrip() for line in self.process.stdout)

    @property
    def url(self) -> str:
        found = re.search(r"write at (http://\S+)/ ", "\n".join(self.lines))
        return found[1] if found else ""

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=120)

    def connect(self) -> "Wire":
        return Wire(int(self.url.rpartition(":")[2]))

    def refuses(self) -> bool:
        """Whether nobody listens at its port any more."""
        try:
            self.connect().socket.close()
        except ConnectionRefusedError:
            return True
        return False

    def value(self, name: str) -> float:
        """What /metrics says, on all processes together."""
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.get("/metrics").text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    @property
    def under_way(self) -> float:
        return self.value("inktex_running") + self.value("inktex_waiting")

    @property
    def workers(self) -> list[int]:
        """Worker processes: children of the parent that are no helpers of multiprocessing."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                line = (entry / "cmdline").read_text()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid and fields[0] != "Z" and "spawn_main" in line:
                found.append(int(entry.name))
        return sorted(found)

    def tell_to_end(self) -> None:
        self._told = True
        self.process.send_signal(signal.SIGTERM)

    def ended(self) -> int:
        """Its exit code, once it has ended."""
        if self.process.poll() is None and not self._told:
            self.tell_to_end()
        code = self.process.wait(120)
        self._reader.join(60)
        return code


class Wire:
    """A connection of our own making, kept alive."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self._file = self.socket.makefile("rb")

    def ask(self, path: str = "/v1/recognize") -> None:
        body = json.dumps(INK).encode() if path.startswith("/v1/") else b""
        head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: localhost\r\n"
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        self.socket.sendall(f"{head}{kind}\r\n".encode() + body)

    def hear(self) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the next answer; 0 for an empty reply."""
        status = self._file.readline()
        headers = {}
        while (line := self._file.readline().strip()) and status:
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        body = self._file.read(int(headers.get("content-length", 0)))
        return int(status.split()[1]) if status else 0, headers, body


@pytest.fixture
def command(recognizer: object) -> Iterator[Callable[..., Command]]:
    started: list[Command] = []

    def start(*arguments: str, slow: float = 0.0, **settings: str) -> Command:
        started.append(Command(*arguments, slow=slow, **settings))
        return started[-1]

    yield start
    for each in started:
        each.ended()


@pytest.mark.parametrize("workers", [1, 2])
def test_all_who_connected_are_answered_when_it_ends(workers: int, command: Callable[..., Command]) -> None:
    server = command(
        "--workers", str(workers), "--log-level", "debug", "--grace", "100", "--time-limit", "100", slow=0.3
    )
    under_way = [server.connect() for _ in range(8)]
    for wire in under_way:
        wire.ask()
    until(lambda: server.under_way > 0)
    os.kill(server.process.pid, signal.SIGSTOP)  # who comes now waits at the port
    waiting = [server.connect() for _ in range(8)]
    for wire in waiting:
        wire.ask()
    server.tell_to_end()
    os.kill(server.process.pid, signal.SIGCONT)
    until(server.refuses)
    assert [wire.hear()[0] for wire in [*under_way, *waiting]] == [200] * 16
    assert server.ended() == 0
    log = "\n".join(server.lines)
    assert "POST /v1/recognize 200" in log
    assert "9.125" not in log  # no ink
    assert "Traceback" not in log


@pytest.mark.parametrize("workers", [1, 2])
def test_it_ends_within_its_grace(workers: int, command: Callable[..., Command]) -> None:
    """An answer that takes longer is given up, and that is said."""
    server = command("--workers", str(workers), "--grace", "1", "--time-limit", "250", slow=250)
    wire = server.connect()
    wire.ask()
    until(lambda: server.under_way == 1)
    server.tell_to_end()
    status, headers, body = wire.hear()
    assert (status, headers["retry-after"]) == (503, "1")
    assert json.loads(body)["error"]["code"] in ("stopping", "busy")
    begun = time.monotonic()
    assert server.ended() == 0
    assert time.monotonic() - begun < 100


def test_a_worker_knows_the_grace_itself() -> None:
    """Else it would be killed by its parent, which cannot say why to those who had part of an answer."""
    assert config_for(ServerOptions(grace_seconds=1.5), app=None).timeout_graceful_shutdown == 2


@pytest.mark.parametrize("workers", [1, 2])
def test_refusals_do_not_wait_for_a_worker(
    workers: int, command: Callable[..., Command], tmp_path: Path
) -> None:
    """Workers that stand still are as slow to refuse as can be; who comes too many is told at once."""
    go_on = tmp_path / "go on"
    server = command("--workers", str(workers), "--queue", "2", "--time-limit", "200", GO_ON=str(go_on))
    taken: list[Wire] = []
    while server.under_way < 3 * workers:  # one works, two wait
        taken.append(server.connect())
        taken[-1].ask()
        until(lambda: server.under_way + server.value("inktex_shed_total") >= len(taken))
    shed = server.value("inktex_shed_total")
    stopped = server.workers
    for worker in stopped:
        os.kill(worker, signal.SIGSTOP)
    try:
        for _ in range(20):
            wire = server.connect()
            wire.socket.settimeout(30)
            wire.ask()
            status, headers, body = wire.hear()
            assert (status, json.loads(body)["error"]["code"]) == (503, "busy")
            assert int(headers["retry-after"]) >= 1
    finally:
        for worker in stopped:
            os.kill(worker, signal.SIGCONT)
        go_on.touch()
    assert server.value("inktex_shed_total") == shed + 20
    statuses = [wire.hear()[0] for wire in taken]
    assert statuses.count(200) == 3 * workers
    assert statuses.count(503) == shed


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_gets_no_more_than_its_queue_has_room_for(
    workers: int, command: Callable[..., Command]
) -> None:
    """A worker that has not yet said that it is full is not flooded meanwhile: refusing costs it answers."""
    server = command("--workers", str(workers), "--queue", "2", "--time-limit", "200")
    until(lambda: workers == 1 or _in_equal_shares(server))
    stopped = server.workers
    for worker in stopped:
        os.kill(worker, signal.SIGSTOP)
    wires = [server.connect() for _ in range(20)]
    try:
        for wire in wires:
            wire.ask()
        until(lambda: len(_answered(wires)) >= 20 - 3 * workers)
        refused = _answered(wires)
    finally:
        for worker in stopped:
            os.kill(worker, signal.SIGCONT)
    assert len(refused) == 20 - 3 * workers
    assert [wire.hear()[0] for wire in refused] == [503] * len(refused)
    assert [wire.hear()[0] for wire in wires if wire not in refused] == [200] * 3 * workers


def test_two_workers_share_connections_and_counters(command: Callable[..., Command]) -> None:
    server = command("--workers", "2", "--time-limit", "100")
    until(lambda: _in_equal_shares(server))
    wires = [server.connect() for _ in range(8)]
    for wire in wires:
        wire.ask()
    assert [wire.hear()[0] for wire in wires] == [200] * 8
    counted = 'inktex_requests_total{endpoint="recognize",status="200"}'
    assert {server.value(counted) for _ in range(6)} == {8}  # whichever process is asked
    all_of_it = sum(_memory(process) for process in [server.process.pid, *server.workers])
    assert server.value("process_resident_memory_bytes") == pytest.approx(all_of_it, rel=0.1)


def test_a_worker_that_is_killed_costs_no_answer(command: Callable[..., Command], tmp_path: Path) -> None:
    go_on = tmp_path / "go on"
    server = command("--workers", "2", "--time-limit", "100", GO_ON=str(go_on), HEADER_SECONDS="3")
    until(lambda: _in_equal_shares(server))
    idle = [server.connect() for _ in range(4)]
    for wire in idle:
        wire.ask("/healthz")
        assert wire.hear()[0] == 200
    asked = [server.connect() for _ in range(6)]
    for wire in asked:
        wire.ask()
    until(lambda: server.under_way == 6)
    before = server.workers
    os.kill(before[0], signal.SIGKILL)
    time.sleep(5)  # longer than a connection is kept that has never asked anything
    go_on.touch()
    answers = [wire.hear() for wire in asked]
    assert {status for status, _, _ in answers} == {200, 503}
    for status, headers, body in answers:
        if status == 503:
            assert int(headers["retry-after"]) >= 1
            assert json.loads(body)["error"]["code"] == "busy"
    for wire in idle:  # connections on which nothing was asked go on with the other worker
        wire.ask("/healthz")
        assert wire.hear()[0] == 200
    until(lambda: len(server.workers) == 2 and before[0] not in server.workers)
    answered = sum(status == 200 for status, _, _ in answers)
    assert server.value('inktex_requests_total{endpoint="recognize",status="200"}') == answered
    assert server.under_way == 0  # also of the one that is gone


def test_workers_end_with_their_parent(command: Callable[..., Command]) -> None:
    server = command("--workers", "2")
    workers = server.workers
    server.process.kill()
    assert server.process.wait(60) == -signal.SIGKILL
    until(lambda: not any(map(_runs, workers)))


def _in_equal_shares(server: Command) -> bool:
    """Whether each of two workers holds four of eight connections that are kept alive."""
    wires = [server.connect() for _ in range(8)]
    for wire in wires:
        wire.ask("/healthz")
        assert wire.hear()[0] == 200
    held = [_sockets(worker) for worker in server.workers]
    for wire in wires:
        wire.socket.close()
    return len(held) == 2 and held[0] == held[1]


def _answered(wires: list[Wire]) -> list[Wire]:
    heard = select.select([wire.socket for wire in wires], [], [], 0.2)[0]
    return [wire for wire in wires if wire.socket in heard]


def _memory(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _runs(process: int) -> bool:
    """Whether a process is there, and not only waiting to be buried."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _sockets(process: int) -> int:
    links = [os.readlink(link) for link in Path(f"/proc/{process}/fd").iterdir() if link.is_symlink()]
    return sum(link.startswith("socket:") for link in links)


def test_a_port_in_use_is_said(recognizer: object) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        second = subprocess.run(
            [sys.executable, "-m", "inktex", "serve", "--port", port, "--no-open"],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert second.returncode == 1
    assert f"port {port}" in second.stderr
    assert "--port" in second.stderr
    assert "Traceback" not in second.stderr


def test_a_missing_model_is_said() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "inktex", "serve", "--model", "no/such.inktex", "--no-open", "--workers", "2"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answer.returncode == 1
    assert "no/such.inktex" in answer.stderr
    assert "Traceback" not in answer.stderr
