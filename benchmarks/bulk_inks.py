"""Synthetic collections for the benchmarks of bulk recognition, and their place in docs/scale.md."""

from itertools import islice
from pathlib import Path

from inktex.corpus import ExpressionModel, Synthesizer, synthesize
from inktex.corpus.hershey import hershey_bank
from inktex.files import write_atomically
from inktex.store.files import write_store
from inktex.store.row import StoreRow

DOCS = Path(__file__).resolve().parents[1] / "docs"


def make_inks(path: Path, count: int, *, longest: int = 1000, per_file: int = 256) -> tuple[float, float]:
    """A store of synthetic expressions; gives their mean number of tokens and of points.

    Up to 500 expressions are made, and moved about to give more.
    """
    bank = Synthesizer(hershey_bank(writers=3, repeats=1))
    some = (
        each for each in synthesize(bank, ExpressionModel.builtin(), seed=3) if len(each.tokens) <= longest
    )
    examples = list(islice(some, min(count, 500)))
    path.mkdir(parents=True)
    number = 0
    while number < count:
        rows = (
            StoreRow(f"ink {each}", examples[each % len(examples)].ink.translate(each, -each))
            for each in range(number, min(number + per_file, count))
        )
        number += write_store(path / f"inks-{number:07d}.parquet", rows)
    tokens = sum(len(each.tokens) for each in examples) / len(examples)
    return tokens, sum(len(each.ink.points) for each in examples) / len(examples)


def put_into_docs(name: str, text: str, page: Path = DOCS / "scale.md") -> None:
    """Replace what stands between the two marks of that name."""
    begin, end = f"<!-- {name}: made by a command, see there -->", f"<!-- end of {name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        raise SystemExit(f"{page}: has no place for {name!r}; it needs the lines {begin} and {end}")
    write_atomically(page, f"{before}{begin}\n{text.strip()}\n{end}{after}")
