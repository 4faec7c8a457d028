"""SCGINK, notebooks, drawings and the JSON that pen software exchanges."""

import gzip
import json

import numpy as np
import pytest
from ink_samples import BARE, FILES, INK, STROKES, SYMBOLS, jiix, pointer_events, xopp, xournal_xml

from inktex.ink import Ink, InkError, Symbol, read, read_all


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_strokes(name):
    ink = read(FILES[name])
    assert len(ink) == len(BARE)
    np.testing.assert_allclose(ink.points, BARE.points, atol=1e-9)
    assert np.array_equal(ink.offsets, BARE.offsets)


def as_json(value: object) -> bytes:
    return json.dumps(value).encode()


def fails(data: bytes, words: str) -> None:
    with pytest.raises(InkError, match=words) as caught:
        read(data, name="f")
    assert str(caught.value).startswith("f: ")


def test_scgink_says_which_line_is_wrong():
    good = FILES["sample.scgink"]
    assert read(good + b"ANNOTATIONS 3\nSYMBOL x <0,1>\n") == BARE
    assert read(b"SCG_INK\r\n1\r\n2\r\n1 2\r\n3 4\r\n").points.tolist() == [[1, 2], [3, 4]]
    fails(b"SCG_INK\n2\n1\n1 2\n", "the file ends before the number of points of stroke 2")
    fails(b"SCG_INK\n1\n3\n1 2\n", "stroke 1: the file ends after 1 of 3 points")
    fails(b"SCG_INK\n1\n2\n1 2\n3\n", "line 5: expected x and y, found '3'")
    fails(b"SCG_INK\n1\n1\nx y\n", "line 4: expected x and y")
    fails(b"SCG_INK\n1\n1\n1 nan\n", "stroke 1, point 1: x and y must be finite")
    fails(b"SCG_INK\n-1\n", "line 2: expected the number of strokes, found '-1'")
    fails(b"SCG_INK\n99999999999999\n", "line 2: the number of strokes is more than the limit")
    fails(b"SCG_INK\n1\n999999999\n1 2\n", "line 3: the number of points of stroke 1 is more than the limit")
    fails(b"SCG_INK\n0\n", "no strokes")
    fails(b"SCG_INK", "the file ends before the number of strokes")


def test_a_notebook_gives_an_ink_per_written_page():
    pages = dict(read_all(xopp(pages=3), name="notes.xopp"))
    assert list(pages) == ["notes.xopp#page 1", "notes.xopp#page 3"]
    assert np.array_equal(pages["notes.xopp#page 3"].points, BARE.points)
    assert pages["notes.xopp#page 3"].source == "notes.xopp#page 3"
    with pytest.raises(InkError, match=r"notes\.xopp: holds more than one ink"):
        read(xopp(pages=3), name="notes.xopp")


def test_only_the_pen_writes_in_a_notebook():
    ink = read(xopp())
    assert len(ink) == len(STROKES)  # neither highlighter nor text
    assert ink.pressure is None  # the dot has no segment, so not all strokes have pressure
    stroke = b'<stroke tool="pen" width="2 1 3">0 0 1 1 2 2</stroke>'
    pressed = b"<xournal><page><layer>" + stroke + b"</layer></page></xournal>"
    assert read(gzip.compress(pressed)).pressure.tolist() == [0.5, 1.5, 1.5]
    assert read(pressed).points.tolist() == [[0, 0], [1, 1], [2, 2]]  # also when not compressed


def test_a_bad_page_does_not_cost_the_others():
    text = xournal_xml(pages=3).replace("10 40", "10 forty", 1)
    items = dict(read_all(gzip.compress(text.encode()), name="n.xopp"))
    assert str(items["n.xopp#page 1"]) == "n.xopp#page 1: stroke 1: coordinates must be numbers, not 'forty'"
    assert isinstance(items["n.xopp#page 3"], Ink)


def test_notebooks_without_ink_or_damaged():
    fails(
        gzip.compress(b"<xournal><page><layer/></page></xournal>"),
        "nothing written with the pen on its 1 pages",
    )
    fails(
        b"<xournal><page><layer><stroke>1 2 3</stroke></layer></page></xournal>",
        "page 1, stroke 1: 3 coordinates",
    )
    fails(
        b"<xournal><page><layer><stroke>1 inf</stroke></layer></page></xournal>",
        "point 1: x and y must be finite",
    )
    fails(xopp()[:-40], "gzip data ends too early|damaged gzip")
    fails(xopp()[:20] + b"garbage" + xopp()[27:], "damaged gzip|truncated")


def freedraw(**changes: object) -> bytes:
    element = {
        "type": "freedraw",
        "x": 10,
        "y": 20,
        "angle": 0,
        "points": [[0, 0], [4, 0]],
        "pressures": [],
    } | changes
    return as_json({"type": "excalidraw", "version": 2, "elements": [element]})


def test_excalidraw_elements_are_placed_and_turned():
    assert read(freedraw()).points.tolist() == [[10, 20], [14, 20]]
    np.testing.assert_allclose(read(freedraw(angle=np.pi / 2)).points, [[12, 18], [12, 22]], atol=1e-12)
    assert read(freedraw(pressures=[0.2, 0.7])).pressure.tolist() == [0.2, 0.7]
    clipboard = json.loads(freedraw()) | {"type": "excalidraw/clipboard"}
    assert read(as_json(clipboard)).points.tolist() == [[10, 20], [14, 20]]
    cut_out = {"elements": [{"type": "text"}, *json.loads(freedraw())["elements"]]}
    assert read(as_json(cut_out)).points.tolist() == [[10, 20], [14, 20]]


def test_excalidraw_says_which_element_is_wrong():
    fails(freedraw(type="line"), "no strokes .no freedraw element")
    fails(freedraw(isDeleted=True), "no strokes")
    fails(freedraw(points=[[0, 0], [1]]), "element 1, point 2: a point must be .x, y., not a list of 1")
    fails(freedraw(x="10"), "element 1: x must be a number, not a text")
    fails(freedraw(points=5), "element 1: a stroke must be a list")
    fails(as_json({"type": "excalidraw", "elements": {}}), "'elements': must be a list, not an object")
    fails(as_json({"type": "excalidraw", "elements": [3]}), "element 1: must be an object, not a number")
    fails(freedraw(x=1e308, points=[[0, 0], [1e308, 0]]), "finite")


def test_mathpix_with_its_names_once_twice_or_not_at_all():
    columns = {"x": [[1, 2], [5]], "y": [[3, 4], [6]]}
    for body in ({"strokes": {"strokes": columns}}, {"strokes": columns}, columns):
        assert [stroke.tolist() for stroke in read(as_json(body))] == [[[1, 3], [2, 4]], [[5, 6]]]
    fails(as_json({"strokes": {"strokes": {"x": [[1]], "y": []}}}), "1 strokes of x but 0 of y")
    fails(
        as_json({"strokes": {"strokes": {"x": [[1, 2]], "y": [[1]]}}}), "stroke 1: 2 values of x but 1 of y"
    )
    fails(
        as_json({"strokes": {"strokes": {"x": [[1]]}}}),
        "'y': must be a list of one list per stroke, not null",
    )
    fails(
        as_json({"strokes": {"strokes": {"x": [["1"]], "y": [[1]]}}}),
        "stroke 1, point 1: x must be a number, not a text",
    )
    fails(as_json({"strokes": {"strokes": {"x": [], "y": []}}}), "no strokes")


def test_jiix_gives_the_strokes_as_written_and_the_symbols():
    ink = read(jiix())
    assert set(ink.symbols) == {Symbol(symbol.label, symbol.strokes) for symbol in SYMBOLS}
    assert ink.pressure.tolist() == [0.5] * len(ink.points)


def test_jiix_of_several_digits_in_one_block_has_no_segmentation():
    data = json.loads(jiix())
    data["expressions"][0]["operands"][1]["label"] = "12"
    assert read(as_json(data)).symbols == ()


def test_old_and_raw_jiix():
    raw = {
        "type": "Raw Content",
        "id": "1",
        "elements": [{"type": "Math", "strokes": [{"x": [1, 2], "y": [3, 4]}]}],
    }
    assert read(as_json(raw)).points.tolist() == [[1, 3], [2, 4]]
    fails(
        as_json({"type": "Math", "version": "3", "expressions": []}),
        "no strokes in this JIIX .export it with strokes",
    )
    bad = {"type": "Math", "items": [{"type": "stroke", "X": [1, 2], "Y": [1]}]}
    fails(as_json(bad), "stroke 1: 2 values of x but 1 of y")


def test_myscript_requests_leave_out_the_eraser():
    pen = {"x": [1], "y": [2], "t": [5], "pointerType": "PEN"}
    eraser = {"x": [9], "y": [9], "pointerType": "ERASER"}
    assert read(as_json({"events": [pen, eraser]})).points.tolist() == [[1, 2]]
    assert read(
        as_json({"strokeGroups": [{"strokes": [pen]}, {"strokes": [eraser, pen]}]})
    ).time.tolist() == [5, 5]
    fails(as_json({"strokeGroups": [{}]}), 'stroke group 1: must be an object with a list of "strokes"')
    stored = [
        {
            "type": "stroke",
            "pointers": [{"x": 1, "y": 2, "t": 3, "p": 0.5}, {"x": 2, "y": 2, "t": 4, "p": 0.5}],
        }
    ]
    assert read(as_json(stored)).time.tolist() == [3, 4]


def test_pointer_events_of_a_browser():
    ink = read(pointer_events())
    assert ink.pressure.tolist() == [0.5] * len(ink.points)
    assert ink.time[0] == 18


def test_two_fingers_write_two_strokes_and_a_cancelled_one_is_gone():
    events = [
        {"eventType": "DOWN", "pointerId": 1, "x": 0, "y": 0},
        {"eventType": "DOWN", "pointerId": 2, "x": 10, "y": 0},
        {"eventType": "MOVE", "pointerId": 1, "x": 1, "y": 0},
        {"eventType": "MOVE", "pointerId": 2, "x": 11, "y": 0},
        {"eventType": "UP", "pointerId": 2, "x": 12, "y": 0},
        {"eventType": "UP", "pointerId": 1},
        {"eventType": "DOWN", "pointerId": 1, "x": 50, "y": 0},
        {"eventType": "CANCEL", "pointerId": 1},
    ]
    ink = read(as_json({"events": events}))
    assert [stroke.tolist() for stroke in ink] == [[[0, 0], [1, 0]], [[10, 0], [11, 0], [12, 0]]]
    assert read(as_json(events)) == ink
    fails(as_json(events[7:]), "no event of a pointer going down")
    fails(as_json([*events, {"eventType": "DOWN", "x": 1}]), "event 9: no y in it")
    fails(as_json([*events, 5]), "event 9: must be an object")


def test_plain_json_in_all_its_ways():
    assert read(FILES["plain.json"]) == BARE
    assert read(FILES["object.json"]) == INK.replace(time=read(FILES["object.json"]).time)
    assert read(as_json([[[1, 2, 10], [3, 4, 20]], [[5, 6, 30]]])).time.tolist() == [10, 20, 30]
    assert read(as_json([[[1, 2, 10, 0.5]], [[3, 4, 20, 0.75]]])).pressure.tolist() == [0.5, 0.75]
    assert read(as_json([[{"x": 1, "y": 2}, {"x": 3, "y": 4}]])).points.tolist() == [[1, 2], [3, 4]]
    assert read(as_json([{"x": [1, 3], "y": [2, 4]}])).points.tolist() == [[1, 2], [3, 4]]
    assert read(as_json({"strokes": [{"points": [[1, 2]]}], "latex": "."})).truth == "."


def test_empty_strokes_are_left_out_with_their_symbols():
    data = {
        "strokes": [[], [[1, 2]], [[3, 4]]],
        "time": [[], [5], [6]],
        "symbols": [{"label": "a", "strokes": [0]}, {"label": "b", "strokes": [1, 2]}],
    }
    expected = Ink.from_strokes([[(1, 2)], [(3, 4)]], time=[[5], [6]], symbols=[Symbol("b", (0, 1))])
    assert read(as_json(data)) == expected


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "no strokes"),
        ([[]], "no strokes"),
        ([[[1, 2], [3]]], "stroke 1, point 2: a point must be .x, y., not a list of 1"),
        ([[1, 2]], "stroke 1, point 1: a point must be .x, y., not a number"),
        ([[[1, 2]], [[1, None]]], "stroke 2, point 1: y must be a number, not null"),
        ([[[1, True]]], "y must be a number, not true or false"),
        ([[["1", "2"]]], "x must be a number, not a text"),
        ([[[1, 10**400]]], "number too large"),
        ([[{"x": 1, "y": 2}, [3, 4]]], "stroke 1, point 2: must be an object like the others"),
        ([{"a": 1}], "stroke 1: no x in it .found: 'a'."),
        ([{"x": 1, "y": 2}], "stroke 1: x must be a list of numbers, not a number"),
        (
            [[[1, 2]], 7],
            "stroke 2: a stroke must be a list of .x, y. or an object with x and y, not a number",
        ),
        ({"strokes": [[[1, 2]]], "truth": 5}, "'truth': must be a text, not a number"),
        ({"strokes": [[[1, 2]]], "time": [[1, 2]]}, "time, stroke 1: 2 values for 1 points"),
        ({"strokes": [[[1, 2]]], "time": 3}, "'time': must be a list per stroke"),
        ({"strokes": [[[1, 2]]], "pressure": []}, "pressure of stroke 1 must be a list of numbers, not null"),
        (
            {"strokes": [[[1, 2]]], "symbols": [{"label": "a", "strokes": [1]}]},
            "symbol 1: its strokes must be numbers from 0",
        ),
        ({"strokes": [[[1, 2]]], "symbols": [{"strokes": [0]}]}, 'symbol 1: needs a "label"'),
        ({"strokes": [[[1, 2]]], "symbols": {}}, "'symbols': must be a list, not an object"),
        ({"strokes": [[[1, 2]]], "symbols": [0]}, "symbol 1: must be an object"),
    ],
)
def test_json_that_is_no_ink_is_told_why(data, words):
    fails(as_json(data), words)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_json_has_no_such_numbers(constant):
    fails(f"[[[1, 2]], [[1, {constant}]]]".encode(), "stroke 2, point 1: x and y must be finite")
    fails(f'{{"x": [[{constant}]], "y": [[1]]}}'.encode(), "stroke 1, point 1: x and y must be finite")
    fails(f'{{"strokes": [[[1, 2]]], "time": [[{constant}]]}}'.encode(), "time must be finite")
    fails(b"[[[1, 1e999]]]", "stroke 1, point 1: x and y must be finite")


def myscriptjs(*lengths: int) -> list[list[list[float]]]:
    """Strokes as the samples of MyScriptJS have them: a list of x and a list of y."""
    return [
        [[10.0 * n + i for i in range(length)], [0.5 * i for i in range(length)]]
        for n, length in enumerate(lengths)
    ]


@pytest.mark.parametrize("lengths", [(9,), (30, 2, 7), (5, 3), (12, 1, 4)])
def test_myscriptjs_strokes_are_lists_of_coordinates(lengths):
    strokes = myscriptjs(*lengths)
    for data in (
        strokes,
        {"strokes": strokes, "name": "sum"},
        {"strokes": strokes, "exports": {"LATEX": "x"}},
    ):
        ink = read(json.dumps(data).encode())
        assert [len(stroke) for stroke in ink.strokes] == list(lengths)
        assert ink.strokes[0][1].tolist() == [1.0, 0.5]


def test_time_and_pressure_follow_the_coordinates():
    stroke = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [0, 10, 20, 30, 40], [0.1, 0.2, 0.3, 0.4, 0.5]]
    ink = read(json.dumps([stroke]).encode())
    assert ink.points.tolist() == [[1, 5], [2, 4], [3, 3], [4, 2], [5, 1]]
    assert ink.time is not None
    assert ink.time.tolist() == [0, 10, 20, 30, 40]
    assert ink.pressure is not None


def test_pairs_stay_points():
    for strokes in ([[[0, 0], [9, 9]]], [[[0, 1], [2, 3], [4, 5], [6, 7]], [[1, 1]]]):
        assert [stroke.tolist() for stroke in read(json.dumps(strokes).encode()).strokes] == strokes


def test_what_could_be_two_things_is_said():
    with pytest.raises(InkError, match="could be points"):
        read(json.dumps([[[1, 2, 3], [4, 5, 6]]]).encode())
    with pytest.raises(InkError, match="stroke 2: a list of coordinates"):
        read(json.dumps([[[i, i] for i in range(9)], [list(range(9)), list(range(9))]]).encode())
    uneven = [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5]]
    with pytest.raises(InkError, match="stroke 2: 6 values of x but 5 of y"):
        read(json.dumps([*myscriptjs(9), uneven]).encode())
