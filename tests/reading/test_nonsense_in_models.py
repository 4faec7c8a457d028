"""Model files whose hashes are right and whose content is nonsense: one clear error, or they work."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inktex.ink import Ink
from inktex.reading import Member, ModelError, ModelFile, open_model, write_model
from inktex.reading.model import Model
from inktex.recognizer import Recognizer
from small_networks import SMALL, random_network, small_model

INK = Ink.from_strokes([[(0, 0), (5, 5), (9, 2)], [(3, 1), (2, 8)]])
SEARCH = {
    "beam": 10, "top": 5, "prune": 5.0, "widest": 1600, "max_length": 50, "length_handling": "none",
    "length_weight": 1.0, "horizon": 8, "backward_weight": 0.5, "backward_beam": 3, "grammar": True,
    "symbols": None,
}  # fmt: skip
CARD = {
    "calibration": {
        "answer": {"weights": [1.0] * 6, "bias": 0.0},
        "token": {"weights": [1.0] * 3, "bias": 0.0},
    }
}
numbers = st.sampled_from([0, 1, -1, 7, 10**9, 10**400, -0.5, 1e308, float("nan"), float("inf")])
values = (
    st.none() | st.booleans() | numbers | st.text(max_size=3) | st.sampled_from([[], {}, [1], ["x"], [[]]])
)


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [path] + [place for key, value in inside for place in places(value, (*path, key))]


def exchanged(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = json.loads(json.dumps(tree))
    node = copy
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return copy


@pytest.fixture(scope="module")
def good() -> ModelFile:
    return replace(small_model(5), search=SEARCH, card=CARD)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nonsense")


CONFIG = json.loads(json.dumps(SMALL.to_json()))
# What is wrong with which part, of all parts that are JSON.
PLACES = (
    [("config", path) for path in places(CONFIG)]
    + [("search", path) for path in places(SEARCH)]
    + [("card", path) for path in places(CARD)]
    + [("manifest", (key,)) for key in ("name", "weight", "encoder_of")]
)


def with_nonsense(good: ModelFile, part: str, path: tuple[Any, ...], value: Any) -> ModelFile:
    member = good.members[0]
    if part == "config":
        return replace(good, members=(replace(member, config=exchanged(CONFIG, path, value)),))
    if part == "manifest":
        return replace(good, members=(replace(member, **{path[0]: value}),))
    return replace(good, **{part: exchanged(getattr(good, part), path, value)})


@settings(max_examples=100)
@given(st.sampled_from(PLACES), values)
@example(("card", ()), [1])
@example(("search", ()), "x")
@example(("config", ()), -1)
@example(("config", ("vocabulary",)), ["<eol>", "x"])
@example(("config", ("vocabulary",)), "<eol>")
@example(("config", ("features", "spacing")), None)
@example(("config", ("features", "spacing")), 1e-300)
@example(("config", ("pool_after",)), list(range(60)))
@example(("config", ("pool_after",)), [])
@example(("search", ("prune",)), 10**400)
@example(("search", ("widest",)), [])
@example(("search", ("grammar",)), {})
@example(("card", ("calibration", "answer", "weights", 0)), 10**400)
@example(("manifest", ("weight",)), 10**400)
@example(("manifest", ("weight",)), float("nan"))
@example(("manifest", ("name",)), [])
@example(("manifest", ("encoder_of",)), "nobody")
def test_any_json_in_a_model_is_one_error_or_works(
    good: ModelFile, folder: Path, place: tuple[str, tuple[Any, ...]], value: Any
) -> None:
    path = folder / "nonsense.inktex"
    try:
        write_model(path, with_nonsense(good, *place, value))
    except (TypeError, ValueError, KeyError):
        return  # not even a file can be made of it
    try:
        answer = Recognizer(path).recognize(INK, timeout=1)
    except ModelError as error:
        said = str(error)
    else:
        said = "an answer: " + answer.latex
        json.dumps(answer.to_json(), allow_nan=False).encode()
    assert 10 < len(said) < 400
    assert "\n" not in said


def opened(model: ModelFile, folder: Path) -> None:
    write_model(folder / "odd.inktex", model)
    open_model(folder / "odd.inktex").stepper()


def test_graphs_that_are_exchanged_or_cut_are_one_error(good: ModelFile, folder: Path) -> None:
    member = good.members[0]
    for odd in (
        replace(member, encoder=member.decoder, decoder=member.encoder),
        replace(member, decoder=member.encoder),
        replace(member, encoder=b""),
        replace(member, encoder=member.encoder[: len(member.encoder) // 2]),
        replace(member, decoder=b"not a graph"),
    ):
        with pytest.raises(ModelError, match="the network") as caught:
            opened(replace(good, members=(odd,)), folder)
        assert len(str(caught.value)) < 400


def test_networks_of_other_sizes_than_their_config_are_refused(good: ModelFile, folder: Path) -> None:
    from inktex.training.export import export_network

    def other(**sizes: Any) -> Member:
        made = export_network(random_network(replace(SMALL, **sizes)), "odd").members[0]
        return replace(made, config=good.members[0].config)

    for odd in (other(vocabulary=SMALL.vocabulary[:-1]), other(pool_after=()), other(pool_after=(1, 2))):
        with pytest.raises(ModelError, match=r"the network does not (fit|run)"):
            opened(replace(good, members=(odd,)), folder)
    # A decoder that belongs to another encoder.
    strange = replace(good.members[0], decoder=other(attention=24, decoder_units=16).decoder)
    with pytest.raises(ModelError, match=r"the network does not (fit|run)"):
        opened(replace(good, members=(strange,)), folder)


def test_weights_that_are_no_numbers_are_refused(folder: Path) -> None:
    import torch

    from inktex.training.export import export_network
    from inktex.training.onnx_graph import Precision

    network = random_network()
    with torch.no_grad():
        network.decoder.w_o.weight.fill_(float("nan"))
    with pytest.raises(ModelError, match="gives no probabilities"):
        opened(export_network(network, "blank", precision=Precision.full), folder)


def test_half_a_character_in_the_vocabulary_is_refused(good: ModelFile, folder: Path) -> None:
    """JSON can say it; an answer with it could not be shown."""
    tokens = [*SMALL.vocabulary[:-1], "\ud800"]
    member = replace(good.members[0], config={**CONFIG, "vocabulary": tokens})
    with pytest.raises(ModelError, match="does not fit this version"):
        Model.of_file(replace(good, members=(member,)), "m")


@pytest.mark.parametrize("direction", ["backwards", None, 1, ["backward"]])
def test_a_direction_that_is_none_is_refused(good: ModelFile, folder: Path, direction: Any) -> None:
    """Taken for forward, a network that writes from right to left would give wrong answers without a word."""
    member = replace(good.members[0], config={**CONFIG, "direction": direction})
    with pytest.raises(ModelError, match="does not fit this version"):
        opened(replace(good, members=(member,)), folder)
