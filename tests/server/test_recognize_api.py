"""The API for programs: strokes or a file in, the documented recognition out; errors that help."""

import gzip
import io
import json
import zipfile
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from inktex.ink import Ink, write_inkml, write_json
from inktex.latex import normalize
from inktex.server import schemas

Strokes = list[list[list[float]]]
SQUARE = r"x^{2} + 1"


def error_of(response: httpx.Response) -> tuple[int, str]:
    assert set(response.json()) == {"error"}, response.text
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize(
    "body",
    [
        {"strokes": ["a"] * 50_000},
        {"strokes": [["a"] * 50_000]},
        {"strokes": [[]] * 50_000},
        {"strokes": [[["a", "b"]] * 50_000]},
        {"strokes": [[["a"] * 50_000]]},
        {"strokes": [[[0, 0]]], **{f"k{number}": 1 for number in range(50_000)}},
        {"strokes": [[[0, 0]]], "options": {f"k{number}": 1 for number in range(50_000)}},
    ],
)
def test_of_thousands_of_faults_the_first_is_reported(body: dict[str, Any]) -> None:
    """To list them all would take the event loop for as long as many requests."""
    with pytest.raises(ValidationError) as raised:
        schemas.RecognizeRequest.model_validate(body)
    assert raised.value.error_count() == 1


@pytest.mark.parametrize("x", [["a"] * 50_000, [["a"] * 50_000]])
def test_of_thousands_of_faults_mathpix_clients_hear_the_first(x: list[Any]) -> None:
    with pytest.raises(ValidationError) as raised:
        schemas.MathpixRequest.model_validate({"strokes": {"strokes": {"x": x, "y": []}}})
    assert raised.value.error_count() == 1


def test_strokes_are_read(client: httpx.Client, examples: dict[str, Strokes]) -> None:
    for latex, strokes in examples.items():
        response = client.post("/v1/recognize", json={"strokes": strokes})
        assert response.status_code == 200
        answer = schemas.Recognition.model_validate(response.json())
        assert answer.schema_ == "inktex.recognition/1"
        assert tuple(token.text for token in answer.tokens) == normalize(latex)
        assert sorted({s for token in answer.tokens for s in token.strokes} | set(answer.unread)) == list(
            range(len(strokes))
        )


def test_options_are_followed(client: httpx.Client, examples: dict[str, Strokes]) -> None:
    request: dict[str, Any] = {
        "strokes": examples[SQUARE],
        "options": {"top": 3, "symbols": ["digits", "operators", "x"], "attention": True},
    }
    answer = client.post("/v1/recognize", json=request).json()
    assert len(answer["alternatives"]) <= 2
    assert len(answer["attention"]) == len(answer["tokens"]) + 1
    assert len(answer["attention"][0]) == len(examples[SQUARE])
    request["options"] = {"symbols": ["digits", "operators"]}
    assert "x" not in client.post("/v1/recognize", json=request).json()["latex"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("{", 400, "not_json"),
        ("[]", 422, "misshapen"),
        ('{"strokes": []}', 422, "misshapen"),
        ('{"strokes": [[]]}', 422, "misshapen"),
        ('{"strokes": [[[1]]]}', 422, "misshapen"),
        ('{"strokes": [[[1, "2"]]]}', 422, "misshapen"),
        ('{"strokes": [[[1, true]]]}', 422, "misshapen"),
        ('{"strokes": [[[1, NaN]]]}', 422, "misshapen"),
        ('{"strokes": [[[1, 1e999]]]}', 422, "misshapen"),
        ('{"strokes": [[[1, 2]]], "colour": "red"}', 422, "misshapen"),
        ('{"strokes": [[[1, 2]]], "options": {"top": 0}}', 422, "misshapen"),
        ('{"strokes": [[[1, 2]]], "options": {"symbols": ["\\\\nosuch"]}}', 422, "bad_options"),
        ("[" * 100_000, 400, "bad_request"),
    ],
)
def test_what_is_wrong_is_said(client: httpx.Client, body: str, status: int, code: str) -> None:
    response = client.post("/v1/recognize", content=body, headers={"Content-Type": "application/json"})
    assert error_of(response) == (status, code)


def test_one_point_and_huge_numbers_have_an_answer(client: httpx.Client) -> None:
    for strokes in ([[[3, 4]]], [[[1e300, -1e300], [1e300, 1e300]]], [[[5, 5]] * 50]):
        response = client.post("/v1/recognize", json={"strokes": strokes})
        assert response.status_code in (200, 422), response.text


def test_too_much_ink_is_refused(client: httpx.Client) -> None:
    many = [[[i, i]] for i in range(1001)]
    assert error_of(client.post("/v1/recognize", json={"strokes": many})) == (413, "too_many_strokes")
    long = [[[i % 90, i % 70] for i in range(20_001)]]
    assert error_of(client.post("/v1/recognize", json={"strokes": long})) == (413, "too_many_points")
    huge = b'{"strokes": "' + b"x" * 600_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    assert error_of(client.post("/v1/recognize", content=huge, headers=headers)) == (413, "too_large")
    parts = (b" " * 100_000 for _ in range(10))  # no Content-Length, so it is noticed on the way
    assert error_of(client.post("/v1/recognize", content=parts, headers=headers)) == (413, "too_large")


def test_content_types_are_strict(client: httpx.Client) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json+x", ""):
        response = client.post(
            "/v1/recognize", content=b'{"strokes": [[[1, 2]]]}', headers={"Content-Type": kind}
        )
        assert error_of(response) == (415, "wrong_type")
    response = client.post("/v1/recognize/file", json={"file": "x"})
    assert error_of(response) == (415, "wrong_type")


def test_errors_do_not_repeat_ink(client: httpx.Client) -> None:
    response = client.post("/v1/recognize", json={"strokes": [[[987654321, "987654321"]]]})
    assert response.status_code == 422
    assert "987654321" not in response.text


def upload(
    client: httpx.Client, content: bytes, name: str, path: str = "/v1/recognize/file"
) -> httpx.Response:
    return client.post(path, files={"file": (name, content)})


def excalidraw(ink: Ink) -> bytes:
    elements = []
    for stroke in ink.strokes:
        x, y = stroke[0].tolist()
        elements.append({"type": "freedraw", "x": x, "y": y, "points": (stroke - stroke[0]).tolist()})
    return json.dumps({"type": "excalidraw", "elements": elements}).encode()


def xournal(*inks: Ink) -> bytes:
    pages = ""
    for ink in inks:
        lines = (" ".join(f"{x:.2f} {y:.2f}" for x, y in stroke.tolist()) for stroke in ink.strokes)
        strokes = "".join(f'<stroke tool="pen" color="black" width="1.4">{line}</stroke>' for line in lines)
        pages += f'<page width="600" height="800"><layer>{strokes}</layer></page>'
    return gzip.compress(f'<?xml version="1.0"?><xournal version="0.4">{pages}</xournal>'.encode())


def test_files_are_read(client: httpx.Client, examples: dict[str, Strokes]) -> None:
    ink = Ink.from_strokes(examples[SQUARE])
    files = {
        "note.inkml": write_inkml(ink).encode(),
        "note.json": write_json(ink).encode(),
        "note.excalidraw": excalidraw(ink),
        "note.xopp": xournal(ink),
    }
    for name, content in files.items():
        results = upload(client, content, name).json()["results"]
        assert [normalize(result["recognition"]["latex"]) for result in results] == [normalize(SQUARE)], name
        assert results[0]["recognition"]["latex"] == "x^{2}+1"
        strokes = upload(client, content, name, "/v1/ink").json()["inks"][0]["strokes"]
        assert len(strokes) == len(ink)
        assert [len(stroke) for stroke in strokes] == [len(stroke) for stroke in ink]


def test_a_notebook_gives_one_result_per_page(client: httpx.Client, examples: dict[str, Strokes]) -> None:
    inks = [Ink.from_strokes(examples[latex]) for latex in (SQUARE, r"\sqrt{x + y}")]
    results = upload(client, xournal(*inks), "book.xopp").json()["results"]
    assert [normalize(result["recognition"]["latex"]) for result in results] == [
        normalize(SQUARE),
        normalize(r"\sqrt{x + y}"),
    ]
    assert results[0]["source"] != results[1]["source"]


def test_files_that_are_no_ink_are_refused(client: httpx.Client) -> None:
    assert error_of(upload(client, b"hello", "x.inkml")) == (422, "unreadable_ink")
    assert error_of(upload(client, b"", "x.inkml")) == (422, "unreadable_ink")
    assert error_of(upload(client, b"\x1f\x8b damaged", "x.xopp")) == (422, "unreadable_ink")
    bomb = gzip.compress(b"<xournal>" + b" " * 50_000_000)
    assert error_of(upload(client, bomb, "x.xopp")) == (413, "too_large")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr("a.inkml", "<ink/>")
    assert error_of(upload(client, archive.getvalue(), "x.zip")) == (415, "archive")
    entities = b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><ink>&b;</ink>'
    assert error_of(upload(client, entities, "x.inkml")) == (422, "unreadable_ink")


def test_a_files_name_is_only_a_label(client: httpx.Client, examples: dict[str, Strokes]) -> None:
    content = write_json(Ink.from_strokes(examples[SQUARE])).encode()
    for name in ("../../etc/passwd", "/etc/passwd", "C:\\secret\\passwd"):
        assert upload(client, content, name).json()["results"][0]["source"] == "passwd"


def test_latex_is_rendered(client: httpx.Client) -> None:
    answer = client.post("/v1/render", json={"latex": r"\frac12 x^2"}).json()
    assert answer["tokens"] == list(normalize(r"\frac12 x^2"))
    assert answer["mathml"].startswith("<math")
    assert 'data-token="0"' in answer["mathml"]
    assert answer["typst"]
    for latex in (r"\frac{1", "x^", "}", " "):
        assert error_of(client.post("/v1/render", json={"latex": latex})) == (422, "bad_latex")
    deep = client.post("/v1/render", json={"latex": "{" * 1900 + "x" + "}" * 1900})
    assert deep.status_code in (200, 422)


def test_unknown_paths_and_methods_have_the_same_shape(client: httpx.Client) -> None:
    assert error_of(client.get("/v1/nothing")) == (404, "not_found")
    assert error_of(client.get("/v1/recognize")) == (405, "wrong_method")
    assert error_of(client.post("/healthz", content=b"")) == (405, "wrong_method")


def test_probes(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    for path in ("/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/"):
        assert client.head(path).status_code == 200, path
    assert client.get("/readyz").json()["status"] == "ready"
    text = client.get("/metrics").text
    assert "inktex_requests_total" in text
    assert "# TYPE inktex_request_seconds histogram" in text


def test_the_page_among_the_examples_is_read_line_by_line(client, repository):
    page = repository / "examples" / "page.xopp"
    answers = json.loads((repository / "examples" / "answers.json").read_text())["page.xopp"]
    found = client.post("/v1/recognize/file", files={"file": (page.name, page.read_bytes())}).json()
    (result,) = found["results"]
    read = [line["recognition"]["latex"] for line in result["recognition"]["lines"]]
    assert len(read) == len(answers)
    whole = client.post(
        "/v1/recognize/file", files={"file": (page.name, page.read_bytes())}, data={"lines": "false"}
    ).json()
    assert "lines" not in whole["results"][0]["recognition"]


def test_a_single_symbol_is_looked_up(client: httpx.Client) -> None:
    cross: Strokes = [[[0, 0], [10, 11], [20, 20]], [[20, 0], [9, 11], [0, 20]]]
    response = client.post("/v1/symbol", json={"strokes": cross})
    assert response.status_code == 200
    answer = schemas.SymbolAnswer.model_validate(response.json())
    assert len(answer.symbols) == 10
    assert {r"\times", "x", "X"} & {each.latex for each in answer.symbols[:3]}
    assert answer.symbols[0].probability >= answer.symbols[1].probability
    assert len(client.post("/v1/symbol", json={"strokes": cross, "top": 2}).json()["symbols"]) == 2
    assert error_of(client.post("/v1/symbol", json={"strokes": []}))[0] == 422
    assert error_of(client.post("/v1/symbol", json={"strokes": cross, "top": 0}))[0] == 422
