"""Recipes: a network and how it is trained, as small TOML files in `inktex/recipes/`.

`inktex train --recipe NAME` is the whole command; `--set training.parts=1.0` changes one value of it. A file
may name a `base`, whose values it changes. `p1` and `p2` differ in coverage and in nothing else; so do
`paper-p1` and `paper-p2`.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from importlib import resources
from typing import Any

from inktex.augment import AugmentOptions
from inktex.corpus.wide import WideMix
from inktex.features import FeatureOptions
from inktex.model import ModelConfig
from inktex.training.options import TrainOptions

Tables = dict[str, dict[str, Any]]  # "model" and "training"


@dataclass(frozen=True)
class Recipe:
    """What to build and how to train it."""

    model: ModelConfig
    training: TrainOptions


def recipe_names() -> list[str]:
    """All recipes by name."""
    files = resources.files("inktex.recipes").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def recipe(name: str, settings: Sequence[str] = ()) -> Recipe:
    """One recipe, with `settings` such as `training.parts=1.0` changed."""
    tables = _read(name)
    for setting in settings:
        table, key, value = _parse(setting)
        tables[table][key] = value
    return Recipe(_model(tables["model"]), _training(tables["training"]))


def _read(name: str) -> Tables:
    if name not in recipe_names():
        raise ValueError(f"no recipe {name!r}; there are {', '.join(recipe_names())}")
    content = tomllib.loads(resources.files("inktex.recipes").joinpath(f"{name}.toml").read_text("utf-8"))
    tables = _read(content["base"]) if "base" in content else {"model": {}, "training": {}}
    for table, values in tables.items():
        values.update(content.get(table, {}))
    return tables


def _parse(setting: str) -> tuple[str, str, Any]:
    """`training.parts=1.0` as table, key and value; a value that is not TOML is a string."""
    path, equals, text = setting.partition("=")
    table, _, key = path.strip().partition(".")
    if not equals or table not in ("model", "training") or not key:
        raise ValueError(f"--set {setting}: write model.NAME=VALUE or training.NAME=VALUE")
    try:
        return table, key, tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return table, key, text.strip()


def _known(kind: type[Any], values: Mapping[str, Any], table: str) -> dict[str, Any]:
    """Values for the fields of a dataclass, checked; TOML's lists become tuples."""
    names = {field.name: field for field in fields(kind)}
    for name, value in values.items():
        if name not in names:
            raise ValueError(f"{table} has no {name!r}; there are {', '.join(sorted(names))}")
        default = names[name].default
        expected = (int, float) if type(default) in (int, float) else type(default)
        simple = default not in (MISSING, None) and not isinstance(default, tuple)
        if simple and (
            isinstance(value, bool) != isinstance(default, bool) or not isinstance(value, expected)
        ):
            raise ValueError(f"{table}.{name}: a value like {default!r} is expected, not {value!r}")
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _model(values: Mapping[str, Any]) -> ModelConfig:
    known = _known(ModelConfig, values, "model")
    if "features" in known:
        known["features"] = FeatureOptions(**_known(FeatureOptions, known["features"], "model.features"))
    return ModelConfig(**known)


def _training(values: Mapping[str, Any]) -> TrainOptions:
    known = _known(TrainOptions, values, "training")
    if "augment" in known:
        chosen = known["augment"]
        if chosen is True or chosen is False:
            known["augment"] = AugmentOptions() if chosen else None
        else:
            known["augment"] = AugmentOptions(**_known(AugmentOptions, chosen, "training.augment"))
    if "mix" in known:
        known["mix"] = WideMix(**_known(WideMix, known["mix"], "training.mix"))
    return TrainOptions(**known)
