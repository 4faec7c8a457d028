"""Expressions to measure on: a split or a made test set by its name, or ink files at a path."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inktex.corpus import Example


def load_examples(data: str, limit: int | None) -> "list[Example]":
    """All examples, or `limit` of them, spread evenly over the data."""
    from inktex.corpus import load_all, load_split
    from inktex.corpus.testsets import TEST_SETS, load_test_set

    path = Path(data)
    if data in TEST_SETS:
        examples = load_test_set(data)
    else:
        corpora = load_all([path]) if path.exists() else [load_split(data)]
        examples = [example for corpus in corpora for example in corpus if len(example.ink)]
    if not examples:
        raise ValueError(f"{data}: no expressions in it")
    if limit is None or limit >= len(examples):
        return examples
    return [examples[number * len(examples) // limit] for number in range(limit)]
