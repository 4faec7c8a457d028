"""Drawings of single symbols: what counts as right, and what is said about symbols that nobody knows."""

import numpy as np
import pytest

from inktex.evaluation.calibration import DOUBTED, fit
from inktex.evaluation.lone import LoneAnswer, LoneReport, evaluate_lone, evaluate_unknown
from inktex.evaluation.provenance import Provenance
from inktex.latex import Vocabulary
from inktex.reading.calibration import KNOWN_EVIDENCE, Calibration, known_evidence


def answer(read, guesses, score=0.9, known=True, others=()):
    return LoneAnswer(tuple(read), tuple(map(tuple, others)), score, known, tuple(guesses), 0.5)


def test_look_alikes_are_one_symbol_and_doubles_take_one_place():
    measured = evaluate_lone(
        "m",
        "symbols",
        ["x", "0", r"\alpha", "5"],
        ["a", "a", "b", "b"],
        [
            answer(["X"], [r"\times", "y"]),
            answer(["1"], ["1", "l", "I", "|", "2", "3", "4", "o"], others=[["O"]]),
            answer(["a", "b"], ["a", "b", "c", "d", "e", r"\alpha"]),
            answer(["5"], ["s", "5"], score=0.3, known=False),
        ],
    )
    assert measured.symbol.first.percent == 25.0
    assert measured.symbol.five.percent == 75.0  # the fifth class, not the eighth token
    assert measured.reading.first.percent == 50.0
    assert measured.reading.five.percent == 75.0
    assert (measured.usual_symbol.drawings, measured.sources["b"].drawings) == (3, 2)
    assert measured.sure.percent == 75.0
    assert measured.unknown.percent == 25.0
    assert measured.symbols["5"] == {"right": 0, "of": 1}
    assert ("5", "s") in {(each.truth, each.answer) for each in measured.confusions}


def test_of_unknown_symbols_it_counts_how_sure_the_answers_seem():
    answers = [answer(["x"], ["x"], 0.95), answer(["y"], ["y"], 0.2, known=False), answer(["z"], ["z"], 0.5)]
    measured = evaluate_unknown("m", "unknown", [r"\sun", r"\P", r"\S"], answers)
    assert measured.sure.percent == pytest.approx(100 / 3)
    assert measured.found_out.percent == pytest.approx(100 / 3)
    assert [(each.truth, each.answer) for each in measured.answers] == [(r"\sun", "x")]


def test_the_report_is_text_and_json():
    measured = evaluate_unknown("m", "unknown", [r"\sun"], [answer(["x"], ["x"])])
    report = LoneReport("unknown", (measured,), Provenance("inktex", "today", "1", "", "here"), whole=False)
    assert "only a part of unknown" in report.text()
    assert report.to_json()["systems"][0]["sure"]["percent"] == 100.0


class Reading:
    """As much of a reading as calibration looks at: one symbol, as sure as it is told to be."""

    def __init__(self, probability: float) -> None:
        self.tokens = ("x",)
        self.strokes = np.ones((2, 1))
        self.token_log_probs = np.log([probability, 0.999]).astype(np.float32)
        log_prob = float(self.token_log_probs.sum())
        self.best = self
        self.log_prob, self.score = log_prob, log_prob
        self.hypotheses = (self,)
        self.vocabulary = self

    def decode(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """A vocabulary whose ids are the tokens."""
        return tokens


def test_unknown_symbols_are_told_and_few_known_ones_are_doubted(monkeypatch):
    from inktex.evaluation import calibration
    from inktex.evaluation.calibration import Judged

    monkeypatch.setattr(calibration, "symbol_places", lambda tokens: range(len(tokens)))
    random = np.random.default_rng(0)
    judged = []
    for number in range(400):
        known = number % 2 == 0
        probability = random.uniform(0.6, 0.99) if known else random.uniform(0.05, 0.7)
        right = known and random.random() < probability + 0.1
        judged.append(Judged(Reading(probability), right, np.array([right or not known]), known))
    fitted = fit(judged)
    assert fitted.found_out > 0.6
    assert 0 < fitted.doubted < 2 * DOUBTED
    card = {"calibration": fitted.to_json()}
    stored = Calibration.from_card(card)
    assert stored.known is not None
    assert len(stored.known.weights) == KNOWN_EVIDENCE
    assert card["calibration"]["unknown"]["found_out"] == round(fitted.found_out, 4)
    del card["calibration"]["known"]
    assert Calibration.from_card(card).known is None


def test_without_unknown_symbols_nothing_is_said_about_them():
    from inktex.evaluation.calibration import Judged

    judged = [Judged(Reading(0.5 + 0.004 * n), n % 3 > 0, np.array([n % 3 > 0])) for n in range(100)]
    fitted = fit(judged)
    assert fitted.found_out is None
    assert "known" not in fitted.to_json()
    assert Vocabulary(("<eol>", "x")).unknown((r"\sun",)) == (r"\sun",)


def test_not_to_know_which_look_alike_is_meant_is_not_to_see_something_unknown():
    sure, torn, lost = Reading(0.9), Reading(0.5), Reading(0.5)
    for reading, other in ((torn, "X"), (lost, "7")):
        second = Reading(0.4)
        second.tokens = (other,)
        reading.hypotheses = (reading, second)
    evidence = [known_evidence(reading)[0] for reading in (sure, torn, lost)]
    np.testing.assert_allclose(evidence[0], evidence[1], atol=1e-3)
    assert (evidence[2][:4] < evidence[1][:4]).all()
