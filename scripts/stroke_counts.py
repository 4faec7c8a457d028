"""Count with how many strokes each sign is written in the training set: `explain/alignment.py` reads it.

python scripts/stroke_counts.py        writes src/inktex/explain/stroke_counts.json
"""

import json
from collections import Counter, defaultdict
from pathlib import Path

from inktex.corpus import load_split
from inktex.explain.alignment import MOST_STROKES
from inktex.files import write_atomically

TARGET = Path(__file__).parents[1] / "src/inktex/explain/stroke_counts.json"


def main() -> None:
    """Count and write."""
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for example in load_split("train"):
        for token, strokes in zip(example.tokens, example.strokes_of, strict=True):
            if 0 < len(strokes) <= MOST_STROKES:
                counts[token][len(strokes)] += 1
    rows = [
        f" {json.dumps(token)}: {json.dumps([found[number] for number in range(1, max(found) + 1)])}"
        for token, found in sorted(counts.items())
    ]
    write_atomically(TARGET, "{\n" + ",\n".join(rows) + "\n}\n")
    print(f"{TARGET.name}: {len(rows)} signs")


if __name__ == "__main__":
    main()
