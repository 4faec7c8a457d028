"""Validation while training: greedy decoding of a data set (WER, ExpRate) and its teacher-forced loss."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from rapidfuzz.distance import Levenshtein
from torch import Tensor

from inktex.corpus import Example
from inktex.corpus.recombine import Piece
from inktex.decoding import SearchOptions, greedy
from inktex.features import extract_many
from inktex.model import Network
from inktex.reading.torch_stepper import TorchStepper
from inktex.training.data import TrainingData
from inktex.training.losses import Counts, losses
from inktex.training.workers import Workers

_BATCH = 48  # expressions decoded together


@dataclass(frozen=True)
class Validation:
    """Rates over a validation set in percent, and the teacher-forced loss per token."""

    wer: float
    exprate: float
    loss: float


class ValidationSet:
    """Examples to validate on: features are made once, and similar lengths are decoded together."""

    def __init__(self, examples: Sequence[Example], data: TrainingData, *, grammar: bool = True) -> None:
        self._data = data
        # The grammar reads forwards; a decoder that writes backwards is validated without it.
        self._options = SearchOptions(beam=1, grammar=grammar)
        made = extract_many([example.ink for example in examples], data.features)
        order = sorted(range(len(examples)), key=lambda i: len(made[i].rows))
        self._items = [(examples[i], made[i].rows) for i in order]

    def score(self, network: Network, workers: Workers) -> Validation:
        """Decode this worker's share and put the counts of all together."""
        counts = torch.zeros(6, dtype=torch.float64)
        backward = network.config.direction == "backward"
        stepper = TorchStepper(network)
        options = replace(self._options, grammar=False) if backward else self._options
        for at in range(workers.rank * _BATCH, len(self._items), workers.count * _BATCH):
            items = self._items[at : at + _BATCH]
            answers = greedy(stepper, [rows for _, rows in items], options)
            for answer, (example, _) in zip(answers, items, strict=True):
                tokens = stepper.vocabulary.decode(answer.tokens)
                edits = Levenshtein.distance(tokens[::-1] if backward else tokens, example.tokens)
                counts[:4] += torch.tensor([edits, len(example.tokens), edits == 0, 1.0], dtype=torch.float64)
            counts[4:] += self._teacher_forced(network, [example for example, _ in items])
        edits, tokens, right, expressions, loss, predicted = workers.total(counts).tolist()
        return Validation(
            100.0 * edits / max(tokens, 1), 100.0 * right / max(expressions, 1), loss / max(predicted, 1)
        )

    @torch.inference_mode()
    def _teacher_forced(self, network: Network, examples: Sequence[Example]) -> Tensor:
        """Summed loss and count of tokens, over expressions whose tokens the network knows."""
        known = [Piece.of(e) for e in examples if not self._data.vocabulary.unknown(e.tokens)]
        if not known:
            return torch.zeros(2, dtype=torch.float64)
        batch = self._data.plain_batch(known)
        result = losses(network, network.config.direction, batch, 0.0)
        counts = Counts.of(batch, len(network.decoders))
        return torch.tensor([float(result.token), counts.tokens], dtype=torch.float64)
