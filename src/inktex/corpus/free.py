r"""The training ink of the `free` model: made without CROHME, neither its strokes nor its statistics.

`FreeInk(drawings).pieces(epoch)` gives the expressions of an epoch, new ones in every epoch; equal seeds
give equal ink. Formulas come from a grammar (`free_formulas`), drawings of single symbols from collections
whose licences allow commercial use, and a hand that knows typography (`free_hand`) puts them together.

| source | licence |
|---|---|
| Detexify | ODbL 1.0: attribution; an adapted database is shared alike |
| mathnote | Apache-2.0 |
| Omniglot | MIT |
| Hershey fonts, and ways of writing drawn for this project | public domain; this project's licence |
"""

from functools import cache
from pathlib import Path
from random import Random

from inktex.corpus.bank import SymbolBank
from inktex.corpus.bank_sources import COLLECTIONS, Part, open_drawings
from inktex.corpus.example import Example
from inktex.corpus.free_formulas import FREE_TOKENS, FormulaGrammar
from inktex.corpus.free_hand import Drawings, FreeHand, unsteady
from inktex.corpus.hershey import MORE_WAYS, hershey_bank
from inktex.corpus.pens import Pens, with_another_pen
from inktex.corpus.recombine import Piece
from inktex.corpus.thinning import thinned_glyphs
from inktex.latex import Vocabulary
from inktex.latex.vocabulary import END_MARK

# How much each source is drawn from where it has a symbol.
_WEIGHTS = {"detexify": 1.6, "mathnote": 1.0, "omniglot": 1.0, "hershey": 1.4}


def free_vocabulary() -> Vocabulary:
    """The tokens that the grammar writes."""
    return Vocabulary((END_MARK, *FREE_TOKENS))


def free_drawings(data: Path | None = None, part: Part = "train") -> Drawings:
    """All drawings that `free` is trained with, or those kept for testing; invented writers are in both."""
    banks = [open_drawings(name, part, data) for name in COLLECTIONS]
    return Drawings([(bank, _WEIGHTS[bank.name]) for bank in (*banks, invented_bank())])


@cache
def invented_bank() -> SymbolBank:
    """Letters, digits and symbols by invented writers, who know more ways of writing than fonts do."""
    # Steadier than elsewhere: the hand that writes the expression bends every symbol once more.
    drawn = hershey_bank(writers=60, repeats=2, seed=17, ways_of=MORE_WAYS, wobble=0.4)
    return SymbolBank("hershey", thinned_glyphs(list(drawn)))


class FreeInk:
    """Makes the expressions of every epoch."""

    def __init__(self, drawings: Drawings, count: int = 14_000, seed: int = 1) -> None:
        self.drawings, self.count, self.seed = drawings, count, seed
        self.pens = Pens()
        self.grammar = FormulaGrammar()

    def pieces(self, epoch: int) -> list[Piece]:
        return [self.piece(epoch, number) for number in range(self.count)]

    def piece(self, epoch: int, number: int) -> Piece:
        """Expression `number` of an epoch; depends on these and the seed alone."""
        random = Random(f"free/{self.seed}/{epoch}/{number}")
        draft = FreeHand(self.drawings, random).write(self.grammar.sample(random))
        return with_another_pen(draft.finished(unsteady(draft, random)), self.pens, random)

    def examples(self, epoch: int, count: int) -> list[Example]:
        """Some expressions as examples, to look at or to validate with."""
        return [self.piece(epoch, n).to_example(f"free-{epoch}-{n}", "free") for n in range(count)]
