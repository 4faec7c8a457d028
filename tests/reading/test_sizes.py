"""The number of parameters of a model file is that of the network it was exported from."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.reading import parameter_count, read_model, write_model
from inktex.training.export import export_network
from small_networks import SMALL, VARIANTS, random_network


@pytest.mark.parametrize(
    "config", [*VARIANTS.values(), replace(SMALL, direction="both")], ids=[*VARIANTS, "both directions"]
)
def test_the_count_is_that_of_the_network(config):
    network = random_network(replace(config, symbol_head=False))
    assert parameter_count(export_network(network, "small")) == network.parameter_count


def test_the_command_shows_the_count_of_the_file_whatever_its_card_says(tmp_path):
    network = random_network(replace(SMALL, symbol_head=True))
    path = tmp_path / "small.inktex"
    write_model(path, export_network(network, "small", card={"parameters": network.parameter_count}))
    shown = json.loads(CliRunner().invoke(build_app(), ["models", str(path)]).stdout)
    assert shown["parameters"] == parameter_count(read_model(path)) < network.parameter_count
