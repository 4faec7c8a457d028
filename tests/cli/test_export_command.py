"""`inktex export` makes model files of training runs; `inktex calibrate` teaches them how sure to be."""

import json
import sys

import pytest

from inktex.reading import read_model
from inktex.recognizer import Recognizer


@pytest.fixture
def run_folder(tmp_path):
    from inktex.model import save_network
    from small_networks import random_network

    folder = tmp_path / "run-1"
    folder.mkdir()
    save_network(random_network(), folder / "best.safetensors")
    (folder / "run.json").write_text(json.dumps({"training": {"epochs": 3}}))
    rows = [{"kind": "train", "step": 9, "epoch": 3}, {"kind": "validation", "epoch": 3, "exprate": 50.0}]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_a_run_becomes_a_model_with_a_card(inktex, run_folder, tmp_path):
    out = tmp_path / "mine.inktex"
    result = inktex("export", run_folder, "-o", out, "--summary", "a small one")
    assert result.exit_code == 0, result.output
    found = read_model(out)
    assert [member.name for member in found.members] == ["run-1"]
    assert found.card["summary"] == "a small one"
    assert found.card["training"]["last_validation"]["exprate"] == 50.0
    assert Recognizer(out).recognize([[(0, 0), (3, 4)]]).tokens


@pytest.mark.parametrize(
    ("patience", "options", "exported"),
    [
        (0, (), "last"),
        (15, (), "best"),  # the paper's recipe: early stopping
        (0, ("--weights", "best"), "best"),
        (15, ("--weights", "last"), "last"),
    ],
)
def test_a_run_that_stops_early_means_its_best_weights_and_any_other_its_last(
    inktex, run_folder, tmp_path, patience, options, exported
):
    from inktex.model import load_network, save_network
    from inktex.training.export import export_network
    from small_networks import random_network

    save_network(random_network(seed=7), run_folder / "last.safetensors")
    (run_folder / "run.json").write_text(json.dumps({"training": {"patience": patience}}))
    out = tmp_path / "mine.inktex"
    result = inktex("export", run_folder, "-o", out, *options)
    assert result.exit_code == 0, result.output
    found = read_model(out)
    expected = export_network(load_network(run_folder / f"{exported}.safetensors"), "run-1")
    assert found.members == expected.members  # the same bytes
    assert found.card["weights"] == exported


def test_the_card_counts_what_is_shipped(inktex, tmp_path):
    from dataclasses import replace

    from inktex.model import Network, save_network
    from small_networks import SMALL, random_network

    save_network(random_network(replace(SMALL, symbol_head=True)), tmp_path / "w.safetensors")
    inktex("export", tmp_path / "w.safetensors", "-o", tmp_path / "m.inktex")
    shipped = Network(replace(SMALL, symbol_head=False)).parameter_count
    assert read_model(tmp_path / "m.inktex").card["parameters"] == shipped


def test_weights_of_a_run_need_pytorch_and_that_is_said(inktex, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "inktex.training.export", None)
    result = inktex("export", tmp_path / "run", "-o", tmp_path / "m.inktex")
    assert "pip install 'inktex[train]'" in str(result.exception)


def test_several_become_an_ensemble(inktex, run_folder, tmp_path):
    first, both = tmp_path / "first.inktex", tmp_path / "both.inktex"
    inktex("export", run_folder, "-o", first, "--precision", "int8")
    result = inktex("export", first, run_folder / "best.safetensors", "-o", both)
    assert result.exit_code == 0, result.output
    assert len(read_model(both).members) == 2
    assert Recognizer(both).recognize([[(0, 0), (3, 4)]]).tokens


def test_what_cannot_be_exported_is_explained(inktex, tmp_path):
    assert inktex("export", tmp_path, "-o", tmp_path / "x.onnx").exit_code == 2
    assert "no weights" in str(inktex("export", tmp_path, "-o", tmp_path / "x.inktex").exception)


def test_calibration_is_stored_in_the_model(inktex, run_folder, tmp_path):
    from inktex.ink import Ink, save

    out = tmp_path / "mine.inktex"
    inktex("export", run_folder, "-o", out)
    recognizer = Recognizer(out)
    folder = tmp_path / "inks"
    folder.mkdir()
    for number in range(60):
        ink = Ink.from_strokes([[(0, 0), (3 + number % 7, 4)], [(number % 11, 5), (2, number % 5)]])
        right = number % 3 == 0
        truth = recognizer.recognize(ink).latex if right else "x + 1"
        save(ink.replace(truth=truth), folder / f"{number}.inkml")
    before = recognizer.recognize(folder / "0.inkml").score
    result = inktex("calibrate", out, "--data", folder)
    assert result.exit_code == 0, result.output
    assert "expected calibration error" in result.stdout
    card = read_model(out).card["calibration"]
    assert card["expressions"] == 60
    calibrated = Recognizer(out).recognize(folder / "0.inkml")
    assert calibrated.score != before
    assert 0.1 < calibrated.score < 0.7  # a third of the answers are right
