"""A large run is cut into units whose parts appear once, whatever is repeated or interrupted."""

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="bulk runs need inktex[store]")

from inktex.bulk.parts import PartCount, Plan, Unit, do_unit, units_of
from inktex.ink import Ink, save
from inktex.recognizer import RecognizeOptions
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
    with pytest.raises(ValueError, match="standard input"):
        list(units_of(["-"]))


@pytest.mark.parametrize("parquet", [False, True])
def test_every_ink_has_one_row_also_when_a_unit_is_done_twice(tmp_path, inks, recognizer, parquet):
    plan = Plan(tuple(units_of([str(inks)])), tmp_path / "out", parquet)
    with plan.lock():
        assert plan.open({}) == [0]
    for _ in range(2):
        assert do_unit(plan.units[0], plan.part(0), recognizer, RecognizeOptions()) == PartCount(
            inks=6, failures=1
        )
    plan.part(0).unlink()
    do_unit(plan.units[0], plan.part(0), recognizer, RecognizeOptions())
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
    model_1, model_2 = {"model": "1", "beam": 10}, {"model": "2", "beam": 10}
    assert plan.open(model_1) == [0, 1, 2]
    plan.part(1).write_text("")
    assert plan.open(model_1) == [0, 2]
    for other in (model_2, {"model": "1", "beam": 5}):
        with pytest.raises(ValueError, match="with other settings"):
            plan.open(other)
    other_plan = Plan((Unit(("x",)),), tmp_path / "out", parquet=False)
    with pytest.raises(ValueError, match="--fresh"):
        other_plan.open(model_1)
    assert other_plan.open(model_1, fresh=True) == [0]
    assert not plan.part(1).exists()


def test_units_whose_files_changed_are_done_again(tmp_path):
    files = [tmp_path / name for name in "abc"]
    for file in files:
        file.write_text("1")
    plan = Plan(tuple(Unit((str(file),)) for file in files), tmp_path / "out", parquet=False)
    assert plan.open({}) == [0, 1, 2]
    for number in range(3):
        plan.part(number).write_text("")
    plan.finish()
    assert plan.open({}) == []
    files[1].write_text("22")  # another size
    os.utime(files[2], ns=(1, 1))  # another time
    assert plan.open({}) == [1, 2]
    assert plan.part(0).exists()
    assert not plan.part(1).exists()
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    plan.part(1).write_text("")
    assert plan.open({}) == [2]
    files[1].unlink()
    assert plan.open({}) == [1, 2]


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("do not touch")
    with pytest.raises(ValueError, match="not empty"):
        Plan((), mine, parquet=False).lock()
    assert [file.name for file in mine.iterdir()] == ["thesis.tex"]
    with pytest.raises(ValueError, match=r"thesis\.tex: a file; name a folder"):
        Plan((), mine / "thesis.tex", parquet=False).lock()


def test_two_large_runs_do_not_share_a_folder(tmp_path):
    plan = Plan((), tmp_path / "deep" / "out", parquet=False)
    with plan.lock():
        plan.open({})
        with pytest.raises(ValueError, match="another run is writing to it"):
            plan.lock()
    with plan.lock():
        assert plan.open({}) == []


def test_everything_in_a_mixed_folder_has_a_row(tmp_path, recognizer):
    """Ink files, good and damaged stores, a file name that is not UTF-8, a link to nothing."""
    folder = tmp_path / "mixed"
    (folder / "deep").mkdir(parents=True)
    save(INK, folder / "a.inkml")
    write_store(folder / "good.parquet", [StoreRow("first", INK), StoreRow("second", INK)])
    write_store(folder / "deep" / "also.parquet", [StoreRow("third", INK)])
    torn = (folder / "good.parquet").read_bytes()
    (folder / "torn.parquet").write_bytes(torn[: len(torn) // 2])
    (folder / "gone.inkml").symlink_to(folder / "nowhere")
    odd = os.fsencode(folder) + b"/caf\xe9.inkml"
    with open(odd, "wb") as file:
        file.write((folder / "a.inkml").read_bytes())
    units = list(units_of([str(folder)]))
    for parquet in (False, True):
        plan = Plan(tuple(units), tmp_path / f"out{parquet}", parquet)
        with plan.lock():
            counts = [
                do_unit(plan.units[number], plan.part(number), recognizer, RecognizeOptions())
                for number in plan.open({})
            ]
        assert sum(each.failures for each in counts) == 2
        if parquet:
            rows = {row.source: row.error for row, _ in read_store(plan.folder)}
        else:
            lines = [line for part in plan.folder.glob("part-*") for line in part.read_text().splitlines()]
            rows = {row["source"]: row.get("error") for row in map(json.loads, lines)}
        assert len(rows) == sum(each.inks for each in counts)
        assert {Path(name).name for name in rows} == {
            "a.inkml", "caf\\xe9.inkml", "gone.inkml", "torn.parquet", "first", "second", "third",
        }  # fmt: skip
        errors = {Path(name).name: error for name, error in rows.items() if error}
        assert "not a Parquet file" in errors["torn.parquet"]
        assert "No such file" in errors["gone.inkml"]
