"""A network answers the same whatever it is batched with, and comes back from its file as it was."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from inktex.model import ModelConfig, Network, load_network, save_network
from inktex.model.encoder import pool_pairs
from inktex.training import recipe

SMALL = replace(
    ModelConfig(), vocabulary=("<eol>", "a", "b"), encoder_units=16, embedding=8, decoder_units=8, attention=8
)


@pytest.mark.parametrize("name", ["p1", "p2", "paper-p1", "paper-p2"])
def test_padding_never_leaks(name: str) -> None:
    torch.manual_seed(0)
    config = replace(recipe(name).model, vocabulary=("<eol>", *"abcdef"))
    network = Network(config).eval()
    lengths = torch.tensor([23, 9, 14, 1])
    features = torch.randn(4, 23, 8)
    tokens = torch.randint(0, 7, (4, 6))
    with torch.no_grad():
        [together], _ = network(features, lengths, tokens)
        for row, length in enumerate(lengths.tolist()):
            [alone], _ = network(
                features[row : row + 1, :length], lengths[row : row + 1], tokens[row : row + 1]
            )
            torch.testing.assert_close(alone[0][0], together[0][row], atol=1e-5, rtol=0)
            count = alone[1].shape[-1]
            torch.testing.assert_close(alone[1][0], together[1][row][:, :count], atol=1e-5, rtol=0)
            assert torch.all(together[1][row][:, count:] == 0)


def test_paper_network_has_a_quarter_as_many_annotations_as_points() -> None:
    network = Network(replace(recipe("paper-p2").model, vocabulary=("<eol>", "a"))).eval()
    annotations, mask = network.encoder(torch.randn(2, 40, 8), torch.tensor([40, 37]))
    assert annotations.shape == (2, 10, 500)
    assert mask.sum(1).tolist() == [10, 10]


def test_pooling_takes_the_maximum_and_leaves_a_last_one_alone() -> None:
    values = torch.tensor([1.0, 5.0, -3.0, -4.0, -7.0])[:, None, None]
    pooled, lengths = pool_pairs(values, torch.tensor([5]))
    assert pooled.flatten().tolist() == [5.0, -3.0, -7.0]
    assert lengths.tolist() == [3]


def test_weights_and_config_come_back_from_the_file(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = Network(SMALL).eval()
    save_network(network, tmp_path / "net.safetensors")
    again = load_network(tmp_path / "net.safetensors")
    assert again.config == SMALL
    for name, value in network.state_dict().items():
        torch.testing.assert_close(again.state_dict()[name], value, atol=0, rtol=0)


def test_a_torn_weights_file_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save_network(Network(SMALL), path)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match="cannot be read as a model"):
        load_network(path)


def test_config_of_another_version_names_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="wheels"):
        ModelConfig.from_json({**SMALL.to_json(), "wheels": 4})
