"""A model with networks of both directions reads with both; a backward one alone needs a partner."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from inktex.decoding import SearchOptions, beam_search
from inktex.ink import Ink
from inktex.model import save_network
from inktex.reading import Model, ModelError, Reader, join_models, open_model, read_model, write_model
from inktex.reading.onnx_stepper import OnnxEncoder
from inktex.training.export import export_network, one_way
from inktex.training.onnx_graph import Precision
from small_networks import SMALL, random_network

INK = Ink.from_strokes([[[0, 0], [10, 12]], [[10, 0], [0, 12]], [[14, -4], [18, -8], [19, -4], [14, 0]]])


def pair(weight: float) -> Model:
    forward = export_network(random_network(seed=1), "forward")
    backward = export_network(random_network(replace(SMALL, direction="backward"), seed=2), "backward")
    joined = replace(join_models([forward, backward]), search={"backward_weight": weight, "max_length": 12})
    return Model.of_file(joined, "pair")


def test_a_backward_partner_changes_the_ranking_and_only_that() -> None:
    alone = Model.of_file(
        replace(export_network(random_network(seed=1), "forward"), search={"max_length": 12}), "alone"
    )
    [first] = Reader(alone).read([INK])
    [same] = Reader(pair(0.0)).read([INK])
    [other] = Reader(pair(50.0)).read([INK])
    assert same.hypotheses[0].tokens == first.hypotheses[0].tokens
    assert other.hypotheses[0].tokens != first.hypotheses[0].tokens
    assert other.features.rows.shape == first.features.rows.shape


def test_every_answer_has_the_scores_of_both() -> None:
    model = pair(0.7)
    [reading] = Reader(model, replace(model.search, top=4, prune=None)).read([INK])
    given = model.inputs([INK])[0]
    backward = model.backward_stepper()
    assert backward is not None
    free = SearchOptions(beam=60, top=60, max_length=12, grammar=False)
    [turned] = beam_search(backward, [given.backward], free)
    known = {answer.tokens[::-1]: answer.log_prob for answer in turned}
    checked = [each for each in reading.hypotheses if each.tokens in known]
    assert checked
    for each in checked:
        assert each.score == pytest.approx(each.log_prob + 0.7 * known[each.tokens], abs=1e-3)


def test_a_network_with_two_decoders_is_exported_as_both_directions(tmp_path: Path) -> None:
    network = random_network(replace(SMALL, direction="both"), seed=3)
    write_model(tmp_path / "twin.inktex", export_network(network, "twin"))
    assert [member.config["direction"] for member in read_model(tmp_path / "twin.inktex").members] == [
        "forward",
        "backward",
    ]
    model = open_model(tmp_path / "twin.inktex")
    assert model.backward_stepper() is not None
    forward, backward = one_way(network)
    features = torch.from_numpy(np.ascontiguousarray(model.inputs([INK])[0].arrays))[None]
    lengths, tokens = torch.tensor([features.shape[1]]), torch.tensor([[0, 3, 4]])
    with torch.no_grad():
        both, _ = network(features, lengths, tokens, tokens)
        for whole, one in zip(both, (forward, backward), strict=True):
            [alone], _ = one(features, lengths, tokens)
            torch.testing.assert_close(alone[0], whole[0])


def test_both_decoders_of_a_network_share_its_encoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = random_network(replace(SMALL, direction="both"), seed=3)
    path = tmp_path / "twin.inktex"
    write_model(path, export_network(network, "twin", precision=Precision.full))
    with zipfile.ZipFile(path) as archive:
        assert [name for name in archive.namelist() if "encoder" in name] == ["twin/encoder.onnx"]
        assert json.loads(archive.read("manifest.json"))["format"] == "inktex.model/3"
    runs: list[int] = []
    encode = OnnxEncoder._encode
    monkeypatch.setattr(
        OnnxEncoder, "_encode", lambda self, inks: runs.append(len(inks)) or encode(self, inks)
    )
    model = open_model(path)
    assert model.backward_stepper() is not model.stepper()  # loaded, which tries them once
    runs.clear()
    [reading] = Reader(model).read([INK])
    assert runs == [1]  # one pass for both directions
    save_network(network, tmp_path / "best.safetensors")
    [same] = Reader(open_model(tmp_path / "best.safetensors")).read([INK])
    assert same.hypotheses[0].tokens == reading.hypotheses[0].tokens
    assert same.hypotheses[0].score == pytest.approx(reading.hypotheses[0].score, abs=1e-3)
    Reader(model).read([INK.replace(points=INK.points * 2 + 1)])
    assert runs == [1, 1]


def test_networks_with_two_decoders_are_joined_with_their_own_encoders(tmp_path: Path) -> None:
    one, other = (
        export_network(random_network(replace(SMALL, direction="both"), seed), "twin") for seed in (3, 4)
    )
    write_model(tmp_path / "two.inktex", join_models([one, other]))
    read = read_model(tmp_path / "two.inktex")
    names = [(member.name, member.encoder_of) for member in read.members]
    assert names == [
        ("twin-1", ""),
        ("twin-backward-2", "twin-1"),
        ("twin-3", ""),
        ("twin-backward-4", "twin-3"),
    ]
    assert [member.encoder for member in read.members] == [one.members[0].encoder] * 2 + [
        other.members[0].encoder
    ] * 2
    assert Reader(Model.of_file(read, "two")).read([INK])


def test_a_network_that_writes_backwards_needs_a_partner(tmp_path: Path) -> None:
    backward = export_network(random_network(replace(SMALL, direction="backward"), seed=2), "backward")
    write_model(tmp_path / "backward.inktex", backward)
    write_model(tmp_path / "forward.inktex", export_network(random_network(seed=1), "forward"))
    with pytest.raises(ModelError, match="needs a partner"):
        open_model(tmp_path / "backward.inktex")
    both = open_model(tmp_path / "backward.inktex", tmp_path / "forward.inktex")
    assert both.backward_stepper() is not None
    assert Reader(both).read([INK])
