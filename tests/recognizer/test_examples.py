"""The examples that come with inktex are read right by the weights that come with it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inktex.ink import Ink, read_all
from inktex.reading import known_models
from inktex.recognizer import Recognizer

ROOT = Path(__file__).parent.parent.parent
ANSWERS = json.loads((ROOT / "examples" / "answers.json").read_text())

pytestmark = pytest.mark.skipif(
    "p2" not in dict(known_models()), reason="no weights in this checkout (src/inktex/weights/p2.inktex)"
)


@pytest.fixture(scope="module")
def shipped():
    return Recognizer("p2")


@pytest.mark.parametrize("name", ANSWERS)
def test_each_example_is_read_right(shipped, name):
    inks = [ink for _, ink in read_all(ROOT / "examples" / name)]
    truth = [ANSWERS[name]] if isinstance(ANSWERS[name], str) else ANSWERS[name]
    answers = [shipped.recognize(ink) for ink in inks]
    if name.startswith("page"):
        answers = [line.recognition for line in answers[0].lines]
    assert [answer.latex for answer in answers] == truth


def test_every_file_of_the_folder_is_listed():
    names = {path.name for path in (ROOT / "examples").iterdir()}
    assert names == {*ANSWERS, "answers.json", "README.md", "notebook.ipynb"}


def test_scribbles_are_answered_with_little_confidence(shipped):
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(8):
        strokes = [np.cumsum(rng.normal(size=(60, 2)) * 8, axis=0) + rng.uniform(0, 60, 2) for _ in range(6)]
        scores.append(shipped.recognize(Ink.from_strokes(strokes)).score)
    assert np.median(scores) < 0.3
    assert max(scores) < 0.7


def test_what_a_correction_decided_survives_further_writing(shipped):
    ink = next(ink for _, ink in read_all(ROOT / "examples" / "pythagoras.inkml"))
    session = shipped.session()
    ids = [session.add(stroke) for stroke in ink.strokes]
    letter = session.answer().symbols[0]
    assert letter.latex == "a"
    session.pin([ids[stroke] for stroke in letter.strokes], r"\alpha")
    assert session.answer().latex == r"\alpha^{2}+b^{2}=c^{2}"
    _, _, right, bottom = ink.bounds
    session.add([(right + 20, bottom - 25), (right + 45, bottom - 25)])  # a minus sign after it all
    assert session.answer().latex.startswith(r"\alpha^{2}+b^{2}=c^{2}")


def test_a_script_written_onto_a_pinned_script_is_still_latex(shipped):
    session = shipped.session()
    cross = [session.add([(0, 0), (10, 12), (20, 20)]), session.add([(20, 0), (9, 11), (0, 20)])]
    session.pin(cross, r"\chi^{2}")  # a letter that the model does not know
    assert session.answer().latex == r"\chi^{2}"
    session.add([(30, -5), (36, -9), (38, -4), (29, 4), (40, 4)])
    assert session.answer().latex == r"{\chi^{2}}^{2}"


def test_the_notebook_runs(shipped, monkeypatch):
    monkeypatch.chdir(ROOT)
    notebook = json.loads((ROOT / "examples" / "notebook.ipynb").read_text())
    names: dict[str, object] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["answer"].latex == ANSWERS["pythagoras.inkml"]


def test_the_demo_finds_all_right_and_says_where_the_picture_is(tmp_path):
    picture = tmp_path / "demo.html"
    command = [sys.executable, str(ROOT / "scripts" / "demo.py"), "-o", str(picture)]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "demo.html" in done.stdout.replace("\n", "")
    assert picture.read_text().count("<svg") == picture.read_text().count("<math") >= 12
