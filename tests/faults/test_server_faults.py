"""The server under faults: a taken port, and a clock that jumps (signals: test_serve_command.py)."""

import os
import socket
import time

import pytest

pytest.importorskip("uvicorn", reason="the server needs inktex[serve]")

from inktex.ink import Ink
from inktex.server.options import ServerOptions
from inktex.server.running import _listen

INK = {"strokes": [[[0, 0], [9, 9]], [[0, 9], [9, 0]]]}


def test_no_free_port_is_said_with_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=rf"port {port} on 127\.0\.0\.1 cannot be used .*--port 0"):
            _listen(ServerOptions(port=port))
    with pytest.raises(OSError, match=r"--host 127\.0\.0\.1"):
        _listen(ServerOptions(host="no.such.host.invalid", allow_anyone=True))


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
