"""The server under faults: a taken port, SIGTERM while it answers, and a clock that jumps."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("uvicorn", reason="the server needs inktex[serve]")
import httpx

from inktex.ink import Ink
from inktex.server.options import ServerOptions
from inktex.server.running import _listen

INK = {"strokes": [[[0, 0], [9, 9]], [[0, 9], [9, 0]]]}

# A server whose answers take two seconds, so that the signal comes in the middle of one.
SLOW = """
import time
from inktex.recognizer import Recognizer
from inktex.server import ServerOptions, running

class Slow(Recognizer):
    def recognize(self, *inks, **options):
        time.sleep(2)
        return super().recognize(*inks, **options)

running.Recognizer = Slow
running.run(ServerOptions(port=0))
"""


def test_no_free_port_is_said_with_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=rf"port {port} on 127\.0\.0\.1 cannot be used .*--port 0"):
            _listen(ServerOptions(port=port))
    with pytest.raises(OSError, match=r"--host 127\.0\.0\.1"):
        _listen(ServerOptions(host="no.such.host.invalid"))


def test_sigterm_lets_answers_finish_and_refuses_new_requests(recognizer):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert process.stderr is not None
    url = ""
    while not url:
        line = process.stderr.readline()
        assert line, "the server did not start"
        url = (re.findall(r"(http://[\d.:]+)/", line) or [""])[0]
    for _ in range(300):
        try:
            if httpx.get(f"{url}/readyz", timeout=20).status_code == 200:
                break
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    under_way: list[int] = []
    asker = threading.Thread(
        target=lambda: under_way.append(httpx.post(f"{url}/v1/recognize", json=INK, timeout=60).status_code)
    )
    asker.start()
    time.sleep(0.8)
    process.send_signal(signal.SIGTERM)
    refused = False
    while asker.is_alive() and not refused:
        try:
            httpx.get(f"{url}/healthz", timeout=5)
            time.sleep(0.05)
        except httpx.TransportError:
            refused = True
    answered_after = not under_way
    asker.join(60)
    assert under_way == [200]
    assert refused
    assert answered_after, "new requests were refused only after the answer"
    assert process.wait(30) == 0


@pytest.mark.parametrize("jump", [-1e9, 3600.0, 1e9])
def test_a_clock_that_jumps_changes_no_answer(recognizer, monkeypatch, jump):
    """Time limits count seconds that passed; daylight saving or a time server do not matter."""
    ink = Ink.from_strokes(INK["strokes"])
    before = recognizer.recognize(ink, timeout=30)
    real, calls = time.time, iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: real() + jump * (next(calls) % 2))
    monkeypatch.setattr(time, "time_ns", lambda: int(1e9 * time.time()))
    after = recognizer.recognize(ink, timeout=30)
    session = recognizer.session()
    for stroke in ink.strokes:
        session.add(stroke)
    assert after.latex == before.latex == session.answer().latex
    assert after.complete
    assert 0 <= after.elapsed < 30


def test_files_from_the_future_are_read(tmp_path):
    from inktex.ink import read, save

    ink = Ink.from_strokes(INK["strokes"])
    save(ink, tmp_path / "tomorrow.inkml")
    os.utime(tmp_path / "tomorrow.inkml", (4e9, 4e9))
    assert read(tmp_path / "tomorrow.inkml") == ink
