"""`inktex evaluate` from the outside: what users type and what they get."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.evaluation import systems_of
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
    from dataclasses import replace

    from inktex.model import save_network
    from small_networks import SMALL, random_network

    weights, saved = tmp_path / "tiny.safetensors", tmp_path / "answers.tsv"
    few = replace(SMALL, vocabulary=("<eol>", "1", "x", "^", "{", "}"))
    save_network(random_network(few), weights)
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


def test_an_ensemble_whose_members_read_different_features_gets_what_each_reads(inks, tmp_path):
    pytest.importorskip("torch", reason="making a model file needs inktex[train]")
    from dataclasses import replace

    from inktex.features import FeatureOptions
    from inktex.reading import join_models, write_model
    from inktex.recognizer import Recognizer
    from inktex.training.export import export_network
    from small_networks import SMALL, random_network

    dense = replace(SMALL, features=FeatureOptions.paper())
    members = [
        export_network(random_network(config, seed), f"member-{seed}")
        for seed, config in enumerate((SMALL, dense), 1)
    ]
    model, saved = tmp_path / "mixed.inktex", tmp_path / "answers.tsv"
    write_model(model, join_models(members))
    run(model, "--data", inks, "--jobs", 1, "--save-predictions", saved)
    answers = dict(line.split("\t") for line in saved.read_text().splitlines())
    recognizer = Recognizer(model)
    said = {stem: recognizer.recognize(inks / f"{stem}.inkml") for stem in TRUTHS}
    assert answers == {stem: answer.as_latex("spaced") for stem, answer in said.items()}


def test_models_are_searched_as_their_file_says_unless_the_plain_search_is_wanted(
    inks, tmp_path, small_model_file
):
    from dataclasses import replace

    from inktex.reading import write_model
    from inktex.recognizer import Recognizer

    model, saved = tmp_path / "long.inktex", tmp_path / "answers.tsv"
    search = {"length_handling": "reward", "length_weight": 4.0}  # the longer the better
    write_model(model, replace(small_model_file, search=search))
    found = {}
    for name, options in (("usual", []), ("plain", ["--plain"])):
        run(model, "--data", inks, "--jobs", 1, "--save-predictions", saved, *options)
        found[name] = dict(line.split("\t") for line in saved.read_text().splitlines())
    recognizer = Recognizer(model)
    said = {stem: recognizer.recognize(inks / f"{stem}.inkml") for stem in TRUTHS}
    assert found["usual"] == {stem: answer.as_latex("spaced") for stem, answer in said.items()}
    assert found["plain"] != found["usual"]
