"""Promises name the tests that keep them, which exist; the table of SECURITY.md is the one printed."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["SECURITY.md", "docs/server.md"]
TABLES = [
    ("SECURITY.md", "## Threat model"),
    ("SECURITY.md", "## Files"),
    ("docs/server.md", "## Safe by default"),
]


def promises(page: str, title: str) -> list[str]:
    """The rows of the table of promises."""
    section = (ROOT / page).read_text(encoding="utf-8").partition(f"\n{title}\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("| ")][1:]


def named_tests(text: str) -> list[tuple[str, str]]:
    """File and name of every test in a text; `::name` alone is in the file named before it."""
    found, file = [], ""
    for path, name in re.findall(r"`(tests/[\w/]+\.py)?(?:::(\w+))?`", text):
        file = path or file
        if path or name:
            found.append((file, name))
    return found


@pytest.mark.parametrize(("page", "title"), TABLES)
def test_every_promise_names_its_tests(page: str, title: str) -> None:
    rows = promises(page, title)
    assert len(rows) >= 5
    for row in rows:
        assert named_tests(row), row


@pytest.mark.parametrize("page", PAGES)
def test_the_tests_that_are_named_exist(page: str) -> None:
    for file, name in named_tests((ROOT / page).read_text(encoding="utf-8")):
        assert (ROOT / file).exists(), file
        assert not name or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"


@pytest.mark.parametrize(
    ("page", "marks", "made"),
    [("SECURITY.md", "MARKS", "table"), ("docs/server.md", "SERVER_MARKS", "measured")],
)
def test_the_tables_of_results_are_the_printed_ones(page: str, marks: str, made: str) -> None:
    script = runpy.run_path(str(ROOT / "scripts/security_table.py"))
    begin, end = script[marks]
    written = (ROOT / page).read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
    assert written.strip() == script[made]().strip()
