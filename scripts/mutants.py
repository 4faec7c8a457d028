"""Do the tests notice a changed line in the modules that guard things? By mutmut; prints shares per module.

    python scripts/mutants.py                        all modules of [tool.mutmut] in pyproject.toml
    python scripts/mutants.py 'inktex.ink.limits*'   some

A copy of the sources with all changes in it is made in mutants/, where the results stay: `mutmut show NAME`
prints a change that no test noticed.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from mutmut.__main__ import cli
from mutmut.stats import status_by_exit_code

NOTICED = {"killed", "timeout", "segfault"}
MISSED = {"survived", "suspicious", "no tests"}


def main() -> None:
    """Run, then count."""
    # pytest 9.1 renamed the attribute by which mutmut 3.8 knows a test.
    if not hasattr(pytest.Item, "_nodeid"):
        pytest.Item._nodeid = property(lambda item: item.nodeid)  # type: ignore[attr-defined]
    try:
        cli(["run", "--max-children", "1", *sys.argv[1:]])
    except SystemExit as end:
        if end.code:
            raise
    report()


def report() -> None:
    """Print how many changes of each module the tests noticed."""
    noticed_in_all = tried_in_all = 0
    for file in sorted(Path("mutants").rglob("*.meta")):
        codes = json.loads(file.read_text())["exit_code_by_key"].values()
        counts = Counter(status_by_exit_code[code] for code in codes)
        noticed = sum(counts[each] for each in NOTICED)
        tried = noticed + sum(counts[each] for each in MISSED)
        if tried:
            module = file.relative_to("mutants").with_suffix("").as_posix()
            print(f"{module}: {noticed} of {tried} noticed, {noticed / tried:.0%}")
            noticed_in_all, tried_in_all = noticed_in_all + noticed, tried_in_all + tried
    if tried_in_all:
        print(f"all: {noticed_in_all} of {tried_in_all} noticed, {noticed_in_all / tried_in_all:.0%}")


if __name__ == "__main__":
    main()
