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
