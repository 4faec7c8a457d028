"""InkML as CROHME, MathWriting and the standard write it."""

import numpy as np
import pytest
from ink_samples import INK, MATHML, STROKES, SYMBOLS, TRUTH, inkml_crohme, inkml_mathwriting, inkml_w3c

from inktex.ink import Ink, InkError, Symbol, read


def inkml(body: str, head: str = '<ink xmlns="http://www.w3.org/2003/InkML">') -> bytes:
    return f"{head}{body}</ink>".encode()


def test_crohme_gives_ink_truth_layout_and_segmentation():
    ink = read(inkml_crohme(), name="sample.inkml")
    assert ink == INK
    assert ink.truth == TRUTH
    assert ink.symbols == SYMBOLS
    assert ink.mathml == MATHML
    assert ink.writer == "ada"
    assert ink.source == "sample.inkml"


def test_mathwriting_gives_the_normalised_label_and_time():
    ink = read(inkml_mathwriting())
    assert ink.truth == "x^{2}+i"
    assert [stroke.tolist() for stroke in ink] == [[list(point) for point in stroke] for stroke in STROKES]
    assert ink.time[:3].tolist() == [8, 16, 24]


def test_the_standard_with_prefixes_contexts_and_channels_in_any_order():
    ink = read(inkml_w3c())
    assert ink[0].tolist() == [[10, 40], [18, 50], [26, 60], [34, 70]]
    assert ink[1].tolist() == [[34, 40], [26, 50], [18, 60], [10, 70]]
    assert ink.pressure.tolist() == [300, 310, 320, 300, 300, 305, 310, 315]
    assert len(ink) == 2  # the pen that hovered drew nothing
    assert ink.symbols == (Symbol("x", (0, 1)),)


def test_no_namespace_and_plain_ids_are_fine():
    body = inkml_crohme().replace(b' xmlns="http://www.w3.org/2003/InkML"', b"").replace(b"xml:id", b"id")
    assert read(body) == INK


def test_the_misspelt_attribute_of_crohme_2013_is_understood():
    body = inkml_crohme().replace(b'<annotation type="truth">x^', b'<annotation typx="truth">x^')
    assert read(body).truth == TRUTH


def test_the_symbol_of_a_missing_trace_is_left_out_and_the_ink_stays():
    body = inkml_crohme().replace(b'<traceView traceDataRef="6"/>', b'<traceView traceDataRef="99"/>')
    assert [symbol.label for symbol in read(body).symbols] == ["x", "2", "+"]


def test_channels_are_read_by_name():
    body = inkml(
        '<traceFormat><channel name="Y"/><channel name="T"/><channel name="X"/></traceFormat>'
        "<trace>1 100 2, 3 110 4</trace>"
    )
    ink = read(body)
    assert ink.points.tolist() == [[2, 1], [4, 3]]
    assert ink.time.tolist() == [100, 110]


def test_a_declared_channel_that_no_point_has_is_forgiven():
    declared = '<traceFormat><channel name="X"/><channel name="Y"/><channel name="F"/></traceFormat>'
    ink = read(inkml(declared + "<trace>1 2, 3 4</trace>"))
    assert ink.points.tolist() == [[1, 2], [3, 4]]
    assert ink.pressure is None


def test_formats_change_in_the_middle_of_a_stream():
    body = (
        '<traceFormat><channel name="X"/><channel name="Y"/></traceFormat><trace>1 2,3 4</trace>'
        '<context><traceFormat><channel name="Y"/><channel name="X"/></traceFormat></context>'
        "<trace>1 2,3 4</trace>"
    )
    assert read(inkml(body)).points.tolist() == [[1, 2], [3, 4], [2, 1], [4, 3]]


def test_an_upward_y_axis_is_turned_down():
    body = '<traceFormat><channel name="X"/><channel name="Y" orientation="-ve"/></traceFormat>'
    body += "<trace>1 2</trace>"
    assert read(inkml(body)).points.tolist() == [[1, -2]]


def test_a_trace_can_go_on_in_the_next():
    body = (
        '<trace id="a" continuation="begin">0 0,1 1</trace><trace id="b">5 5</trace>'
        '<trace id="c" continuation="end" priorRef="#a">2 2</trace>'
    )
    assert [stroke.tolist() for stroke in read(inkml(body))] == [[[0, 0], [1, 1], [2, 2]], [[5, 5]]]


def test_empty_traces_are_left_out_and_the_segmentation_still_fits():
    body = (
        '<trace id="0"/><trace id="1">1 2,3 4</trace><traceGroup><traceGroup>'
        '<annotation type="truth">1</annotation><traceView traceDataRef="1"/></traceGroup></traceGroup>'
    )
    assert read(inkml(body)) == Ink.from_strokes([[(1, 2), (3, 4)]], symbols=[Symbol("1", (0,))])


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "iso-8859-1", "gb18030"]
)
def test_files_in_other_encodings(encoding):
    declared = encoding.replace("-sig", "")
    if encoding == "utf-16-le":
        head = ""  # without a mark and a declaration it could not be told
        data = (
            "\ufeff" + f'{head}<ink><annotation type="truth">é</annotation><trace>1 2</trace></ink>'
        ).encode(encoding)
    else:
        head = f'<?xml version="1.0" encoding="{declared}"?>'
        data = f'{head}<ink><annotation type="truth">é</annotation><trace>1 2</trace></ink>'.encode(encoding)
    assert read(data).truth == "é"


def test_one_stray_byte_does_not_cost_the_file():
    data = inkml_crohme().replace(b"ada", "Zoë ".encode() + b"M\xfcller")
    assert read(data).writer == "Zoë Müller"
    assert np.array_equal(read(data).points, INK.points)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<trace>1 2, 3</trace>", "^f.inkml: trace 1, point 2: one value, but a point needs x and y$"),
        ('<trace id="7">1, 2</trace>', "trace with id '7', point 1: one value"),
        ("<trace>1 2, x y</trace>", "trace 1, point 2: 'x y' is not a number"),
        ("<trace>1 NaN</trace>", "not a number"),
        ("<trace>1 2, 1e999 3</trace>", "trace 1, point 2: x and y must be finite"),
        ("<trace>1 2, ? 3</trace>", "trace 1, point 2: x and y must be finite"),
        ("<trace> </trace>", "no strokes"),
        ("", "no strokes"),
        ('<traceFormat><channel name="X"/></traceFormat><trace>1</trace>', "traceFormat: no channel Y"),
        (
            '<traceFormat><channel name="T"/><channel name="X"/><channel name="Y"/></traceFormat>'
            "<trace>1 2</trace>",
            "2 values in a point, but its format has 3 channels",
        ),
        ("<trace>1 2</trace", "line 1, column .*: not well-formed XML"),
        ("<trace>1 2&undefined;</trace>", "not well-formed XML .undefined entity"),
    ],
)
def test_errors_name_the_file_the_place_and_the_reason(body, words):
    with pytest.raises(InkError, match=words) as caught:
        read(inkml(body), name="f.inkml")
    assert str(caught.value).startswith("f.inkml: ")


def test_a_truncated_file_is_named_with_the_line_where_it_ends():
    data = inkml_crohme()[:1500]
    with pytest.raises(
        InkError, match=rf"^cut.inkml: line {data.count(bytes([10])) + 1}, column \d+: not well-formed"
    ):
        read(data, name="cut.inkml")
