"""CPU time per expression of several models, on CROHME 2013, by turns.

    python benchmarks/models.py p2 twin wide

Every model reads an expression before the next expression comes, so that what else the machine does meets all
of them alike. Ratios are medians over expressions, against the first model.
"""

import argparse
import time

import numpy as np

from inktex.corpus import load_split
from inktex.reading import Reader, open_model


def main() -> None:
    """Print a row per model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", help="names or files")
    parser.add_argument("--every", type=int, default=6, help="read one expression of so many")
    given = parser.parse_args()
    split = load_split("test2013")
    inks = [split[place].ink for place in range(0, len(split), given.every)]
    readers = {name: Reader(open_model(name)) for name in given.models}
    for reader in readers.values():
        reader.read_one(inks[0])
    times: dict[str, list[float]] = {name: [] for name in readers}
    for ink in inks:
        for name, reader in readers.items():
            begin = time.process_time()
            reader.read_one(ink)
            times[name].append(time.process_time() - begin)
    first = np.array(times[given.models[0]])
    print(f"{len(inks)} expressions of CROHME 2013, CPU time")
    for name, taken in times.items():
        each = np.array(taken)
        print(
            f"{name}: median {1e3 * np.median(each):.1f} ms, mean {1e3 * each.mean():.1f} ms, "
            f"{np.median(each / first):.2f} times {given.models[0]}"
        )


if __name__ == "__main__":
    main()
