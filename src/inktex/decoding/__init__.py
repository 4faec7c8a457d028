"""From a model's probabilities to an answer: greedy and beam search, ensembles, always well-formed LaTeX."""

from .beam import beam_search, greedy
from .directions import MOST_CONTENDERS, contenders, rank_by_copies, score_sequences, search_both_ways
from .ensemble import EnsembleStepper
from .options import Hypothesis, SearchOptions
from .stepper import DecodingError, EncodedStepper, SearchCancelled, StepOutput, Stepper

__all__ = [
    "MOST_CONTENDERS",
    "DecodingError",
    "EncodedStepper",
    "EnsembleStepper",
    "Hypothesis",
    "SearchCancelled",
    "SearchOptions",
    "StepOutput",
    "Stepper",
    "beam_search",
    "contenders",
    "greedy",
    "rank_by_copies",
    "score_sequences",
    "search_both_ways",
]
