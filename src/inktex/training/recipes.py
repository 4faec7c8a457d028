"""Recipes: a network and how it is trained, as small TOML files in `inktex/recipes/`.

`inktex train --recipe NAME` is the whole command; `--set training.parts=1.0` changes one value of it. A file
may name a `base`, whose values it changes. `p1` and `p2` differ in coverage and in nothing else; so do
`paper-p1` and `paper-p2`.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from inktex.checked import checked
from inktex.model import ModelConfig
from inktex.training.options import TrainOptions

_TABLES = ("model", "training")


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
    training = tables["training"]
    if isinstance(training.get("augment"), bool):
        training["augment"] = {} if training["augment"] else None
    return Recipe(checked(ModelConfig, tables["model"], "model"), checked(TrainOptions, training, "training"))


def _read(name: str) -> dict[str, dict[str, Any]]:
    if name not in recipe_names():
        raise ValueError(f"no recipe {name!r}; there are {', '.join(recipe_names())}")
    content = tomllib.loads(resources.files("inktex.recipes").joinpath(f"{name}.toml").read_text("utf-8"))
    tables = _read(content["base"]) if "base" in content else {table: {} for table in _TABLES}
    for table, values in tables.items():
        values.update(content.get(table, {}))
    return tables


def _parse(setting: str) -> tuple[str, str, Any]:
    """`training.parts=1.0` as table, key and value; a value that is not TOML is a string."""
    path, equals, text = setting.partition("=")
    table, _, key = path.strip().partition(".")
    if not equals or table not in _TABLES or not key:
        raise ValueError(f"--set {setting}: write model.NAME=VALUE or training.NAME=VALUE")
    try:
        return table, key, tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return table, key, text.strip()
