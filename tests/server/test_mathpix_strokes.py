"""Clients of Mathpix's strokes endpoint switch by changing the base address."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from inktex.recognizer import Recognizer
from inktex.server import schemas

Strokes = list[list[list[float]]]


def body(strokes: Strokes, **options: Any) -> dict[str, Any]:
    columns = {name: [[point[i] for point in stroke] for stroke in strokes] for i, name in enumerate("xy")}
    return {"strokes": {"strokes": columns}, **options}


def test_the_answer_has_their_shape(client: httpx.Client, examples: dict[str, Strokes]) -> None:
    headers = {"app_id": "me", "app_key": "secret"}
    response = client.post("/v3/strokes", json=body(examples[r"x^{2} + 1"]), headers=headers)
    answer = response.json()
    schemas.MathpixAnswer.model_validate(answer)
    assert answer["latex_styled"] == "x^{2}+1"
    assert answer["text"] == r"\( x^{2}+1 \)"
    assert 0 < answer["confidence"] <= 1
    assert 0 < answer["confidence_rate"] <= 1
    assert answer["is_handwritten"] is True
    assert len(answer["request_id"]) >= 16


def test_formats_and_delimiters_are_followed(client: httpx.Client, examples: dict[str, Strokes]) -> None:
    request = body(
        examples[r"x^{2} + 1"],
        formats=["text", "data", "html"],
        data_options={"include_latex": True, "include_mathml": True},
        math_inline_delimiters=["$", "$"],
        metadata={"ignored": True},
    )
    answer = client.post("/v3/strokes", json=request).json()
    assert answer["text"].startswith("$ ")
    assert [entry["type"] for entry in answer["data"]] == ["latex", "mathml"]
    assert "<math" in answer["html"]


@pytest.mark.parametrize(
    "request_body",
    [
        {},
        {"strokes": {}},
        {"strokes": {"strokes": {"x": [[1]], "y": []}}},
        {"strokes": {"strokes": {"x": [[1, 2]], "y": [[1]]}}},
        {"strokes": {"strokes": {"x": [], "y": []}}},
        {"strokes": {"strokes": {"x": [["a"]], "y": [[1]]}}},
    ],
)
def test_errors_come_the_way_theirs_do(client: httpx.Client, request_body: dict[str, Any]) -> None:
    response = client.post("/v3/strokes", json=request_body)
    assert response.status_code == 200
    assert response.json()["error"]
    assert response.json()["error_info"]["id"] == "strokes_syntax_error"


def test_a_refusal_that_is_not_about_the_ink_has_their_shape_too(client: httpx.Client) -> None:
    huge = client.post("/v3/strokes", content=b" " * 600_000, headers={"Content-Type": "application/json"})
    assert huge.status_code == 413
    schemas.MathpixAnswer.model_validate(huge.json())
    assert "KB" in huge.json()["error"]
    other_type = client.post("/v3/strokes", content=b"{}", headers={"Content-Type": "text/plain"})
    assert (other_type.status_code, other_type.json()["error_info"]["id"]) == (415, "wrong_type")


def test_the_key_is_the_token_where_there_is_one(
    serve: Callable[..., Any], recognizer: Recognizer, examples: dict[str, Strokes]
) -> None:
    url = serve(recognizer, token="a-good-long-token").url
    request = body(examples[r"x^{2} + 1"])
    wrong = httpx.post(f"{url}/v3/strokes", json=request, headers={"app_key": "wrong"}, timeout=60)
    assert wrong.status_code == 401
    assert wrong.json()["error"]
    assert wrong.json()["error_info"]["id"] == "http_unauthorized"
    right = httpx.post(
        f"{url}/v3/strokes", json=request, headers={"app_key": "a-good-long-token"}, timeout=60
    )
    assert right.json()["latex_styled"]
