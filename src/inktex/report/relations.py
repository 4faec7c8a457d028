r"""The five spatial relations (the paper's figure 2): where the decoder looks when it writes each of them.

Takes expressions with truth and their readings. Returns the clearest real example of each relation, and a
figure of all five. The token that writes a relation is `^` or `_` for scripts, `\frac` for what is
above and below a bar, `\sqrt` for what is inside it, and an operator for symbols in a row: the paper finds
that attention rests on "the middle operator".
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inktex.corpus import Example
from inktex.latex import Node, parse_layout
from inktex.reading import Reading

from .canvas import GROUND, PANEL, Canvas, brightness, glow
from .picture import MONOSPACE_WIDTH, Box, Element, Layer, Line, Picture, Text
from .steps import ACCENT, LABEL

RELATIONS = ("horizontal", "vertical", "subscript", "superscript", "inside")
_OPERATORS = frozenset(["+", "-", "=", "<", ">", r"\times", r"\div", r"\leq", r"\geq", r"\neq", r"\pm"])
_BASE, _PART, _SOFT = "#8fd0ff", "#9be29b", "#a89c91"


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
        """Attention on the two symbols in question."""
        return self.on_base + self.on_part


def relation_looks(example: Example, reading: Reading) -> Iterator[Look]:
    """Every relation of an expression that was read correctly."""
    if example.tokens != reading.tokens:
        return
    attention = reading.strokes
    for relation, step, base, part in _relations(parse_layout(example.tokens).row):
        base_strokes, part_strokes = _strokes(example, base), _strokes(example, part)
        if base_strokes and part_strokes:
            on_base, on_part = (float(attention[step, list(s)].sum()) for s in (base_strokes, part_strokes))
            yield Look(relation, reading, step, base_strokes, part_strokes, on_base, on_part)


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


def _strokes(example: Example, node: Node) -> tuple[int, ...]:
    return () if node.token is None else example.strokes_of[node.token]


def clearest_looks(looks: Iterable[Look], *, most_tokens: int = 14) -> dict[str, Look]:
    """For each relation the example in which attention rests most on the symbols in question.

    Short expressions are preferred: in a figure they can be seen. For scripts both symbols should be lit.
    """
    best: dict[str, tuple[float, Look]] = {}
    for look in looks:
        length = len(look.reading.tokens)
        if length > most_tokens:
            continue
        both = min(look.on_base, look.on_part) if "script" in look.relation else 0.0
        score = look.share + both - 0.02 * length
        if look.relation not in best or score > best[look.relation][0]:
            best[look.relation] = (score, look)
    return {relation: best[relation][1] for relation in RELATIONS if relation in best}


def relations_picture(looks: Sequence[Look], *, columns: int = 3) -> Picture:
    """The figure: one panel per relation."""
    columns = max(1, min(columns, len(looks)))
    width, height, gap = 360.0, 230.0, 12.0
    panels = [
        Layer(
            _panel(look, width, height),
            x=gap + (number % columns) * (width + gap),
            y=gap + (number // columns) * (height + gap),
            marks={
                "relation": look.relation,
                "step": str(look.step),
                "token": look.reading.tokens[look.step],
            },
        )
        for number, look in enumerate(looks)
    ]
    rows = -(-len(looks) // columns)
    title = "Where the decoder looks when it writes a spatial relation"
    size = gap + columns * (width + gap), gap + rows * (height + gap)
    return Picture(*size, GROUND, tuple(panels), title)


def _panel(look: Look, width: float, height: float) -> tuple[Element, ...]:
    reading = look.reading
    canvas = Canvas.fit(reading.ink, width - 16.0, height - 84.0)
    light = brightness(reading.intensity(canvas.position))[look.step]
    lit = canvas.lit(light, 2.2)
    ink = Layer(
        (*canvas.lines(width=2.2), *glow(lit), *lit, *_frames(canvas, look)),
        x=(width - canvas.width) / 2,
        y=32.0 + (height - 84.0 - canvas.height) / 2,
    )
    return (
        Box(0, 0, width, height, fill=PANEL, radius=6.0),
        Text(12.0, 22.0, look.relation, 15.0, LABEL, bold=True),
        Text(width - 12.0, 22.0, f"{100 * look.share:.0f} % on the two symbols", 12.0, _SOFT, "end"),
        ink,
        *_tokens(reading.tokens, look.step, width, height - 20.0),
    )


def _frames(canvas: Canvas, look: Look) -> Iterator[Element]:
    """Frames around the symbol that carries the relation and the symbol it leads to."""
    for strokes, color in ((look.base, _BASE), (look.part, _PART)):
        points = canvas.xy[np.isin(canvas.stroke, strokes)]
        (left, top), (right, bottom) = points.min(axis=0) - 5.0, points.max(axis=0) + 5.0
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        yield Line(np.array(corners), color, 1.0, 0.7)


def _tokens(tokens: Sequence[str], step: int, width: float, y: float) -> Iterator[Text]:
    """The LaTeX in one line, the token of this step in the accent colour."""
    length = len(" ".join(tokens))
    size = min(16.0, (width - 20.0) / (length * MONOSPACE_WIDTH))
    x = (width - length * size * MONOSPACE_WIDTH) / 2
    for place, token in enumerate(tokens):
        now = place == step
        yield Text(x, y, token, size, ACCENT if now else LABEL, monospace=True, bold=now)
        x += (len(token) + 1) * size * MONOSPACE_WIDTH
