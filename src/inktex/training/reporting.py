"""Output of a run: a progress bar or plain lines, metrics and TensorBoard events."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from inktex.training.options import TrainOptions
from inktex.training.run import Position, RunFolder
from inktex.training.validation import Validation

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


class Reporter:
    """Collects the losses of steps and reports them; silent on all workers but the first."""

    def __init__(self, folder: RunFolder | None, options: TrainOptions, console: Console) -> None:
        self._folder, self._options, self._console = folder, options, console
        self._events: SummaryWriter | None = None
        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        shown = folder is not None and console.is_terminal
        self._progress = Progress("{task.description}", *columns, console=console, disable=not shown)
        self._task = self._progress.add_task("")
        self._logged = time.monotonic()
        self._reset()

    def __enter__(self) -> "Reporter":
        if self._folder is not None:
            from torch.utils.tensorboard import SummaryWriter

            self._events = SummaryWriter(str(self._folder.path / "events"))
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._events is not None:
            self._progress.stop()
            self._events.close()

    def epoch_begins(self, position: Position, batches: int) -> None:
        """Start reporting a new (or resumed) epoch."""
        self._batches = batches
        headline = self._headline(position)
        self._progress.reset(self._task, total=batches, completed=position.batch, description=headline)

    def step_done(self, position: Position, losses: Mapping[str, float], expressions: int) -> None:
        """Count a step, with its losses per token; print a line every half minute."""
        for name, value in losses.items():
            self._sums[name] += value
        self._steps += 1
        self._expressions += expressions
        self._progress.update(self._task, completed=position.batch, description=self._headline(position))
        if self._progress.disable and time.monotonic() - self._logged > 30:
            self._print(f"{self._headline(position)}  batch {position.batch}/{self._batches}")
            self._logged = time.monotonic()
        if position.step % self._options.log_every == 0:
            self._write(position, {"kind": "train", **self._means()})
            self._reset()

    def validated(self, position: Position, score: Validation) -> None:
        """Report a validation."""
        self._write(position, {"kind": "validation", **asdict(score)})
        self._print(
            f"epoch {position.epoch}: WER {score.wer:.2f} %, ExpRate {score.exprate:.2f} %, "
            f"loss {score.loss:.4f} per token "
            f"(best WER {position.best_wer:.2f} %, ExpRate there {position.best_exprate:.2f} %), "
            f"{position.cpu_seconds / 60:.1f} CPU minutes"
        )

    def _print(self, text: str) -> None:
        if self._folder is not None:
            self._console.print(text, soft_wrap=True)

    def _means(self) -> dict[str, float]:
        means = {name: value / max(self._steps, 1) for name, value in self._sums.items()}
        speed = self._expressions / max(time.monotonic() - self._since, 1e-9)
        return means | {"expressions_per_second": speed}

    def _reset(self) -> None:
        self._sums = {"loss": 0.0, "guidance": 0.0, "symbol": 0.0}
        self._steps, self._expressions, self._since = 0, 0, time.monotonic()

    def _headline(self, position: Position) -> str:
        means = self._means()
        stage = " noise" if position.stage == 2 else ""
        known = position.best_wer < float("inf")
        best = f"  WER {position.last_wer:.1f} best {position.best_wer:.1f}" if known else ""
        return (
            f"epoch {position.epoch_of_stage}/{self._options.epochs_of(position.stage)}{stage}  "
            f"loss {means['loss']:.3f} "
            f"guide {means['guidance']:.2f} symbol {means['symbol']:.2f}  "
            f"{means['expressions_per_second']:.1f}/s{best}"
        )

    def _write(self, position: Position, values: dict[str, Any]) -> None:
        if self._folder is None or self._events is None:
            return
        where = {"step": position.step, "epoch": position.epoch}
        seconds = round(position.cpu_seconds, 1)
        self._folder.append_metrics({**where, "cpu_seconds": seconds, **values})
        for name, value in values.items():
            if isinstance(value, float):
                self._events.add_scalar(f"{values['kind']}/{name}", value, position.step)
