"""Count how the symbols of the training set are written, for the alignment of strokes with tokens.

python scripts/writing_habits.py        writes src/inktex/reading/habits.json
"""

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from inktex.corpus import load_split
from inktex.features import FeatureOptions, extract_many
from inktex.files import write_atomically
from inktex.reading.habits import DISTANCES, MOST_STROKES, OVERLAPS, pair_classes

TARGET = Path(__file__).parents[1] / "src/inktex/reading/habits.json"


def main() -> None:
    """Count and write."""
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    pairs = np.zeros((2, len(DISTANCES) + 1, len(OVERLAPS) + 1), dtype=np.int64)  # other symbols, same symbol
    corpus = load_split("train")
    for start in range(0, len(corpus), 256):
        examples = [corpus[place] for place in range(start, min(start + 256, len(corpus)))]
        features = extract_many([example.ink for example in examples], FeatureOptions.polyline())
        for example, made in zip(examples, features, strict=True):
            owner = np.full(len(example.ink), -1)
            for place, strokes in enumerate(example.strokes_of):
                owner[list(strokes)] = place
                if 0 < len(strokes) <= MOST_STROKES:
                    counts[example.tokens[place]][len(strokes)] += 1
            known = (owner[:-1] >= 0) & (owner[1:] >= 0)
            near, over = pair_classes(made)
            np.add.at(pairs, ((owner[:-1] == owner[1:])[known].astype(int), near[known], over[known]), 1)
    symbols = [
        f"  {json.dumps(token)}: {json.dumps([found[number] for number in range(1, max(found) + 1)])}"
        for token, found in sorted(counts.items())
    ]
    tables = [
        f'  "{name}": [\n' + ",\n".join(f"   {row}" for row in table.tolist()) + "\n  ]"
        for name, table in zip(("other", "same"), pairs, strict=True)
    ]
    strokes = ' "strokes": {\n' + ",\n".join(symbols) + "\n }"
    write_atomically(TARGET, "{\n" + strokes + ',\n "pairs": {\n' + ",\n".join(tables) + "\n }\n}\n")
    print(f"{TARGET.name}: {len(symbols)} symbols, {pairs.sum()} pairs of strokes")


if __name__ == "__main__":
    main()
