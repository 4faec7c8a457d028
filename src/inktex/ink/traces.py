"""Parses the text of one InkML `<trace>` into an array of one row per point and one column per channel.

Nearly all traces are plain numbers, points separated by commas, and that path is fast. The rest of the
standard (InkML 1.0, section 3.2.1) is read value by value: explicit values (!), first (') and second (")
differences, each in force for its channel until the next mark; hexadecimal and boolean values; `*` (as
before) and `?` (not reported); numbers that follow each other without a blank (`3-5` are two).
"""

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.errors import InkError, shown
from inktex.ink.limits import MAX_POINTS

MAX_MARKED_VALUES = 2_000_000  # of one trace that has to be read value by value
MAX_POINT_CHARS = 4096  # of one point: a trace without commas is no list of points

_PLAIN = re.compile(r"[0-9eE+\-.,\s]*")
_VALUE = re.compile(
    r"""\s*(?:(?P<order>[!'"])?\s*(?P<sign>[-+]?)\s*
        (?:\#(?P<hex>[0-9A-Fa-f]+)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))
        |(?P<word>[TF*?]))""",
    re.VERBOSE | re.ASCII,
)
_ORDERS = {"!": 0, "'": 1, '"': 2}


def parse_trace(text: str, regular: int) -> Floats:
    """Return the points of a trace, shape (n, width); `?` becomes NaN. An empty trace has no rows.

    Points may differ in length only past the `regular` channels (intermittent channels may be absent from any
    point); what not all of them have is cut off.
    """
    if text.count(",") > MAX_POINTS:
        raise InkError(f"more than the limit of {MAX_POINTS} points")
    points = text.split(",")
    if not points[-1].strip():  # one comma may follow the last point
        points.pop()
    if not points:
        return np.empty((0, regular))
    if max(map(len, points)) > MAX_POINT_CHARS:
        raise InkError("a single point of thousands of characters; points are separated by commas")
    if _PLAIN.fullmatch(text):
        try:
            return _plain(points, regular)
        except ValueError as error:
            if isinstance(error, InkError):
                raise  # otherwise numbers without blanks between them, which the slow way takes apart
    return _standard(points, regular)


def _plain(points: Sequence[str], regular: int) -> Floats:
    # Split twice instead of keeping all the words: these take twenty times the memory of the numbers.
    width = _common_width([len(point.split()) for point in points], regular)
    words = chain.from_iterable(point.split()[:width] for point in points)
    return np.fromiter(map(float, words), np.float64, len(points) * width).reshape(-1, width)


def _common_width(widths: Sequence[int], regular: int) -> int:
    """The number of values that all points have. Fewer than the channels promise is an error."""
    least = min(widths)
    place = f"point {widths.index(least) + 1}"
    if least < 2:
        values = "no value" if least == 0 else "one value"
        raise InkError(f"{values}, but a point needs x and y", place=place)
    if least < max(widths) and least < regular:
        raise InkError(f"{least} values where other points have {max(widths)}", place=place)
    return least


def _standard(points: Sequence[str], regular: int) -> Floats:
    parsed: list[list[tuple[str | None, float | None]]] = []
    value_count = 0
    for number, point in enumerate(points):
        parsed.append(_values(point, number))
        value_count += len(parsed[-1])
        if value_count > MAX_MARKED_VALUES:
            raise InkError(f"more than the limit of {MAX_MARKED_VALUES} values in a trace with differences")
    width = _common_width(list(map(len, parsed)), regular)
    array = np.empty((len(points), width))
    for channel in range(width):
        array[:, channel] = _integrate([row[channel] for row in parsed], channel)
    return array


def _values(point: str, number: int) -> list[tuple[str | None, float | None]]:
    """Split one point into (difference mark, number); the number is None for `*` and NaN for `?`."""
    values: list[tuple[str | None, float | None]] = []
    point = point.rstrip()
    position = 0
    while position < len(point):
        match = _VALUE.match(point, position)
        if match is None:
            raise InkError(
                f"{shown(point[position:].strip(), 12)} is not a number", place=f"point {number + 1}"
            )
        position = match.end()
        word = match["word"]
        if word is not None:
            values.append((None, {"T": 1.0, "F": 0.0, "*": None, "?": np.nan}[word]))
            continue
        try:
            value = float(int(match["hex"], 16)) if match["hex"] else float(match["number"])
        except OverflowError:
            value = np.inf
        values.append((match["order"], -value if match["sign"] == "-" else value))
    return values


def _integrate(column: Sequence[tuple[str | None, float | None]], channel: int) -> list[float]:
    """Turn the explicit values and differences of one channel into its values."""
    order, given, speed = 0, None, 0.0
    value = np.nan
    result: list[float] = []
    for number, (mark, written) in enumerate(column):
        if mark is not None:
            order = _ORDERS[mark]
        if written is not None and np.isnan(written):
            result.append(written)
            continue
        given = given if written is None else written
        if given is None or (order and np.isnan(value)):
            what = "'*'" if given is None else "a difference"
            raise InkError(f"{what} in channel {channel + 1} before any value", place=f"point {number + 1}")
        if order == 0:
            speed = 0.0 if np.isnan(value) else given - value
            value = given
        else:
            speed = given if order == 1 else speed + given
            value += speed
        result.append(value)
    return result
