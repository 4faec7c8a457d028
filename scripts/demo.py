"""Recognise the ink in `examples/`, compare with what it says, and draw a page with ink and answers.

    python scripts/demo.py [--model NAME] [-o out/demo.html]

Exit code 1 if an answer is wrong.
"""

import argparse
import json
import sys
import time
from html import escape
from pathlib import Path

from rich.console import Console
from rich.table import Table

from inktex.files import write_atomically
from inktex.ink import Ink, read_all
from inktex.ink.lines import split_page
from inktex.recognizer import Recognition, Recognizer

ROOT = Path(__file__).resolve().parent.parent
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff }
article { display: grid; grid-template-columns: 1fr 1fr; gap: 0 2rem; align-items: center;
  border-top: 1px solid #ddd; padding: 1rem 0 }
article svg { max-width: 100%; max-height: 9rem; width: auto } math { font-size: 1.5rem }
code { grid-column: 1 / 3; color: #555; font-size: .85rem; overflow-wrap: anywhere } .wrong { color: #b00 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } code { color: #aaa } }
"""


def inks_of(path: Path, page: bool) -> list[Ink]:
    """All inks of a file; with `page`, the expressions on it."""
    found = [ink for _, ink in read_all(path) if isinstance(ink, Ink)]
    return [part for ink in found for part in split_page(ink)] if page else found


def shown(name: str, ink: Ink, answer: Recognition, right: bool) -> str:
    """One example as HTML: the ink, the formula, the LaTeX."""
    mark = "" if right else ' class="wrong"'
    text = f"{escape(name)} · {escape(answer.latex)} · {answer.score:.0%}"
    return f"<article>{ink.to_svg(height=110)}{answer.mathml}<code{mark}>{text}</code></article>"


def main() -> None:
    """Read, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default=None)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "out" / "demo.html")
    arguments = parser.parse_args()
    wanted: dict[str, str | list[str]] = json.loads((ROOT / "examples" / "answers.json").read_text())
    begin = time.perf_counter()
    recognizer = Recognizer(arguments.model)
    table = Table("file", "LaTeX", "score", "", title="inktex reads the examples")
    parts, wrong, count = [], 0, 0
    for name, truth in wanted.items():
        truths = [truth] if isinstance(truth, str) else truth
        inks = inks_of(ROOT / "examples" / name, page=name.startswith("page"))
        for number, ink in enumerate(inks):
            answer = recognizer.recognize(ink)
            right = len(inks) == len(truths) and answer.latex == truths[number]
            wrong += not right
            count += 1
            title = name if len(inks) == 1 else f"{name} ({number + 1})"
            table.add_row(title, answer.latex, f"{answer.score:.0%}", "✓" if right else "✗")
            parts.append(shown(title, ink, answer, right))
    console = Console()
    console.print(table)
    title = f"{count - wrong} of {count} right in {time.perf_counter() - begin:.1f} s, loading included"
    page = (
        f'<!doctype html><meta charset="utf-8"><title>inktex demo</title><style>{STYLE}</style>'
        f"<h1>What inktex reads</h1><p>{title}</p>{''.join(parts)}"
    )
    write_atomically(arguments.output, page)
    console.print(f"{title}\nink and answers: {arguments.output}", highlight=False)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
