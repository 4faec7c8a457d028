"""inktex reads pen strokes of mathematical expressions and returns LaTeX.

    import inktex
    answer = inktex.recognize([[(10, 20), (15, 25)], [(15, 20), (10, 25)]])   # or a path, or inktex.Ink
    answer.latex, answer.score, answer.alternatives, answer.symbols, answer.mathml

Names are imported when they are first used, so that `import inktex` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inktex.ink import Ink, InkError, Symbol, read, read_all, save
    from inktex.ink.lines import split_page
    from inktex.reading import ModelError
    from inktex.recognizer import Recognition, RecognizeOptions, Recognizer, Session
    from inktex.recognizer.core import load_model, recognize, recognize_many

__version__ = "0.1.0"

_HOMES = {
    **dict.fromkeys(("Ink", "InkError", "Symbol", "read", "read_all", "save"), "inktex.ink"),
    **dict.fromkeys(("Recognition", "RecognizeOptions", "Recognizer", "Session"), "inktex.recognizer"),
    **dict.fromkeys(("load_model", "recognize", "recognize_many"), "inktex.recognizer.core"),
    "ModelError": "inktex.reading",
    "split_page": "inktex.ink.lines",
}

__all__ = [
    "Ink",
    "InkError",
    "ModelError",
    "Recognition",
    "RecognizeOptions",
    "Recognizer",
    "Session",
    "Symbol",
    "__version__",
    "load_model",
    "read",
    "read_all",
    "recognize",
    "recognize_many",
    "save",
    "split_page",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'inktex' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
