"""Write the symbols that the page offers for corrections into web/src/pad/symbols.json.

    python scripts/page_symbols.py

The table is that of inktex.latex. Each row is the LaTeX, the character, the words by which people search
for it, and what it looks like when it stands alone.
"""

import json
import unicodedata
from pathlib import Path

from inktex.latex import symbols

TARGET = Path(__file__).parent.parent / "web" / "src" / "pad" / "symbols.json"
SKIPPED = {"numbers", *symbols.STRUCTURAL}


def main() -> None:
    """Write the file."""
    rows = []
    for token in symbols.WIDE:
        symbol = symbols.symbol(token)
        if symbol.group in SKIPPED or token in ("&", "\\\\"):
            continue
        names = [unicodedata.name(letter, "").lower() for letter in symbol.character[:1]]
        twin = symbols.look_alike(token)
        rows.append([token, symbol.character, " ".join(names), "" if twin == token else twin])
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    TARGET.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
