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
_KINDS: dict[str, type[Any]] = {"model": ModelConfig, "training": TrainOptions}
_INNER: dict[str, type[Any]] = {"features": FeatureOptions, "augment": AugmentOptions, "mix": WideMix}


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
    return Recipe(*(_made(kind, tables[name], name) for name, kind in _KINDS.items()))


def _read(name: str) -> Tables:
    if name not in recipe_names():
        raise ValueError(f"no recipe {name!r}; there are {', '.join(recipe_names())}")
    content = tomllib.loads(resources.files("inktex.recipes").joinpath(f"{name}.toml").read_text("utf-8"))
    tables = _read(content["base"]) if "base" in content else {table: {} for table in _KINDS}
    for table, values in tables.items():
        values.update(content.get(table, {}))
    return tables


def _parse(setting: str) -> tuple[str, str, Any]:
    """`training.parts=1.0` as table, key and value; a value that is not TOML is a string."""
    path, equals, text = setting.partition("=")
    table, _, key = path.strip().partition(".")
    if not equals or table not in _KINDS or not key:
        raise ValueError(f"--set {setting}: write model.NAME=VALUE or training.NAME=VALUE")
    try:
        return table, key, tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return table, key, text.strip()


def _made(kind: type[Any], values: Mapping[str, Any], table: str) -> Any:
    """A dataclass of checked values; TOML's lists become tuples, and inner tables dataclasses."""
    defaults = {field.name: field.default for field in fields(kind)}
    known = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    for name, value in values.items():
        if name not in defaults:
            raise ValueError(f"{table} has no {name!r}; there are {', '.join(sorted(defaults))}")
        default = defaults[name]
        expected = (int, float) if type(default) in (int, float) else type(default)
        simple = default not in (MISSING, None) and not isinstance(default, tuple)
        if simple and (
            isinstance(value, bool) != isinstance(default, bool) or not isinstance(value, expected)
        ):
            raise ValueError(f"{table}.{name}: a value like {default!r} is expected, not {value!r}")
        if name == "augment" and isinstance(value, bool):
            known[name] = AugmentOptions() if value else None
        elif name in _INNER:
            if not isinstance(value, Mapping):
                raise ValueError(f"{table}.{name}: a table like {{a = 1, b = 2}} is expected, not {value!r}")
            known[name] = _made(_INNER[name], value, f"{table}.{name}")
    return kind(**known)
