"""An exported network gives the answers of the network that was trained."""

import sys
from pathlib import Path

import numpy as np
import pytest

from inktex.corpus import Synthesizer, open_bank
from inktex.decoding import EncodedStepper, SearchOptions, beam_search, greedy
from inktex.features import FeatureOptions, extract_many
from inktex.latex import Vocabulary
from inktex.reading import ModelError
from inktex.reading.onnx_stepper import OnnxEncoder, OnnxStepper
from inktex.reading.torch_stepper import TorchStepper
from inktex.training.export import export_network, find_weights
from inktex.training.onnx_graph import Precision
from small_networks import SMALL, VARIANTS, random_features, random_network


def exported(network, precision=Precision.full):
    member = export_network(network, "small", precision=precision).members[0]
    encoder = OnnxEncoder(member.encoder, network.config.stride)
    return OnnxStepper(encoder, member.decoder, Vocabulary(network.config.vocabulary))


@pytest.fixture(scope="module")
def written_features():
    """Features of 300 expressions in the built-in hand, the shortest first."""
    rng = np.random.default_rng(7)
    pieces = [("x", "^", "{", "2", "}"), (r"\frac", "{", "a", "}", "{", "y", "}"), (r"\sqrt", "{", "z", "}")]
    pieces += [("a", "_", "{", "1", "}"), ("x",), ("2",), ("y",)]
    writer = Synthesizer(open_bank("hershey"))
    inks = []
    for seed in range(300):
        count = 1 + seed % 3
        chosen = [pieces[place] for place in rng.integers(0, len(pieces), count)]
        tokens = [token for piece in chosen for token in (*piece, "+")][:-1]
        inks.append(writer.write(tuple(tokens), seed).ink)
    made = extract_many(inks, FeatureOptions.polyline())
    return sorted((each.rows for each in made), key=len)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_step_gives_the_same_probabilities_and_attention(variant):
    network = random_network(VARIANTS[variant])
    torch_stepper, onnx_stepper = TorchStepper(network), exported(network)
    rng = np.random.default_rng(1)
    features = random_features(rng, 5, 33, 1, 12)
    ours, theirs = onnx_stepper.start(features), torch_stepper.start(features)
    tokens = np.zeros(4, np.int64)
    # Rows are dropped, repeated and reordered within their expression as a search does it.
    for rows in ([0, 1, 1, 1, 2, 3, 3], [0, 0, 2, 3, 6, 5], [1, 2, 3, 4, 4], [0, 2, 2]):
        got, expected = onnx_stepper.step(ours, tokens), torch_stepper.step(theirs, tokens)
        np.testing.assert_allclose(np.exp(got.log_probs), np.exp(expected.log_probs), atol=1e-5)
        lengths = torch_stepper.lengths(theirs)
        np.testing.assert_array_equal(onnx_stepper.lengths(ours), lengths)
        for mine, other, length in zip(got.attention, expected.attention, lengths, strict=True):
            np.testing.assert_allclose(mine[:length], other[:length], atol=1e-5)
            assert not mine[length:].any()
        chosen = np.array(rows)
        tokens = rng.integers(1, len(SMALL.vocabulary), len(chosen))
        ours = onnx_stepper.select(got.state, chosen)
        theirs = torch_stepper.select(expected.state, chosen)


def test_rows_of_several_expressions_may_come_in_any_order():
    network = random_network()
    stepper = exported(network)
    first = stepper.step(stepper.start(random_features(np.random.default_rng(2), 9, 14, 4)), np.zeros(3, int))
    mixed = np.array([2, 0, 1, 0, 2, 2])
    tokens = np.array([3, 4, 5, 6, 7, 8])
    sorted_rows = np.argsort(mixed, kind="stable")
    together = stepper.step(stepper.select(first.state, mixed), tokens)
    ordered = stepper.step(stepper.select(first.state, mixed[sorted_rows]), tokens[sorted_rows])
    np.testing.assert_allclose(together.log_probs[sorted_rows], ordered.log_probs, atol=1e-6)


def test_the_beam_finds_the_same_answers_alone_and_in_batches():
    network = random_network(seed=3)
    rng = np.random.default_rng(3)
    features = random_features(rng, *rng.integers(1, 40, 12).tolist())
    options = SearchOptions(beam=5, top=3, max_length=12)
    by_torch = beam_search(TorchStepper(network), features, options)
    stepper = exported(network)
    together = beam_search(stepper, features, options)
    alone = [beam_search(stepper, [each], options)[0] for each in features]
    encoded = EncodedStepper(stepper, features)
    one_by_one = [beam_search(encoded, [place], options)[0] for place in range(len(features))]
    for expected, *others in zip(by_torch, together, alone, one_by_one, strict=True):
        for answers in others:
            assert [each.tokens for each in answers] == [each.tokens for each in expected]
            assert answers[0].log_prob == pytest.approx(expected[0].log_prob, abs=1e-3)
            np.testing.assert_allclose(answers[0].attention, expected[0].attention, atol=1e-4)


@pytest.mark.parametrize(
    ("variant", "precision", "most_others"),
    [
        *((variant, Precision.full, 0) for variant in VARIANTS),
        # Random networks are often undecided between two tokens, where the last digits decide.
        ("with coverage", Precision.half, 3),
    ],
)
def test_three_hundred_expressions_get_the_same_tokens_and_probabilities(
    variant, precision, most_others, written_features
):
    network = random_network(VARIANTS[variant], seed=7)
    options = SearchOptions(beam=1, max_length=25)
    steppers = TorchStepper(network), exported(network, precision)
    others = 0
    for start in range(0, 300, 50):
        batch = written_features[start : start + 50]
        for by_torch, by_onnx in zip(*(greedy(each, batch, options) for each in steppers), strict=True):
            if by_onnx.tokens != by_torch.tokens:
                others += 1
                continue
            difference = np.abs(np.exp(by_onnx.token_log_probs) - np.exp(by_torch.token_log_probs))
            assert difference.max() < 1e-3
    assert others <= most_others


@pytest.mark.parametrize(("precision", "tolerance"), [(Precision.half, 1e-4), (Precision.int8, 5e-2)])
def test_weights_stored_small_change_probabilities_little(precision, tolerance):
    network = random_network(seed=4, sharpness=1.0)
    small, full = exported(network, precision), exported(network)
    features = random_features(np.random.default_rng(4), 20, 31)
    probabilities = [
        np.exp(stepper.step(stepper.start(features), np.zeros(2, np.int64)).log_probs)
        for stepper in (small, full)
    ]
    np.testing.assert_allclose(probabilities[0], probabilities[1], atol=tolerance)


def test_half_precision_halves_the_file():
    network = random_network()
    sizes = [
        len(export_network(network, "small", precision=precision).members[0].encoder)
        for precision in (Precision.full, Precision.half, Precision.int8)
    ]
    assert sizes[1] < 0.62 * sizes[0]
    assert sizes[2] < 0.45 * sizes[0]


def test_greedy_search_on_an_exported_model_imports_no_torch(tmp_path, monkeypatch):
    network = random_network()
    stepper = exported(network)
    monkeypatch.setitem(sys.modules, "torch", None)  # any import of torch from here on fails
    assert greedy(stepper, random_features(np.random.default_rng(0), 12))[0].tokens is not None


def test_an_expression_without_features_is_refused():
    with pytest.raises(ModelError, match="at least one point"):
        exported(random_network()).start([np.zeros((0, 8), np.float32)])


def test_weights_of_a_run_that_stops_early_are_the_best_ones(tmp_path):
    (tmp_path / "run.json").write_text('{"training": {"patience": 15}}')
    with pytest.raises(ValueError, match="no weights yet"):
        find_weights(tmp_path)
    (tmp_path / "last.safetensors").touch()
    assert find_weights(tmp_path).name == "last.safetensors"
    (tmp_path / "best.safetensors").touch()
    assert find_weights(tmp_path).name == "best.safetensors"
    with pytest.raises(ValueError, match="neither a training run nor"):
        find_weights(Path("nowhere"))
