"""The CROHME protocol: how many expressions a system reads correctly, how sure that is, and its mistakes."""

from .metrics import evaluate
from .report import Report, render
from .results import Comparison, Evaluation, Rate, compare, mcnemar_p_value
from .runner import (
    Answers,
    PredictionError,
    Predictions,
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
    "Predictions",
    "Rate",
    "Report",
    "System",
    "compare",
    "evaluate",
    "mcnemar_p_value",
    "read_answers",
    "read_predictions",
    "render",
    "systems_of",
    "write_predictions",
]
