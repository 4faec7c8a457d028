"""From a model's probabilities to an answer: greedy and beam search, ensembles, always well-formed LaTeX."""

from .batching import EncodedStepper, decode_batches, feature_length, length_batches
from .beam import beam_search
from .ensemble import EnsembleStepper
from .greedy import greedy
from .options import Hypothesis, LengthHandling, SearchOptions
from .stepper import DecodingError, SearchCancelled, State, StepOutput, Stepper, TokenScorer

__all__ = [
    "DecodingError",
    "EncodedStepper",
    "EnsembleStepper",
    "Hypothesis",
    "LengthHandling",
    "SearchCancelled",
    "SearchOptions",
    "State",
    "StepOutput",
    "Stepper",
    "TokenScorer",
    "beam_search",
    "decode_batches",
    "feature_length",
    "greedy",
    "length_batches",
]
