"""Model files are found by path or name, are checked, and errors say what to do."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.ink import Ink
from inktex.reading import ModelError, join_models, known_models, open_model, read_model, write_model
from small_networks import random_features, small_model


@pytest.fixture
def model_path(tmp_path):
    path = tmp_path / "small.inktex"
    write_model(path, small_model())
    return path


def test_a_model_reads_back_with_its_card(model_path):
    model = open_model(model_path)
    assert model.info.name == "small"
    assert model.info.card == {"seed": 0}
    assert model.info.stride == 2
    assert model.info.vocabulary.tokens[0] == "<eol>"
    ink = Ink.from_strokes([[(0, 0), (3, 4), (6, 1)], [(8, 0), (8, 5)]])
    made = model.inputs([ink])[0]
    state = model.stepper().start([made.arrays])
    assert model.stepper().lengths(state)[0] == -(-len(made.features.rows) // 2)


def test_writing_a_model_twice_gives_the_same_bytes(tmp_path, model_path):
    write_model(tmp_path / "again.inktex", read_model(model_path))
    assert (tmp_path / "again.inktex").read_bytes() == model_path.read_bytes()


@pytest.mark.parametrize("place", [0.2, 0.5, 0.8])
def test_a_damaged_model_is_noticed(model_path, place):
    content = bytearray(model_path.read_bytes())
    content[int(place * len(content))] ^= 0x40
    model_path.write_bytes(content)
    with pytest.raises(ModelError, match=r"small\.inktex: .*damaged"):
        open_model(model_path)


@pytest.mark.parametrize("kept", [0, 10, 1000, -30])
def test_a_torn_model_is_noticed(model_path, kept):
    model_path.write_bytes(model_path.read_bytes()[:kept])
    with pytest.raises(ModelError, match="damaged, or not an inktex model file"):
        open_model(model_path)


def test_other_zip_files_and_later_formats_are_refused(tmp_path):
    path = tmp_path / "other.inktex"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ModelError, match="no manifest"):
        open_model(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"format": "inktex.model/9"}))
    with pytest.raises(ModelError, match=r"inktex\.model/9.*reads .*; export it again"):
        open_model(path)


def test_models_are_found_by_name(tmp_path, model_path, monkeypatch):
    monkeypatch.setenv("INKTEX_MODELS", str(tmp_path))
    assert dict(known_models())["small"] == model_path
    assert open_model("small").info.name == "small"
    monkeypatch.setenv("INKTEX_MODEL", "small")
    assert open_model().info.name == "small"
    with pytest.raises(ModelError, match=r"no model is called 'smal' \(there are: .*small"):
        open_model("smal")
    with pytest.raises(ModelError, match="no such file"):
        open_model(tmp_path / "missing.inktex")


def test_several_models_answer_together(tmp_path):
    for seed in (1, 2):
        write_model(tmp_path / f"m{seed}.inktex", small_model(seed))
    folder = open_model(tmp_path)
    assert folder.info.members == ("small-1", "small-2")
    joined = join_models([read_model(tmp_path / f"m{seed}.inktex") for seed in (1, 2)], {"note": "both"})
    write_model(tmp_path / "both.inktex", joined)
    both = open_model(tmp_path / "both.inktex")
    features = random_features(np.random.default_rng(0), 14)
    start = np.zeros(1, np.int64)
    singles = [open_model(tmp_path / f"m{seed}.inktex").stepper() for seed in (1, 2)]
    mean = np.mean([np.exp(each.step(each.start(features), start).log_probs) for each in singles], axis=0)
    for model in (folder, both):
        stepper = model.stepper()
        together = stepper.step(stepper.start(features), start)
        np.testing.assert_allclose(np.exp(together.log_probs), mean, atol=1e-5)


class TestTeam:
    """A team names other files in its folder, holds none of their networks, and counts each network once."""

    @pytest.fixture
    def team(self, tmp_path):
        for seed in (1, 2):
            write_model(tmp_path / f"m{seed}.inktex", small_model(seed))
        write_model(tmp_path / "both.inktex", join_models([small_model(1), small_model(3)]))
        path = tmp_path / "team.inktex"
        files = [tmp_path / name for name in ("m1.inktex", "m2.inktex", "both.inktex")]
        options = ["--team", "--backward-weight", "0.7", "-o", str(path)]
        run = CliRunner().invoke(build_app(), ["export", *map(str, files), *options])
        assert run.exit_code == 0, run.output
        return path

    def test_it_reads_as_its_networks_do_together(self, team, tmp_path):
        assert team.stat().st_size < 20_000
        model = open_model(team)
        assert model.info.members == ("small-1", "small-2", "small-3")
        assert model.search.backward_weight == 0.7
        all_in_one = join_models([small_model(seed) for seed in (1, 2, 3)])
        write_model(tmp_path / "one.inktex", all_in_one)
        features, start = random_features(np.random.default_rng(0), 14), np.zeros(1, np.int64)
        one, other = (open_model(path).stepper() for path in (team, tmp_path / "one.inktex"))
        np.testing.assert_allclose(
            one.step(one.start(features), start).log_probs, other.step(other.start(features), start).log_probs
        )

    def test_what_is_written_of_it_again_is_a_team(self, team):
        before = team.read_bytes()
        write_model(team, read_model(team))
        assert team.read_bytes() == before

    def test_a_file_that_changed_or_is_missing_is_named(self, team, tmp_path):
        write_model(tmp_path / "m2.inktex", small_model(5))
        with pytest.raises(ModelError, match=r"m2\.inktex is not the version that it was made with"):
            open_model(team)
        (tmp_path / "m2.inktex").unlink()
        with pytest.raises(ModelError, match=r"of which m2\.inktex is not beside it"):
            open_model(team)

    @pytest.mark.parametrize("name", ["team.inktex", "../small.inktex", "folder/m1.inktex", ""])
    def test_teams_of_teams_and_other_folders_are_refused(self, team, name):
        write_model(team, replace(read_model(team), team={name: "0" * 64}))
        with pytest.raises(ModelError):
            open_model(team)


def test_search_settings_travel_with_the_model(tmp_path):
    search = {"length_handling": "reward", "length_weight": 0.1}
    model = load_model_from(replace(small_model(), search=search), tmp_path)
    assert model.search.length_handling == "reward"
    assert model.search.length_weight == 0.1


def test_a_model_that_was_made_with_a_language_model_can_still_be_read(tmp_path):
    search = {"scorer_weight": 0.4, "length_handling": "reward"}
    model = load_model_from(replace(small_model(), search=search), tmp_path)
    assert model.search.length_handling == "reward"


def load_model_from(file, tmp_path):
    write_model(tmp_path / "plain.inktex", file)
    return open_model(tmp_path / "plain.inktex")


@pytest.mark.parametrize("search", [{"beams": 3}, {"length_handling": "magic"}])
def test_search_settings_that_make_no_sense_are_refused(tmp_path, search):
    with pytest.raises(ModelError, match="does not fit this version"):
        load_model_from(replace(small_model(), search=search), tmp_path)
