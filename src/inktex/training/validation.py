"""Validation while training: greedy decoding of a data set, WER and ExpRate."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from rapidfuzz.distance import Levenshtein

from inktex.corpus import Example
from inktex.decoding import SearchOptions, greedy
from inktex.features import FeatureOptions, extract_many
from inktex.model import Network
from inktex.training.stepper import TorchStepper
from inktex.training.workers import Workers


@dataclass(frozen=True)
class Validation:
    """Rates over a validation set, in percent."""

    wer: float
    exprate: float


class ValidationSet:
    """Features are made once; expressions of one length are decoded together."""

    def __init__(self, examples: Sequence[Example], features: FeatureOptions, batch: int = 48) -> None:
        made = extract_many([example.ink for example in examples], features)
        order = sorted(range(len(examples)), key=lambda i: len(made[i].rows))
        self._items = [(made[i].rows, examples[i].tokens) for i in order]
        self._batch = batch

    def score(self, network: Network, workers: Workers) -> Validation:
        """Decode this worker's share and put the counts of all together."""
        stepper = TorchStepper(network)
        options = SearchOptions(beam=1)
        counts = torch.zeros(4, dtype=torch.float64)
        for at in range(workers.rank * self._batch, len(self._items), workers.count * self._batch):
            items = self._items[at : at + self._batch]
            for answer, (_, truth) in zip(
                greedy(stepper, [rows for rows, _ in items], options), items, strict=True
            ):
                tokens = stepper.vocabulary.decode(answer.tokens)
                edits = Levenshtein.distance(tokens, truth)
                counts += torch.tensor([edits, len(truth), edits == 0, 1.0], dtype=torch.float64)
        edits, tokens, right, expressions = workers.total(counts).tolist()
        return Validation(100.0 * edits / max(tokens, 1), 100.0 * right / max(expressions, 1))
