"""Strokes in, an answer out: LaTeX, confidence, alternatives, symbols with strokes, MathML, JSON."""

import dataclasses
import io
import json
import threading

import numpy as np
import pytest

import inktex
from inktex.ink import Ink, InkError, write_inkml
from inktex.latex import Grammar, print_latex
from inktex.reading import Model
from inktex.recognizer import SCHEMA, RecognizeOptions, Recognizer


def test_the_answer_has_everything_that_is_promised(recognizer, strokes):
    answer = recognizer.recognize(strokes, attention=True)
    assert Grammar(recognizer.model.info.vocabulary).accepts(answer.texts)
    assert answer.latex == print_latex(answer.texts)
    assert answer.as_latex("spaced") == " ".join(answer.texts) == " ".join(t.text for t in answer.tokens)
    assert answer.as_latex("inline") == f"${answer.latex}$"
    assert 0.0 <= answer.score <= 1.0
    assert all(0.0 <= token.confidence <= 1.0 for token in answer.tokens)
    assert 1 <= len(answer.alternatives) <= 4
    scores = [answer.score, *(other.score for other in answer.alternatives)]
    assert scores == sorted(scores, reverse=True)
    assert answer.latex not in {other.latex for other in answer.alternatives}
    assert answer.mathml.startswith("<math")
    assert answer.typst
    assert answer.attention.shape == (len(answer.tokens) + 1, len(strokes))
    assert answer.elapsed > 0
    for symbol in answer.symbols:
        assert symbol.latex == answer.tokens[symbol.token].text
        assert symbol.strokes
        assert set(symbol.strokes) <= set(range(len(strokes)))
    read = {stroke for symbol in answer.symbols for stroke in symbol.strokes}
    assert set(answer.unread) == set(range(len(strokes))) - read


def test_the_json_is_versioned_and_plain(recognizer, strokes):
    answer = recognizer.recognize(strokes)
    data = json.loads(json.dumps(answer.to_json()))
    assert data["schema"] == SCHEMA == "inktex.recognition/1"
    assert data["latex"] == answer.latex
    assert [token["text"] for token in data["tokens"]] == list(answer.texts)
    assert data["symbols"][0].keys() == {"latex", "strokes", "confidence", "token", "known"}
    assert "attention" not in data
    assert "attention" in recognizer.recognize(strokes, attention=True).to_json()


def test_ink_comes_as_strokes_arrays_ink_paths_bytes_and_open_files(recognizer, strokes, tmp_path):
    ink = Ink.from_strokes(strokes)
    path = tmp_path / "ink.inkml"
    path.write_text(write_inkml(ink))
    arrays = [np.array(stroke) for stroke in strokes]
    content = path.read_bytes()
    sources = [strokes, arrays, iter(strokes), ink, path, str(path), content, io.BytesIO(content)]
    answers = {recognizer.recognize(source).latex for source in sources}
    assert len(answers) == 1


def test_moving_and_scaling_the_ink_changes_nothing(recognizer, strokes):
    ink = Ink.from_strokes(strokes)
    plain = recognizer.recognize(ink)
    for changed in (ink.translate(1e4, -500), ink.scale(0.01), ink.scale(3e12), ink.scale(1e-200)):
        assert recognizer.recognize(changed).latex == plain.latex


def test_many_give_the_same_answers_as_one_by_one_in_their_places(recognizer):
    rng = np.random.default_rng(0)
    inks = [
        Ink.from_strokes([rng.normal(size=(rng.integers(1, 9), 2)) for _ in range(rng.integers(1, 9))])
        for _ in range(40)
    ]
    alone = [recognizer.recognize(ink) for ink in inks]
    for jobs in (1, 3):
        together = recognizer.recognize_many([*inks[:20], [], *inks[20:]], jobs=jobs)
        assert isinstance(together.pop(20), InkError)
        assert [answer.latex for answer in together] == [answer.latex for answer in alone]
        assert [answer.score for answer in together] == pytest.approx(
            [answer.score for answer in alone], abs=1e-4
        )


def test_a_stream_takes_inks_only_as_it_needs_them(recognizer, strokes):
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield strokes

    stream = recognizer.stream(endless(), jobs=2)
    for _ in range(5):
        next(stream)
    stream.close()
    assert taken < 1000


def test_threads_share_a_recognizer(recognizer, strokes):
    expected = [recognizer.recognize(strokes[:count]).latex for count in range(1, 6)]
    found = [[] for _ in range(4)]

    def work(mine):
        mine += [recognizer.recognize(strokes[:count]).latex for count in range(1, 6)]

    threads = [threading.Thread(target=work, args=(each,)) for each in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.parametrize(
    ("symbols", "allowed"),
    [
        ("digits", set("12")),
        ("digits + -", set("12+-")),
        (["x", "y", "digits"], set("xy12")),
        ("all -digits -latin", set("+-=")),
        ("-latin", set("12+-=")),
        ("x y z", set("xyz")),
    ],
)
def test_symbols_restrict_the_answer(recognizer, strokes, symbols, allowed):
    structure = {"{", "}", "^", "_", r"\frac", r"\sqrt"}
    answer = recognizer.recognize(strokes, symbols=symbols)
    assert set(answer.texts) <= allowed | structure
    for other in answer.alternatives:
        assert set(other.texts) <= allowed | structure


@pytest.mark.parametrize("symbols", [r"\Omega", "klingon", "digit", "-digit", "xyz", "-all", [3]])
def test_a_restriction_that_makes_no_sense_is_explained(recognizer, strokes, symbols):
    with pytest.raises(ValueError, match="symbols"):
        recognizer.recognize(strokes, symbols=symbols)


def test_a_restriction_that_names_nothing_lists_the_groups(recognizer, strokes):
    with pytest.raises(ValueError, match=r"'digit' is neither .* all, accents, arrows, .* digits, "):
        recognizer.recognize(strokes, symbols="digit")
    with pytest.raises(ValueError, match="separated by spaces, as 'x y z'"):
        recognizer.recognize(strokes, symbols="+ xyz")


def test_options_are_one_value_or_keywords(recognizer, strokes):
    few = RecognizeOptions(top=2, symbols="digits")
    by_keyword = recognizer.recognize(strokes, top=2, symbols="digits")
    assert recognizer.recognize(strokes, few).texts == by_keyword.texts
    assert recognizer.recognize(strokes, few).alternatives == by_keyword.alternatives
    assert recognizer.recognize(strokes, few, top=1).alternatives == ()
    assert recognizer.recognize_many([strokes], few)[0].texts == by_keyword.texts
    (answer,) = recognizer.recognize_many([strokes], few, attention=True)
    assert answer.attention.shape == (len(answer.texts) + 1, len(strokes))
    with pytest.raises(TypeError, match="tops"):
        recognizer.recognize(strokes, tops=2)


def test_one_call_explains(recognizer, strokes):
    answer = recognizer.recognize(strokes, attention=True, lines=False)
    first, second = recognizer.explain(strokes, top=2)
    assert first.tokens == answer.texts != second.tokens
    assert np.array_equal(first.strokes, answer.attention)
    assert first.alignment.strokes_of == answer.alignment.strokes_of


def test_fewer_readings_on_demand(recognizer, strokes):
    full = recognizer.recognize(strokes, top=5)
    assert recognizer.recognize(strokes, top=1).alternatives == ()
    two = recognizer.recognize(strokes, top=2)
    assert len(two.alternatives) == 1
    assert two.score == full.score  # confidence does not depend on how much is shown
    assert recognizer.recognize(strokes, top=1).score == full.score
    with pytest.raises(ValueError, match="top"):
        recognizer.recognize(strokes, top=0)


def test_a_time_limit_ends_with_what_there_is(recognizer, strokes):
    answer = recognizer.recognize(strokes * 20, timeout=0.0)
    assert answer.tokens
    assert not answer.complete or len(answer.tokens) < 5


def test_wrong_kinds_of_input_are_explained(recognizer, tmp_path):
    with pytest.raises(InkError, match="strokes as lists"):
        recognizer.recognize(42)
    with pytest.raises(InkError, match="No such file"):
        recognizer.recognize(tmp_path / "missing.inkml")
    with pytest.raises(InkError, match="stroke 0"):
        recognizer.recognize([[1, 2, 3]])


def test_an_ensemble_reads_too(small_model_file, strokes):
    from inktex.reading import join_models
    from small_networks import small_model

    joined = join_models([small_model_file, small_model(seed=6)])
    answer = Recognizer(Model.of_file(joined, "both")).recognize(strokes)
    assert answer.tokens
    assert answer.model == "both"


def test_the_package_offers_it_all_lazily(model_path, monkeypatch, strokes):
    from inktex.recognizer import core

    monkeypatch.setenv("INKTEX_MODEL", str(model_path))
    core._shared.cache_clear()
    try:
        answer = inktex.recognize(strokes)
        assert answer.model == "small"
        assert inktex.recognize_many([strokes])[0].latex == answer.latex
    finally:
        core._shared.cache_clear()
    assert inktex.load_model(model_path).recognize(strokes).latex == answer.latex
    cross = [[(0, 0), (20, 20)], [(20, 0), (0, 20)], [(30, 10), (50, 10)], [(30, 15), (50, 15)]]
    lower = [[(x, y + 200) for x, y in stroke] for stroke in cross]
    assert [len(line) for line in inktex.split_page(inktex.Ink.from_strokes(cross + lower))] == [4, 4]
    assert set(inktex.__all__) <= set(dir(inktex))
    with pytest.raises(AttributeError, match="no attribute 'recognise'"):
        inktex.recognise  # noqa: B018


def test_symbols_outside_the_model_are_told(recognizer, strokes):
    from dataclasses import replace

    from inktex.reading.calibration import KNOWN_EVIDENCE, TOKEN_EVIDENCE, Calibration, Logistic

    reading = recognizer.reader().read_one(Ink.from_strokes(strokes))
    answers = []
    for bias in (9.0, -9.0):
        maps = Calibration(
            Logistic((0.0,) * 4, 0.0),
            Logistic((0.0,) * TOKEN_EVIDENCE, 0.0),
            Logistic((0.0,) * KNOWN_EVIDENCE, bias),
        )
        answers.append(replace(recognizer.assembler, calibration=maps).recognition(reading))
    known, outside = answers
    assert all(symbol.known for symbol in known.symbols)
    assert outside.symbols
    assert not any(symbol.known for symbol in outside.symbols)
    assert [symbol["known"] for symbol in outside.to_json()["symbols"]] == [False] * len(outside.symbols)


def test_every_group_of_the_symbol_table_can_be_named():
    from inktex.latex import symbols, wide_vocabulary
    from inktex.recognizer.symbols import GROUPS, allowed_tokens

    vocabulary = wide_vocabulary()
    for name, tokens in symbols.GROUPS.items():
        if name == "accents" or name not in symbols.STRUCTURAL:
            assert set(tokens) <= allowed_tokens([name.replace(" ", "-")], vocabulary)
    assert allowed_tokens("sets", vocabulary) == set(symbols.GROUPS["sets"])
    assert r"\mathbb{R}" not in allowed_tokens("all -blackboard", vocabulary)
    assert {"+", "=", "/"} <= allowed_tokens("operators", vocabulary)
    assert r"\langle" in allowed_tokens("brackets", vocabulary)
    assert {"x", "X", r"\pi"} <= allowed_tokens("letters", vocabulary)
    assert not any(" " in name for name in GROUPS)


def test_a_reading_that_is_hardly_possible_is_not_offered(recognizer, strokes):
    reading = recognizer.reader().read_one(Ink.from_strokes(strokes))
    best, second, third, *_ = reading.hypotheses
    likely = dataclasses.replace(second, log_prob=best.log_prob - 4.9)
    hardly = dataclasses.replace(third, log_prob=best.log_prob - 5.1)
    answer = recognizer.assembler.recognition(dataclasses.replace(reading, hypotheses=(best, likely, hardly)))
    words = recognizer.model.info.vocabulary
    assert [other.texts for other in answer.alternatives] == [words.decode(likely.tokens)]
