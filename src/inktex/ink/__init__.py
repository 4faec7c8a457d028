"""Pen strokes: the `Ink` type, readers for every format that online handwriting comes in, and writers."""

from inktex.ink.core import Ink, Symbol
from inktex.ink.errors import InkError
from inktex.ink.limits import MAX_POINTS, MAX_STROKES, LimitError, Limits
from inktex.ink.sources import read, read_all
from inktex.ink.write import save, write_inkml, write_json

__all__ = [
    "MAX_POINTS",
    "MAX_STROKES",
    "Ink",
    "InkError",
    "LimitError",
    "Limits",
    "Symbol",
    "read",
    "read_all",
    "save",
    "write_inkml",
    "write_json",
]
