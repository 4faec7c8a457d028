"""How a network is trained, as data: stored in the run's folder, enough to repeat the run.

The defaults are the recipe of `p2`: AdamW, warm-up and decay, label smoothing, averaged weights, augmented
and recombined ink, attention guided by the segmentation, short expressions first. `inktex/recipes/` has the
others, the paper's own among them.
"""

from dataclasses import dataclass, field
from typing import Literal

from inktex.augment import AugmentOptions
from inktex.corpus.wide import WideMix


@dataclass(frozen=True)
class TrainOptions:
    """Everything about a run except the network's shape."""

    seed: int = 1
    epochs: int = 20
    batch: int = 16  # expressions per step, over all workers
    optimizer: Literal["adamw", "adadelta"] = "adamw"
    learning_rate: float = 1e-3
    warmup: int = 400  # steps
    decay_from: float = 0.45  # share of the run after which the rate falls to zero (cosine)
    weight_decay: float = 0.01
    epsilon: float = 1e-6  # of AdaDelta
    clip: float = 1.0  # largest norm of the gradient
    loss_per: Literal["token", "expression"] = "token"  # what a batch's summed cross-entropy is divided by
    label_smoothing: float = 0.05
    average: float = 0.999  # decay of the averaged weights (EMA); 0 evaluates the weights as they are
    guidance: float = 0.3  # weight of -log(attention on the token's own strokes)
    guidance_until: float = 0.6  # share of the run in which the guidance fades out
    symbol_weight: float = 0.3  # weight of naming the symbol at every annotation
    curriculum: tuple[int, ...] = (8, 14, 24)  # longest expression, in tokens, of the first epochs
    augment: AugmentOptions | None = field(default_factory=AugmentOptions)
    # "redrawn": what is made of the corpus alone, its symbols redrawn by others of its own; "wide": the same
    # for the wide vocabulary, with drawings of other sources; "free": what is made without any corpus
    ink: Literal["corpus", "redrawn", "wide", "free"] = "corpus"
    mix: WideMix | None = None  # expressions of each kind in an epoch of such ink; None: the usual
    swap_symbols: float = 0.25  # share of symbols redrawn by other writers, in half of the expressions
    swap_groups: float = 0.25  # share of expressions in which a group is exchanged
    parts: float = 0.25  # parts of expressions added to an epoch, as a share of its size
    shortest_part: int = 2  # tokens
    weight_noise: float = 0.0  # deviation of the noise added to the weights at every step
    noise_cost: float = 0.0  # above 0 each weight gets its own noise, that deviation at most (noise.py)
    noise_growth: float = 0.0  # share of the way to its best variance that the noise's prior goes at a step
    noise_epochs: int = 0  # of the stage with weight noise; 0: as many as of the first
    noise_at_once: bool = False  # begin with the stage of weight noise, from weights given by --initial
    anneal: bool = False  # in the stage of weight noise, steps shrink to zero over its epochs
    patience: int = 0  # validations without a better WER before a stage stops; 0 runs all epochs
    grammar: bool = True  # validate with well-formed answers only
    validate_every: int = 2  # epochs
    checkpoint_minutes: float = 5.0
    log_every: int = 100  # steps between lines of the metrics
    precision: Literal["auto", "float32", "bfloat16"] = "auto"

    def epochs_of(self, stage: int) -> int:
        """The epochs of the first stage, or of the second, which has weight noise."""
        return (self.noise_epochs if stage == 2 else 0) or self.epochs
