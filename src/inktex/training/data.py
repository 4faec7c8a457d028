"""What a training step sees: epochs planned from the corpus, batches of padded arrays.

Everything is drawn from generators seeded by (seed, epoch, batch), so that the same seed gives the same run,
and a resumed run sees the same batches as an uninterrupted one. Expressions are sorted by token count, then
by points, so that a batch holds expressions of similar size and little padding.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from inktex.augment import augment
from inktex.corpus import Example
from inktex.corpus.recombine import Piece, Recombiner
from inktex.corpus.thinning import thinned_examples
from inktex.features import Ints, PointBatch, extract_batch
from inktex.ink import Ink
from inktex.latex import Vocabulary
from inktex.model import ModelConfig
from inktex.training.options import TrainOptions

IGNORED = -100
RUN = 8  # batches whose expressions are sorted by points among themselves: keeps padding low on both sides


@dataclass(frozen=True)
class Batch:
    """Padded arrays of some expressions; `target` and `symbols` are padded with IGNORED."""

    features: Tensor  # (B, N, 8)
    lengths: Tensor  # (B,)
    previous: Tensor  # (B, T) token before, 0 at first
    target: Tensor  # (B, T) token to predict, 0 (the end mark) at last
    guide: Tensor  # (B, T, L) True where the annotation shows ink of the token; all False: no guidance
    symbols: Tensor  # (B, L) token whose ink the annotation shows

    def backward(self) -> "Batch":
        """The same expressions written from the last token to the first; the end mark stays last."""
        counts = (self.target > 0).sum(1, keepdim=True)  # tokens of each expression, without the end mark
        place = torch.arange(self.target.shape[1], device=self.target.device)
        order = torch.where(place < counts, counts - 1 - place, place)  # (B, T)
        target = self.target.gather(1, order)
        previous = torch.zeros_like(target)
        previous[:, 1:] = target[:, :-1].clamp_min(0)
        guide = self.guide.gather(1, order[:, :, None].expand(self.guide.shape))
        return replace(self, target=target, previous=previous, guide=guide)


class MadeInk(Protocol):
    """A source of new expressions for every epoch."""

    def pieces(self, epoch: int) -> list[Piece]:
        """The expressions of an epoch."""
        ...


class TrainingData:
    """Examples, prepared once, and the epochs drawn from them."""

    def __init__(
        self,
        examples: Sequence[Example],
        model: ModelConfig,
        options: TrainOptions,
        made: MadeInk | None = None,
    ) -> None:
        """Prepare the examples; with `made`, epochs are drawn from it instead of from the examples."""
        self.vocabulary, self.features = Vocabulary(model.vocabulary), model.features
        self.stride, self.options = model.stride, options
        # Augmentation has less to move without the points that change nothing.
        polyline = model.features.method == "polyline"
        self._tolerance = 0.2 * model.features.tolerance if polyline else 0.002
        self.examples = thinned_examples(examples, self._tolerance)
        for example in self.examples if made is None else ():
            self.vocabulary.encode(example.tokens)  # fails now on an unknown token, not in mid-run
        recombined = options.swap_symbols or options.swap_groups or options.parts
        self.recombiner = Recombiner(self.examples) if recombined else None
        self.made = made

    def longest(self, epoch: int) -> int | None:
        """Most tokens of an expression in this epoch (short ones first), None for all."""
        return self.options.curriculum[epoch] if epoch < len(self.options.curriculum) else None

    def plan(self, epoch: int) -> list[list[Piece]]:
        """The batches of an epoch, in order, as pieces that are not yet augmented."""
        options, random = self.options, np.random.default_rng((self.options.seed, epoch))
        limit = self.longest(epoch)
        pieces = list(map(Piece.of, self.examples)) if self.made is None else self.made.pieces(epoch)
        planned: list[Piece] = []
        for piece in pieces:
            if self.recombiner is not None:
                if options.parts and random.random() < options.parts:
                    part = self.recombiner.part(piece, random, options.shortest_part)
                    if part is not None and (limit is None or len(part.tokens) <= limit):
                        planned.append(part)
                if random.random() < options.swap_groups:
                    piece = self.recombiner.swap_group(piece, random)
                if options.swap_symbols and random.random() < 0.5:
                    piece = self.recombiner.swap_symbols(piece, options.swap_symbols, random)
            if limit is None or len(piece.tokens) <= limit:
                planned.append(piece)
        return self._batches(planned, random)

    def _batches(self, pieces: Sequence[Piece], random: np.random.Generator) -> list[list[Piece]]:
        """Batches of one size: by tokens into runs of several batches, within a run by points."""
        size = self.options.batch
        tokens = np.array([len(piece.tokens) for piece in pieces])
        rows = self._row_counts(pieces)
        order = np.lexsort((random.random(len(pieces)), tokens))
        batches: list[list[Piece]] = []
        for at in range(0, len(order), RUN * size):
            run = order[at : at + RUN * size]
            run = run[np.argsort(rows[run], kind="stable")]
            batches += [[pieces[i] for i in run[k : k + size]] for k in range(0, len(run), size)]
        return [batches[i] for i in random.permutation(len(batches))]

    def _row_counts(self, pieces: Sequence[Piece]) -> Ints:
        """Feature rows of every piece, before augmentation."""
        chunks = (pieces[at : at + 256] for at in range(0, len(pieces), 256))
        made = (feature for chunk in chunks for feature in extract_batch(_points(chunk), self.features))
        return np.array([len(feature.rows) for feature in made], dtype=np.int64)

    def plain_batch(self, pieces: Sequence[Piece]) -> Batch:
        """Extract features and pad; the ink as it is."""
        return self._padded(pieces, _points(pieces))

    def batch(self, pieces: Sequence[Piece], epoch: int, number: int) -> Batch:
        """Augment, extract features and pad."""
        points = _points(pieces)
        if self.options.augment is not None:
            random = np.random.default_rng((self.options.seed, epoch, number))
            points = augment(points, self.options.augment, random)
        return self._padded(pieces, points)

    def _padded(self, pieces: Sequence[Piece], points: PointBatch) -> Batch:
        features = extract_batch(points, self.features)
        size, rows = len(pieces), max(len(feature.rows) for feature in features)
        steps = max(len(piece.tokens) for piece in pieces) + 1
        stride, length = self.stride, rows
        for _ in range(stride.bit_length() - 1):
            length = (length + 1) // 2
        inputs = np.zeros((size, rows, 8), dtype=np.float32)
        target = np.full((size, steps), IGNORED, dtype=np.int64)
        previous = np.zeros((size, steps), dtype=np.int64)
        guide = np.zeros((size, steps, length), dtype=bool)
        symbols = np.full((size, length), IGNORED, dtype=np.int64)
        for row, (piece, feature) in enumerate(zip(pieces, features, strict=True)):
            count = len(feature.rows)
            inputs[row, :count] = feature.rows
            ids = self.vocabulary.encode(piece.tokens)
            target[row, : len(ids)] = ids
            target[row, len(ids)] = 0
            previous[row, 1 : len(ids) + 1] = ids
            # An annotation shows the strokes of all rows that were pooled into it.
            annotation = np.arange(count) // stride
            for position, strokes in enumerate(piece.strokes_of):
                if strokes:
                    shown = annotation[np.isin(feature.stroke, strokes)]
                    guide[row, position, shown] = True
                    symbols[row, shown] = ids[position]
        lengths = np.array([len(feature.rows) for feature in features])
        return Batch(*map(torch.from_numpy, (inputs, lengths, previous, target, guide, symbols)))


def _points(pieces: Sequence[Piece]) -> PointBatch:
    return PointBatch.of([Ink.from_strokes(piece.strokes) for piece in pieces])
