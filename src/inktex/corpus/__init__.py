"""Expressions to learn from: CROHME and its splits, symbol banks, synthesis of new expressions."""

from inktex.corpus.cache import Corpus, Problem
from inktex.corpus.example import Example
from inktex.corpus.load import import_paths, load_all, load_split
from inktex.corpus.locate import cache_folder, locate

__all__ = ["Corpus", "Example", "Problem", "cache_folder", "import_paths", "load_all", "load_split", "locate"]
