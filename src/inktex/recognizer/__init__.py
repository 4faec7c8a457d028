"""The public class `Recognizer` and its answers."""

from inktex.decoding import SearchCancelled
from inktex.reading import READINGS, SymbolGuess

from .answer import SCHEMA, Alternative, Line, Recognition, RecognizedSymbol, Token
from .core import InkLike, Recognizer
from .options import TIMEOUT, RecognizeOptions
from .page_session import LiveLine, NoSuchLine, PageAnswer, PageSession, WhichLine
from .session import Session

__all__ = [
    "READINGS",
    "SCHEMA",
    "TIMEOUT",
    "Alternative",
    "InkLike",
    "Line",
    "LiveLine",
    "NoSuchLine",
    "PageAnswer",
    "PageSession",
    "Recognition",
    "RecognizeOptions",
    "RecognizedSymbol",
    "Recognizer",
    "SearchCancelled",
    "Session",
    "SymbolGuess",
    "Token",
    "WhichLine",
]
