"""A full disk or a folder that is read-only: what was there stays, and the message says what to do."""

import json
from pathlib import Path

import pytest

from inktex.bulk.results import ResultsFile
from inktex.files import write_atomically
from inktex.ink import Ink, InkError, save
from inktex.reading import Member, ModelFile, write_model

INK = Ink.from_strokes([[(0, 0), (5, 5)]] * 400)
ROW = {"source": "a.inkml", "latex": "x", "score": 0.5}


def big_model() -> ModelFile:
    return ModelFile((Member("m", b"e" * 9000, b"d" * 9000, {}),))


def test_a_full_disk_leaves_the_old_file(tmp_path, full_disk):
    target = tmp_path / "model.inktex"
    target.write_bytes(b"old")
    with full_disk(2048), pytest.raises(OSError, match=r"model\.inktex: could not be written .*free space"):
        write_model(target, big_model())
    with full_disk(2048), pytest.raises(OSError, match=r"ink\.json: could not be written .*free space"):
        save(INK, tmp_path / "ink.json")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["model.inktex"]


def test_a_bulk_run_goes_on_where_the_disk_was_full(tmp_path, full_disk):
    path = tmp_path / "read.jsonl"
    wide = {**ROW, "note": "x" * 300}

    def fill() -> None:
        with ResultsFile(path, {}) as results:
            for number in range(20):
                results.add({**wide, "source": f"{number}"})

    said = r"read\.jsonl: could not be written .*free space, then .* same command"
    with full_disk(1500), pytest.raises(OSError, match=said):
        fill()
    with ResultsFile(path, {}) as results:  # the torn row is cut off, whole ones are kept
        kept = results.total
        for number in range(kept, 20):
            results.add({**wide, "source": f"{number}"})
    sources = [json.loads(line)["source"] for line in path.read_text().splitlines()]
    assert 0 < kept < 20
    assert sources == [str(number) for number in range(20)]


def test_a_full_disk_leaves_no_half_store(tmp_path, full_disk):
    pytest.importorskip("pyarrow", reason="the ink store needs inktex[store]")
    from inktex.store.files import write_store
    from inktex.store.row import StoreRow

    rows = [StoreRow(f"{number}", INK.translate(number / 7, number / 3)) for number in range(1500)]
    with full_disk(4096), pytest.raises(OSError, match=r"inks\.parquet: could not be written"):
        write_store(tmp_path / "inks.parquet", rows)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_full_disk_leaves_no_half_part_of_a_large_run(tmp_path, full_disk, recognizer, suffix):
    pytest.importorskip("pyarrow", reason="the ink store needs inktex[store]")
    from inktex.bulk.parts import Unit, do_unit
    from inktex.recognizer import RecognizeOptions

    (tmp_path / "out").mkdir()
    for number in range(12):
        save(INK[number : number + 2], tmp_path / f"{number}.json")
    unit, part = Unit((str(tmp_path),), named=False), tmp_path / "out" / f"part-0.{suffix}"
    said = rf"part-0\.{suffix}: could not be written .*; free space or choose another folder"
    with full_disk(1024), pytest.raises(OSError, match=said) as caught:
        do_unit(unit, part, recognizer, RecognizeOptions())
    assert str(part) in str(caught.value)
    assert list((tmp_path / "out").iterdir()) == []
    assert do_unit(unit, part, recognizer, RecognizeOptions()).inks == 12


def test_a_read_only_folder_is_named(read_only_folder: Path):
    said = r"could not be written \(Permission denied\); free space or choose another folder"
    for write in (
        lambda: write_atomically(read_only_folder / "new.txt", "x"),
        lambda: write_atomically(read_only_folder / "deeper" / "new.txt", "x"),
        lambda: write_model(read_only_folder / "m.inktex", big_model()),
        lambda: ResultsFile(read_only_folder / "read.jsonl", {}),
    ):
        with pytest.raises(OSError, match=said) as caught:
            write()
        assert str(read_only_folder) in str(caught.value)


def test_ink_in_a_folder_that_may_not_be_read_is_named(read_only_folder: Path):
    from inktex.ink import read

    with pytest.raises(InkError, match=r"secret\.inkml: (Permission denied|No such file)"):
        read(read_only_folder / "secret.inkml")


def test_what_may_not_be_read_in_a_folder_has_a_row_with_the_reason(partly_locked_folder: Path):
    from inktex.bulk.parts import unit_inks, units_of
    from inktex.ink import read_all
    from inktex.store.sources import ink_of, rows_in

    folder = str(partly_locked_folder)
    by_unit = [item for unit in units_of([folder]) for item in unit_inks(unit)]
    by_row = [(row.source, ink_of(row, problem)) for row, problem in rows_in(folder)]
    for found in (list(read_all(folder)), by_row, by_unit):
        assert {
            name.removeprefix(folder): str(ink)[len(folder) :] for name, ink in found if ink != INK[:1]
        } == {
            "/secret.json": "/secret.json: Permission denied",
            "/locked": "/locked: Permission denied",
        }
        assert len(found) == 3
