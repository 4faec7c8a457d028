"""From trained weights to a model file: a training run or its `.safetensors` in, `*.inktex` out."""

import io
import json
import subprocess
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import inktex
from inktex.decoding.ngram import NgramModel
from inktex.latex import Vocabulary
from inktex.model import Network, load_network
from inktex.runtime import Member, ModelFile
from inktex.training.onnx_graph import Precision, decoder_graph, encoder_graph

DATA = (
    "CROHME's official training set (8,835 expressions by hand) and what is made of it: augmented ink, "
    "parts, recombined expressions; validated on CROHME 2013. The model knows its symbols and writers."
)
LICENCE = "weights: research and other non-commercial use, as CROHME's data; the code is Apache-2.0"


def export_network(
    network: Network, name: str, *, precision: Precision = Precision.half, card: dict[str, Any] | None = None
) -> ModelFile:
    """A model file of one network."""
    member = Member(
        name=name,
        encoder=encoder_graph(network, precision),
        decoder=decoder_graph(network, precision),
        config=json.loads(json.dumps(network.config.to_json())),
    )
    return ModelFile((member,), card if card is not None else {})


def find_weights(source: Path) -> Path:
    """The weights of a run (the best if there are any, else the last), or the file itself."""
    if source.is_file():
        return source
    for name in ("best.safetensors", "last.safetensors"):
        if (source / name).is_file():
            return source / name
    if source.is_dir():
        raise ValueError(f"{source}: the run has no weights yet (no best.safetensors)")
    raise ValueError(f"{source}: neither a training run nor a .safetensors file")


def export_run(source: Path, name: str, *, precision: Precision = Precision.half) -> ModelFile:
    """A model file of a training run, with a card that says where it comes from."""
    weights = find_weights(source)
    network = load_network(weights)
    card = {
        "name": name,
        "exported": datetime.now(UTC).strftime("%Y-%m-%d"),
        "inktex": inktex.__version__,
        "commit": _commit(),
        "precision": precision.value,
        "parameters": network.parameter_count,
        "coverage": network.config.coverage_window > 0,
        "tokens": len(network.config.vocabulary),
        "training": _training(weights.parent),
        "data": DATA,
        "licence": LICENCE,
    }
    return export_network(network, name, precision=precision, card=card)


def language_bytes(
    captions: Iterable[Sequence[str]], vocabulary: Sequence[str], *, order: int = 5, least: int = 2
) -> bytes:
    """A language model of captions, as stored in a model file."""
    tokens = Vocabulary(vocabulary)
    known = [tokens.encode(caption) for caption in captions if not tokens.unknown(caption)]
    model = NgramModel.fit(known, tokens.size, order=order, least=least)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, grams=model.grams, counts=model.counts)
    return buffer.getvalue()


def _training(run: Path) -> dict[str, Any]:
    """What the run tells about itself: its options, how far it came, the best validation."""
    told: dict[str, Any] = {}
    if (run / "run.json").is_file():
        told["options"] = json.loads((run / "run.json").read_text()).get("training", {})
    metrics = run / "metrics.jsonl"
    if metrics.is_file():
        rows = [json.loads(line) for line in metrics.read_text().splitlines() if line.strip()]
        if rows:
            told["steps"], told["epochs"] = rows[-1].get("step"), rows[-1].get("epoch")
            told["cpu_seconds"] = rows[-1].get("cpu_seconds")
        validations = [row for row in rows if row.get("kind") == "validation"]
        if validations:
            told["last_validation"] = validations[-1]
    return told


def _commit() -> str | None:
    try:
        command = ["git", "rev-parse", "--short", "HEAD"]
        folder = Path(__file__).parent
        found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603
        return found.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
