"""Begin or resume a run: data, network, folder and workers put together for the loop."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import torch
from rich.console import Console

from inktex.corpus import Example, ExpressionModel, Synthesizer, load_split, open_bank, synthesize
from inktex.latex import Vocabulary
from inktex.model import Network, load_network
from inktex.training.loop import Trainer
from inktex.training.optimizing import choose_place, keep_freed_memory
from inktex.training.recipes import Recipe
from inktex.training.reporting import Reporter
from inktex.training.run import Position, RunFolder
from inktex.training.workers import Workers


@dataclass(frozen=True)
class Launch:
    """Where and on what a run happens; nothing here changes what is learned."""

    folder: Path
    data: Path | None = None
    device: str = "auto"
    threads: int = 1
    synthetic: int = 0  # train on so many synthetic expressions instead of a corpus
    initial: Path | None = None  # begin from these weights


def gather(launch: Launch, seed: int) -> tuple[list[Example], list[Example]]:
    """Training and validation examples: CROHME's, or synthetic ones that need no data."""
    if launch.synthetic:
        writer = Synthesizer(open_bank("hershey"))
        examples = list(islice(synthesize(writer, ExpressionModel.builtin(), seed), launch.synthetic))
        return examples, examples[: max(32, launch.synthetic // 20)]
    training, validation = load_split("train", launch.data), load_split("test2013", launch.data)
    return [training[i] for i in range(len(training))], [validation[i] for i in range(len(validation))]


def begin(
    recipe: Recipe, launch: Launch, examples: tuple[Sequence[Example], Sequence[Example]] | None = None
) -> Position:
    """Start a new run and train to its end."""
    return _begin(recipe, launch, Workers.join(launch.device), examples)


def begin_or_resume(
    recipe: Recipe, launch: Launch, examples: tuple[Sequence[Example], Sequence[Example]] | None = None
) -> Position:
    """What a launch does: a new run, or the same run again where torchrun started its workers anew.

    A launcher counts only failures of its own workers, so the workers ask each other: if any of them was
    started anew, all go on from the checkpoint in the folder, which they share.
    """
    workers = Workers.join(launch.device)
    device = choose_place(launch.device, recipe.training.precision, workers.local_rank).device
    restarts = torch.tensor([float(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))], device=device)
    if float(workers.total(restarts)) > 0 and RunFolder(launch.folder).exists:
        return _resume(launch, workers, examples)
    return _begin(recipe, launch, workers, examples)


def _begin(
    recipe: Recipe,
    launch: Launch,
    workers: Workers,
    examples: tuple[Sequence[Example], Sequence[Example]] | None,
) -> Position:
    training, validation = examples or gather(launch, recipe.training.seed)
    vocabulary = Vocabulary.build(example.tokens for example in training)
    config = replace(recipe.model, vocabulary=tuple(vocabulary.tokens))
    folder = RunFolder(launch.folder)
    if workers.is_first:
        command = {"data": str(launch.data) if launch.data else None, "synthetic": launch.synthetic}
        folder.create(config, recipe.training, command)
    return _train(replace(recipe, model=config), launch, folder, workers, training, validation)


def resume(launch: Launch, examples: tuple[Sequence[Example], Sequence[Example]] | None = None) -> Position:
    """Go on with the run in the folder, exactly where its last checkpoint was."""
    RunFolder(launch.folder).settings()  # what is wrong there is said before waiting for other workers
    return _resume(launch, Workers.join(launch.device), examples)


def _resume(
    launch: Launch, workers: Workers, examples: tuple[Sequence[Example], Sequence[Example]] | None
) -> Position:
    folder = RunFolder(launch.folder)
    config, options, command = folder.settings()
    launch = replace(launch, synthetic=int(command.get("synthetic") or 0))
    training, validation = examples or gather(launch, options.seed)
    return _train(Recipe(config, options), launch, folder, workers, training, validation)


def _train(
    recipe: Recipe,
    launch: Launch,
    folder: RunFolder,
    workers: Workers,
    training: Sequence[Example],
    validation: Sequence[Example],
) -> Position:
    torch.set_num_threads(launch.threads)
    keep_freed_memory()
    place = choose_place(launch.device, recipe.training.precision, workers.local_rank)
    torch.manual_seed(recipe.training.seed)
    network = Network(recipe.model)
    if launch.initial is not None:
        network.load_state_dict(load_network(launch.initial).state_dict())
    console = Console(stderr=True)
    with Reporter(folder if workers.is_first else None, recipe.training, console) as reporter:
        trainer = Trainer(network, recipe.training, training, validation, folder, place, workers, reporter)
        state = folder.load_state()
        if state is not None:
            trainer.resume(state)
            if workers.is_first:
                console.print(f"goes on from step {state.position.step}", highlight=False)
        if workers.is_first:
            console.print(
                f"{network.parameter_count:,} parameters, {len(training):,} expressions, "
                f"{len(validation):,} to validate, {place.device}{'' if place.half is None else ' bf16'}, "
                f"{workers.count} worker(s), epoch {trainer.position.epoch + 1} of {recipe.training.epochs}",
                highlight=False,
                soft_wrap=True,
            )
        position = trainer.run()
    workers.leave()
    return position
