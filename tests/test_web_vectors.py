"""What the recogniser for browsers is given by Python, and held against, is what Python does today."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from inktex.latex import Vocabulary
from inktex.recognizer import Recognizer

ROOT = Path(__file__).resolve().parents[1]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    text = (ROOT / "tests/vectors/recognition.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def test_tables_of_the_browser_are_current() -> None:
    tables = script("web_tables")
    assert tables.PATH.read_text(encoding="utf-8") == tables.text(), "run python scripts/web_tables.py"


def test_vectors_are_of_the_default_model(vectors: dict[str, Any], recognizer: Recognizer) -> None:
    assert vectors["sha256"] == recognizer.model.info.sha256, "run python scripts/web_vectors.py"
    assert vectors["vocabulary"] == list(recognizer.model.info.vocabulary.tokens)


def test_python_still_answers_as_the_vectors_say(vectors: dict[str, Any], recognizer: Recognizer) -> None:
    for case in vectors["cases"]:
        _answers_as(recognizer, case, case["answer"])


def test_python_still_reads_in_both_directions_as_the_vectors_say(vectors: dict[str, Any]) -> None:
    said = vectors["both_ways"]
    recognizer = Recognizer(said["model"])
    assert said["sha256"] == recognizer.model.info.sha256, "run python scripts/web_vectors.py"
    assert recognizer.model.backward_stepper() is not None
    for each in said["answers"]:
        _answers_as(recognizer, vectors["cases"][each["case"]], each["answer"])


def test_python_still_reads_with_two_decoders_as_the_vectors_say(vectors: dict[str, Any]) -> None:
    recognizer = Recognizer(ROOT / "tests" / "vectors" / "twin.inktex")
    assert vectors["twin"]["sha256"] == recognizer.model.info.sha256, "run python scripts/web_vectors.py"
    for each in vectors["twin"]["answers"]:
        _answers_as(recognizer, vectors["cases"][each["case"]], each["answer"])


def _answers_as(recognizer: Recognizer, case: dict[str, Any], said: dict[str, Any]) -> None:
    made = script("web_vectors").answer_of(recognizer, case["strokes"])
    assert made["latex"] == said["latex"], case["name"]
    assert made["score"] == pytest.approx(said["score"], abs=1e-3), case["name"]
    for field in ("mathml", "typst", "unread", "reread"):
        assert made[field] == said[field], case["name"]
    for ours, theirs in zip(made["tokens"], said["tokens"], strict=True):
        assert ours["strokes"] == theirs["strokes"], case["name"]


def test_the_grammar_is_still_that_of_the_vectors(vectors: dict[str, Any]) -> None:
    assert script("web_vectors").walks(Vocabulary(vectors["vocabulary"])) == vectors["walks"]


def test_printers_and_normaliser_still_give_what_the_vectors_say(vectors: dict[str, Any]) -> None:
    printed = script("web_vectors")._printed
    for entry in vectors["printed"]:
        assert printed(entry["latex"]) == entry


def test_restrictions_of_the_symbols_are_still_those_of_the_vectors() -> None:
    symbols = script("symbol_vectors")
    said = json.loads(symbols.PATH.read_text(encoding="utf-8"))
    assert symbols.make() == said, "run python scripts/symbol_vectors.py"


@pytest.fixture(scope="module")
def lines() -> ModuleType:
    return script("line_vectors")


@pytest.fixture(scope="module")
def line_vectors(lines: ModuleType) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(lines.PATH.read_text(encoding="utf-8"))
    return content


def test_python_still_finds_the_lines_of_the_vectors(lines: ModuleType, line_vectors: dict[str, Any]) -> None:
    assert sum(len(page["lines"]) > 1 for page in line_vectors["pages"]) > 30
    for page in line_vectors["pages"]:
        assert lines.lines_of(page["strokes"]) == page["lines"], page["name"]
        made, said = lines.evidence_of(page["strokes"]), page["evidence"]
        for ours, theirs in zip(made["bars"] + made["cuts"], said["bars"] + said["cuts"], strict=True):
            assert ours[:-1] == theirs[:-1], page["name"]
            assert ours[-1] == pytest.approx(theirs[-1], abs=1e-5), page["name"]


def test_lines_while_a_page_is_written_are_still_those_of_the_vectors(
    lines: ModuleType, line_vectors: dict[str, Any]
) -> None:
    recognizer = Recognizer(lines.TWIN)
    for session in line_vectors["sessions"]:
        assert lines.session_lines(recognizer, session["steps"]) == session["lines"]


def test_python_still_answers_pages_as_the_vectors_say(
    lines: ModuleType, line_vectors: dict[str, Any]
) -> None:
    recognizer = Recognizer(lines.TWIN)
    for said in line_vectors["answers"]:
        page, answer = line_vectors["pages"][said["page"]], said["answer"]
        made = lines.answer_of(recognizer, page["strokes"])
        assert [line["strokes"] for line in made["lines"]] == [line["strokes"] for line in answer["lines"]]
        for ours, theirs in zip(_with_lines(made), _with_lines(answer), strict=True):
            assert ours["latex"] == theirs["latex"]
            assert ours["score"] == pytest.approx(theirs["score"], abs=1e-3)
            for token, other in zip(ours["tokens"], theirs["tokens"], strict=True):
                assert token["strokes"] == other["strokes"]


def _with_lines(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [answer, *(line["recognition"] for line in answer["lines"])]
