"""The training loop: batches in, weights out, and a folder from which it continues exactly after any stop."""

import math
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from inktex.corpus import Example
from inktex.latex import Vocabulary
from inktex.model import Network, save_network
from inktex.training.data import Batch, TrainingData
from inktex.training.losses import averaged_copy, losses
from inktex.training.optimizing import (
    Place,
    learning_rate,
    make_optimizer,
    noisy_weights,
    optimizer_tensors,
    restore_optimizer,
    update_average,
)
from inktex.training.options import TrainOptions
from inktex.training.reporting import Reporter
from inktex.training.run import Position, RunFolder, State
from inktex.training.validation import ValidationSet
from inktex.training.workers import Workers


@dataclass(frozen=True)
class StepResult:
    """What one step measured (sums over all workers, per token)."""

    loss: float
    guidance: float
    symbol: float
    gradient: float


class Trainer:
    """Trains one network in one run folder."""

    def __init__(
        self,
        network: Network,
        options: TrainOptions,
        training: Sequence[Example],
        validation: Sequence[Example],
        folder: RunFolder,
        place: Place,
        workers: Workers,
        reporter: Reporter,
    ) -> None:
        config = network.config
        self.options, self.folder, self.place, self.workers, self.reporter = (
            options,
            folder,
            place,
            workers,
            reporter,
        )
        self.network = network.to(place.device)
        self.shared = workers.share(self.network)
        self.average = averaged_copy(self.network)
        self.optimizer = make_optimizer(self.network, options)
        self.data = TrainingData(
            training, Vocabulary(config.vocabulary), config.features, config.stride, options
        )
        self.validation = ValidationSet(validation, config.features) if validation else None
        self.position = Position()
        self._plan: tuple[int, list[list[object]]] | None = None

    def resume(self, state: State) -> None:
        """Continue from a checkpoint."""
        self.position = state.position
        self.network.load_state_dict(state.part("network"))
        self.average.load_state_dict(state.part("average"))
        restore_optimizer(self.optimizer, state.part("optimizer"))
        if self.workers.is_first:
            self.folder.rewind_metrics(self.position.step)

    def checkpoint(self) -> None:
        """Write the full training state (first worker)."""
        if not self.workers.is_first:
            return
        tensors: dict[str, Tensor] = {}
        parts = (
            ("network", self.network.state_dict()),
            ("average", self.average.state_dict()),
            ("optimizer", optimizer_tensors(self.optimizer)),
        )
        for prefix, values in parts:
            tensors |= {f"{prefix}.{name}": value for name, value in values.items()}
        self.folder.save_state(self.position, tensors)

    def run(self) -> Position:
        """Train until the epochs or the patience are used up."""
        clock, saved = time.process_time(), time.monotonic()
        position = self.position
        stop = StopSignal()
        while not position.finished:
            plan = self.data.plan(position.epoch)
            if self.workers.count > 1:
                plan = [pieces for pieces in plan if len(pieces) >= self.workers.count]
            self.reporter.epoch_begins(position, len(plan))
            while position.batch < len(plan):
                pieces = plan[position.batch]
                batch = self.data.batch(pieces, position.epoch, position.batch)
                progress = min((position.epoch + position.batch / len(plan)) / self.options.epochs, 1.0)
                result = self.step(batch, progress)
                position.batch += 1
                position.step += 1
                now = time.process_time()
                position.cpu_seconds, clock = position.cpu_seconds + now - clock, now
                self.reporter.step_done(position, result.loss, result.guidance, result.symbol, len(pieces))
                if stop.asked or time.monotonic() - saved > 60 * self.options.checkpoint_minutes:
                    self.checkpoint()
                    saved = time.monotonic()
                if stop.asked:
                    return position
            position.epoch, position.batch = position.epoch + 1, 0
            position.finished = self._epoch_done()
            self.checkpoint()
            saved = time.monotonic()
        if self.workers.is_first:
            save_network(self._evaluated(), self.folder.last_file)
        self.workers.wait()
        return position

    def step(self, batch: Batch, progress: float) -> StepResult:
        """One update of the weights from one global batch, of which this worker does its share."""
        options, position = self.options, self.position
        rate = learning_rate(options, position.step, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        torch.manual_seed((options.seed * 1_000_003 + position.step) * 64 + self.workers.rank)  # dropout
        tokens = int((batch.target >= 0).sum())
        guided, named = max(int(batch.guide.any(-1).sum()), 1), max(int((batch.symbols >= 0).sum()), 1)
        mine = _on_device(batch, self.place.device, slice(self.workers.rank, None, self.workers.count))
        fade = max(0.0, 1.0 - progress / options.guidance_until) if options.guidance_until > 0 else 1.0
        noise = options.weight_noise if position.stage == 2 else 0.0
        with noisy_weights(self.network, noise, position.step):
            with self.place.autocast():
                result = losses(self.shared, mine, options.label_smoothing)
                total = (
                    result.token / tokens
                    + options.guidance * fade * result.guidance / guided
                    + options.symbol_weight * result.symbol / named
                )
            self.optimizer.zero_grad(set_to_none=True)
            (total * self.workers.count).backward()  # type: ignore[no-untyped-call]
        gradient = torch.nn.utils.clip_grad_norm_(self.network.parameters(), options.clip)
        if math.isfinite(float(gradient)):
            self.optimizer.step()
        if options.average > 0:
            update_average(self.average, self.network, options.average, position.step)
        sums = (
            torch.stack((result.token.detach(), result.guidance.detach(), result.symbol.detach()))
            .double()
            .cpu()
        )
        token, guidance, symbol = self.workers.total(sums).tolist()
        return StepResult(token / tokens, guidance / guided, symbol / named, float(gradient))

    def _evaluated(self) -> Network:
        """The weights that count: averaged ones, unless the recipe has none."""
        if self.options.average > 0:
            return self.average
        self.average.load_state_dict(self.network.state_dict())
        return self.average

    def _epoch_done(self) -> bool:
        """Validate when it is time; say whether the run is at its end."""
        position, options = self.position, self.options
        last = position.epoch >= options.epochs
        if self.validation is not None and (last or position.epoch % options.validate_every == 0):
            score = self.validation.score(self._evaluated(), self.workers)
            better = score.wer < position.best_wer
            position.last_wer = score.wer
            position.since_best = 0 if better else position.since_best + 1
            if better:
                position.best_wer, position.best_exprate = score.wer, score.exprate
                if self.workers.is_first:
                    save_network(self._evaluated(), self.folder.best_file)
            self.reporter.validated(position, score)
        out_of_patience = options.patience > 0 and position.since_best >= options.patience
        if (last or out_of_patience) and position.stage == 1 and options.weight_noise > 0:
            self._begin_noise_stage()
            return False
        return last or out_of_patience

    def _begin_noise_stage(self) -> None:
        """The paper's annealing: from the best weights again, with weight noise."""
        from inktex.model import load_network

        self.workers.wait()
        self.network.load_state_dict(load_network(self.folder.best_file).state_dict())
        self.optimizer.load_state_dict(make_optimizer(self.network, self.options).state_dict())
        position = self.position
        position.stage, position.stage_start, position.since_best = 2, position.epoch, 0


class StopSignal:
    """SIGTERM asks a run to write a checkpoint and stop; `--resume` goes on from there."""

    def __init__(self) -> None:
        self.asked = False
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._ask)

    def _ask(self, number: int, frame: object) -> None:
        self.asked = True


def _on_device(batch: Batch, device: torch.device, rows: slice) -> Batch:
    values = {name: getattr(batch, name)[rows].to(device) for name in Batch.__dataclass_fields__}
    return replace(batch, **values)
