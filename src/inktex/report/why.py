"""One ink as an interactive page: a token shows where the model looked, a stroke shows which tokens read it.

Takes readings of one ink (the answer, other answers, the truth). Makes HTML that is complete in itself, or
its plain data (`view_data`), which the error report shows with the same viewer (`assets/viewer.js`).
"""

import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np

from inktex.edits import edits
from inktex.ink import Ink
from inktex.latex import LatexError, print_latex, to_mathml
from inktex.reading import Reading, symbol_places

from .canvas import Canvas, brightness
from .mistakes import rereadings

_DIGITS = np.array(list("0123456789abcdefghijklmnopqrstuvwxyz"))


Titled: TypeAlias = tuple[str, Reading]  # the name that the page gives a reading


def why_page(
    readings: Sequence[Titled], *, heading: str, intro: str, truth: Sequence[str] | None = None
) -> str:
    """A self-contained page about one ink; the first reading is the answer."""
    answer = readings[0][1]
    texts = {"title": f"Why {print_latex(answer.tokens) or heading}?", "heading": heading, "intro": intro}
    parts = {name: html.escape(text) for name, text in texts.items()}
    parts |= {"style": page_part("viewer.css"), "script": page_part("viewer.js")}
    parts["view"] = script_json(view_data(answer.ink, readings, truth=truth))
    return filled_page("why.html", parts)


def view_data(ink: Ink, readings: Sequence[Titled], *, truth: Sequence[str] | None = None) -> dict[str, Any]:
    """What the viewer shows, as plain data for JSON."""
    canvas = Canvas.fit(ink, 1100.0, 420.0, margin=16.0, spacing=8.0)
    return {**canvas.to_json(), "readings": [_reading_data(*each, canvas, truth) for each in readings]}


def _reading_data(
    title: str, reading: Reading, canvas: Canvas, truth: Sequence[str] | None
) -> dict[str, Any]:
    tokens, alignment = reading.tokens, reading.alignment
    symbols = set(symbol_places(tokens))
    light = np.rint(np.clip(brightness(reading.intensity(canvas.position)), 0, 1) * (len(_DIGITS) - 1))
    return {
        "title": title,
        "tokens": list(tokens),
        "mathml": mathml_or_nothing(tokens),
        "sure": [round(float(share), 3) for share in np.exp(reading.token_log_probs)],
        "light": ["".join(row) for row in _DIGITS[light.astype(int)]],
        "shares": np.rint(100 * reading.strokes).astype(int).tolist(),
        "strokesOf": [list(strokes) for strokes in alignment.strokes_of],
        "unread": list(alignment.unread),
        "reread": list(alignment.reread),
        "structure": [place for place in range(len(tokens)) if place not in symbols],
        "rereads": [found.token for found in rereadings(reading)],
        "differs": [] if truth is None else differing_places(truth, tokens)[1],
    }


def differing_places(truth: Sequence[str], answer: Sequence[str]) -> tuple[list[int], list[int]]:
    """Places of the tokens that differ, in the truth (replaced, missing) and in the answer (other, extra)."""
    found = edits(truth, answer)
    in_truth = [edit.source for edit in found if edit.tag != "insert"]
    return in_truth, [edit.target for edit in found if edit.tag != "delete"]


def mathml_or_nothing(tokens: Sequence[str]) -> str:
    """The formula for the page; tokens that have no layout are shown as LaTeX only."""
    try:
        return to_mathml(tokens, ids=True, display="inline")
    except LatexError:
        return ""


def page_part(name: str) -> str:
    """The text of a file in `assets/`."""
    return files("inktex.report").joinpath("assets", name).read_text(encoding="utf-8")


def filled_page(name: str, parts: Mapping[str, str]) -> str:
    """A page of `assets/` with its @places@ filled."""
    return re.sub("@([a-z]+)@", lambda place: parts[place[1]], page_part(name))


def script_json(value: Any) -> str:
    """JSON that can stand inside a script of an HTML page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
