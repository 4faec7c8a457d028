"""The public class `Recognizer` and its answers: ink in, LaTeX out, offline."""

from inktex.decoding import SearchCancelled

from .answer import SCHEMA, Alternative, Recognition, RecognizedSymbol, Token
from .core import MAX_ROWS, READINGS, TIMEOUT, InkLike, Recognizer, as_ink
from .session import Session

__all__ = [
    "MAX_ROWS",
    "READINGS",
    "SCHEMA",
    "TIMEOUT",
    "Alternative",
    "InkLike",
    "Recognition",
    "RecognizedSymbol",
    "Recognizer",
    "SearchCancelled",
    "Session",
    "Token",
    "as_ink",
]
