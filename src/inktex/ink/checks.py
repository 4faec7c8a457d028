"""Validates the arrays and texts of an `Ink`; values that do not fit raise an `InkError`."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from inktex.ink.errors import InkError
from inktex.ink.limits import MAX_STROKES

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# Control characters, halves of surrogate pairs and non-characters: XML forbids them even when escaped.
_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def frozen(value: object, name: str) -> Floats:
    """Return `value` as a read-only float array, without a copy where it already is one."""
    array = _floats(value, f"{name} must be numbers")
    if not np.isfinite(array).all():
        raise InkError(f"{name} must be finite numbers (found NaN or infinity)")
    if array.flags.writeable:
        array = array.copy() if array is value or array.base is not None else array
        array.flags.writeable = False
    return array


def _floats(value: object, reason: str, stroke: int | None = None) -> Floats:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InkError(reason, place=None if stroke is None else f"stroke {stroke}") from None


def frozen_offsets(value: object, point_count: int) -> Indices:
    try:
        offsets = np.asarray(value)
        if offsets.dtype != np.int64:
            offsets = offsets.astype(np.int64, casting="same_kind")
    except (TypeError, ValueError, OverflowError):
        raise InkError("offsets must be whole numbers") from None
    if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != point_count:
        raise InkError(f"offsets must run from 0 to the number of points ({point_count})")
    if len(offsets) - 1 > MAX_STROKES:
        raise InkError(f"{len(offsets) - 1} strokes, more than the limit of {MAX_STROKES}")
    if not (offsets[1:] > offsets[:-1]).all():
        raise InkError("every stroke must have at least one point")
    if offsets.flags.writeable:
        offsets = offsets.copy()
        offsets.flags.writeable = False
    return offsets


def frozen_channel(value: object, name: str, point_count: int) -> Floats | None:
    if value is None:
        return None
    array = frozen(value, name)
    if array.shape != (point_count,):
        raise InkError(
            f"{name} needs one number per point ({point_count}), not an array of shape {array.shape}"
        )
    return array


def clean_text(value: object, name: str) -> str | None:
    """Texts are kept without surrounding blanks and without characters that no file format can hold.

    An empty text is the same as none.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise InkError(f"{name} is a text, not {type(value).__name__}")
    if not value.isprintable():
        value = _NO_CHARACTERS.sub("", value)
    return value.strip() or None


def stroke_array(value: object, number: int) -> Floats:
    array = _floats(value, "points are pairs of numbers", number)
    if array.ndim != 2 or array.shape[1] != 2:
        reason = f"a stroke is a list of (x, y), not an array of shape {array.shape}"
        raise InkError(reason, place=f"stroke {number}")
    return array


def joined_channel(parts: Iterable[npt.ArrayLike] | None, name: str, lengths: Sequence[int]) -> Floats | None:
    if parts is None:
        return None
    arrays = [_floats(part, f"{name} must be numbers") for part in parts]
    if [array.shape for array in arrays] != [(length,) for length in lengths]:
        raise InkError(f"{name} needs one number per point of every stroke")
    return np.concatenate(arrays) if arrays else np.empty(0)
