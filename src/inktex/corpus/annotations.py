"""Reads the layout that an ink file is annotated with, for examples whose LaTeX and annotation disagree.

In a few files of CROHME (6 of 2013, 18 of 2014) the MathML differs from the LaTeX, so the strokes of the
LaTeX tokens are unknown (`Example.strokes_of` is empty). The competition scored strokes by the MathML. It is
read from the files again, since the cache leaves it out.
"""

from collections.abc import Collection
from pathlib import Path

from inktex.corpus.load import sources_for
from inktex.corpus.packages import walk
from inktex.ink import InkError, read
from inktex.latex import LatexError, Layout, layout_from_mathml


def annotated_layouts(data: str, stems: Collection[str]) -> dict[str, Layout]:
    """The layout of each stem's file in a split or at a path; files without an annotation are left out."""
    layouts: dict[str, Layout] = {}
    if not stems:
        return layouts
    for source in sources_for(data):
        for file in walk(source, lambda path: Path(path).stem in stems):
            if file.data is None:
                continue
            try:
                ink = read(file.data, name=file.path)
                if ink.mathml and ink.symbols:
                    symbols = [(each.label, each.strokes, each.id) for each in ink.symbols]
                    layouts[Path(file.path).stem] = layout_from_mathml(ink.mathml, symbols)
            except (InkError, LatexError):
                continue
    return layouts
