"""Tables, bars and the confusion matrix of the error report, as HTML.

Formats evaluations, counted mistakes and confused labels of one or two systems: the upper half of the page.
Cells that stand for a set of expressions carry data- attributes, which the gallery below uses to show them.
"""

from collections import Counter
from collections.abc import Sequence
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
    body = ""
    for name, rates in rows.items():
        cells = (f"{rate.percent:.1f} <small>[{rate.low:.1f}, {rate.high:.1f}]</small>" for rate in rates)
        body += f"<tr><th>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    count = evaluations[0].expressions
    return (
        f"<section><h2>Summary</h2><table><tr><th>{count} expressions of {escape(evaluations[0].data)}</th>"
        f"{_heads([each.system for each in evaluations])}</tr>{body}</table>"
        '<p class="soft">Percent, with 95 % intervals in brackets.</p></section>'
    )


def _heads(names: Sequence[str]) -> str:
    return "".join(f"<th>{escape(name)}</th>" for name in names)


def _mistakes(counts: Tally) -> str:
    def line(name: str, cells: Sequence[object]) -> str:
        return f"<tr><th>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"

    main = ""
    for kind, found in counts.main.items():
        shown = f'data-kind="{escape(kind)}"'
        main += line(
            kind,
            [f'<button class="link" data-system="{i}" {shown}>{n}</button>' for i, n in enumerate(found)],
        )
    seen = "".join(line(name, found) for name, found in counts.seen.items())
    test = ""
    if counts.p_value is not None:
        test = (
            "<p>Are both systems equally prone to over- and under-translation? "
            f"p = {counts.p_value:.2g} (McNemar’s exact test on the same expressions).</p>"
        )
    return (
        "<section><h2>What went wrong</h2><table>"
        f"<tr><th>wrong answers, by main kind</th>{_heads(counts.systems)}</tr>{main}"
        f"{line('all wrong answers', counts.wrong)}"
        f'<tr><th class="soft">of all wrong answers, seen in the attention:</th></tr>{seen}</table>{test}'
        '<p class="soft">Over-translation: a symbol too many. Under-translation: a symbol missing. Symbol '
        "confusion: a wrong name. Structure error: all symbols right, one in a wrong place. “Read twice” and "
        "“never read” are judged from the attention on the ink.</p></section>"
    )


def _comparison(comparison: Comparison) -> str:
    neither = comparison.expressions - comparison.both - comparison.only_first - comparison.only_second
    first, second = escape(comparison.first), escape(comparison.second)
    rows = (
        (f"right in both {first} and {second}", comparison.both, None),
        (f"right in {first} only", comparison.only_first, "second"),
        (f"right in {second} only", comparison.only_second, "first"),
        ("wrong in both", neither, "both"),
    )
    body = "".join(
        f"<tr><th>{name}</th><td>"
        + (f'<button class="link" data-wrong="{who}">{count}</button>' if who else str(count))
        + "</td></tr>"
        for name, count, who in rows
    )
    return (
        f"<section><h2>{first} against {second}</h2><table>{body}</table>"
        '<p class="soft">Are both equally good? '
        f"p = {comparison.p_value:.2g} (McNemar’s exact test).</p></section>"
    )


def _groups(title: str, groups: Sequence[Sequence[Subset]], evaluations: Sequence[Evaluation]) -> str:
    """Bars: per group one for each system."""
    rows = []
    key = "".join(
        f'; <span class="key system{number}"></span>{escape(evaluation.system)}'
        for number, evaluation in enumerate(evaluations)
        if len(evaluations) > 1
    )
    for parts in zip(*groups, strict=True):
        bars = "".join(
            f'<div class="bar system{number}" title="{escape(evaluation.system)}: {group.exact.text()}">'
            f'<i><span style="width:{group.exact.percent:.1f}%"></span></i>'
            f"<b>{group.exact.percent:.0f}</b></div>"
            for number, (group, evaluation) in enumerate(zip(parts, evaluations, strict=True))
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
    columns = [*labels, ""]
    wrong = Counter(true for true, _ in pairs)
    most = max(counted.values(), default=1)
    head = "".join(f"<th>{escape(label or NOTHING)}</th>" for label in columns)
    body = []
    for true in columns:
        cells = [
            _cell(true, answer, counted[true, answer], most, written[true] - wrong[true], number)
            for answer in columns
        ]
        body.append(f"<tr><th>{escape(true or NOTHING)}</th>{''.join(cells)}</tr>")
    return (
        f"<section><h2>Symbols confused by {escape(system)}</h2><div class='scroll'>"
        f"<table class='confusions'><tr><th>truth \\ answer</th>{head}</tr>{''.join(body)}</table></div>"
        f"<p class='soft'>The {len(labels)} symbols with the most confusions; {NOTHING} is a missing or an "
        "extra symbol, the diagonal holds symbols that were right. A number shows its expressions below.</p>"
        "</section>"
    )


def _cell(true: str, answer: str, count: int, most: int, right: int, number: int) -> str:
    if true == answer:
        return f"<td class='right'>{right if true else ''}</td>"
    if not count:
        return "<td></td>"
    share = 0.15 + 0.85 * (count / most) ** 0.6
    return (
        f'<td style="--share:{share:.2f}"><button class="link" data-system="{number}" '
        f'data-true="{escape(true)}" data-answer="{escape(answer)}">{count}</button></td>'
    )
