"""The figures of an evaluation, as plain data that can be stored: `Evaluation` and its parts.

All rates are percentages with their 95 % bootstrap interval. Token rates, layout rates and WER are kept under
their own names and never mixed.
"""

import math
from dataclasses import dataclass, fields, is_dataclass
from typing import Any


@dataclass(frozen=True)
class Rate:
    """A percentage and where it would lie, 19 times out of 20, on other test sets of this kind."""

    percent: float
    low: float
    high: float


@dataclass(frozen=True)
class TokenRates:
    """By LaTeX tokens, as in the paper's table."""

    exact: Rate  # ExpRate: token for token
    within_1: Rate  # at most so many token edits
    within_2: Rate
    within_3: Rate
    wer: Rate  # token edits per token of the truth


@dataclass(frozen=True)
class LayoutRates:
    """By layout tree: what is written where, in whatever order."""

    exact: Rate  # equal trees
    within_1: Rate  # at most so many wrong, missing or extra signs and wrong relations
    within_2: Rate
    within_3: Rate
    symbol_recall: Rate  # signs of the truth that were found with the right label
    symbol_precision: Rate  # signs of the answers that are right
    relation_recall: Rate  # relations of the truth that were found
    relation_accuracy: Rate  # the same, of those whose two signs were found
    recall_by_relation: dict[str, Rate]  # relation recall of the paper's five spatial relationships


@dataclass(frozen=True)
class Group:
    """A part of the test set."""

    name: str
    expressions: int
    exact: Rate  # by tokens
    wer: Rate


@dataclass(frozen=True)
class Confusion:
    """A mistake that was made `count` times; an empty side stands for a missing or an extra sign."""

    truth: str
    answer: str
    count: int


@dataclass(frozen=True)
class Evaluation:
    """One system on one set of expressions."""

    system: str
    data: str
    expressions: int
    tokens: TokenRates
    layout: LayoutRates
    by_length: tuple[Group, ...]
    by_folder: tuple[Group, ...]
    by_relation: tuple[Group, ...]  # expressions that contain each of the five spatial relationships
    symbol_confusions: tuple[Confusion, ...]
    relation_confusions: tuple[Confusion, ...]
    unanswered: int  # expressions without an answer
    malformed: int  # answers that are no LaTeX we can read
    unknown_tokens: dict[str, int]  # tokens of the truth that the system's vocabulary lacks
    unknown_expressions: int  # expressions that therefore cannot be read correctly
    seconds: float | None  # wall time of the recognition
    right: tuple[bool, ...]  # per expression: token for token; kept for comparisons

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON file, without the list of single expressions."""
        data = plain(self)
        del data["right"]
        return dict(data)


def plain(value: Any) -> Any:
    """Dataclasses as dictionaries, rounded to what the figures mean; JSON knows no nan, so that is null."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    return value
