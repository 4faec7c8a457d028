"""How a recogniser is asked: `RecognizeOptions`, and the same fields as keywords of its methods."""

import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypedDict

TIMEOUT = 10.0  # seconds for one expression, by default


@dataclass(frozen=True)
class RecognizeOptions:
    """What may be written, how many readings are wanted, and how long they may take."""

    symbols: Collection[str] | None = None  # only these: LaTeX words and names of groups, "all -greek"
    top: int = 5  # readings, the best one included
    timeout: float | None = TIMEOUT  # seconds per ink, after which the best reading so far is the answer
    attention: bool = False  # whether the answer says where the network looked
    lines: bool = True  # one expression per line; False: all strokes are one expression

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ValueError("top: must be at least 1")


def time_left(timeout: float | None, begin: float) -> float | None:
    """What is left of a time limit, where there is one, by the clock of `time.perf_counter`."""
    return None if timeout is None else max(0.0, timeout - (time.perf_counter() - begin))


class OptionKeywords(TypedDict, total=False):
    """The fields of `RecognizeOptions` where they are given as keywords."""

    symbols: Collection[str] | None
    top: int
    timeout: float | None
    attention: bool
    lines: bool
