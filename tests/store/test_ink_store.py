"""A store keeps ink exactly, other tools can read it, and what is no store is refused with advice."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow", reason="the ink store needs inktex[store]")
import pyarrow.parquet as pq  # noqa: E402

from inktex.ink import Ink, Symbol  # noqa: E402
from inktex.store.files import GROUP_ROWS, group_count, read_group, read_store, write_store  # noqa: E402
from inktex.store.row import StoreError, StoreRow  # noqa: E402
from inktex.store.rows import (  # noqa: E402
    SCHEMA,
    batch_of,
    rows_of,
)

ANSWER = {
    "schema": "inktex.recognition/1",
    "latex": "x^{2}",
    "score": 0.75,
    "tokens": [{"text": "x", "confidence": 0.9, "strokes": [0]}],
    "symbols": [{"latex": "x", "strokes": [0], "confidence": 0.9, "token": 0}],
    "alternatives": [{"latex": "x 2", "score": 0.1}],
    "mathml": "<math/>",
    "typst": "x^2",
    "unread": [],
    "reread": [1],
    "complete": True,
    "model": "p2",
    "elapsed": 0.02,
}


def everything() -> Ink:
    return Ink.from_strokes(
        [[(0.1, 0.2), (1 / 3, -7e20)], [(5, 5)]],
        time=[[0.0, 0.01], [1.5]],
        pressure=[[0.5, 0.25], [1.0]],
        truth="$x^2$",
        symbols=[Symbol("x", (0,), "x_1"), Symbol("2", (1,))],
        mathml="<math/>",
        writer="w1",
    )


def test_all_that_is_known_about_an_ink_comes_back(tmp_path):
    rows = [
        StoreRow("full", everything(), ANSWER),
        StoreRow("bare", Ink.from_strokes([[(1, 2), (3, 4)]])),
        StoreRow("broken", None, None, "not well-formed"),
    ]
    assert write_store(tmp_path / "inks.parquet", rows) == 3
    found = [row for row, problem in read_store(tmp_path / "inks.parquet") if problem is None]
    assert [row.source for row in found] == ["full", "bare", "broken"]
    assert [row.ink for row in found] == [row.ink for row in rows]
    assert found[0].ink is not None
    assert found[0].ink.source == "full"
    assert found[0].recognition == {name: ANSWER[name] for name in ANSWER if name != "schema"}
    assert found[1].recognition is None
    assert found[2].error == "not well-formed"


coordinate = st.floats(-1e12, 1e12, allow_nan=False)
stroke = st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=6)
inks = st.lists(st.none() | st.lists(stroke, max_size=4), max_size=6)


@given(inks)
def test_any_strokes_come_back_as_they_were(drawn):
    rows = [
        StoreRow(str(number), None if strokes is None else Ink.from_strokes(strokes))
        for number, strokes in enumerate(drawn)
    ]
    assert [row for row, _ in rows_of(batch_of(rows))] == rows


def test_a_store_may_be_a_folder_and_half_written_files_are_not_seen(tmp_path):
    for number in range(3):
        write_store(tmp_path / f"part-{number}.parquet", [StoreRow(f"ink {number}", everything())])
    (tmp_path / ".part-3.parquet.17.tmp").write_bytes(b"PAR1")
    (tmp_path / ".hidden.parquet").write_bytes(b"PAR1")
    assert [row.source for row, _ in read_store(tmp_path)] == ["ink 0", "ink 1", "ink 2"]


def test_other_tools_see_strokes_as_lists(tmp_path):
    write_store(tmp_path / "inks.parquet", [StoreRow("a", Ink.from_strokes([[(1, 2), (3, 4)], [(5, 6)]]))])
    table = pq.read_table(tmp_path / "inks.parquet")
    assert table.column("x").to_pylist() == [[[1.0, 3.0], [5.0]]]
    assert table.column("y").to_pylist() == [[[2.0, 4.0], [6.0]]]
    assert table.schema.metadata[b"inktex.schema"] == b"inktex.ink-store/1"


def test_stores_that_other_tools_made_are_read(tmp_path):
    """Only source, x and y are needed; whole numbers, more columns and another order do no harm."""
    table = pa.table({"note": ["hi"], "y": [[[2, 4]]], "x": [[[1, 3]]], "source": ["mine"]})
    pq.write_table(table, tmp_path / "mine.parquet")
    [(row, problem)] = read_store(tmp_path / "mine.parquet")
    assert problem is None
    assert row.ink == Ink.from_strokes([[(1, 2), (3, 4)]])


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ([[1.0, 2.0]], [[1.0]], "do not have the same strokes"),
        ([[1.0, float("nan")]], [[1.0, 2.0]], ""),
        ([[1.0]], None, "y"),
        ([None], [None], "null"),
        ([[]], [[]], ""),
    ],
)
def test_a_row_that_makes_no_ink_is_reported_and_stops_nothing(tmp_path, x, y, said):
    types = SCHEMA.field("x").type
    table = pa.table(
        {"source": ["bad", "good"], "x": pa.array([x, [[1.0]]], types), "y": pa.array([y, [[2.0]]], types)}
    )
    pq.write_table(table, tmp_path / "inks.parquet")
    (bad, problem), (good, none) = read_store(tmp_path / "inks.parquet")
    assert bad.ink is None
    assert str(problem).startswith("bad: ")
    assert said in str(problem)
    assert none is None
    assert np.array_equal(good.ink.points, [[1.0, 2.0]])


def test_what_is_no_store_is_refused_with_advice(tmp_path):
    path = tmp_path / "inks.parquet"
    path.write_bytes(b"PAR1 but not really")
    with pytest.raises(StoreError, match=r"inks\.parquet: damaged or not a Parquet file .*make it again"):
        list(read_store(path))
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(StoreError, match="needs the columns source, x and y"):
        list(read_store(path))
    write_store(path, [StoreRow("a", everything())])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StoreError, match="damaged"):
        list(read_store(path))
    later = SCHEMA.with_metadata({b"inktex.schema": b"inktex.ink-store/9"})
    pq.write_table(later.empty_table(), path)
    with pytest.raises(StoreError, match=r"inktex\.ink-store/9.*reads 'inktex\.ink-store/1'"):
        list(read_store(path))


def test_a_store_appears_whole_or_not_at_all(tmp_path):
    def rows():
        yield StoreRow("a", everything())
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_store(tmp_path / "inks.parquet", rows())
    assert list(tmp_path.iterdir()) == []


def test_every_changed_byte_of_a_store_is_noticed(tmp_path):
    path = tmp_path / "inks.parquet"
    write_store(path, [StoreRow(f"{number}", everything().translate(number, 0)) for number in range(3)])
    good, rows = path.read_bytes(), list(read_store(path))
    rng = random.Random(1)
    unnoticed = 0
    for place in rng.sample(range(len(good)), 500):
        changed = bytearray(good)
        changed[place] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        try:
            assert list(read_store(path)) == rows, f"byte {place}"
            unnoticed += 1
        except StoreError as error:
            assert "inks.parquet: damaged" in str(error)  # noqa: PT017
    assert unnoticed < 5  # the mark of the checksum itself, which holds nothing


def test_pages_are_checked_where_only_a_part_is_read(tmp_path):
    path = tmp_path / "inks.parquet"
    write_store(path, [StoreRow(f"{number}", everything()) for number in range(GROUP_ROWS + 1)])
    assert group_count(path) == 2
    assert [row.source for row, _ in read_group(path, 1)] == [f"{GROUP_ROWS}"]
    store = pq.ParquetFile(path)
    column = store.metadata.row_group(1).column(store.schema_arrow.names.index("source"))
    content = bytearray(path.read_bytes())
    content[column.data_page_offset + column.total_compressed_size - 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"damaged .*SHA-256 differs"):
        group_count(path)
    with pytest.raises(StoreError, match="damaged"):
        list(read_group(path, 1))
    assert len(list(read_group(path, 0))) == GROUP_ROWS


def test_a_file_name_that_is_not_unicode_is_kept_in_a_readable_form(tmp_path):
    write_store(tmp_path / "inks.parquet", [StoreRow("a\udce9", everything(), error="\udfff")])
    [(row, _)] = read_store(tmp_path / "inks.parquet")
    assert (row.source, row.error) == ("a\\xe9", "\\udfff")
