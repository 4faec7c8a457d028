"""A small network, its options and short synthetic expressions: what training promises does not need size."""

from dataclasses import replace
from functools import cache
from itertools import islice

from inktex.corpus import Example, ExpressionModel, Synthesizer, synthesize
from inktex.corpus.hershey import hershey_bank
from inktex.latex import Vocabulary
from inktex.model import ModelConfig
from inktex.training import Recipe, TrainOptions
from inktex.training.data import TrainingData

PLAIN = TrainOptions(
    epochs=2,
    batch=8,
    warmup=5,
    curriculum=(),
    validate_every=1,
    checkpoint_minutes=0.0,
    precision="float32",
    augment=None,
    swap_symbols=0.0,
    swap_groups=0.0,
    parts=0.0,
)


@cache
def written(count: int) -> list[Example]:
    """Short synthetic expressions."""
    some = synthesize(Synthesizer(hershey_bank(writers=3, repeats=1)), ExpressionModel.builtin(), seed=7)
    return list(islice((example for example in some if len(example.tokens) <= 12), count))


def small_recipe(**changes: object) -> Recipe:
    """The network of `p2` with 32 units, and its options for short runs."""
    model = replace(
        ModelConfig(), encoder_units=32, embedding=32, decoder_units=32, attention=32, coverage_filters=8
    )
    options = TrainOptions(
        epochs=2,
        batch=8,
        warmup=5,
        curriculum=(),
        validate_every=1,
        checkpoint_minutes=0.0,
        precision="float32",
    )
    return Recipe(model, replace(options, **changes))  # type: ignore[arg-type]


def small_model(examples: list[Example]) -> ModelConfig:
    """The small network with the vocabulary of these expressions."""
    return replace(
        small_recipe().model, vocabulary=tuple(Vocabulary.build(e.tokens for e in examples).tokens)
    )


def data_of(examples: list[Example], options: TrainOptions = PLAIN) -> TrainingData:
    """Training data with the vocabulary of the expressions themselves."""
    config = small_model(examples)
    return TrainingData(examples, config, options)
