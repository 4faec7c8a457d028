"""Live writing: strokes are added, removed and changed, and the current answer is available at any time.

Asking again without a change costs nothing. A newer request cancels an older one that is still running in
another thread, which then raises `SearchCancelled`. Corrections stay: what the user chose or pinned is kept
for its strokes, and everything else is read around it.
"""

import dataclasses
import threading
import time
from collections.abc import Collection, Sequence
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


class Writing:
    """Strokes by id, in the order of writing; any thread may call."""

    def __init__(self, recognizer: "Recognizer", symbols: Collection[str] | None) -> None:
        self._recognizer = recognizer
        self._symbols = symbols
        self._lock = threading.RLock()
        self._strokes: dict[int, Ink] = {}
        self._next_id = 0
        self._version = 0

    def add(self, stroke: StrokeLike) -> int:
        """Add a stroke, a list of (x, y); returns its id."""
        made = Ink.from_strokes([stroke])
        with self._lock:
            number = self._next_id
            self._next_id += 1
            self._strokes[number] = made
            self._changed({number})
        return number

    @property
    def stroke_ids(self) -> tuple[int, ...]:
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

    def _changed(self, strokes: Collection[int] = ()) -> None:
        """Take note that these strokes were added, moved or taken away."""
        raise NotImplementedError


class Session(Writing):
    """The ink of one expression while it is written."""

    def __init__(self, recognizer: "Recognizer", *, symbols: Collection[str] | None = None) -> None:
        super().__init__(recognizer, symbols)
        self._pins: dict[frozenset[int], str] = {}  # stroke ids -> LaTeX
        self._chosen: tuple[str, ...] | None = None  # the whole answer, as long as no stroke changes
        self._wanted: tuple[int, int] = (0, 0)  # version and top of the newest request
        self._cached: tuple[tuple[int, int], Recognition] | None = None

    def remove(self, stroke_id: int) -> None:
        """Remove a stroke and the pins that contain it."""
        with self._lock:
            self._check([stroke_id])
            self._release([stroke_id])
            del self._strokes[stroke_id]
            self._changed()

    def replace(self, stroke_id: int, stroke: StrokeLike) -> None:
        """Replace a stroke that was moved or redrawn; it keeps its place in the order."""
        made = Ink.from_strokes([stroke])
        with self._lock:
            self._check([stroke_id])
            self._release([stroke_id])
            self._strokes[stroke_id] = made
            self._changed()

    def clear(self) -> None:
        """Remove everything."""
        self.hold({})

    def hold(self, strokes: dict[int, Ink]) -> None:
        """Have these strokes and no others; pins stay where all of their strokes do."""
        with self._lock:
            if list(strokes) != list(self._strokes):
                self._strokes = strokes
                self._pins = {ids: latex for ids, latex in self._pins.items() if ids <= strokes.keys()}
                self._changed()

    def pin(self, stroke_ids: Collection[int], latex: str) -> None:
        """Fix what some strokes say; other pins with one of these strokes are dropped."""
        vocabulary = self._recognizer.model.info.vocabulary
        Pin.of(list(stroke_ids), latex, vocabulary)  # raises an error if it cannot be pinned
        with self._lock:
            self._check(stroke_ids)
            self._release(stroke_ids)
            self._pins[frozenset(stroke_ids)] = latex
            self._changed()

    def unpin(self, stroke_ids: Collection[int] | None = None) -> None:
        """Drop the pins of these strokes, or all pins."""
        with self._lock:
            self._release(self._strokes if stroke_ids is None else stroke_ids)
            self._changed()

    def choose(self, alternative: Alternative | str) -> Recognition:
        """Choose another reading: one of the alternatives, or LaTeX that a person edited.

        The part that differs from the current answer is pinned to its strokes.
        """
        latex = alternative.latex if isinstance(alternative, Alternative) else alternative
        ids = self.stroke_ids
        present = self.answer()
        chosen = normalize(latex)
        if not chosen:
            raise ValueError("an empty answer cannot be chosen; remove the strokes instead")
        if chosen == present.texts:
            return present
        Pin.of(range(len(ids)), latex, self._recognizer.model.info.vocabulary)
        strokes, piece = changed_part(present, chosen)
        with self._lock:
            if ids != self.stroke_ids:
                raise ValueError("the ink changed while another reading was chosen; choose it again")
            numbers = [ids[stroke] for stroke in strokes]
            self._release(numbers)
            self._pins[frozenset(numbers)] = print_latex(piece)
            self._changed()
            self._chosen = chosen
        return self.answer()

    @property
    def pins(self) -> dict[frozenset[int], str]:
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
            Pin.of([order[number] for number in sorted(strokes)], latex, vocabulary)
            for strokes, latex in self._pins.items()
        ]

    def _check(self, stroke_ids: Collection[int]) -> None:
        for number in stroke_ids:
            if number not in self._strokes:
                raise ValueError(f"there is no stroke {number}")

    def _release(self, stroke_ids: Collection[int]) -> None:
        self._pins = {ids: latex for ids, latex in self._pins.items() if ids.isdisjoint(stroke_ids)}

    def _changed(self, strokes: Collection[int] = ()) -> None:
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
