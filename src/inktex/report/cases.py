"""One wrong answer as a figure (the paper's figures 4 and 5), and which one to show.

Takes a wrong reading, its truth and its diagnosis. Draws the ink with its strokes numbered and the strokes
in question coloured, truth and answer below each other with the differences marked, and, for ink read twice
or never read, the attention that shows it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inktex.reading import Reading

from .canvas import GROUND, PANEL, UNLIT, Canvas, brightness, glow
from .mistakes import Diagnosis, Kind, Mistake
from .picture import MONOSPACE_WIDTH, Box, Element, Layer, Line, Picture, Text
from .steps import ACCENT, LABEL, step_panel
from .why import differing_places

MARKED = "#f2b64c"
_SOFT, _NUMBER = "#a89c91", "#8fd0ff"


@dataclass(frozen=True)
class Case:
    """A wrong answer with all that is known about it."""

    name: str
    truth: tuple[str, ...]
    reading: Reading
    diagnosis: Diagnosis


def clearest_case(cases: Iterable[Case], kind: Kind) -> Case | None:
    """The case that shows one kind best: seen in the attention, nothing else wrong, and short."""
    found: list[tuple[float, str, Case]] = []
    for case in cases:
        of_kind = [mistake for mistake in case.diagnosis.mistakes if mistake.kind is kind]
        if case.diagnosis.main is not kind or not of_kind:
            continue
        others = len(case.diagnosis.mistakes) - len(of_kind)
        unseen = not any(mistake.seen for mistake in of_kind) and kind in (Kind.OVER, Kind.UNDER)
        too_short = len(case.truth) < 4
        cost = 20.0 * unseen + 5.0 * others + 3.0 * (len(of_kind) - 1) + 10.0 * too_short
        found.append((cost + 0.2 * len(case.truth), case.name, case))
    return min(found, key=lambda each: each[:2])[2] if found else None


def case_picture(case: Case, *, width: float = 760.0) -> Picture:
    """The figure of one case."""
    canvas = Canvas.fit(case.reading.ink, width - 40.0, 240.0, margin=18.0)
    marked = {stroke for mistake in case.diagnosis.mistakes for stroke in mistake.strokes}
    ink = Layer((*_marked_ink(canvas, marked), *_numbers(canvas)), x=(width - canvas.width) / 2, y=44.0)
    y = 44.0 + canvas.height + 30.0
    in_truth, in_answer = differing_places(case.truth, case.reading.tokens)
    rows: list[Element] = []
    for name, tokens, places in (("truth", case.truth, in_truth), ("answer", case.reading.tokens, in_answer)):
        rows.append(Text(20.0, y, name, 13.0, _SOFT))
        line, y = _token_lines(tokens, set(places), 80.0, y, width - 20.0)
        rows += line
        y += 26.0
    for mistake in case.diagnosis.mistakes[:3]:
        rows.append(Text(20.0, y, mistake.text, 13.0, MARKED))
        y += 20.0
    panels, height = _evidence(case, width)
    rows.append(Layer(tuple(panels), x=20.0, y=y))
    elements: tuple[Element, ...] = (
        Text(20.0, 28.0, case.diagnosis.main.value, 16.0, LABEL, bold=True),
        Text(width - 20.0, 28.0, case.name, 12.0, _SOFT, "end"),
        ink,
        *rows,
    )
    title = f"{case.diagnosis.main.value}: {' '.join(case.truth)} read as {' '.join(case.reading.tokens)}"
    return Picture(width, y + height + 14.0, GROUND, elements, title)


def _marked_ink(canvas: Canvas, marked: set[int]) -> Iterator[Line]:
    for line in canvas.lines(width=2.4):
        if int(line.marks["stroke"]) in marked:
            yield Line(line.points, MARKED, 3.0, marks={**line.marks, "marked": "yes"})
        else:
            yield Line(line.points, LABEL, 2.2, 0.75, marks=line.marks)


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
        yield Text(x, y, str(canvas.stroke[start]), 12.0, _NUMBER, "middle", bold=True)


def _token_lines(
    tokens: Sequence[str], marked: set[int], x: float, y: float, right: float
) -> tuple[list[Text], float]:
    """Tokens in lines, those that differ in the accent colour; also the height of the last line."""
    size, left = 15.0, x
    texts: list[Text] = []
    for place, token in enumerate(tokens):
        advance = (len(token) + 1) * size * MONOSPACE_WIDTH
        if x + advance > right and x > left:
            x, y = left, y + 22.0
        differs = place in marked
        texts.append(Text(x, y, token, size, ACCENT if differs else LABEL, monospace=True, bold=differs))
        x += advance
    return texts, y


def _evidence(case: Case, width: float) -> tuple[list[Element], float]:
    """Panels of attention: both readings of ink that was read twice, all attention where ink was not read."""
    seen = [mistake for mistake in case.diagnosis.mistakes if mistake.seen]
    if not seen:
        return [], 0.0
    panel_width, height = (width - 50.0) / 2, 150.0
    canvas = Canvas.fit(case.reading.ink, panel_width - 10.0, height - 34.0)
    light = brightness(case.reading.intensity(canvas.position))
    mistake = seen[0]
    if mistake.kind is Kind.OVER:
        panels = _twice_panels(case, mistake, canvas, light, panel_width, height)
    else:
        panels = [_coverage_panel(case, mistake, canvas, light, panel_width, height)]
    return panels, height


def _twice_panels(
    case: Case, mistake: Mistake, canvas: Canvas, light: np.ndarray, width: float, height: float
) -> list[Element]:
    panels: list[Element] = []
    both = (mistake.partner, mistake.answer_token)
    for number, step in enumerate(sorted(step for step in both if step is not None)):
        label = f"{case.reading.tokens[step]}  (token {step})"
        marks = {"step": str(step), "token": case.reading.tokens[step]}
        panel = step_panel(canvas, light[step], label, width, height)
        panels.append(Layer(panel, x=number * (width + 10.0), marks=marks))
    return panels


def _coverage_panel(
    case: Case, mistake: Mistake, canvas: Canvas, light: np.ndarray, width: float, height: float
) -> Element:
    lit = canvas.lit(light[: len(case.reading.tokens)].max(axis=0, initial=0.0), 1.8)
    unread = [line for line in canvas.lines(MARKED, 2.2) if int(line.marks["stroke"]) in mistake.strokes]
    ink = Layer(
        (*canvas.lines(UNLIT, 1.8), *glow(lit), *lit, *unread),
        x=(width - canvas.width) / 2,
        y=(height - 26.0 - canvas.height) / 2,
    )
    label = Text(width / 2, height - 11.0, "attention of all tokens", 13.0, LABEL, "middle")
    return Layer((Box(0, 0, width, height, fill=PANEL, radius=6.0), ink, label), marks={"coverage": "all"})
