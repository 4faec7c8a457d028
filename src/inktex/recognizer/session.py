"""Live writing: strokes are added, removed and changed, and the current answer is available at any time.

Asking again without a change costs nothing. A newer request cancels an older one that is still running in
another thread, which then raises `SearchCancelled`. Corrections stay: what the user chose or pinned is kept
for its strokes, and everything else is read around it.
"""

import dataclasses
import threading
import time
from collections.abc import Collection, Sequence
from itertools import count
from typing import TYPE_CHECKING

import numpy.typing as npt

from inktex.decoding import Stepper
from inktex.features import Features
from inktex.ink import Ink
from inktex.latex import normalize, print_latex
from inktex.reading import Control, Reader, Reading

from .answer import Alternative, Recognition
from .options import TIMEOUT, RecognizeOptions
from .pins import Pin, PinnedStepper, changed_part, find_pin, pin_shares, with_texts

if TYPE_CHECKING:
    from .core import Recognizer

StrokeLike = npt.ArrayLike | Sequence[Sequence[float]]
StrokeId = int | str


class Writing:
    """Strokes by id, in the order of writing; any thread may call."""

    def __init__(self, recognizer: "Recognizer", symbols: Collection[str] | None) -> None:
        self._recognizer = recognizer
        self._symbols = symbols
        self._lock = threading.RLock()
        self._strokes: dict[StrokeId, Ink] = {}
        self._ids = count()
        self._version = 0

    def add(self, stroke: StrokeLike, stroke_id: str | None = None) -> StrokeId:
        """Add a stroke, a list of (x, y); returns its id, a number unless a new one is given."""
        made = Ink.from_strokes([stroke])
        with self._lock:
            own = next(self._ids) if stroke_id is None else stroke_id
            self._strokes[own] = made
            self._changed({own})
        return own

    def remove(self, stroke_id: StrokeId) -> None:
        """Remove a stroke and the pins that contain it."""
        self._set(stroke_id, None)

    def replace(self, stroke_id: StrokeId, stroke: StrokeLike) -> None:
        """Replace a stroke that was moved or redrawn; it keeps its place in the order."""
        self._set(stroke_id, Ink.from_strokes([stroke]))

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            gone, self._strokes = self._strokes, {}
            self._changed(gone)

    @property
    def stroke_ids(self) -> tuple[StrokeId, ...]:
        """Ids in the order of the strokes; stroke i of an answer is `stroke_ids[i]`."""
        with self._lock:
            return tuple(self._strokes)

    @property
    def ink(self) -> Ink:
        """All strokes as ink."""
        with self._lock:
            return self._ink()

    def __len__(self) -> int:
        return len(self._strokes)

    def _ink(self) -> Ink:
        return Ink.from_strokes([stroke.points for stroke in self._strokes.values()])

    def _set(self, stroke_id: StrokeId, made: Ink | None, near: Collection[StrokeId] = ()) -> None:
        """Put other ink in the place of a stroke, or none; this changes the strokes near it, too."""
        with self._lock:
            self._check([stroke_id])
            if made is None:
                del self._strokes[stroke_id]
            else:
                self._strokes[stroke_id] = made
            self._changed({stroke_id, *near})

    def _check(self, stroke_ids: Collection[StrokeId]) -> None:
        for each in stroke_ids:
            if each not in self._strokes:
                raise ValueError(f"there is no stroke {each}")

    def _changed(self, strokes: Collection[StrokeId]) -> None:
        """Take note that these strokes were added, moved or taken away."""
        raise NotImplementedError


class Session(Writing):
    """The ink of one expression while it is written."""

    def __init__(self, recognizer: "Recognizer", *, symbols: Collection[str] | None = None) -> None:
        super().__init__(recognizer, symbols)
        self._pins: dict[frozenset[StrokeId], str] = {}  # stroke ids -> LaTeX
        self._chosen: tuple[str, ...] | None = None  # the whole answer, as long as no stroke changes
        self._wanted: tuple[int, int] = (0, 0)  # version and top of the newest request
        self._cached: tuple[tuple[int, int], Recognition] | None = None

    def hold(self, strokes: dict[StrokeId, Ink]) -> None:
        """Have these strokes and no others; pins stay where all of their strokes do."""
        with self._lock:
            if list(strokes) != list(self._strokes):
                gone = self._strokes.keys() - strokes
                self._strokes = strokes
                self._changed(gone)

    def pin(self, stroke_ids: Collection[StrokeId], latex: str) -> None:
        """Fix what some strokes say; other pins with one of these strokes are dropped."""
        vocabulary = self._recognizer.model.info.vocabulary
        Pin.of(range(len(stroke_ids)), latex, vocabulary)  # raises an error if it cannot be pinned
        with self._lock:
            self._check(stroke_ids)
            self._changed(stroke_ids)
            self._pins[frozenset(stroke_ids)] = latex

    def unpin(self, stroke_ids: Collection[StrokeId] | None = None) -> None:
        """Drop the pins of these strokes, or all pins."""
        with self._lock:
            self._changed(self._strokes if stroke_ids is None else stroke_ids)

    def choose(self, alternative: Alternative | str) -> Recognition:
        """Choose another reading: one of the alternatives, or LaTeX that a person edited.

        The part that differs from the current answer is pinned to its strokes.
        """
        latex = alternative.latex if isinstance(alternative, Alternative) else alternative
        with self._lock:
            ids, version = self.stroke_ids, self._version
        present = self.answer()
        chosen = normalize(latex)
        if not chosen:
            raise ValueError("an empty answer cannot be chosen; remove the strokes instead")
        if chosen == present.texts:
            return present
        Pin.of(range(len(ids)), latex, self._recognizer.model.info.vocabulary)
        strokes, piece = changed_part(present, chosen)
        with self._lock:
            if version != self._version:
                raise ValueError("the ink changed while another reading was chosen; choose it again")
            numbers = [ids[stroke] for stroke in strokes]
            self._changed(numbers)
            self._pins[frozenset(numbers)] = print_latex(piece)
            self._chosen = chosen
        return self.answer()

    @property
    def pins(self) -> dict[frozenset[StrokeId], str]:
        """What is pinned: LaTeX by stroke ids."""
        with self._lock:
            return dict(self._pins)

    def answer(self, *, top: int = 5, timeout: float | None = TIMEOUT) -> Recognition:
        """Read the current strokes; InkError if there are none."""
        begin = time.perf_counter()
        with self._lock:
            key = (self._version, top)
            self._wanted = key
            if self._cached is not None and self._cached[0] == key:
                return self._cached[1]
            ink, pins, chosen = self._ink(), self._present_pins(), self._chosen
        recognizer = self._recognizer
        info = recognizer.model.info
        if chosen is not None:
            pins = [Pin.of(range(len(ink)), print_latex(chosen), info.vocabulary)]

        def keep_to_pins(stepper: Stepper, features: Features) -> Stepper:
            return PinnedStepper(stepper, pins, features, info.stride)

        reader = recognizer.reader(RecognizeOptions(symbols=self._symbols, top=top))
        options = reader.options
        if options.symbols is not None:  # what is pinned may be written, whatever the restriction says
            pinned = {number for pin in pins for number in pin.ids}
            reader = Reader(reader.model, dataclasses.replace(options, symbols=options.symbols | pinned))
        control = Control(
            timeout, lambda: recognizer.between_steps() or self._wanted != key, keep_to_pins if pins else None
        )
        reading = reader.read_one(ink, control)
        answer = recognizer.assembler.recognition(reading, top=top)
        if pins:
            answer = _in_own_words(answer, pins, reading)
        answer = dataclasses.replace(answer, elapsed=time.perf_counter() - begin)
        with self._lock:
            if self._version == key[0]:
                self._cached = (key, answer)
        return answer

    def _present_pins(self) -> list[Pin]:
        order = {number: place for place, number in enumerate(self._strokes)}
        vocabulary = self._recognizer.model.info.vocabulary
        return [
            Pin.of([order[each] for each in strokes], latex, vocabulary)
            for strokes, latex in self._pins.items()
        ]

    def _changed(self, strokes: Collection[StrokeId]) -> None:
        """Drop the pins of what has changed, and the answer."""
        self._pins = {ids: latex for ids, latex in self._pins.items() if ids.isdisjoint(strokes)}
        self._version += 1
        self._chosen = self._cached = None


def _in_own_words(answer: Recognition, pins: Sequence[Pin], reading: Reading) -> Recognition:
    """Put pinned words that the model does not know in the places of their stand-ins, the last one first."""
    shares = pin_shares(pins, reading.features, reading.stride)
    found = [
        (place, pin.texts)
        for number, pin in enumerate(pins)
        if pin.foreign and (place := find_pin(pin, reading.best, shares[:, number])) is not None
    ]
    for place, texts in sorted(found, key=lambda each: -each[0].start):
        following = answer.texts[place.stop : place.stop + 1]
        if following in (("^",), ("_",)) and following[0] in texts:
            texts = ("{", *texts, "}")  # a second script of the same kind needs a base of its own
        answer = with_texts(answer, texts, place)
    return answer
