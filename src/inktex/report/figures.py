r"""The paper's figures 2, 4 and 5: where the decoder looks when it writes a relation, and wrong answers.

Figure 2 shows the clearest real example of each of the five spatial relations. The token that writes a
relation is `^` or `_` for scripts, `\frac` for what is above and below a bar, `\sqrt` for what is inside it,
and an operator for symbols in a row: the paper finds that attention rests on "the middle operator".

Figures 4 and 5 show one wrong answer: the ink with its strokes numbered and the strokes in question coloured,
truth and answer with the differences marked and, for ink read twice or never read, the attention that shows
it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inktex.corpus import Example
from inktex.latex import Node, parse_layout
from inktex.reading import Reading

from .canvas import GROUND, LABEL, PANEL, Canvas, brightness, token_texts
from .mistakes import Diagnosis, Kind
from .picture import MONOSPACE_WIDTH, Box, Element, Layer, Line, Picture, Text
from .steps import grid_picture, ink_panel
from .why import differing_places

RELATIONS = ("horizontal", "vertical", "subscript", "superscript", "inside")
_OPERATORS = frozenset(["+", "-", "=", "<", ">", r"\times", r"\div", r"\leq", r"\geq", r"\neq", r"\pm"])
_BLUE, _GREEN, _SOFT, _MARKED = "#8fd0ff", "#9be29b", "#a89c91", "#f2b64c"


@dataclass(frozen=True)
class Look:
    """One relation in one reading: the step that writes it, and where it looked."""

    relation: str
    reading: Reading
    step: int  # place of the token that writes the relation
    base: tuple[int, ...]  # strokes of the symbol that carries it
    part: tuple[int, ...]  # strokes of the symbol that it leads to
    on_base: float  # share of attention
    on_part: float

    @property
    def share(self) -> float:
        return self.on_base + self.on_part


def relation_looks(example: Example, reading: Reading) -> Iterator[Look]:
    """Every relation of an expression that was read correctly."""
    if example.tokens != reading.tokens:
        return
    attention = reading.strokes
    for relation, step, *nodes in _relations(parse_layout(example.tokens).row):
        base, part = (() if node.token is None else example.strokes_of[node.token] for node in nodes)
        if base and part:
            on_base, on_part = (float(attention[step, list(strokes)].sum()) for strokes in (base, part))
            yield Look(relation, reading, step, base, part, on_base, on_part)


def _relations(row: tuple[Node, ...]) -> Iterator[tuple[str, int, Node, Node]]:
    """(relation, token that writes it, symbol that carries it, symbol it leads to), rows inside included."""
    for place, node in enumerate(row):
        if node.label in _OPERATORS and 0 < place < len(row) - 1 and node.token is not None:
            yield "horizontal", node.token, node, row[place + 1]
        if node.label == r"\frac" and node.above and node.token is not None:
            yield "vertical", node.token, node, node.above[0]
        if node.label == r"\sqrt" and node.inside and node.token is not None:
            yield "inside", node.token, node, node.inside[0]
        for relation, script in (("subscript", node.sub), ("superscript", node.sup)):
            if node.label and script and script[0].token is not None:
                yield relation, script[0].token - 2, node, script[0]  # the mark stands before the brace
        for _, inner in node.rows():
            yield from _relations(inner)


def clearest_looks(looks: Iterable[Look], *, most_tokens: int = 14) -> dict[str, Look]:
    """For each relation the example in which attention rests most on the symbols in question.

    Short expressions are preferred: in a figure they can be seen. For scripts both symbols should be lit.
    """

    def score(look: Look) -> float:
        both = min(look.on_base, look.on_part) if "script" in look.relation else 0.0
        return look.share + both - 0.02 * len(look.reading.tokens)

    found: dict[str, list[Look]] = {relation: [] for relation in RELATIONS}
    for look in looks:
        if len(look.reading.tokens) <= most_tokens:
            found[look.relation].append(look)
    return {relation: max(each, key=score) for relation, each in found.items() if each}


def relations_picture(looks: Sequence[Look]) -> Picture:
    """The figure: one panel per relation, three in a row."""
    columns = max(1, min(3, len(looks)))
    width, height = 360.0, 230.0
    panels = []
    for look in looks:
        marks = {"relation": look.relation, **_step_marks(look.reading, look.step)}
        panels.append(Layer(_relation_panel(look, width, height), marks=marks))
    title = "Where the decoder looks when it writes a spatial relation"
    return grid_picture(panels, columns, width, height, 12.0, title)


def _step_marks(reading: Reading, step: int) -> dict[str, str]:
    return {"step": str(step), "token": reading.tokens[step]}


def _relation_panel(look: Look, width: float, height: float) -> tuple[Element, ...]:
    """The ink, lit, with frames around the two symbols in question, and the LaTeX in one line."""
    reading = look.reading
    canvas = Canvas.fit(reading.ink, width - 16.0, height - 84.0)
    lit = canvas.lit(brightness(reading.intensity(canvas.position))[look.step], 2.2)
    frames = []
    for strokes, color in ((look.base, _BLUE), (look.part, _GREEN)):
        points = canvas.xy[np.isin(canvas.stroke, strokes)]
        (left, top), (right, bottom) = points.min(axis=0) - 5.0, points.max(axis=0) + 5.0
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        frames.append(Line(np.array(corners), color, 1.0, 0.7))
    ink = (*canvas.lines(width=2.2), *lit, *frames)
    length = len(" ".join(reading.tokens))
    size = min(16.0, (width - 20.0) / (length * MONOSPACE_WIDTH))
    start = (width - length * size * MONOSPACE_WIDTH) / 2
    return (
        Box(0, 0, width, height, fill=PANEL, radius=6.0),
        Text(12.0, 22.0, look.relation, 15.0, LABEL, bold=True),
        Text(width - 12.0, 22.0, f"{100 * look.share:.0f} % on the two symbols", 12.0, _SOFT, "end"),
        Layer(ink, x=(width - canvas.width) / 2, y=32.0 + (height - 84.0 - canvas.height) / 2),
        *token_texts(reading.tokens, {look.step}, start, height - 20.0, size),
    )


@dataclass(frozen=True)
class Case:
    """A wrong answer with all that is known about it."""

    name: str
    truth: tuple[str, ...]
    reading: Reading
    diagnosis: Diagnosis


def clearest_case(cases: Iterable[Case], kind: Kind) -> Case | None:
    """The case that shows one kind best: seen in the attention, nothing else wrong, and short."""

    def cost(case: Case) -> tuple[float, str]:
        mistakes, length = case.diagnosis.mistakes, len(case.truth)
        of_kind = sum(mistake.kind is kind for mistake in mistakes)
        unseen = kind in (Kind.OVER, Kind.UNDER) and not case.diagnosis.shows(kind)
        others = 5.0 * (len(mistakes) - of_kind) + 3.0 * (of_kind - 1)
        return 20.0 * unseen + others + 10.0 * (length < 4) + 0.2 * length, case.name

    fitting = (case for case in cases if case.diagnosis.main is kind)
    with_it = (case for case in fitting if any(each.kind is kind for each in case.diagnosis.mistakes))
    return min(with_it, key=cost, default=None)


def case_picture(case: Case) -> Picture:
    width, tokens = 760.0, case.reading.tokens
    canvas = Canvas.fit(case.reading.ink, width - 40.0, 240.0, margin=18.0)
    marked = {stroke for mistake in case.diagnosis.mistakes for stroke in mistake.strokes}
    lines = [
        Line(line.points, _MARKED, 3.0, marks={**line.marks, "marked": "yes"})
        if int(line.marks["stroke"]) in marked
        else Line(line.points, LABEL, 2.2, 0.75, marks=line.marks)
        for line in canvas.lines(width=2.4)
    ]
    elements: list[Element] = [
        Text(20.0, 28.0, case.diagnosis.main.value, 16.0, LABEL, bold=True),
        Text(width - 20.0, 28.0, case.name, 12.0, _SOFT, "end"),
        Layer((*lines, *_numbers(canvas)), x=(width - canvas.width) / 2, y=44.0),
    ]
    y = 44.0 + canvas.height + 30.0
    places = differing_places(case.truth, tokens)
    for name, words, differing in zip(("truth", "answer"), (case.truth, tokens), places, strict=True):
        row = token_texts(words, differing, 80.0, y, 15.0, right=width - 20.0, leading=22.0)
        elements += [Text(20.0, y, name, 13.0, _SOFT), *row]
        y = (row[-1].y if row else y) + 26.0
    for mistake in case.diagnosis.mistakes[:3]:
        elements.append(Text(20.0, y, mistake.text, 13.0, _MARKED))
        y += 20.0
    panels = _evidence(case, (width - 50.0) / 2, 150.0)
    elements.append(Layer(tuple(panels), x=20.0, y=y))
    title = f"{case.diagnosis.main.value}: {' '.join(case.truth)} read as {' '.join(tokens)}"
    return Picture(width, y + (150.0 if panels else 0.0) + 14.0, GROUND, tuple(elements), title)


def _numbers(canvas: Canvas) -> Iterator[Text]:
    """The number of every stroke where it begins, clear of the ink and of other numbers."""
    taken = np.zeros((0, 2))
    for start in np.flatnonzero(np.diff(canvas.stroke, prepend=-1)).tolist():
        beside = np.array([(x, y) for y in (-5.0, 15.0, 4.0) for x in (-8.0, 9.0, -16.0, 0.0)])
        spots = canvas.xy[start] + beside
        middles = spots - (0.0, 4.5)
        clear = np.hypot(*(middles[:, None] - canvas.xy[None]).transpose(2, 0, 1)).min(axis=1)
        if len(taken):
            apart = np.hypot(*(middles[:, None] - taken[None]).transpose(2, 0, 1)).min(axis=1)
            clear = np.minimum(clear, apart - 4.0)
        best = int(clear.argmax())
        taken = np.concatenate((taken, middles[best : best + 1]))
        x, y = spots[best].tolist()
        yield Text(x, y, str(canvas.stroke[start]), 12.0, _BLUE, "middle", bold=True)


def _evidence(case: Case, width: float, height: float) -> list[Layer]:
    """Panels of attention: both readings of ink that was read twice, all attention where ink was not read."""
    mistake = next((mistake for mistake in case.diagnosis.mistakes if mistake.seen), None)
    if mistake is None:
        return []
    tokens = case.reading.tokens
    canvas = Canvas.fit(case.reading.ink, width - 10.0, height - 34.0)
    light = brightness(case.reading.intensity(canvas.position))
    if mistake.kind is Kind.OVER:
        panels: list[Layer] = []
        for step in sorted(step for step in (mistake.partner, mistake.answer_token) if step is not None):
            lit, label = canvas.lit(light[step], 1.8), f"{tokens[step]}  (token {step})"
            panel = ink_panel(canvas, lit, label, width, height)
            panels.append(Layer(panel, len(panels) * (width + 10.0), marks=_step_marks(case.reading, step)))
        return panels
    lit = canvas.lit(light[: len(tokens)].max(axis=0, initial=0.0), 1.8)
    lit += [line for line in canvas.lines(_MARKED, 2.2) if int(line.marks["stroke"]) in mistake.strokes]
    panel = ink_panel(canvas, lit, "attention of all tokens", width, height, token=False)
    return [Layer(panel, marks={"coverage": "all"})]
