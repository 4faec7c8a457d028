"""The CROHME protocol: how many expressions a system reads correctly, how sure that is, and its mistakes."""

from .metrics import evaluate
from .report import Report, render
from .results import Comparison, Evaluation, compare
from .runner import (
    Answers,
    PredictionError,
    System,
    read_answers,
    read_predictions,
    systems_of,
    write_predictions,
)

__all__ = [
    "Answers",
    "Comparison",
    "Evaluation",
    "PredictionError",
    "Report",
    "System",
    "compare",
    "evaluate",
    "read_answers",
    "read_predictions",
    "render",
    "systems_of",
    "write_predictions",
]
