"""How fast training is, as ratios from one run on this machine.

At the paper's sizes, on the same expressions: expressions per second of
(a) a straightforward version: one process with all threads, `nn.GRU(bidirectional=True)` on packed
    sequences, the decoder step by step under autograd, batches in random order;
(b) inktex: one process per core with one thread each, batches of one size, hand-written backward passes.
Beside it: the share of the machine's measured matrix-product peak that (b) reaches, and the padding of both.

Batches are drawn from a plan over many expressions, as in training, since bucketing needs a choice.

    python benchmarks/training.py [--expressions 1536] [--batches 24] [--recipe paper-p2] [--out FILE.json]
"""

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from inktex.corpus import Example, ExpressionModel, Synthesizer, load_split, locate, synthesize
from inktex.corpus.hershey import hershey_bank
from inktex.corpus.recombine import Piece
from inktex.files import write_atomically
from inktex.latex import Vocabulary
from inktex.model import ModelConfig, Network
from inktex.model.fast import accelerate
from inktex.training import TrainOptions, recipe
from inktex.training.data import Batch, TrainingData
from inktex.training.losses import Counts, losses
from inktex.training.optimizing import choose_place, keep_freed_memory, make_optimizer


def expressions(count: int) -> list[Example]:
    """CROHME's training expressions where they are at hand, evenly spread, else synthetic ones."""
    if locate() is not None:
        corpus = load_split("train")
        return [corpus[i] for i in range(0, len(corpus), max(1, len(corpus) // count))][:count]
    return list(
        islice(
            synthesize(Synthesizer(hershey_bank(writers=4, repeats=1)), ExpressionModel.builtin(), 1), count
        )
    )


class PlainNetwork(nn.Module):
    """The same sizes written the obvious way."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        units, depth = config.encoder_units, config.annotation_size
        self.layers = nn.ModuleList(
            nn.GRU(8 if layer == 0 else depth, units, bidirectional=True, batch_first=True)
            for layer in range(config.encoder_layers)
        )
        tokens, m, n = len(config.vocabulary), config.embedding, config.decoder_units
        self.embedding = nn.Embedding(tokens, m)
        self.initial = nn.Linear(depth, n)
        self.cell = nn.GRUCell(m + depth, n)
        self.query, self.key = nn.Linear(n, config.attention), nn.Linear(depth, config.attention)
        self.coverage = nn.Conv1d(
            1, config.coverage_filters, config.coverage_window, padding=config.coverage_window // 2
        )
        self.cover = nn.Linear(config.coverage_filters, config.attention)
        self.energy = nn.Linear(config.attention, 1)
        self.from_state, self.from_context, self.output = (
            nn.Linear(n, m),
            nn.Linear(depth, m),
            nn.Linear(m, tokens),
        )

    def forward(self, features: Tensor, lengths: Tensor, previous: Tensor) -> Tensor:
        values = features
        for number, layer in enumerate(self.layers, start=1):
            packed = nn.utils.rnn.pack_padded_sequence(
                values, lengths, batch_first=True, enforce_sorted=False
            )
            values, _ = nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)
            if number in self.config.pool_after:
                values = nn.functional.max_pool1d(values.transpose(1, 2), 2, ceil_mode=True).transpose(1, 2)
                lengths = (lengths + 1) // 2
        mask = torch.arange(values.shape[1]) < lengths[:, None]
        state, covered = torch.tanh(self.initial(values.mean(1))), torch.zeros_like(values[:, :, 0])
        keys, scores = self.key(values), []
        for t in range(previous.shape[1]):
            embedded = self.embedding(previous[:, t])
            cover = self.cover(self.coverage(covered[:, None]).transpose(1, 2)[:, : values.shape[1]])
            energy = self.energy(torch.tanh(keys + self.query(state)[:, None] + cover))[..., 0]
            alpha = torch.softmax(energy.masked_fill(~mask, float("-inf")), dim=1)
            covered = covered + alpha
            context = (alpha[..., None] * values).sum(1)
            state = self.cell(torch.cat((embedded, context), dim=1), state)
            scores.append(self.output(embedded + self.from_state(state) + self.from_context(context)))
        return torch.stack(scores, dim=1)


@dataclass(frozen=True)
class Setting:
    """What is measured on."""

    recipe: str
    expressions: int  # from which batches are made
    batches: int  # of them, drawn evenly from the plan


def prepare(
    setting: Setting, order: str
) -> tuple[ModelConfig, TrainOptions, TrainingData, list[list[Piece]]]:
    """Network, options and batches; `order` is "sorted" (as inktex trains) or "random"."""
    chosen = recipe(setting.recipe)
    options = replace(
        chosen.training, batch=16, augment=None, swap_symbols=0.0, swap_groups=0.0, parts=0.0, curriculum=()
    )
    examples = expressions(setting.expressions)
    vocabulary = Vocabulary.build(example.tokens for example in examples)
    config = replace(chosen.model, vocabulary=tuple(vocabulary.tokens))
    data = TrainingData(examples, config, options)
    plan = data.plan(99)
    if order == "random":
        pieces = [piece for batch in plan for piece in batch]
        shuffled = [pieces[i] for i in np.random.default_rng(0).permutation(len(pieces))]
        plan = [shuffled[at : at + 16] for at in range(0, len(shuffled), 16)]
    return config, options, data, plan[:: max(1, len(plan) // setting.batches)][: setting.batches]


def measure(step: Callable[[Batch], None], data: TrainingData, plan: list[list[Piece]]) -> float:
    """Expressions per second over all batches, after a warm-up."""
    batches = [data.batch(pieces, 0, number) for number, pieces in enumerate(plan)]
    step(batches[0])
    begin = time.perf_counter()
    for batch in batches:
        step(batch)
    return sum(len(batch.lengths) for batch in batches) / (time.perf_counter() - begin)


def plain(setting: Setting) -> dict[str, float]:
    """(a) the straightforward version, all threads."""
    torch.set_num_threads(os.cpu_count() or 1)
    config, options, data, plan = prepare(setting, "random")
    network = PlainNetwork(config)
    optimizer = make_optimizer(network, options)

    def step(batch: Batch) -> None:
        scores = network(batch.features, batch.lengths, batch.previous)
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), batch.target.flatten(), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    points, tokens = padding(data, plan)
    return {
        "rate": measure(step, data, plan),
        "points": points,
        "tokens": tokens,
    }


def ours(setting: Setting) -> dict[str, float]:
    """(b) one of the processes with one thread."""
    torch.set_num_threads(1)
    keep_freed_memory()
    config, options, data, plan = prepare(setting, "sorted")
    network, place = accelerate(Network(config)), choose_place("cpu", "auto")
    optimizer = make_optimizer(network, options)

    def step(batch: Batch) -> None:
        with place.autocast():
            result = losses(network, config.direction, batch, options.label_smoothing)
        optimizer.zero_grad(set_to_none=True)
        (result.token / Counts.of(batch, 1).tokens + 0 * result.guidance + 0 * result.symbol).backward()
        optimizer.step()

    points, tokens = padding(data, plan)
    flops = np.mean([flops_per_expression(config, data, pieces) for pieces in plan])
    rate = measure(step, data, plan)
    return {"rate": rate, "points": points, "tokens": tokens, "flops": float(flops)}


def padding(data: TrainingData, batches: list[list[Piece]]) -> tuple[float, float]:
    """Share of planned batches that is padding, on the side of points and of tokens (of the ink as it is)."""
    used, padded = np.zeros(2), np.zeros(2)
    for pieces in batches:
        sizes = np.stack((data._row_counts(pieces), [len(piece.tokens) + 1 for piece in pieces]), axis=1)
        used += sizes.sum(0)
        padded += sizes.max(0) * len(sizes)
    points, tokens = (1.0 - used / padded).tolist()
    return points, tokens


def flops_per_expression(config: ModelConfig, data: TrainingData, pieces: list[Piece]) -> float:
    """Useful arithmetic of one training step (forward and twice that backward), padding not counted."""
    rows, tokens = data._row_counts(pieces).mean(), np.mean([len(piece.tokens) + 1 for piece in pieces])
    h, n, m, a, depth = (
        config.encoder_units,
        config.decoder_units,
        config.embedding,
        config.attention,
        config.annotation_size,
    )
    total, inputs = 0.0, 8
    for number in range(1, config.encoder_layers + 1):
        total += rows * 2 * 2 * 3 * h * (inputs + h)
        inputs = depth
        if number in config.pool_after:
            rows = rows / 2
    step = 2 * (n * a + rows * (config.coverage_window * a + a + depth) + 3 * n * (m + depth + n))
    step += 2 * (m * n + m * depth + m * len(config.vocabulary))
    return 3 * (total + rows * 2 * depth * a + tokens * step)


def gemm_peak(seconds: float = 3.0) -> float:
    """FLOP/s of one core on large products, in the type that training uses."""
    torch.set_num_threads(1)
    kind = choose_place("cpu", "auto").half or torch.float32
    left, right = torch.randn(1024, 1024).to(kind), torch.randn(1024, 1024).to(kind)
    torch.mm(left, right)
    done, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        torch.mm(left, right)
        done += 1
    return done * 2 * 1024**3 / (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recipe", default="paper-p2")
    parser.add_argument("--expressions", type=int, default=1536)
    parser.add_argument("--batches", type=int, default=24)
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file, too")
    arguments = parser.parse_args()
    setting = Setting(arguments.recipe, arguments.expressions, arguments.batches)
    context = multiprocessing.get_context("spawn")
    cores = os.cpu_count() or 1
    with context.Pool(1) as pool:
        slow = pool.apply(plain, (setting,))
    with context.Pool(cores) as pool:  # all cores at once, one process each, for both
        peak = sum(pool.starmap(gemm_peak, [()] * cores, chunksize=1))
        fast = pool.starmap(ours, [(setting,)] * cores, chunksize=1)
    rate = sum(result["rate"] for result in fast)
    ratio, reached = rate / slow["rate"], rate * fast[0]["flops"] / peak
    print(f"recipe {setting.recipe}, {setting.batches} batches of 16, {cores} cores")
    for name, speed, padding in (("straightforward", slow["rate"], slow), ("inktex", rate, fast[0])):
        waste = f"padding {padding['points']:.0%} of points, {padding['tokens']:.0%} of tokens"
        print(f"{name:16s}{speed:8.2f} expressions/s; {waste}")
    print(f"ratio {ratio:.2f}")
    print(f"{reached:.1%} of the machine's matrix-product peak ({peak / 1e9:.0f} GFLOP/s on {cores} cores)")
    if arguments.out is not None:
        figures = {**asdict(setting), "cores": cores, "peak": peak, "plain": slow, "inktex": fast}
        figures |= {"ratio": ratio, "peak_share": reached}
        write_atomically(arguments.out, json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
