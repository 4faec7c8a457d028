"""Recipes are files: what they say is what is trained, and a mistake in a setting is named."""

import json
from dataclasses import asdict, replace

import pytest
from torch import nn

from inktex.checked import checked
from inktex.corpus.wide import WideMix
from inktex.training import TrainOptions, recipe, recipe_names
from inktex.training.optimizing import make_optimizer


def test_p1_is_p2_without_coverage() -> None:
    for prefix in ("", "paper-"):
        with_coverage, without = recipe(f"{prefix}p2"), recipe(f"{prefix}p1")
        changes = {"coverage_window": 0, "coverage_filters": 0}
        assert without.model == replace(with_coverage.model, **changes)
        assert without.training == with_coverage.training
        assert with_coverage.model.query_token  # equation 15 has s_{t-1} alone; docs/paper.md says why


def test_the_backward_reader_is_p2_with_another_direction() -> None:
    assert recipe("backward").model == replace(recipe("p2").model, direction="backward")
    assert recipe("backward").training == recipe("p2").training


def test_the_papers_recipe_is_the_papers() -> None:
    options = recipe("paper-p2").training
    adadelta = make_optimizer(nn.Linear(2, 2), options).param_groups[0]
    assert type(make_optimizer(nn.Linear(2, 2), options)).__name__ == "Adadelta"
    # The paper has 1e-6 for epsilon, its authors' published code 1e-8.
    assert (adadelta["rho"], adadelta["eps"], adadelta["lr"]) == (
        0.95,
        1e-8,
        1.0,
    )
    assert (options.patience, options.weight_noise > 0, options.augment) == (15, True, None)
    nothing_of_ours = (options.guidance, options.symbol_weight, options.parts, options.swap_symbols)
    assert nothing_of_ours == (0, 0, 0, 0)
    assert (options.swap_groups, options.average, options.label_smoothing) == (0, 0, 0)
    assert not options.grammar


def test_settings_change_one_value() -> None:
    changed = recipe("p2", ["training.parts=1.0", "model.encoder_units=320", "model.direction=backward"])
    assert changed.training == replace(recipe("p2").training, parts=1.0)
    assert changed.model == replace(recipe("p2").model, encoder_units=320, direction="backward")
    assert recipe("p2", ["training.augment=false"]).training.augment is None
    wavy = recipe("p2", ["training.augment={wave=0.1}"]).training.augment
    assert wavy is not None
    assert wavy.wave == 0.1


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("training.partz=1", "training has no 'partz'; there are .*parts"),
        ("parts=1", "write model.NAME=VALUE or training.NAME=VALUE"),
        ("training.epochs", "write model.NAME=VALUE or training.NAME=VALUE"),
        ("training.epochs=many", "training.epochs: a value like 20 is expected, not 'many'"),
        ("model.query_token=1", "model.query_token: a value like True is expected"),
        ('training.mix={"real": 1}', "training.mix: a table like {a = 1, b = 2} is expected"),
    ],
)
def test_a_mistaken_setting_is_named(setting: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recipe("p2", [setting])


def test_an_unknown_recipe_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="paper-p1, paper-p2"):
        recipe("p7")
    assert {"p1", "p2", "backward", "twin", "paper-p1", "paper-p2"} <= set(recipe_names())


def test_a_recipe_may_set_the_mix_of_made_ink_and_the_run_remembers_it() -> None:
    options = recipe("wide-grids").training
    assert options.mix is not None
    assert options.mix.grids > WideMix().grids
    assert checked(TrainOptions, json.loads(json.dumps(asdict(options))), "training") == options
    with pytest.raises(ValueError, match=r"training.mix has no 'grid'"):
        recipe("wide", ["training.mix={grid=3}"])


def test_free_weights_see_no_corpus() -> None:
    options = recipe("free").training
    assert options.ink == "free"
    assert (options.parts, options.swap_groups, options.swap_symbols) == (0, 0, 0)
    assert replace(recipe("free").model, input_scale=recipe("p2").model.input_scale) == recipe("p2").model
