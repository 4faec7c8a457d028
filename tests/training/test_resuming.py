"""A run goes on with what it was begun with."""

import json

import pytest

pytest.importorskip("torch", reason="training needs inktex[train]")

from inktex.training import Launch, TrainOptions, start
from inktex.training.run import RunFolder


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run that was begun with --data FOLDER, and what it would train on when it goes on."""
    from inktex.model import ModelConfig

    folder = RunFolder(tmp_path / "run")
    folder.create(ModelConfig(vocabulary=("<eol>", "x")), TrainOptions(), {"data": str(tmp_path / "mine")})
    asked = []
    monkeypatch.setattr(start, "load_split", lambda name, data=None: asked.append(data) or [])
    monkeypatch.setattr(start, "_train", lambda *arguments: None)
    return folder.path, asked


def test_a_resumed_run_reads_the_data_it_was_begun_with(run, tmp_path):
    folder, asked = run
    start.resume(Launch(folder))
    assert set(asked) == {tmp_path / "mine"}


def test_data_named_anew_is_taken(run, tmp_path):
    folder, asked = run
    start.resume(Launch(folder, data=tmp_path / "moved"))
    assert set(asked) == {tmp_path / "moved"}


def test_a_run_that_named_no_data_looks_where_data_usually_is(run):
    folder, asked = run
    settings = json.loads((folder / "run.json").read_text())
    settings["command"]["data"] = None
    (folder / "run.json").write_text(json.dumps(settings))
    start.resume(Launch(folder))
    assert set(asked) == {None}
