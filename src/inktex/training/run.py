"""A run is a folder: its settings (run.json), its history (metrics.jsonl, TensorBoard events) and its state.

`state.safetensors` is the latest full training state and `state.previous.safetensors` the one before; both
are written atomically. `best.safetensors` holds the averaged weights with the lowest validation WER,
`last.safetensors` those at the end.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from inktex.checked import checked
from inktex.files import write_atomically
from inktex.model import ModelConfig, tensors_digest
from inktex.training.options import TrainOptions

if TYPE_CHECKING:
    from inktex.training.validation import Validation


_FORMER = ("agreement", "synthetic")  # options of runs that were begun by earlier versions, all at zero


@dataclass
class Position:
    """How far a run has come."""

    epoch: int = 0
    batch: int = 0  # next batch of the epoch
    step: int = 0
    stage: int = 1  # 2: from the best weights again, with weight noise
    stage_start: int = 0  # epoch at which the stage began
    cpu_seconds: float = 0.0
    best_wer: float = float("inf")
    best_exprate: float = 0.0
    last_wer: float = float("inf")
    stage_best_wer: float = float("inf")
    since_best: int = 0  # validations since the best one of the stage
    finished: bool = False

    @property
    def epoch_of_stage(self) -> int:
        """Number of the epoch under way, from 1 in each stage."""
        return self.epoch - self.stage_start + 1

    def record(self, score: "Validation") -> bool:
        """Record a validation; returns whether it is the best of the run so far."""
        self.last_wer = score.wer
        self.since_best = 0 if score.wer < self.stage_best_wer else self.since_best + 1
        self.stage_best_wer = min(self.stage_best_wer, score.wer)
        if score.wer >= self.best_wer:
            return False
        self.best_wer, self.best_exprate = score.wer, score.exprate
        return True

    def begin_stage(self, stage: int) -> None:
        """A new stage with epochs and patience of its own."""
        self.stage, self.stage_start = stage, self.epoch
        self.stage_best_wer, self.since_best = float("inf"), 0


@dataclass(frozen=True)
class State:
    """A checkpoint as read back."""

    position: Position
    tensors: dict[str, Tensor]

    def part(self, prefix: str) -> dict[str, Tensor]:
        """Tensors whose names begin with `prefix.`, without it."""
        own = {name: value for name, value in self.tensors.items() if name.startswith(f"{prefix}.")}
        return {name.removeprefix(f"{prefix}."): value for name, value in own.items()}


class RunFolder:
    """Reading and writing of one run's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state_file = path / "state.safetensors"
        self.previous_file = path / "state.previous.safetensors"
        self.metrics_file = path / "metrics.jsonl"
        self.best_file = path / "best.safetensors"
        self.last_file = path / "last.safetensors"

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / "run.json").exists()

    def create(self, model: ModelConfig, options: TrainOptions, command: dict[str, Any]) -> None:
        """Begin a new run; a folder that already holds one is left alone."""
        if self.exists:
            raise ValueError(
                f"{self.path}: already contains a run; continue it with --resume, or name another folder"
            )
        content = {"model": model.to_json(), "training": asdict(options), "command": command}
        write_atomically(self.path / "run.json", json.dumps(content, indent=1))

    def settings(self) -> tuple[ModelConfig, TrainOptions, dict[str, Any]]:
        """What the run was begun with."""
        try:
            content = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
            known = {name: value for name, value in content["training"].items() if name not in _FORMER}
            options = checked(TrainOptions, known, "training")
            return ModelConfig.from_json(content["model"]), options, content["command"]
        except FileNotFoundError:
            raise ValueError(f"{self.path}: no run to resume here (no run.json)") from None
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"{self.path / 'run.json'}: damaged ({error})") from None

    def save_state(self, position: Position, tensors: dict[str, Tensor]) -> None:
        """Write a checkpoint; the one before stays beside it."""
        kept = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
        where = json.dumps(asdict(position))
        data = save(kept, metadata={"position": where, "sha256": tensors_digest(where, kept)})
        fresh = self.path / "state.new.safetensors"
        write_atomically(fresh, data)
        if self.state_file.exists():
            self.state_file.replace(self.previous_file)
        fresh.replace(self.state_file)

    def load_state(self) -> State | None:
        """The newest checkpoint that is whole, None where there is none yet."""
        problems = []
        for file in (self.state_file, self.previous_file):
            if not file.exists():
                continue
            try:
                with safe_open(file, framework="pt") as content:
                    metadata = content.metadata()
                    position = Position(**json.loads(metadata["position"]))
                    tensors = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118
                # States of earlier versions carry no checksum.
                if metadata.get("sha256", "") not in ("", tensors_digest(metadata["position"], tensors)):
                    raise ValueError("damaged (its SHA-256 differs)")
                return State(position, tensors)
            except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
                problems.append(f"{file}: {error}")
        if problems:
            raise ValueError("no checkpoint can be read: " + "; ".join(problems))
        return None

    def append_metrics(self, row: dict[str, Any]) -> None:
        """Add one line to the metrics."""
        with self.metrics_file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def metrics(self) -> list[dict[str, Any]]:
        """All whole lines of the metrics."""
        rows = []
        if self.metrics_file.exists():
            for line in self.metrics_file.read_text(encoding="utf-8").splitlines():
                try:
                    rows.append(json.loads(line))
                except json.JSONDecodeError:
                    continue  # a line cut off when the process was killed
        return rows

    def rewind_metrics(self, step: int) -> None:
        """Forget what was measured after the checkpoint that a run resumes from."""
        rows = [row for row in self.metrics() if row["step"] <= step]
        write_atomically(self.metrics_file, "".join(json.dumps(row) + "\n" for row in rows))
