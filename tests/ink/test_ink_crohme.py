"""All of CROHME can be read, if it is there (INKTEX_DATA)."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from inktex.ink import Ink, InkError, read, read_all, write_inkml, write_json

DATA = Path(os.environ.get("INKTEX_DATA") or "no data")
pytestmark = [
    pytest.mark.crohme,
    pytest.mark.timeout(1200),  # ten seconds of one core, which a busy machine may take long to give
    pytest.mark.skipif(not (DATA / "crohme").is_dir(), reason="no CROHME data (set INKTEX_DATA)"),
]


@pytest.fixture(scope="module")
def packages() -> dict[str, dict[str, Ink | InkError]]:
    begin = time.process_time()
    found = {}
    for name in ("train", "test2013", "test2014"):
        items = read_all(DATA / "crohme" / f"{name}.zip")
        found[name] = {path.rsplit("/", 1)[1].removesuffix(".inkml"): item for path, item in items}
    assert time.process_time() - begin < 60
    return found


def inks(items: dict[str, Ink | InkError]) -> list[Ink]:
    return [item for item in items.values() if isinstance(item, Ink)]


def test_every_file_but_the_empty_one_is_read(packages):
    assert {name: len(items) for name, items in packages.items()} == {
        "train": 8836,
        "test2013": 671,
        "test2014": 986,
    }
    errors = {
        stem: item
        for items in packages.values()
        for stem, item in items.items()
        if isinstance(item, InkError)
    }
    assert list(errors) == ["MfrDB3088"]
    assert str(errors["MfrDB3088"]).endswith(
        "MfrDB3088.inkml: the file is empty; save or export the ink again"
    )


def test_all_have_truth_and_nearly_all_layout_and_segmentation(packages):
    for items in packages.values():
        assert all(ink.truth for ink in inks(items))
        assert all(ink.symbols for ink in inks(items))
        assert sum(ink.mathml is None for ink in inks(items)) <= 1
        assert sum(len({s for y in ink.symbols for s in y.strokes}) < len(ink) for ink in inks(items)) <= 114


def test_the_known_traps_are_read_right(packages):
    for stem in ("rit_4295_2", "rit_4295_3", "ritm_426_0"):
        assert packages["test2013"][stem].truth
    assert packages["train"]["MfrDB0104"].truth
    timed = sum(ink.time is not None for ink in inks(packages["train"]))
    assert timed == 1583  # the files that declare X Y T


def test_what_is_written_reads_back_equal(packages):
    every_20th = [ink for items in packages.values() for ink in inks(items)][::20]
    for ink in every_20th:
        assert read(write_inkml(ink).encode()) == ink
        assert read(write_json(ink).encode()) == ink
        assert np.isfinite(ink.points).all()
