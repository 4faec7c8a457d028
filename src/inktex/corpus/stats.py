"""Statistics of a split (`Corpus`), which `inktex data stats` prints and draws."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from inktex.corpus.cache import Corpus, Problem
from inktex.corpus.example import STRUCTURE


@dataclass(frozen=True)
class SplitStats:
    """What a split holds."""

    split: str
    expressions: int
    strokes: int
    points: int
    symbols: int  # written symbols, by the segmentation
    tokens: int
    classes: int  # different tokens, those without ink not counted
    writers: int  # known ones
    expressions_of: tuple[tuple[str, int], ...]  # by collection (folder), largest first
    count_of: tuple[tuple[str, int], ...]  # by token, most frequent first
    lengths: tuple[int, ...]  # tokens per expression
    problems: tuple[Problem, ...]


def split_stats(corpus: Corpus) -> SplitStats:
    """Count a split."""
    arrays, header = corpus.arrays, corpus.header
    token_counts = np.bincount(arrays["token"], minlength=len(corpus.token_table)).tolist()
    count_of = Counter(dict(zip(corpus.token_table, token_counts, strict=True)))
    folders = Counter(header["folder_table"][number] for number in arrays["folder"].tolist())
    writers = arrays["writer"]
    return SplitStats(
        split=corpus.split,
        expressions=len(corpus),
        strokes=len(arrays["stroke_starts"]) - 1,
        points=len(arrays["points"]),
        symbols=len(arrays["symbol"]),
        tokens=len(arrays["token"]),
        classes=sum(token not in STRUCTURE for token in corpus.token_table),
        writers=len(np.unique(writers[writers >= 0])),
        expressions_of=tuple(folders.most_common()),
        count_of=tuple((token, count) for token, count in count_of.most_common() if token not in STRUCTURE),
        lengths=tuple(np.diff(arrays["example_tokens"]).tolist()),
        problems=corpus.problems,
    )


def reasons(problems: Iterable[Problem]) -> list[tuple[str, int, str]]:
    """Sum problems up: reason, how many files, and one of them; the most frequent first."""
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for problem in problems:
        counts[problem.reason] += 1
        first.setdefault(problem.reason, problem.path)
    return [(reason, count, first[reason]) for reason, count in counts.most_common()]
