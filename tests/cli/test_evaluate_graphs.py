"""`inktex evaluate`: label graphs for the organisers' tool, and the truth among the hypotheses."""

import json

import pytest
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.corpus import Synthesizer, open_bank
from inktex.ink import save
from inktex.latex import join, normalize

FORMULAS = {"sum": "x+1", "power": "a^2", "fraction": r"\frac{1}{2}"}


@pytest.fixture
def inks(tmp_path, monkeypatch):
    """Expressions with their segmentation, in the project's own ink."""
    monkeypatch.setenv("INKTEX_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "TestSet"
    folder.mkdir()
    synthesizer = Synthesizer(open_bank("hershey"))
    for stem, latex in FORMULAS.items():
        tokens = normalize(latex)
        ink = synthesizer.write(tokens, f"graphs/{latex}").ink
        save(ink.replace(truth=join(tokens)), folder / f"{stem}.inkml")
    return folder


def run(*arguments: object) -> str:
    result = CliRunner().invoke(build_app(), ["evaluate", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_graphs_of_truth_and_answers_are_written_and_scored(recognizer, inks, tmp_path):
    graphs, saved = tmp_path / "graphs", tmp_path / "answers.tsv"
    common = ("--data", inks, "--format", "json", "--save-predictions", saved)
    [system] = json.loads(run("p2", "--lg", graphs, *common))["systems"]
    assert sorted(path.name for path in graphs.iterdir()) == ["p2", "truth"]
    for folder in ("p2", "truth"):
        assert {path.stem for path in (graphs / folder).iterdir()} == set(FORMULAS)
    answers = dict(line.split("\t") for line in saved.read_text().splitlines())
    right = [stem for stem, latex in FORMULAS.items() if answers[stem] == join(normalize(latex))]
    assert right, "the model reads none of three simple expressions"
    same = [
        stem
        for stem in FORMULAS
        if (graphs / "p2" / f"{stem}.lg").read_text() == (graphs / "truth" / f"{stem}.lg").read_text()
    ]
    assert set(same) <= set(right)
    assert system["stroke_graph"]["expressions"] == 3
    assert system["stroke_graph"]["exact"]["percent"] == pytest.approx(100 * len(same) / 3)


def test_the_truth_is_looked_for_among_the_hypotheses(recognizer, inks):
    [system] = json.loads(run("p2", "--among", 5, "--data", inks, "--format", "json"))["systems"]
    tokens = system["tokens"]
    assert tokens["among"]["percent"] >= tokens["exact"]["percent"]
    [alone] = json.loads(run("p2", "--data", inks, "--format", "json"))["systems"]
    assert alone["tokens"]["among"] is None
    assert alone["tokens"]["exact"] == tokens["exact"]


def test_graphs_need_strokes_and_so_a_model(inks, tmp_path):
    answers = tmp_path / "theirs.tsv"
    answers.write_text("sum\tx + 1\n")
    with pytest.raises(ValueError, match="--lg needs a model"):
        run("--predictions", answers, "--data", inks, "--lg", tmp_path / "graphs")
