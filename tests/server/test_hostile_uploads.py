"""No small upload stops the server: it is read in a separate process, within hard limits."""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import attacks
from inktex.ink import InkError, LimitError, Limits, sandbox
from inktex.ink.sandbox import Job, Sandbox
from inktex.recognizer import Recognizer
from inktex.server import Limits as ServerLimits
from running_server import until

INK = {"strokes": [[[0, 0], [9, 9]], [[0, 9], [9, 0]]]}


@pytest.fixture(scope="module")
def reader() -> Iterator[Sandbox]:
    made = Sandbox()
    yield made
    made.close()


def job(data: bytes, **options: Any) -> Job:
    return Job(data, "evil", **options)


ARCHIVE, LARGE, NO_INK = (415, "archive"), (413, "too_large"), (422, "unreadable_ink")
ANSWERS = {
    **dict.fromkeys(attacks.UPLOADS, ARCHIVE),
    "continuation chain": NO_INK,
    "elements": LARGE,
    "deep elements": NO_INK,
    "deep JSON": NO_INK,
    "objects": LARGE,
    "texts": LARGE,
}


@pytest.mark.parametrize("name", attacks.UPLOADS)
def test_hostile_files_get_an_answer_soon(client: httpx.Client, name: str) -> None:
    data = attacks.UPLOADS[name]()
    begun = time.monotonic()
    for path in ("/v1/recognize/file", "/v1/ink"):
        answer = client.post(path, files={"file": ("evil", data)})
        assert (answer.status_code, answer.json()["error"]["code"]) == ANSWERS[name], answer.text
    assert time.monotonic() - begun < 60  # seconds of a busy machine; they took minutes
    assert client.post("/v1/recognize", json=INK).status_code == 200


def test_archives_are_refused_tars_too(client: httpx.Client) -> None:
    files = {"a.inkml": attacks.GOOD}
    tar = attacks.tar_of(files)
    for archive in (attacks.zip_of(files), tar, attacks.gzip.compress(tar)):
        answer = client.post("/v1/ink", files={"file": ("a", archive)})
        assert (answer.status_code, answer.json()["error"]["code"]) == (415, "archive")


def test_too_many_inks_in_a_file_are_refused(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    page = "<page><layer><stroke>1 2 3 4</stroke></layer></page>"
    url = serve(recognizer, limits=ServerLimits(inks=2)).url
    for pages, status in ((2, 200), (3, 413)):
        book = f"<xournal>{page * pages}</xournal>".encode()
        answer = httpx.post(f"{url}/v1/ink", files={"file": ("book.xopp", book)}, timeout=120)
        assert answer.status_code == status
    assert "more than 2 inks" in answer.json()["error"]["message"]
    assert ServerLimits().inks == 20  # as SECURITY.md says


def test_a_reader_that_does_not_start_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Left alone it may ignore SIGTERM, and a worker that ends would wait for it without end."""
    monkeypatch.setattr(sandbox, "START_SECONDS", 0.0)
    reader = Sandbox()
    with pytest.raises(OSError, match="does not start"):
        reader.start()
    gone = not reader._process.is_alive()
    reader._process.kill()
    assert gone


def test_without_a_reader_everything_else_is_served(
    serve: Callable[..., Any], recognizer: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "START_SECONDS", 0.0)
    url = serve(recognizer).url
    assert httpx.post(f"{url}/v1/recognize", json=INK, timeout=120).status_code == 200


def test_reading_has_a_limit_of_time_that_ends_the_work(reader: Sandbox) -> None:
    reader.start()
    before = reader._process.pid
    with pytest.raises(LimitError, match="not read within"):
        reader.read(job(attacks.continuation_chain(90_000)), seconds=0.05)
    assert not Path(f"/proc/{before}").exists()
    assert len(reader.read(job(attacks.GOOD), seconds=120)) == 1  # by another process


def test_a_reader_that_needs_too_much_cpu_is_ended() -> None:
    with _reader(_spin) as (pipe, process):
        pipe.send(job(attacks.GOOD, cpu_seconds=0.5))
        process.join(120)
        assert process.exitcode == -24  # SIGXCPU


def test_a_reader_cannot_take_much_memory_nor_write() -> None:
    for misbehaviour, said in ((_grab, "takes more memory than one file may"), (_write, "too large")):
        with _reader(misbehaviour) as (pipe, _):
            pipe.send(job(attacks.GOOD))
            assert said in str(pipe.recv()[0][1])


def test_a_reader_that_fails_says_so() -> None:
    with _reader(_fail) as (pipe, _):
        for _again in range(2):  # by the same process
            pipe.send(job(attacks.GOOD))
            assert "the reader failed (ZeroDivisionError)" in str(pipe.recv()[0][1])


def _reader(instead: Callable[..., Any]) -> Any:
    """A reading process whose reader does something else."""

    class Started:
        def __enter__(self) -> tuple[Any, Any]:
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe()
            self.process = context.Process(target=_misbehave, args=[theirs, instead], daemon=True)
            self.process.start()
            assert ours.recv() == "ready"
            return ours, self.process

        def __exit__(self, *ignored: object) -> None:
            self.process.kill()

    return Started()


def _misbehave(pipe: Any, instead: Callable[..., Any]) -> None:
    first = iter([True])
    real = sandbox.read_all
    sandbox.read_all = lambda *args, **options: real(*args) if next(first, False) else instead()  # type: ignore[assignment]
    sandbox._serve(pipe)


def _spin() -> Any:
    while True:
        pass


def _grab() -> Any:
    # Twice the limit: a little over it may fit into what the process gave back since the limit was set.
    return [bytes(2 * sandbox.MEMORY_BYTES)]


def _fail() -> Any:
    return 1 / 0


def _serve_spinning(pipe: Any) -> None:
    _misbehave(pipe, _spin)


def _write() -> Any:
    try:
        with open("out-of-bounds", "wb") as file:
            file.write(b"x" * 10_000)
    except OSError as error:
        return [("a", InkError(str(error.strerror).lower()))]
    finally:
        os.unlink("out-of-bounds")
    return []


def test_the_limit_of_time_holds_in_the_server(
    serve: Callable[..., Any], recognizer: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader never ends by itself; its own limit ends it, long before the time of the request is over."""
    monkeypatch.setattr(sandbox, "_serve", _serve_spinning)
    server = serve(recognizer, limits=ServerLimits(file_seconds=0.1, seconds=150))
    reading = server.app.service.sandbox._process
    answer = httpx.post(f"{server.url}/v1/ink", files={"file": ("evil", attacks.GOOD)}, timeout=250)
    assert (answer.status_code, answer.json()["error"]["code"]) == LARGE
    assert "takes more time or memory" in answer.json()["error"]["message"]
    assert not reading.is_alive()


def test_others_are_answered_while_an_upload_is_read(
    serve: Callable[..., Any], recognizer: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(recognizer)
    read = server.app.service.sandbox.read
    reading, go_on = threading.Event(), threading.Event()

    def slowly(*arguments: Any) -> Any:
        reading.set()
        assert go_on.wait(120)
        return read(*arguments)

    monkeypatch.setattr(server.app.service.sandbox, "read", slowly)
    with ThreadPoolExecutor() as pool:
        upload = {"file": ("slow", attacks.GOOD)}
        sent = pool.submit(httpx.post, f"{server.url}/v1/ink", files=upload, timeout=120)
        assert reading.wait(60)
        assert httpx.post(f"{server.url}/v1/recognize", json=INK, timeout=60).status_code == 200
        assert httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200
        assert not sent.done()
        go_on.set()
        assert sent.result().status_code == 200


def test_it_is_not_ready_while_nothing_can_be_served(
    serve: Callable[..., Any], recognizer: Recognizer
) -> None:
    """A recognition that does not end in its time holds the only thread."""
    held = threading.Event()

    class Stuck(Recognizer):
        calls = 0

        def recognize(self, *inks: Any, **options: Any) -> Any:
            self.calls += 1
            if self.calls == 2:  # the first one warms up
                held.wait(120)
            return super().recognize(*inks, **options)

    server = serve(Stuck(recognizer.model), limits=ServerLimits(seconds=0.3))
    assert httpx.post(f"{server.url}/v1/recognize", json=INK, timeout=120).status_code == 504
    assert httpx.get(f"{server.url}/readyz", timeout=60).status_code == 503
    held.set()
    until(lambda: httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200)


def test_limits_of_a_job_are_those_of_the_readers(reader: Sandbox) -> None:
    [(_, error)] = reader.read(job(attacks.GOOD, limits=Limits(file_bytes=10)), seconds=120)
    assert "limit of 10 bytes" in str(error)
