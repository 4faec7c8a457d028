"""Training goes on from a model file: the network read back computes what was exported."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from small_runs import small_model, small_recipe, written

from inktex.model import Network, load_network
from inktex.reading import join_models, write_model
from inktex.training import Launch, begin
from inktex.training.export import export_network
from inktex.training.onnx_graph import Precision
from inktex.training.onnx_weights import read_network
from small_networks import SMALL, VARIANTS, random_features, random_network


def scores(network: Network) -> list[np.ndarray]:
    """Scores of every decoder for some ink and tokens."""
    features = torch.from_numpy(np.stack(random_features(np.random.default_rng(3), 24, 24)))
    tokens = torch.tensor([[0, 3, 1, 4], [0, 10, 8, 14]])
    with torch.no_grad():
        decoded, _ = network(features, torch.tensor([24, 24]), *[tokens] * len(network.decoders))
    return [torch.log_softmax(each, -1).numpy() for each, _ in decoded]


@pytest.mark.parametrize(
    "config",
    [*VARIANTS.values(), replace(SMALL, direction="both"), replace(SMALL, embedding=40, coverage_filters=9)],
    ids=[*VARIANTS, "both directions", "more room than is used"],
)
def test_a_model_file_gives_back_a_network_that_computes_the_same(tmp_path, config):
    network = random_network(config)
    write_model(tmp_path / "small.inktex", export_network(network, "small", precision=Precision.full))
    again = read_network(tmp_path / "small.inktex")
    assert again.config == config
    for given, expected in zip(scores(again), scores(network), strict=True):
        np.testing.assert_allclose(given, expected, atol=2e-4)


@pytest.mark.parametrize("embedding", [8, 40], ids=["fewer than tokens", "more than tokens"])
def test_weights_read_back_are_of_ordinary_size(tmp_path, embedding):
    """Weights of a million that cancel out compute the same, but no step and no noise leaves them intact."""
    network = random_network(replace(SMALL, embedding=embedding))
    write_model(tmp_path / "small.inktex", export_network(network, "small", precision=Precision.half))
    largest = {name: float(value.abs().max()) for name, value in network.state_dict().items()}
    for name, value in read_network(tmp_path / "small.inktex").state_dict().items():
        assert float(value.abs().max()) < 4 * max(largest.values()), name


def test_half_precision_is_read_back_nearly_the_same(tmp_path):
    network = random_network()
    write_model(tmp_path / "small.inktex", export_network(network, "small", precision=Precision.half))
    again = read_network(tmp_path / "small.inktex")
    np.testing.assert_allclose(scores(again)[0], scores(network)[0], atol=1e-2)


def test_a_run_begins_from_a_model_and_says_so(tmp_path):
    examples = written(8)
    recipe = small_recipe(epochs=1, learning_rate=0.0, average=0.0)
    network = random_network(small_model(examples))
    write_model(tmp_path / "small.inktex", export_network(network, "small", precision=Precision.full))
    launch = Launch(tmp_path / "run", device="cpu", initial=str(tmp_path / "small.inktex"))
    begin(recipe, launch, (examples, examples[:2]))
    trained = load_network(tmp_path / "run" / "last.safetensors")
    np.testing.assert_allclose(scores(trained)[0], scores(network)[0], atol=2e-4)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["command"]["initial"] == launch.initial


def test_a_network_without_coverage_begins_from_one_that_has_it(tmp_path):
    examples = written(8)
    config = small_model(examples)
    given = random_network(config)
    assert config.coverage_window
    write_model(tmp_path / "small.inktex", export_network(given, "small", precision=Precision.full))
    launch = Launch(tmp_path / "run", device="cpu", initial=str(tmp_path / "small.inktex"))
    recipe = small_recipe(epochs=1, learning_rate=0.0, average=0.0)
    without = replace(recipe.model, coverage_window=0, coverage_filters=0)
    begin(replace(recipe, model=without), launch, (examples, examples[:2]))
    trained = load_network(tmp_path / "run" / "last.safetensors").state_dict()
    assert "decoder.q" not in trained
    np.testing.assert_allclose(
        trained["encoder.layers.0.candidate"], given.state_dict()["encoder.layers.0.candidate"], atol=2e-4
    )


@pytest.mark.parametrize("direction", ["forward", "both"])
def test_attention_that_learns_to_see_the_last_token_begins_as_it_was(tmp_path, direction):
    examples = written(8)
    recipe = small_recipe(epochs=1, learning_rate=0.0, average=0.0)
    recipe = replace(recipe, model=replace(recipe.model, direction=direction))
    blind = replace(small_model(examples), query_token=False, direction=direction)
    network = random_network(blind)
    write_model(tmp_path / "small.inktex", export_network(network, "small", precision=Precision.full))
    launch = Launch(tmp_path / "run", device="cpu", initial=str(tmp_path / "small.inktex"))
    begin(recipe, launch, (examples, examples[:2]))
    trained = load_network(tmp_path / "run" / "last.safetensors")
    assert trained.config.query_token
    for found, expected in zip(scores(trained), scores(network), strict=True):
        np.testing.assert_allclose(found, expected, atol=2e-4)


def test_a_model_of_another_shape_is_refused(tmp_path):
    examples = written(8)
    config = replace(small_model(examples), decoder_units=40)
    write_model(tmp_path / "small.inktex", export_network(random_network(config), "small"))
    launch = Launch(tmp_path / "run", device="cpu", initial=str(tmp_path / "small.inktex"))
    with pytest.raises(ValueError, match="another shape"):
        begin(small_recipe(), launch, (examples, examples[:2]))


def test_an_ensemble_is_refused(tmp_path):
    members = [export_network(random_network(seed=seed), f"small-{seed}") for seed in (1, 2)]
    write_model(tmp_path / "two.inktex", join_models(members))
    with pytest.raises(ValueError, match="ensemble"):
        read_network(tmp_path / "two.inktex")
