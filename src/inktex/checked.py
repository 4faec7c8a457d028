"""Options from TOML or JSON that somebody else wrote: dataclasses of checked values."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Made = TypeVar("Made")


def checked(cls: type[Made], values: Any, name: str) -> Made:
    """A dataclass with these values; lists become tuples, and inner tables dataclasses.

    ValueError names the value that does not fit; `name` is what all of them are called together.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"{name}: a table like {{a = 1, b = 2}} is expected, not {repr(values)[:60]}")
    kinds, made = get_type_hints(cls), {}
    defaults = {field.name: field.default for field in fields(cls)}  # type: ignore[arg-type]
    for key, value in values.items():
        if key not in kinds:
            raise ValueError(f"{name} has no {repr(key)[:60]}; there are {', '.join(sorted(kinds))}")
        try:
            made[key] = _fitting(value, kinds[key], f"{name}.{key}")
        except TypeError:
            usual = f"a value like {defaults[key]!r} is expected"
            raise ValueError(f"{name}.{key}: {usual}, not {repr(value)[:60]}") from None
    return cls(**made)


def _fitting(value: Any, kind: Any, name: str) -> Any:
    """The value as one of this type; TypeError if it is none."""
    inner = get_args(kind)
    if get_origin(kind) is UnionType:  # of one type and None
        return None if value is None else _fitting(value, inner[inner[0] is NoneType], name)
    if is_dataclass(kind):
        return checked(kind, value, name)  # type: ignore[arg-type]
    if get_origin(kind) is tuple and isinstance(value, list | tuple):
        return tuple(_fitting(each, inner[0], name) for each in value)
    if get_origin(kind) is Literal:
        fits = isinstance(value, str) and value in inner
    elif kind is float:
        fits = is_number(value)
    else:
        fits = type(value) is kind and (kind is not int or abs(value) < 2**31)
    if not fits:
        raise TypeError
    return value


def is_number(value: Any) -> bool:
    """Whether a value is a number that a float can hold."""
    return type(value) in (int, float) and abs(value) < 1e300 and math.isfinite(value)
