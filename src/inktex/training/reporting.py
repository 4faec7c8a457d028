"""Output of a run: a progress bar or plain lines, metrics and TensorBoard events."""

import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from inktex.training.options import TrainOptions
from inktex.training.run import Position, RunFolder
from inktex.training.validation import Validation

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


class Reporter:
    """Collects the losses of steps and reports them; silent on all workers but the first."""

    def __init__(
        self, folder: RunFolder | None, options: TrainOptions, console: Console | None = None
    ) -> None:
        self._folder, self._options = folder, options
        self._console = console or Console(stderr=True)
        self._events: SummaryWriter | None = None
        self._progress: Progress | None = None
        self._sums = [0.0, 0.0, 0.0]
        self._steps = self._expressions = 0
        self._since = time.monotonic()
        self._logged = time.monotonic()

    def __enter__(self) -> "Reporter":
        if self._folder is not None:
            from torch.utils.tensorboard import SummaryWriter

            self._events = SummaryWriter(str(self._folder.path / "events"))
            if self._console.is_terminal:
                columns = (
                    TextColumn("{task.description}"),
                    BarColumn(),
                    MofNCompleteColumn(),
                    TimeElapsedColumn(),
                    TimeRemainingColumn(),
                )
                self._progress = Progress(*columns, console=self._console)
                self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()
        if self._events is not None:
            self._events.close()

    def epoch_begins(self, position: Position, batches: int) -> None:
        """Start reporting a new (or resumed) epoch."""
        self._batches = batches
        if self._progress is not None:
            for task in self._progress.task_ids:
                self._progress.remove_task(task)
            self._task = self._progress.add_task(
                self._headline(position), total=batches, completed=position.batch
            )

    def step_done(
        self, position: Position, loss: float, guidance: float, symbol: float, expressions: int
    ) -> None:
        """Count a step; print a line every half minute."""
        for place, value in enumerate((loss, guidance, symbol)):
            self._sums[place] += value
        self._steps += 1
        self._expressions += expressions
        if self._progress is not None:
            self._progress.update(self._task, completed=position.batch, description=self._headline(position))
        elif self._folder is not None and time.monotonic() - self._logged > 30:
            self._console.print(
                f"{self._headline(position)}  batch {position.batch}/{self._batches}",
                highlight=False,
                soft_wrap=True,
            )
            self._logged = time.monotonic()
        if position.step % self._options.log_every == 0:
            self._write(position, {"kind": "train", **self._means()})
            self._reset()

    def validated(self, position: Position, score: Validation) -> None:
        """Report a validation."""
        self._write(
            position, {"kind": "validation", "wer": score.wer, "exprate": score.exprate, "loss": score.loss}
        )
        if self._folder is not None:
            self._console.print(
                f"epoch {position.epoch}: WER {score.wer:.2f} %, ExpRate {score.exprate:.2f} %, "
                f"loss {score.loss:.4f} per token "
                f"(best WER {position.best_wer:.2f} %, ExpRate there {position.best_exprate:.2f} %), "
                f"{position.cpu_seconds / 60:.1f} CPU minutes",
                highlight=False,
                soft_wrap=True,
            )

    def _means(self) -> dict[str, float]:
        steps = max(self._steps, 1)
        names = ("loss", "guidance", "symbol")
        means = {name: value / steps for name, value in zip(names, self._sums, strict=True)}
        means["expressions_per_second"] = self._expressions / max(time.monotonic() - self._since, 1e-9)
        return means

    def _reset(self) -> None:
        self._sums, self._steps, self._expressions, self._since = [0.0, 0.0, 0.0], 0, 0, time.monotonic()

    def _headline(self, position: Position) -> str:
        means = self._means()
        stage = " noise" if position.stage == 2 else ""
        best = (
            ""
            if position.best_wer == float("inf")
            else f"  WER {position.last_wer:.1f} best {position.best_wer:.1f}"
        )
        return (
            f"epoch {position.epoch_of_stage}/{self._options.epochs_of(position.stage)}{stage}  "
            f"loss {means['loss']:.3f} "
            f"guide {means['guidance']:.2f} symbol {means['symbol']:.2f}  "
            f"{means['expressions_per_second']:.1f}/s{best}"
        )

    def _write(self, position: Position, values: dict[str, Any]) -> None:
        if self._folder is None:
            return
        row = {
            "step": position.step,
            "epoch": position.epoch,
            "cpu_seconds": round(position.cpu_seconds, 1),
            **values,
        }
        self._folder.append_metrics(row)
        if self._events is not None:
            for name, value in values.items():
                if isinstance(value, float):
                    self._events.add_scalar(f"{values['kind']}/{name}", value, position.step)
