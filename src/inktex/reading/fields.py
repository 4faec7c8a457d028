"""Makes dataclasses from JSON that somebody else wrote: each value must have the type of its field."""

import math
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Made = TypeVar("Made")


def from_json(cls: type[Made], values: Any) -> Made:
    """Make `cls` from a JSON object; `ValueError` names the field that does not fit."""
    if not isinstance(values, dict):
        raise ValueError(f"{cls.__name__} is an object, not {type(values).__name__}")
    kinds = get_type_hints(cls)
    for name, value in values.items():
        if name not in kinds:
            raise ValueError(f"{cls.__name__} has no {str(name)[:40]!r}")
        if not _fits(value, kinds[name]):
            raise ValueError(f"{name} cannot be {str(value)[:40]!r}")
    return cls(**values)


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(kind))
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if kind is float:
        return is_number(value)
    if kind is int:
        return type(value) is int and abs(value) < 2**31
    return kind in (bool, str, type(None)) and type(value) is kind


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number that a float can hold."""
    return type(value) in (int, float) and abs(value) < 1e300 and math.isfinite(value)
