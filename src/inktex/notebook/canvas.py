"""The widget: strokes come from the page as messages, the answer goes back as synchronised values.

The page only draws and reports; strokes, corrections and answers live in a `Session`. Everything that the
page shows of an answer is set here at once, so that Python and page never differ.
"""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from inktex.ink import Ink, InkError
from inktex.recognizer import Recognition, Recognizer, Session
from inktex.recognizer.default import default_recognizer

_HERE = Path(__file__).parent


class InkCanvas(anywidget.AnyWidget):
    """A sheet of paper. `latex`, `score` and `mathml` change as one writes; observe them as any trait."""

    _esm = _HERE / "canvas.js"
    _css = _HERE / "canvas.css"

    height = traitlets.Int(260, help="Height of the sheet in pixels; it is as wide as the cell.").tag(
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

    def __init__(
        self, recognizer: Recognizer | None = None, *, symbols: str | None = None, height: int = 260
    ) -> None:
        """Use this recognizer, or the default weights; `symbols` restricts the answers."""
        super().__init__(height=height)
        self._recognizer = recognizer or default_recognizer()
        self._session: Session = self._recognizer.session(symbols=symbols)
        self._numbers: dict[int, int] = {}  # the page's numbers of the strokes -> the session's
        self.answer: Recognition | None = None
        self.on_msg(self._receive)

    @property
    def ink(self) -> Ink:
        """What is on the sheet."""
        return self._session.ink

    def clear(self) -> None:
        """Empty the sheet."""
        self._session.clear()
        self._numbers.clear()
        self.drawn = []
        self._update()

    def _receive(self, _: object, content: dict[str, Any], __: object) -> None:
        """Carry out what happened on the page."""
        action = content.get("action")
        try:
            if action == "add":
                points = [[float(x), float(y)] for x, y in content["points"]]
                self._numbers[int(content["stroke"])] = self._session.add(points)
                self.drawn = [*self.drawn, {"stroke": int(content["stroke"]), "points": points}]
            elif action == "remove":
                number = int(content["stroke"])
                self._session.remove(self._numbers.pop(number))
                self.drawn = [each for each in self.drawn if each["stroke"] != number]
            elif action == "clear":
                self.clear()
                return
            elif action == "choose":
                self._session.choose(str(content["latex"]))
        except (ValueError, KeyError, TypeError) as error:
            self.message = f"not understood: {error}"
            return
        self._update()

    def _update(self) -> None:
        """Read the sheet and show the answer."""
        try:
            answer = self._session.answer() if len(self._session) else None
            message = ""
        except InkError as error:
            answer, message = None, str(error)
        self.answer = answer
        with self.hold_sync():
            self.latex = answer.latex if answer else ""
            self.score = answer.score if answer else 0.0
            self.mathml = answer.mathml if answer else ""
            self.alternatives = [other.latex for other in answer.alternatives] if answer else []
            self.message = message
