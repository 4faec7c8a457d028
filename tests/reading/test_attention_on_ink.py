"""Attention over pooled annotations is carried back to the points and strokes that the user drew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.features import FeatureOptions, extract
from inktex.ink import Ink
from inktex.reading.attention import intensity_at, stroke_attention
from known_readings import read_rightly, written

coordinates = st.floats(-1e3, 1e3).map(lambda value: round(value, 2))
strokes = st.lists(
    st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=8), min_size=1, max_size=6
)
presets = st.sampled_from([FeatureOptions.paper(), FeatureOptions.polyline()])


@settings(max_examples=60, deadline=None)
@given(strokes, presets, st.sampled_from([1, 2, 4]), st.integers(0, 2**32 - 1))
def test_attention_stays_the_same_amount_on_strokes(drawn, preset, stride, seed):
    ink = Ink.from_strokes(drawn)
    features = extract(ink, preset)
    annotations = -(-len(features.rows) // stride)
    attention = np.random.default_rng(seed).dirichlet(np.ones(annotations), size=3)
    on_strokes = stroke_attention(attention, features, stride, len(ink))
    assert (on_strokes >= 0).all()
    assert np.allclose(on_strokes.sum(axis=1), 1)
    # Row by row: each annotation is shared by the rows that it was pooled from.
    annotation = np.arange(len(features.rows)) // stride
    rows = attention[:, annotation] / np.bincount(annotation)[annotation]
    by_rows = np.stack([rows[:, features.stroke == stroke].sum(axis=1) for stroke in range(len(ink))], axis=1)
    assert np.allclose(by_rows, on_strokes)


def test_an_annotation_lights_the_span_it_was_pooled_from():
    ink = Ink.from_strokes([[(x, 0.0) for x in range(101)]])
    features = extract(ink, FeatureOptions(spacing=0.01))
    middle = (len(features.rows) // 4) // 2
    attention = np.zeros((1, -(-len(features.rows) // 4)))
    attention[0, middle] = 1.0
    light = intensity_at(attention, features, 4, np.arange(101.0))[0]
    span = features.point[4 * middle : 4 * middle + 4]
    assert span[0] <= light.argmax() <= span[-1]
    far = np.abs(np.arange(101) - span.mean()) > 2 * (span[-1] - span[0])
    assert light[far].max() == 0


def test_light_changes_smoothly_along_a_stroke():
    ink = Ink.from_strokes([[(x, 0.0) for x in range(201)]])
    features = extract(ink, FeatureOptions(spacing=0.02))
    attention = np.random.default_rng(1).dirichlet(np.ones(-(-len(features.rows) // 2)), size=1)
    light = intensity_at(attention, features, 2, np.linspace(0, 200, 4001))[0]
    assert np.abs(np.diff(light)).max() < 0.1 * light.max()


def test_light_never_crosses_the_gap_between_two_strokes():
    ink = Ink.from_strokes([[(x, 0.0) for x in range(50)], [(x, 30.0) for x in range(50)]])
    features = extract(ink, FeatureOptions(spacing=0.05))
    attention = np.zeros((1, len(features.rows)))
    attention[0, np.flatnonzero(features.stroke == 0)] = 1.0
    light = intensity_at(attention, features, 1, np.arange(100.0))[0]
    assert (light[:50] > 0).all()
    assert (light[50:] == 0).all()


def test_light_does_not_depend_on_how_densely_the_pen_was_sampled():
    sparse = Ink.from_strokes([[(float(x), 0.0) for x in range(0, 101, 10)]])
    dense = Ink.from_strokes([[(x / 10, 0.0) for x in range(1001)]])
    options = FeatureOptions(spacing=0.05)
    features = [extract(ink, options) for ink in (sparse, dense)]
    assert len(features[0].rows) == len(features[1].rows)
    attention = np.random.default_rng(2).dirichlet(np.ones(len(features[0].rows)), size=1)
    first = intensity_at(attention, features[0], 1, np.arange(11.0))
    second = intensity_at(attention, features[1], 1, np.arange(0.0, 1001.0, 100.0))
    assert np.allclose(first, second, atol=5e-3)


@pytest.mark.parametrize("stride", [1, 2, 4])
def test_each_symbol_has_its_attention_on_its_own_strokes(stride):
    example = written("x^2+1")
    reading = read_rightly(example, stride=stride)
    for place, own in enumerate(example.strokes_of):
        if own:
            assert reading.strokes[place, list(own)].sum() > 0.5


def test_attention_of_another_ink_is_refused():
    features = extract(written("x+1").ink, FeatureOptions.polyline())
    with pytest.raises(ValueError, match=r"expected .* annotations"):
        stroke_attention(np.ones((2, 3)), features, 2, 5)
