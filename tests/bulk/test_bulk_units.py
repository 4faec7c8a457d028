"""A large run is cut into units whose parts appear once, whatever is repeated or interrupted."""

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="bulk runs need inktex[store]")

from inktex.bulk.asking import Asking
from inktex.bulk.parts import PartCount, do_unit
from inktex.bulk.units import Plan, Unit, units_of
from inktex.ink import Ink, save
from inktex.store.files import read_store, write_store
from inktex.store.row import StoreRow

INK = Ink.from_strokes([[(0, 0), (10, 10)], [(0, 10), (10, 0)]])


@pytest.fixture
def inks(tmp_path: Path) -> Path:
    folder = tmp_path / "inks"
    (folder / "deep").mkdir(parents=True)
    for number in range(5):
        save(INK, folder / "deep" / f"{number}.inkml")
    (folder / "notes.md").write_text("not ink")
    (folder / "bad.inkml").write_text("<ink>")
    return folder


def test_files_and_row_groups_become_units(tmp_path, inks):
    units = list(units_of([str(inks)], files_per_unit=4))
    assert [len(unit.files) for unit in units] == [4, 3]
    write_store(tmp_path / "store.parquet", (StoreRow(f"{n}", INK) for n in range(2500)))
    assert [unit.group for unit in units_of([str(tmp_path / "store.parquet")])] == [0, 1, 2]
    assert [Unit.from_json(unit.to_json()) for unit in units] == units
    with pytest.raises(ValueError, match="standard input"):
        list(units_of(["-"]))


@pytest.mark.parametrize("parquet", [False, True])
def test_every_ink_has_one_row_also_when_a_unit_is_done_twice(tmp_path, inks, recognizer, parquet):
    plan = Plan(tuple(units_of([str(inks)])), tmp_path / "out", parquet)
    assert plan.open("m") == [0]
    for _ in range(2):
        assert do_unit(plan.units[0], plan.part(0), recognizer, Asking()) == PartCount(inks=6, failures=1)
    plan.part(0).unlink()
    do_unit(plan.units[0], plan.part(0), recognizer, Asking())
    if parquet:
        rows = {row.source: row.error for row, _ in read_store(tmp_path / "out")}
    else:
        lines = map(json.loads, plan.part(0).read_text().splitlines())
        rows = {row["source"]: row.get("error") for row in lines}
    assert [Path(name).name for name in sorted(rows)] == ["bad.inkml", *(f"{n}.inkml" for n in range(5))]
    assert [Path(name).name for name, error in rows.items() if error] == ["bad.inkml"]
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.startswith(".")]


def test_a_run_goes_on_only_over_the_same_inputs(tmp_path):
    plan = Plan((Unit(("a",)), Unit(("b",)), Unit(("c",))), tmp_path / "out", parquet=False)
    assert plan.open("model 1") == [0, 1, 2]
    plan.part(1).write_text("")
    assert plan.open("model 1") == [0, 2]
    with pytest.raises(ValueError, match="another model"):
        plan.open("model 2")
    other = Plan((Unit(("x",)),), tmp_path / "out", parquet=False)
    with pytest.raises(ValueError, match="--fresh"):
        other.open("model 1")
    assert other.open("model 1", fresh=True) == [0]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("do not touch")
    with pytest.raises(ValueError, match="not empty"):
        Plan((), tmp_path / "mine", parquet=False).open("m", fresh=True)
