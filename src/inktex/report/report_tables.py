"""Tables, bars and the confusion matrix of the error report, as HTML.

Formats evaluations, counted mistakes and confused labels of one or two systems: the upper half of the page.
Cells that stand for a set of expressions carry data- attributes, which the gallery below uses to show them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from inktex.corpus import Example
from inktex.evaluation import Comparison, Evaluation, compare
from inktex.evaluation.results import Subset
from inktex.latex import parse_layout

from .tally import Tally

MATRIX_SIZE = 26  # labels with the most confusions
NOTHING = "∅"


def summary_html(
    evaluations: Sequence[Evaluation],
    counts: Tally,
    confusions: Sequence[Sequence[tuple[str, str]]],
    examples: Sequence[Example],
) -> str:
    parts = ['<div class="overview">', _rates(evaluations), _mistakes(counts)]
    if len(evaluations) == 2:
        first, second = evaluations
        parts.append(_comparison(compare(first.system, first.right, second.system, second.right)))
    lengths, relations = ([getattr(each, by) for each in evaluations] for by in ("by_length", "by_relation"))
    parts += [
        _groups("Rate by length of the truth (tokens)", lengths, evaluations),
        _groups("Rate by relation that occurs", relations, evaluations),
        "</div>",
    ]
    written = Counter(node.label for example in examples for node in parse_layout(example.tokens).symbols())
    parts += [
        _matrix(evaluation.system, number, pairs, written)
        for number, (evaluation, pairs) in enumerate(zip(evaluations, confusions, strict=True))
    ]
    return "\n".join(parts)


def _rates(evaluations: Sequence[Evaluation]) -> str:
    rows = {
        "expressions right, token for token": [each.tokens.exact for each in evaluations],
        "at most 1 token edit": [each.tokens.within_1 for each in evaluations],
        "at most 2 token edits": [each.tokens.within_2 for each in evaluations],
        "at most 3 token edits": [each.tokens.within_3 for each in evaluations],
        "word error rate (edits per token)": [each.tokens.wer for each in evaluations],
        "expressions right by label graph": [each.label_graph.exact for each in evaluations],
        "structure right, whatever the symbols": [each.label_graph.structure for each in evaluations],
    }
    body = "".join(
        _row(name, (f"{rate.percent:.1f} <small>[{rate.low:.1f}, {rate.high:.1f}]</small>" for rate in rates))
        for name, rates in rows.items()
    )
    title = f"{evaluations[0].expressions} expressions of {evaluations[0].data}"
    return (
        f"<section><h2>Summary</h2><table><tr>{_heads([title, *(each.system for each in evaluations)])}</tr>"
        f'{body}</table><p class="soft">Percent, with 95 % intervals in brackets.</p></section>'
    )


def _heads(names: Iterable[str]) -> str:
    return "".join(f"<th>{escape(name)}</th>" for name in names)


def _row(name: str, cells: Iterable[object]) -> str:
    return f"<tr><th>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _link(data: Mapping[str, object], count: int) -> str:
    """A number that shows its expressions in the gallery."""
    shown = "".join(f' data-{name}="{escape(str(value))}"' for name, value in data.items())
    return f'<button class="link"{shown}>{count}</button>'


def _mistakes(counts: Tally) -> str:
    main = "".join(
        _row(kind, (_link({"system": number, "kind": kind}, count) for number, count in enumerate(found)))
        for kind, found in counts.main.items()
    )
    seen = "".join(_row(name, found) for name, found in counts.seen.items())
    test = ""
    if counts.p_value is not None:
        test = (
            "<p>Are both systems equally prone to over- and under-translation? "
            f"p = {counts.p_value:.2g} (McNemar’s exact test on the same expressions).</p>"
        )
    return (
        "<section><h2>What went wrong</h2><table>"
        f"<tr>{_heads(['wrong answers, by main kind', *counts.systems])}</tr>{main}"
        f"{_row('all wrong answers', counts.wrong)}"
        f'<tr><th class="soft">of all wrong answers, seen in the attention:</th></tr>{seen}</table>{test}'
        '<p class="soft">Over-translation: a symbol too many. Under-translation: a symbol missing. Symbol '
        "confusion: a wrong name. Structure error: all symbols right, one in a wrong place. “Read twice” and "
        "“never read” are judged from the attention on the ink.</p></section>"
    )


def _comparison(comparison: Comparison) -> str:
    neither = comparison.expressions - comparison.both - comparison.only_first - comparison.only_second
    first, second = comparison.first, comparison.second
    body = "".join(
        (
            _row(f"right in both {first} and {second}", [comparison.both]),
            _row(f"right in {first} only", [_link({"wrong": "second"}, comparison.only_first)]),
            _row(f"right in {second} only", [_link({"wrong": "first"}, comparison.only_second)]),
            _row("wrong in both", [_link({"wrong": "both"}, neither)]),
        )
    )
    return (
        f"<section><h2>{escape(first)} against {escape(second)}</h2><table>{body}</table>"
        '<p class="soft">Are both equally good? '
        f"p = {comparison.p_value:.2g} (McNemar’s exact test).</p></section>"
    )


def _groups(title: str, groups: Sequence[Sequence[Subset]], evaluations: Sequence[Evaluation]) -> str:
    """Bars: per group one for each system."""
    rows, names = [], [escape(each.system) for each in evaluations]
    keys = [f'; <span class="key system{number}"></span>{name}' for number, name in enumerate(names)]
    key = "".join(keys) if len(keys) > 1 else ""
    for parts in zip(*groups, strict=True):
        bars = "".join(
            f'<div class="bar system{number}" title="{name}: {group.exact.text()}">'
            f'<i><span style="width:{group.exact.percent:.1f}%"></span></i>'
            f"<b>{group.exact.percent:.0f}</b></div>"
            for number, (group, name) in enumerate(zip(parts, names, strict=True))
        )
        rows.append(
            f"<tr><th>{escape(parts[0].name)}</th><td>{parts[0].expressions}</td>"
            f"<td class='bars'>{bars}</td></tr>"
        )
    return (
        f"<section><h2>{escape(title)}</h2><table class='groups'><tr><th></th><th>expressions</th>"
        f"<th class='bars'>right, percent{key}</th></tr>{''.join(rows)}</table></section>"
    )


def _matrix(system: str, number: int, pairs: Sequence[tuple[str, str]], written: Counter[str]) -> str:
    """Truth by answer, for the labels with the most confusions."""
    counted = Counter(pairs)
    weight = Counter(label for pair in pairs for label in pair if label)
    labels = sorted(label for label, _ in weight.most_common(MATRIX_SIZE))
    wrong = Counter(true for true, _ in pairs)
    most = max(counted.values(), default=1)

    def cell(true: str, answer: str) -> str:
        count = counted[true, answer]
        if true == answer:
            return f"<td class='right'>{written[true] - wrong[true] if true else ''}</td>"
        if not count:
            return "<td></td>"
        share = 0.15 + 0.85 * (count / most) ** 0.6
        link = _link({"system": number, "true": true, "answer": answer}, count)
        return f'<td style="--share:{share:.2f}">{link}</td>'

    columns = [*labels, ""]
    body = "".join(
        f"<tr>{_heads([true or NOTHING])}{''.join(cell(true, answer) for answer in columns)}</tr>"
        for true in columns
    )
    head = _heads(["truth \\ answer", *labels, NOTHING])
    return (
        f"<section><h2>Symbols confused by {escape(system)}</h2><div class='scroll'>"
        f"<table class='confusions'><tr>{head}</tr>{body}</table></div>"
        f"<p class='soft'>The {len(labels)} symbols with the most confusions; {NOTHING} is a missing or an "
        "extra symbol, the diagonal holds symbols that were right. A number shows its expressions below.</p>"
        "</section>"
    )
