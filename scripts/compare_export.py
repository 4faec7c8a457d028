"""Hold an exported model against the PyTorch weights it was made of, on expressions of CROHME 2013.

    python scripts/compare_export.py runs/p2-1 src/inktex/weights/p2.inktex [--limit 300] [--beam 10]

Prints on how many expressions both give the same tokens, the largest difference of a token's probability
where they do, and how many expressions each reads right.
"""

import argparse
from pathlib import Path

import numpy as np

from inktex.corpus import load_split
from inktex.decoding import SearchOptions
from inktex.reading import Reader, open_model


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--beam", type=int, default=10)
    arguments = parser.parse_args()
    readers = [
        Reader(open_model(source), SearchOptions(beam=arguments.beam))
        for source in (arguments.run, arguments.model)
    ]
    examples = list(load_split("test2013"))
    chosen = [examples[n * len(examples) // arguments.limit] for n in range(arguments.limit)]
    same, largest, right = 0, 0.0, [0, 0]
    for example in chosen:
        answers = [reader.read_one(example.ink) for reader in readers]
        for place, answer in enumerate(answers):
            right[place] += answer.tokens == example.tokens
        if answers[0].tokens == answers[1].tokens:
            same += 1
            probabilities = [np.exp(answer.token_log_probs) for answer in answers]
            largest = max(largest, float(np.abs(probabilities[0] - probabilities[1]).max()))
    print(f"same tokens: {same} of {len(chosen)}")
    print(f"largest difference of a token's probability: {largest:.2e}")
    print(f"right: PyTorch {right[0]}, exported {right[1]}")


if __name__ == "__main__":
    main()
