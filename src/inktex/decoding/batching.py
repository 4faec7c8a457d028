"""Many expressions, encoded in batches of similar length: a batch is padded to its longest member."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .stepper import State, Stepper


class EncodedStepper:
    """A stepper whose expressions are encoded already, all at once; `start` takes their positions."""

    def __init__(self, stepper: Stepper, features: Sequence[Any]) -> None:
        """Encode the expressions that will be searched, one after the other or several together."""
        self._state = stepper.start(features)
        self.vocabulary = stepper.vocabulary
        self.step, self.select, self.lengths = stepper.step, stepper.select, stepper.lengths

    def start(self, features: Sequence[int]) -> State:
        """The states of some of the expressions, by their positions."""
        return self.select(self._state, np.asarray(features, np.int64))


def length_batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Positions grouped into batches of similar length, the longest first.

    The longest first, so that of several workers none is left alone with the longest batch at the end.
    """
    order = sorted(range(len(lengths)), key=lambda position: -lengths[position])
    return [order[start : start + size] for start in range(0, len(order), size)]
