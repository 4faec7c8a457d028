"""Expressions to learn from: CROHME and its splits, symbol banks, synthesis of new expressions."""

from inktex.corpus.bank import Glyph, SymbolBank
from inktex.corpus.bank_sources import BANKS, open_bank
from inktex.corpus.cache import Corpus, Problem
from inktex.corpus.example import Example
from inktex.corpus.importing import annotated_layout
from inktex.corpus.language import ExpressionModel
from inktex.corpus.load import import_paths, load_all, load_split
from inktex.corpus.packages import locate
from inktex.corpus.synthesis import SynthesisOptions, Synthesizer, synthesize, synthetic_example

__all__ = [
    "BANKS",
    "Corpus",
    "Example",
    "ExpressionModel",
    "Glyph",
    "Problem",
    "SymbolBank",
    "SynthesisOptions",
    "Synthesizer",
    "annotated_layout",
    "import_paths",
    "load_all",
    "load_split",
    "locate",
    "open_bank",
    "synthesize",
    "synthetic_example",
]
