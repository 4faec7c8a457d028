"""Ink of several lines: each has its own answer, and while one is written the others stay as they are."""

import pytest

from inktex.ink import Ink
from inktex.reading import Alignment, LazyAlignment
from inktex.recognizer import Line, NoSuchLine, PageSession, Recognition, Recognizer, WhichLine, page_session
from inktex.recognizer.pins import with_texts
from inktex.recognizer.session import Session
from inktex.recognizer.several import together

LINE = [
    [(0, 0), (10, 12), (20, 20)],
    [(20, 0), (9, 11), (0, 20)],
    [(30, 10), (45, 10)],
    [(37, 2), (38, 19)],
    [(60, 5), (64, 0), (64, 20)],
]


def line_at(y: float) -> list[list[tuple[float, float]]]:
    return [[(a, b + y) for a, b in stroke] for stroke in LINE]


PAGE = [*line_at(0), *line_at(40), *line_at(80)]


def test_each_line_has_its_own_answer(recognizer: Recognizer):
    answer = recognizer.recognize(PAGE)
    alone = recognizer.recognize(LINE)
    assert [line.strokes for line in answer.lines] == [tuple(range(n, n + 5)) for n in (0, 5, 10)]
    assert [line.recognition.latex for line in answer.lines] == [alone.latex] * 3
    assert answer.texts[0] == r"\begin{aligned}"
    assert answer.texts[-1] == r"\end{aligned}"
    assert answer.score == pytest.approx(alone.score**3)
    assert len(answer.to_json()["lines"]) == 3


def test_tokens_of_all_lines_say_their_strokes_in_the_whole_ink(recognizer: Recognizer):
    answer = recognizer.recognize(PAGE)
    found = [(token.text, token.strokes) for token in answer.tokens if token.strokes]
    wanted = [
        (token.text, tuple(line.strokes[stroke] for stroke in token.strokes))
        for line in answer.lines
        for token in line.recognition.tokens
        if token.strokes
    ]
    assert found == wanted


def test_a_single_line_is_answered_as_ever(recognizer: Recognizer):
    answer = recognizer.recognize(LINE).to_json()
    forced = recognizer.recognize(LINE, lines=False).to_json()
    assert "lines" not in answer
    assert {**answer, "elapsed": 0} == {**forced, "elapsed": 0}


def test_all_strokes_can_be_one_expression(recognizer: Recognizer):
    answer = recognizer.recognize(PAGE, lines=False)
    assert answer.lines == ()
    assert r"\begin{aligned}" not in answer.texts


def test_many_pages_are_read_like_one(recognizer: Recognizer):
    answers = recognizer.recognize_many([LINE, PAGE, [], LINE], jobs=2)
    assert answers[1].latex == recognizer.recognize(PAGE).latex
    assert [len(answer.lines) for answer in (answers[0], answers[1], answers[3])] == [0, 3, 0]
    assert "no strokes" in str(answers[2])


BRACE = [(-8, -4), (-12, 0), (-13, 25), (-20, 31), (-13, 37), (-12, 62), (-8, 66)]


def test_a_brace_drawn_after_its_rows_is_read_before_them(recognizer: Recognizer):
    drawn_first = recognizer.recognize([BRACE, *PAGE[:10]], attention=True)
    drawn_last = recognizer.recognize([*PAGE[:10], BRACE], attention=True)
    assert drawn_last.texts == drawn_first.texts
    assert [each.strokes for each in drawn_last.tokens] == [
        tuple(sorted((stroke - 1) % 11 for stroke in each.strokes)) for each in drawn_first.tokens
    ]
    moved = [*range(1, 11), 0]
    assert drawn_last.attention == pytest.approx(drawn_first.attention[:, moved])
    (among_many,) = recognizer.recognize_many([[*PAGE[:10], BRACE]], jobs=1)
    assert isinstance(among_many, Recognition)
    assert among_many.tokens == drawn_last.tokens


def test_a_bracket_that_is_drawn_last_stays_with_its_line(recognizer: Recognizer):
    """It is read first, but the line began with another stroke."""
    page = recognizer.page_session()
    row = [[(19, 2), (0, 21)], [(27, 13), (46, 13)], [(55, 11), (76, 11)], [(65, 0), (65, 21)]]
    bracket = [(-10, -4), (-15, 0), (-22, 10), (-15, 20), (-10, 22)]
    for stroke in [*row, [(80, 5), (103, 28)], [(103, 5), (80, 28)], bracket, [(11, 51), (11, 73)]]:
        page.add(stroke)
    page.replace(4, [(5, 64), (15, 60), (13, 74), (5, 84), (25, 84)])
    page.add([(0, 51), (23, 51)])
    assert [strokes for _, _, strokes in page.arranged()] == [(6, 7, 0, 1, 2, 3, 4, 5, 8)]


def test_lines_that_are_done_become_one_when_a_brace_is_drawn_before_them(recognizer: Recognizer):
    page = recognizer.page_session()
    rows = [*PAGE, *line_at(120), *line_at(160)]
    ids = written(page, rows)
    brace = page.add([(x, -4 + (y + 4) * 188 / 70) for x, y in BRACE])
    (line,) = page.answer().lines
    assert line.strokes == (brace, *ids)
    alone = recognizer.recognize([*rows, [(x, -4 + (y + 4) * 188 / 70) for x, y in BRACE]])
    assert page.answer().recognition.tokens == alone.tokens  # their strokes numbered as they were written
    page.remove(brace)
    assert [len(line.strokes) for line in page.answer().lines] == [5] * 5


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many strokes each expression had that was searched."""
    found: list[int] = []
    ink = Session._ink

    def counted(session: Session) -> Ink:
        made = ink(session)
        found.append(len(made))
        return made

    monkeypatch.setattr(Session, "_ink", counted)
    return found


def written(page: PageSession, strokes) -> list[int]:
    return [page.add(stroke) for stroke in strokes]


def test_while_the_third_line_is_written_the_first_two_are_not_read_again(recognizer: Recognizer, reads):
    page = recognizer.page_session()
    written(page, PAGE[:10])
    before = page.answer()
    reads.clear()
    for count, stroke in enumerate(PAGE[10:], 1):
        page.add(stroke)
        now = page.answer()
        assert [line.number for line in now.lines] == [1, 2, 3]
        for old, new in zip(before.lines, now.lines, strict=False):
            assert new.recognition is old.recognition
            assert new.version == old.version
        assert len(now.lines[2].strokes) == count
    assert reads == [1, 2, 3, 4, 5]


# (x+1)/(x-1) as this project draws it. Before the denominator has its minus sign it looks like a line.
FRACTION = [
    [(16, 27), (42, 42), (68, 22)],
    [(60, 18), (37, 31), (18, 40)],
    [(82, 28), (100, 28), (107, 28)],
    [(90, 15), (93, 29), (96, 41)],
    [(124, 0), (128, 20), (131, 40), (131, 42)],
    [(0, 60), (78, 55), (143, 51)],
    [(26, 86), (38, 97), (49, 105)],
    [(50, 83), (36, 94), (25, 107)],
    [(65, 96), (83, 95), (89, 96)],
    [(104, 75), (108, 90), (112, 106), (112, 108)],
]


def test_an_expression_that_looked_like_two_while_it_was_written_is_one_in_the_end(recognizer: Recognizer):
    page = recognizer.page_session()
    written(page, FRACTION)
    assert [line.strokes for line in page.answer().lines] == [tuple(range(len(FRACTION)))]


# A sum with its limit below, and what is summed up: the pen goes down and up again.
SUM = [
    [(0, 0), (30, 0)],
    [(0, 0), (16, 20), (0, 40), (30, 40)],
    *([(a, b + 52) for a, b in stroke] for stroke in ([(0, 2), (4, 0), (4, 12)], [(8, 4), (18, 4)])),
    *([(a, b + 52) for a, b in stroke] for stroke in ([(8, 8), (18, 8)], [(22, 2), (26, 0), (26, 12)])),
    *([(a + dx, b + 10) for a, b in stroke] for dx in (40, 130, 220) for stroke in LINE),
]


def test_a_limit_that_looked_like_a_line_belongs_to_the_sum_in_the_end(recognizer: Recognizer):
    page = recognizer.page_session()
    assert max(len(page.arranged()) for stroke in SUM if page.add(stroke) is not None) > 1
    assert [strokes for _, _, strokes in page.arranged()] == [tuple(range(len(SUM)))]


# A first stroke that could be a subscript, and a sum whose upper bar could be that of a fraction below an x.
FIRST = [
    *([(x, y), (x + 20, y + 20)] for x, y in ((0, 0), (120, 0))),
    *([(x + 20, y), (x, y + 20)] for x, y in ((0, 0), (120, 0))),
    [(66, 4), (70, 0), (70, 20)],
]
NEXT = [[(86, 38), (90, 34), (90, 54)], [(110, 41), (130, 41)], [(110, 47), (130, 47)]]
LETTER = [[(4, 0), (18, 14)], [(18, 0), (4, 14)]]
BARRED = [
    [(0, 21), (60, 21.5)],
    [(0, 21), (30, 41), (0, 61), (60, 61)],
    [(72, 38), (92, 38)],
    [(72, 44), (92, 44)],
]


# A sum drawn bar first, which then looks like a fraction, and a line that begins in the middle.
SIGMA = [
    [(0, 20), (24, 21)],
    [(2, 22), (14, 34), (1, 46), (24, 46)],
    [(34, 28), (48, 40)],
    [(48, 28), (34, 40)],
]
CROSSES = [[(x + a, 0), (x + 20 - a, 20)] for x in range(0, 240, 40) for a in (0, 20)]
INDENTED = [[(130, 28), (142, 34), (130, 48)], [(150, 34), (164, 34)], [(150, 41), (164, 41)]]

# A letter below the bar of ≤, after which the writing had gone on: that bar is none of a fraction.
RELATION = [*CROSSES[:2], [(60, 0), (40, 8), (60, 14)], [(40, 19), (62, 19)], [(80, -6), (90, 6)]]
RELATION += [[(100, -6), (88, 28), (80, 28)]]
BELOW_IT = [[(44, 34), (46, 54), (56, 52), (56, 44), (46, 46)]]

# A stroke close below a short line, left of where that ended.
SHORT = [[(0, 20), (0, 0), (15, 20), (15, 0)], [(26, 10), (40, 10)]]
SHORT += [[(65, 2), (55, 0), (50, 10), (56, 20), (65, 14), (60, 12), (70, 11)]]
CLOSE = [[(21, 23), (20, 25), (20, 43)]]

# The numerator of a fraction that comes next lies close below the line above.
ROW = [[(x, y + 40) for x, y in stroke] for stroke in CROSSES[:8]]
NUMERATOR = [*ROW, [(150, 40), (165, 40)], [(150, 46), (165, 46)], [(208, 22), (210, 31)]]


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (FIRST, NEXT),
        (LETTER, BARRED),
        (LETTER, SIGMA),
        (CROSSES, INDENTED),
        (RELATION, BELOW_IT),
        (SHORT, CLOSE),
        (CROSSES, NUMERATOR),
    ],
)
def test_a_line_stays_as_it_is_when_it_is_in_doubt_where_the_next_belongs(
    recognizer: Recognizer, above, below
):
    page = recognizer.page_session()
    written(page, above)
    before = page.arranged()
    for count, stroke in enumerate(below, 1):
        page.add(stroke)
        assert page.arranged()[:1] == before
        assert len(page.arranged()[1][2]) == count


@pytest.fixture
def all_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, strokes that are looked at together look like one expression."""
    monkeypatch.setattr(page_session, "find_lines", lambda ink, **_: [tuple(range(len(ink)))])


LONG_PAGE = [*PAGE, *line_at(120), *line_at(160)]  # 16 strokes are enough to settle the first line


def test_a_line_is_settled_when_the_writing_went_on_below_it(recognizer: Recognizer, request, reads):
    page = recognizer.page_session()
    written(page, LONG_PAGE)
    before = page.answer()
    reads.clear()
    request.getfixturevalue("all_is_one")
    page.add([(75, 36), (80, 38)])  # near to the first two lines and in none of them
    now = page.answer()
    assert now.lines[0] == before.lines[0]
    assert len(now.lines[0].strokes) == 5
    assert 5 not in reads


def test_a_stroke_that_is_written_into_a_settled_line_reaches_it(recognizer: Recognizer):
    page = recognizer.page_session()
    ids = written(page, LONG_PAGE)
    late = page.add([(68, 0), (70, 20)])
    lines = [strokes for _, _, strokes in page.arranged()]
    assert lines == [(*ids[:5], late), *(tuple(ids[n : n + 5]) for n in (5, 10, 15, 20))]
    more = page.add([(80, 166), (80, 180)])
    assert [strokes for _, _, strokes in page.arranged()] == [*lines[:4], (*ids[20:25], more)]


def test_an_earlier_line_can_be_continued(recognizer: Recognizer):
    page = recognizer.page_session()
    ids = written(page, PAGE)
    more = written(page, [[(x + 80, y) for x, y in stroke] for stroke in LINE])
    lines = [strokes for _, _, strokes in page.arranged()]
    assert lines == [(*ids[:5], *more), tuple(ids[5:10]), tuple(ids[10:])]


def test_one_line_begins_as_one(recognizer: Recognizer):
    page = recognizer.page_session()
    written(page, LINE)
    answer = page.answer()
    assert [line.number for line in answer.lines] == [1]
    assert answer.recognition is answer.lines[0].recognition


def test_a_line_keeps_its_number_when_others_come_and_go(recognizer: Recognizer):
    page = recognizer.page_session()
    ids = written(page, PAGE)
    assert [line.number for line in page.answer().lines] == [1, 2, 3]
    for number in ids[5:10]:
        page.remove(number)
    assert [line.number for line in page.answer().lines] == [1, 3]
    written(page, line_at(40))
    answer = page.answer()
    assert [line.number for line in answer.lines] == [1, 4, 3]
    assert answer.lines[1].strokes == tuple(range(15, 20))


def test_a_choice_is_for_its_line(recognizer: Recognizer):
    page = recognizer.page_session()
    written(page, PAGE)
    before = page.answer()
    other = before.lines[1].recognition.alternatives[0]
    chosen = page.choose(other, 2)
    assert chosen.lines[1].recognition.latex == other.latex
    assert chosen.lines[1].version > before.lines[1].version
    assert chosen.lines[0].recognition is before.lines[0].recognition
    with pytest.raises(WhichLine):
        page.choose(other)
    with pytest.raises(NoSuchLine, match="line 9"):
        page.choose(other, 9)


def test_pins_are_for_strokes_of_one_line(recognizer: Recognizer):
    page = recognizer.page_session()
    ids = written(page, PAGE)
    with pytest.raises(ValueError, match="one line"):
        page.pin([ids[0], ids[9]], "x")


def test_lines_can_be_left_alone(recognizer: Recognizer):
    page = recognizer.page_session()
    written(page, PAGE)
    page.find_lines(False)
    assert [len(line.strokes) for line in page.answer().lines] == [15]
    page.find_lines(True)
    assert [len(line.strokes) for line in page.answer().lines] == [5, 5, 5]


def read(texts, outside):
    """An answer with one stroke per token."""
    strokes = tuple((number,) for number in range(len(texts)))
    owners = tuple(range(len(texts)))
    return Recognition(
        texts=texts,
        confidences=(0.9,) * len(texts),
        score=0.5,
        alternatives=(),
        strokes_read=LazyAlignment(Alignment(strokes, owners, (), ())),
        outside=outside,
    )


def test_a_symbol_that_was_chosen_is_known_and_others_stay_as_they_were():
    answer = read(("x", "=", "1", "+", "2"), (0, 2, 4))
    corrected = with_texts(answer, (r"\mathbb{Q}", "+", "x"), slice(2, 3))
    assert [symbol.latex for symbol in corrected.symbols if not symbol.known] == ["x", "2"]


def test_symbols_outside_the_model_keep_their_places():
    lines = [Line((0, 1, 2), read(("x", "=", "1"), (2,))), Line((3, 4, 5), read(("y", "=", "z"), (0,)))]
    answer = together(lines, 6)
    assert [(symbol.latex, symbol.strokes) for symbol in answer.symbols if not symbol.known] == [
        ("1", (2,)),
        ("y", (3,)),
    ]
