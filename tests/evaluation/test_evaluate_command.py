"""`inktex evaluate` from the outside: what users type and what they get."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.cli.evaluate import systems_of
from inktex.ink import Ink, save

TRUTHS = {"one": "x+1", "two": "x^{2}", "three": "1"}


@pytest.fixture
def inks(tmp_path, monkeypatch):
    """A folder with three expressions."""
    monkeypatch.setenv("INKTEX_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "TestSet"
    folder.mkdir()
    random = np.random.default_rng(3)
    for stem, truth in TRUTHS.items():
        strokes = [np.cumsum(random.normal(size=(10, 2)), axis=0) for _ in truth]
        save(Ink.from_strokes(strokes, truth=truth), folder / f"{stem}.inkml")
    return folder


def run(*arguments: object) -> str:
    result = CliRunner().invoke(build_app(), ["evaluate", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_file_of_predictions_is_scored(inks, tmp_path):
    answers = tmp_path / "theirs.tsv"
    answers.write_text("one\tx + 1\ntwo\tx_2\nthree\t1\n")
    text = run("--predictions", answers, "--data", inks)
    assert "theirs" in text
    assert "66.67" in text


def test_two_files_are_compared(inks, tmp_path):
    for name, latex in (("a", "x+1"), ("b", "x-1")):
        (tmp_path / f"{name}.tsv").write_text(f"one\t{latex}\n")
    out = tmp_path / "report.json"
    run(
        "--predictions",
        tmp_path / "a.tsv",
        "--predictions",
        tmp_path / "b.tsv",
        "--data",
        inks,
        "--format",
        "json",
        "--out",
        out,
    )
    stored = json.loads(out.read_text())
    assert stored["comparisons"][0]["only_first"] == 1
    assert [system["unanswered"] for system in stored["systems"]] == [2, 2]


def test_a_model_reads_the_ink_and_its_answers_can_be_saved_and_scored_again(inks, tmp_path):
    pytest.importorskip("torch", reason="PyTorch weights need inktex[train]")
    from inktex.model import ModelConfig, Network, save_network

    weights, saved = tmp_path / "tiny.safetensors", tmp_path / "answers.tsv"
    config = ModelConfig(
        vocabulary=("<eol>", "1", "x", "^", "{", "}"),
        encoder_units=8,
        embedding=8,
        decoder_units=8,
        attention=8,
    )
    save_network(Network(config), weights)
    common = ["--data", inks, "--format", "json"]
    direct = json.loads(run(weights, *common, "--jobs", 1, "--beam", 2, "--save-predictions", saved))
    [system] = direct["systems"]
    assert system["system"] == "tiny"
    assert system["expressions"] == 3
    assert system["unknown_tokens"] == {"+": 1, "2": 1}
    again = json.loads(run("--predictions", saved, *common))
    assert again["systems"][0]["tokens"] == system["tokens"]
    part = json.loads(run(weights, weights, "--ensemble", *common, "--jobs", 1, "--limit", 2))
    assert part["systems"][0]["system"] == "ensemble of 2"
    assert part["whole"] is False


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "at least one model"),
        (["no-such-model"], "no-such-model"),
        (["--predictions", "{folder}/other.tsv"], "none of its stems"),
        (["--predictions", "{folder}/other.tsv", "--save-predictions", "x"], "needs a model"),
    ],
)
def test_mistakes_are_answered_with_what_is_wrong(inks, tmp_path, arguments, reason):
    (tmp_path / "other.tsv").write_text("unheard-of\tx\n")
    filled = [argument.format(folder=tmp_path) for argument in arguments]
    with pytest.raises((ValueError, OSError), match=reason):
        run(*filled, "--data", inks)


def test_systems_have_names_that_tell_them_apart():
    names = [
        system.name
        for system in systems_of(["runs/a/best.safetensors", "runs/b/best.safetensors"], together=False)
    ]
    assert names == ["a", "b"]
    names = [system.name for system in systems_of(["u/m.onnx", "v/m.onnx"], together=False)]
    assert names == ["u/m.onnx", "v/m.onnx"]
    assert [system.models for system in systems_of(["u", "v"], together=True)] == [("u", "v")]
