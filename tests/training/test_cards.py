"""What a model's card says it learned from."""

from pathlib import Path

import pytest

from inktex.model import Network, save_network
from inktex.training import recipe
from inktex.training.export import export_run
from inktex.training.run import RunFolder
from small_networks import SMALL


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("paper-p1", "handwritten expressions), as they are; validated"),
        ("p2", "augmented ink, parts, recombined expressions"),
        ("twin", "symbols redrawn by others of it"),
        ("free", "no CROHME ink"),
    ],
)
def test_a_card_says_what_the_network_learned_from(tmp_path: Path, name: str, said: str) -> None:
    run = RunFolder(tmp_path)
    run.create(SMALL, recipe(name).training, {})
    save_network(Network(SMALL), run.best_file)
    card = export_run(tmp_path, "small").card
    assert said in card["data"]
    assert ("commercial use allowed" in card["licence"]) == (name == "free")
