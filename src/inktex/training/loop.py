"""The training loop, and the folder from which it continues exactly after any stop."""

import math
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from inktex.corpus import Example
from inktex.model import Network, load_network, save_network
from inktex.training.data import Batch, TrainingData
from inktex.training.losses import Counts, averaged_copy, losses
from inktex.training.noise import WeightNoise, noisy_weights
from inktex.training.optimizing import (
    Place,
    annealed,
    guidance_weight,
    learning_rate,
    make_optimizer,
    optimizer_tensors,
    restore_optimizer,
    set_learning_rate,
    update_average,
)
from inktex.training.reporting import Reporter
from inktex.training.run import Position, RunFolder, State
from inktex.training.validation import ValidationSet
from inktex.training.workers import Workers

MOST_PASSED_OVER = 20


class Trainer:
    """Trains one network in one run folder."""

    def __init__(
        self,
        network: Network,
        data: TrainingData,
        validation: Sequence[Example],
        folder: RunFolder,
        place: Place,
        workers: Workers,
        reporter: Reporter,
    ) -> None:
        options = data.options
        self.data, self.options, self.folder, self.reporter = data, options, folder, reporter
        self.place, self.workers = place, workers
        self.network = network.to(place.device)
        self.shared = workers.share(self.network)
        self.average = averaged_copy(self.network)
        self.optimizer = make_optimizer(self.network, options)
        self.noise = WeightNoise(options, len(data.examples))
        self.validation = ValidationSet(validation, data, grammar=options.grammar) if validation else None
        self.position = Position(stage=2 if options.noise_at_once else 1)
        self._passed_over = 0  # steps in a row without a usable gradient

    def resume(self, state: State) -> None:
        """Continue from a checkpoint."""
        self.position = state.position
        self.network.load_state_dict(state.part("network"))
        self.average.load_state_dict(state.part("average"))
        restore_optimizer(self.optimizer, state.part("optimizer"))
        self.noise.prior = state.tensors.get("noise.prior", self.noise.prior)
        if self.workers.is_first:
            self.folder.rewind_metrics(self.position.step)

    def checkpoint(self) -> None:
        """Write the full training state (first worker)."""
        if not self.workers.is_first:
            return
        parts = {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": optimizer_tensors(self.optimizer),
            "noise": {"prior": self.noise.prior},
        }
        tensors = {f"{part}.{name}": each for part, named in parts.items() for name, each in named.items()}
        self.folder.save_state(self.position, tensors)

    def run(self) -> Position:
        """Train until the epochs or the patience are used up."""
        clock, saved = time.process_time(), time.monotonic()
        position = self.position
        stop = _StopSignal()
        while not position.finished:
            plan = self.data.plan(position.epoch)
            if self.workers.count > 1:
                plan = [pieces for pieces in plan if len(pieces) >= self.workers.count]
            self.reporter.epoch_begins(position, len(plan))
            while position.batch < len(plan):
                pieces = plan[position.batch]
                batch = self.data.batch(pieces, position.epoch, position.batch)
                done = position.epoch - position.stage_start + position.batch / len(plan)
                progress = min(done / self.options.epochs_of(position.stage), 1.0)
                measured = self.step(batch, progress)
                position.batch += 1
                position.step += 1
                now = time.process_time()
                position.cpu_seconds, clock = position.cpu_seconds + now - clock, now
                self.reporter.step_done(position, measured, len(pieces))
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

    def step(self, batch: Batch, progress: float) -> dict[str, float]:
        """One update of the weights from one global batch; this worker does its share of it.

        Returns what was measured over all workers, per token.
        """
        options, position = self.options, self.position
        rate = learning_rate(options, position.step, progress)
        if options.anneal and position.stage == 2:
            rate = annealed(rate, progress)
        set_learning_rate(self.optimizer, rate)
        torch.manual_seed((options.seed * 1_000_003 + position.step) * 64 + self.workers.rank)  # dropout
        counts = Counts.of(batch, len(self.network.decoders))
        noise = self.noise.deviations(self.network, self.optimizer) if position.stage == 2 else 0.0
        with noisy_weights(self.network, noise, (options.seed, position.step)):
            sums = self._backpropagate(batch, counts, progress)
        gradient = torch.nn.utils.clip_grad_norm_(self.network.parameters(), options.clip)
        if position.stage == 2:
            self.noise.charge(self.network)
        self._update(math.isfinite(float(gradient)))
        if options.average > 0:
            update_average(self.average, self.network, options.average, position.step)
        token, guidance, symbol = self.workers.total(sums).tolist()
        guidance, symbol = guidance / counts.guided, symbol / counts.named
        return {"loss": token / counts.tokens, "guidance": guidance, "symbol": symbol}

    def _update(self, finite: bool) -> None:
        """Change the weights; a step without a finite gradient is skipped, but not many in a row."""
        self._passed_over = 0 if finite else self._passed_over + 1
        if finite:
            self.optimizer.step()
        elif self._passed_over == MOST_PASSED_OVER:
            raise ValueError(
                f"step {self.position.step}: no finite gradient for {MOST_PASSED_OVER} steps in a row, so "
                "the run has diverged; start again with a smaller training.learning_rate or training.clip"
            )

    def _backpropagate(self, batch: Batch, counts: Counts, progress: float) -> Tensor:
        """Gradients of this worker's share of the batch; returns the sums of its losses."""
        options = self.options
        mine = _on_device(batch, self.place.device, slice(self.workers.rank, None, self.workers.count))
        with self.place.autocast():
            result = losses(self.shared, self.network.config.direction, mine, options.label_smoothing)
            total = (
                result.token / counts.of_tokens(options.loss_per)
                + guidance_weight(options, progress) * result.guidance / counts.guided
                + options.symbol_weight * result.symbol / counts.named
            )
        self.optimizer.zero_grad(set_to_none=True)
        (total * self.workers.count).backward()  # type: ignore[no-untyped-call]
        return torch.stack((result.token, result.guidance, result.symbol)).detach().double().cpu()

    def _evaluated(self) -> Network:
        """The weights to evaluate and keep: the averaged ones, if the recipe averages."""
        if self.options.average == 0:
            self.average.load_state_dict(self.network.state_dict())
        return self.average

    def _epoch_done(self) -> bool:
        """Validate if it is time; returns whether the run is at its end."""
        position, options = self.position, self.options
        last = position.epoch - position.stage_start >= options.epochs_of(position.stage)
        if self.validation is not None and (last or position.epoch % options.validate_every == 0):
            score = self.validation.score(self._evaluated(), self.workers)
            if position.record(score) and self.workers.is_first:
                save_network(self._evaluated(), self.folder.best_file)
            self.reporter.validated(position, score)
        out_of_patience = options.patience > 0 and position.since_best >= options.patience
        if not (last or out_of_patience):
            return False
        if position.stage == 2 or options.weight_noise == 0 or self.validation is None:
            return True
        self._begin_noise_stage()
        return False

    def _begin_noise_stage(self) -> None:
        """The paper's annealing: from the best weights again, with noise and its own early stopping."""
        self.workers.wait()
        best = load_network(self.folder.best_file).state_dict()
        self.network.load_state_dict(best)
        self.average.load_state_dict(best)
        self.optimizer = make_optimizer(self.network, self.options)
        self.position.begin_stage(2)


class _StopSignal:
    """SIGTERM asks a run to write a checkpoint and stop; `--resume` continues from there."""

    def __init__(self) -> None:
        self.asked = False
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._ask)

    def _ask(self, number: int, frame: object) -> None:
        self.asked = True


def _on_device(batch: Batch, device: torch.device, rows: slice) -> Batch:
    values = {name: getattr(batch, name)[rows].to(device) for name in Batch.__dataclass_fields__}
    return replace(batch, **values)
