"""Named recipes: a network and how it is trained, together. `inktex train --recipe NAME` is the whole
command.

`p1` and `p2` differ in coverage and in nothing else; so do `paper-p1` and `paper-p2`.
"""

from dataclasses import dataclass, replace

from inktex.model import ModelConfig, model_presets
from inktex.training.options import TrainOptions, paper_recipe


@dataclass(frozen=True)
class Recipe:
    """What to build and how to train it."""

    model: ModelConfig
    training: TrainOptions


def recipes() -> dict[str, Recipe]:
    """All recipes by name."""
    models = model_presets()
    modern, paper = TrainOptions(), replace(paper_recipe(), weight_noise=0.01)
    return {
        "p1": Recipe(models["p1"], modern),
        "p2": Recipe(models["p2"], modern),
        "paper-p1": Recipe(models["paper-p1"], paper),
        "paper-p2": Recipe(models["paper-p2"], paper),
    }


def recipe(name: str) -> Recipe:
    """One recipe; an unknown name is an error that lists the known ones."""
    known = recipes()
    if name not in known:
        raise ValueError(f"no recipe {name!r}; there are {', '.join(known)}")
    return known[name]
