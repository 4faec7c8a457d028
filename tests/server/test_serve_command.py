"""`inktex serve` as people start it: messages, several processes, an orderly end, a log without ink."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

INK = {"strokes": [[[0, 0], [9, 9.125]], [[0, 9], [9, 0]]]}


class Command:
    """A running `inktex serve`."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "inktex", "serve", "--port", "0", "--no-open", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        self.lines: list[str] = []
        assert self.process.stdout is not None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        for _ in range(600):
            found = re.search(r"write at (http://\S+)/ ", "\n".join(self.lines))
            if found:
                self.url = found[1]
                break
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        else:
            raise RuntimeError("\n".join(self.lines))

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.lines.extend(line.rstrip() for line in self.process.stdout)

    def wait_until_ready(self) -> None:
        for _ in range(300):
            try:
                if httpx.get(f"{self.url}/readyz", timeout=20).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise RuntimeError("\n".join(self.lines))

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self._reader.join(5)
        return code


@pytest.fixture
def command(recognizer: object) -> Iterator[Callable[..., Command]]:
    started: list[Command] = []

    def start(*arguments: str) -> Command:
        started.append(Command(*arguments))
        return started[-1]

    yield start
    for each in started:
        each.stop()


def test_it_ends_in_order_and_logs_no_ink(
    command: Callable[..., Command], examples: dict[str, list[list[list[float]]]]
) -> None:
    server = command("--log-level", "debug")
    server.wait_until_ready()
    answers: list[int] = []
    ink = {"strokes": [*examples[r"x = \frac{-b \pm \sqrt{b^{2} - 4ac}}{2a}"], *INK["strokes"]]}

    def ask() -> None:
        answers.append(httpx.post(f"{server.url}/v1/recognize", json=ink, timeout=30).status_code)

    askers = [threading.Thread(target=ask) for _ in range(8)]
    for asker in askers:
        asker.start()
    time.sleep(0.4)
    server.process.send_signal(signal.SIGTERM)
    for asker in askers:
        asker.join()
    assert server.stop() == 0
    assert answers == [200] * 8  # requests under way are answered
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url)
    log = "\n".join(server.lines)
    assert "POST /v1/recognize 200" in log
    assert "9.125" not in log
    assert "Traceback" not in log


@pytest.mark.parametrize("workers", [1, 2])
def test_an_answer_does_not_wait_for_the_client_to_acknowledge_its_head(
    workers: int, command: Callable[..., Command]
) -> None:
    server = command("--workers", str(workers))
    server.wait_until_ready()
    waits: list[float] = []
    with httpx.Client() as client:
        for _ in range(60):
            begin = time.perf_counter()
            client.get(f"{server.url}/healthz")
            waits.append(time.perf_counter() - begin)
    assert sorted(waits)[len(waits) // 2] < 0.03  # Nagle's algorithm against delayed acknowledgement: 0.04


def test_two_workers_share_work_and_counters(command: Callable[..., Command]) -> None:
    server = command("--workers", "2")
    server.wait_until_ready()
    children = _children(server.process.pid)
    assert len(children) == 2
    for _ in range(20):  # until the second process is ready too
        taken = _connections_taken(server.url, children)
        if min(taken) >= 2:
            break
        time.sleep(0.3)
    else:
        pytest.fail(f"one process takes nearly all connections: {taken}")
    for _ in range(10):
        assert httpx.post(f"{server.url}/v1/recognize", json=INK, timeout=30).status_code == 200
    counted = 'inktex_requests_total{endpoint="recognize",status="200"} 10'
    assert all(counted in httpx.get(f"{server.url}/metrics", timeout=20).text for _ in range(6))
    os.kill(children[0], signal.SIGKILL)
    for _ in range(200):
        time.sleep(0.1)
        present = _children(server.process.pid)
        if len(present) == 2 and children[0] not in present:
            break
    else:
        pytest.fail("the process that died was not replaced")
    assert counted in httpx.get(f"{server.url}/metrics", timeout=20).text
    assert server.stop() == 0
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def _connections_taken(url: str, children: list[int]) -> list[int]:
    """How many of twelve clients that come together each process serves."""
    before = [_sockets(child) for child in children]
    clients = [httpx.Client(base_url=url, timeout=30) for _ in range(12)]
    with ThreadPoolExecutor(12) as pool:
        assert {answer.status_code for answer in pool.map(lambda each: each.get("/healthz"), clients)} == {
            200
        }
    taken = [_sockets(child) - known for child, known in zip(children, before, strict=True)]
    for client in clients:
        client.close()
    return taken


def _sockets(process: int) -> int:
    links = [os.readlink(link) for link in Path(f"/proc/{process}/fd").iterdir() if link.is_symlink()]
    return sum(link.startswith("socket:") for link in links)


def _children(parent: int) -> list[int]:
    """Worker processes: children of the parent that are no helpers of multiprocessing."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            line = (entry / "cmdline").read_text()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z" and "spawn_main" in line:
            found.append(int(entry.name))
    return sorted(found)


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
