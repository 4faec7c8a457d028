"""The CROHME protocol: how many expressions a system reads correctly, how sure that is, and its mistakes."""

from .comparison import Comparison, compare, mcnemar_p_value
from .metrics import Truth, evaluate
from .predictions import PredictionError, Predictions, read_predictions, write_predictions
from .report import Report, render
from .results import Evaluation, Rate
from .runner import Answers, System, read_answers, systems_of

__all__ = [
    "Answers",
    "Comparison",
    "Evaluation",
    "PredictionError",
    "Predictions",
    "Rate",
    "Report",
    "System",
    "Truth",
    "compare",
    "evaluate",
    "mcnemar_p_value",
    "read_answers",
    "read_predictions",
    "render",
    "systems_of",
    "write_predictions",
]
