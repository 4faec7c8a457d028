"""The widget: the page sends ink and decisions as messages, and receives the answer as synchronised values.

The page is `<inktex-pad>` (web/src/notebook), which only draws and reports; strokes, corrections and answers
live in a `Session`. Everything that the page shows of an answer is set here at once, so that Python and the
page never differ.
"""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from inktex.ink import Ink, InkError
from inktex.latex import LatexError
from inktex.recognizer import Recognition, Recognizer, Session
from inktex.recognizer.answer import all_forms, for_page
from inktex.recognizer.core import default_recognizer

_HERE = Path(__file__).parent


class InkCanvas(anywidget.AnyWidget):
    """A sheet of paper. `latex`, `score` and `mathml` change as one writes; observe them as any trait."""

    _esm = _HERE / "canvas.js"

    height = traitlets.Int(420, help="Height in pixels, the answer included; it is as wide as the cell.").tag(
        sync=True
    )
    latex = traitlets.Unicode("", help="What is written, as LaTeX.").tag(sync=True)
    score = traitlets.Float(0.0, help="How sure that is, 0 to 1.").tag(sync=True)
    mathml = traitlets.Unicode("").tag(sync=True)
    alternatives = traitlets.List(traitlets.Unicode(), help="Other readings, best first.").tag(sync=True)
    message = traitlets.Unicode("", help="Why there is no answer, where there is none.").tag(sync=True)
    drawn: "traitlets.List[Any]" = traitlets.List(
        help="The strokes, so that another view of the sheet can draw them."
    ).tag(sync=True)
    answered: "traitlets.Dict[str, Any]" = traitlets.Dict(
        {"revision": 0, "lines": []}, help="The answer as the page shows it, and which ink it is of."
    ).tag(sync=True)
    rendered: "traitlets.Dict[str, Any]" = traitlets.Dict(
        help="LaTeX in other forms, where the page asked."
    ).tag(sync=True)

    def __init__(
        self, recognizer: Recognizer | None = None, *, symbols: str | None = None, height: int = 420
    ) -> None:
        """Use this recognizer, or the default weights; `symbols` restricts the answers."""
        super().__init__(height=height)
        self._recognizer = recognizer or default_recognizer()
        self._session: Session = self._recognizer.session(symbols=symbols)
        self._revision = 0  # the page's count of its changes
        self.answer: Recognition | None = None
        self.on_msg(self._receive)

    @property
    def ink(self) -> Ink:
        """What is on the sheet."""
        return self._session.ink

    def clear(self) -> None:
        """Empty the sheet."""
        self._session.clear()
        self.drawn = []
        self._update()

    def _receive(self, _: object, content: dict[str, Any], __: object) -> None:
        try:
            if content.get("action") == "render":
                self._render(str(content["latex"]))
                return
            if content.get("action") != "change":
                raise ValueError("an action is `change` or `render`")
            self._change(content)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self.message = f"not understood: {error}"
            return
        self._update()

    def _change(self, content: dict[str, Any]) -> None:
        """Take over what is new on the page: in this order, as the page tells it."""
        if content.get("clear"):
            self._session.clear()
        for name in content.get("remove", []):
            self._session.remove(name)
        drawn = {each["id"]: each["points"] for each in self.drawn if each["id"] in self._session.stroke_ids}
        for change in ("replace", "add"):
            for each in content.get(change, []):
                name, points = str(each["id"]), [[float(x), float(y)] for x, y, *_ in each["points"]]
                if change == "add":
                    self._session.add(points, name)
                else:
                    self._session.replace(name, points)
                drawn[name] = each["points"]
        self.drawn = [{"id": name, "points": points} for name, points in drawn.items()]
        self._revision = int(content.get("revision", self._revision + 1))
        for pin in content.get("pin", []):
            self._session.pin(pin["ids"], str(pin["latex"]))

    def _render(self, latex: str) -> None:
        try:
            self.rendered = {"source": latex, **all_forms(latex)}
        except LatexError as error:
            self.rendered = {"source": latex, "error": str(error)}

    def _update(self) -> None:
        answer, message = None, ""
        try:
            answer = self._session.answer() if len(self._session) else None
        except InkError as error:
            message = str(error)
        self.answer = answer
        with self.hold_sync():
            self.latex = answer.latex if answer else ""
            self.score = answer.score if answer else 0.0
            self.mathml = answer.mathml if answer else ""
            self.alternatives = [other.latex for other in answer.alternatives] if answer else []
            self.message = message
            self.answered = {"revision": self._revision, "lines": [self._line(answer)] if answer else []}

    def _line(self, answer: Recognition) -> dict[str, Any]:
        """The answer as the server tells it to its page."""
        return {"strokes": list(self._session.stroke_ids), **for_page(answer)}
