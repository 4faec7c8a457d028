"""Exports trained weights (a training run or its `.safetensors`) to a model file `*.inktex`."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import inktex
from inktex.evaluation.provenance import commit
from inktex.model import Network, load_network
from inktex.model.config import Direction
from inktex.reading import Member, ModelFile, find_weights, parameter_count
from inktex.training.onnx_graph import Precision, decoder_graph, encoder_graph
from inktex.training.run import RunFolder

_CROHME = "CROHME's official training set (8,835 handwritten expressions)"
_DRAWINGS = "drawings of single symbols from Detexify (ODbL), mathnote (Apache-2.0) and Omniglot (MIT)"
_RESEARCH = "weights: research and other non-commercial use, as CROHME's data; the code is Apache-2.0"
_SHIPPABLE = (
    "weights: Apache-2.0, commercial use allowed; trained with drawings from Detexify (ODbL 1.0, "
    "attribution), mathnote (Apache-2.0) and Omniglot (MIT), whose notices stand in LICENSE-WEIGHTS.md"
)
_CHANGES = ("augment", "parts", "swap_symbols", "swap_groups")  # options that change or add ink
# By `TrainOptions.ink`: what the model learned from, and what may be done with its weights.
SOURCES = {
    "corpus": (f"{_CROHME} and what is made of it: augmented ink, parts, recombined expressions", _RESEARCH),
    "redrawn": (
        f"{_CROHME} and what is made of it: symbols redrawn by others of it, joined parts",
        _RESEARCH,
    ),
    "wide": (f"{_CROHME}, {_DRAWINGS}, and what is made of them", _RESEARCH),
    "free": (f"{_DRAWINGS}, and formulas and layouts made by rules; no CROHME ink", _SHIPPABLE),
}


def export_network(
    network: Network, name: str, *, precision: Precision = Precision.half, card: dict[str, Any] | None = None
) -> ModelFile:
    """A model file of one network; one with two decoders has a member for each, with one encoder."""
    encoder = encoder_graph(network, precision)
    members = tuple(
        Member(
            name=name if not number else f"{name}-backward",
            encoder=encoder,
            decoder=decoder_graph(one, precision),
            config=json.loads(json.dumps(one.config.to_json())),
            encoder_of=name if number else "",
        )
        for number, one in enumerate(one_way(network))
    )
    return ModelFile(members, card if card is not None else {})


def one_way(network: Network) -> list[Network]:
    """The network as networks of one direction each: itself, or its encoder with either decoder."""
    if network.backward_decoder is None:
        return [network]
    directions: tuple[Direction, ...] = ("forward", "backward")
    parted = [Network(replace(network.config, direction=direction)).eval() for direction in directions]
    for one, decoder in zip(parted, network.decoders, strict=True):
        one.encoder, one.decoder, one.symbol_head = network.encoder, decoder, network.symbol_head
    return parted


def export_run(
    source: Path, name: str, *, which: str | None = None, precision: Precision = Precision.half
) -> ModelFile:
    """A model file of a training run, with a card that says where it comes from."""
    weights = find_weights(source, which)
    network = load_network(weights)
    training = _training(weights.parent)
    data, licence = _source(training.get("options", {}))
    card = {
        "name": name,
        "exported": datetime.now(UTC).strftime("%Y-%m-%d"),
        "inktex": inktex.__version__,
        "commit": commit() or None,
        "precision": precision.value,
        "weights": weights.stem,
        "coverage": network.config.coverage_window > 0,
        "tokens": len(network.config.vocabulary),
        "training": training,
        "data": f"{data}; validated on CROHME 2013",
        "licence": licence,
    }
    made = export_network(network, name, precision=precision, card=card)
    return replace(made, card=made.card | {"parameters": parameter_count(made)})


def _source(options: dict[str, Any]) -> tuple[str, str]:
    ink = options.get("ink", "corpus")
    if ink == "corpus" and not any(options.get(name) for name in _CHANGES):
        return f"{_CROHME}, as they are", _RESEARCH
    return SOURCES[ink]


def _training(run: Path) -> dict[str, Any]:
    """What the run's folder says: its options, how far it came, the best validation."""
    told: dict[str, Any] = {}
    if (run / "run.json").is_file():
        content = json.loads((run / "run.json").read_text())
        told["options"] = content.get("training", {})
        if initial := content.get("command", {}).get("initial"):
            told["initial"] = Path(initial).name  # a model's name, or a file's: where it lay tells nothing
    rows = RunFolder(run).metrics()
    if rows:
        told |= {"steps": rows[-1].get("step"), "epochs": rows[-1].get("epoch")}
        told["cpu_seconds"] = rows[-1].get("cpu_seconds")
    if validations := [row for row in rows if row.get("kind") == "validation"]:
        told["last_validation"] = validations[-1]
    return told
