"""Starts or resumes a run: puts data, network, folder and workers together for the loop."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import torch
from rich.console import Console

from inktex.corpus import Example, ExpressionModel, Synthesizer, load_split, open_bank, synthesize
from inktex.corpus.free import FreeInk, free_drawings, free_vocabulary
from inktex.corpus.wide import CORPUS_MIX, WideInk, wide_banks
from inktex.latex import Vocabulary
from inktex.latex.vocabulary import wide_vocabulary
from inktex.model import Network, load_network
from inktex.model.fast import accelerate
from inktex.reading import WEIGHTS, find_model, find_weights
from inktex.training.data import MadeInk, TrainingData
from inktex.training.loop import Trainer
from inktex.training.onnx_weights import read_network
from inktex.training.optimizing import choose_place, keep_freed_memory
from inktex.training.options import TrainOptions
from inktex.training.recipes import Recipe
from inktex.training.reporting import Reporter
from inktex.training.run import Position, RunFolder
from inktex.training.workers import Workers

Examples = tuple[Sequence[Example], Sequence[Example]]  # to train and to validate on

FREE_VALIDATION = 300  # expressions of free ink to validate on where there is no CROHME


@dataclass(frozen=True)
class Launch:
    """Where and on what a run happens; nothing here changes what is learned."""

    folder: Path
    data: Path | None = None
    device: str = "auto"
    threads: int = 1
    synthetic: int = 0  # train on this many synthetic expressions instead of a corpus
    initial: str | None = None  # begin from these weights: a file, a run's folder or a model's name


def gather(launch: Launch, options: TrainOptions) -> Examples:
    """Training and validation examples: CROHME's, or synthetic ones that need no data.

    A run on free ink has no examples to train on. It is validated on CROHME 2013, which decides which epoch's
    weights are kept and nothing else, or on free ink of its own where there is no CROHME.
    """
    seed = options.seed
    if options.ink == "free":
        try:
            held_out = load_split("test2013", launch.data)
        except FileNotFoundError:
            return [], FreeInk(free_drawings(launch.data), seed=seed + 1).examples(0, FREE_VALIDATION)
        return [], list(held_out)
    if launch.synthetic:
        writer = Synthesizer(open_bank("hershey"))
        examples = list(islice(synthesize(writer, ExpressionModel.builtin(), seed), launch.synthetic))
        return examples, examples[: max(32, launch.synthetic // 20)]
    return list(load_split("train", launch.data)), list(load_split("test2013", launch.data))


def begin(recipe: Recipe, launch: Launch, examples: Examples | None = None) -> Position:
    """Start a new run and train to its end, or continue it if torchrun has restarted its workers.

    A launcher counts only failures of its own workers, so the workers ask each other: if any of them was
    restarted, all continue from the checkpoint in the folder they share.
    """
    workers, folder = Workers.join(launch.device), RunFolder(launch.folder)
    device = choose_place(launch.device, recipe.training.precision, workers.local_rank).device
    restarts = torch.tensor([float(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))], device=device)
    if float(workers.total(restarts)) > 0 and folder.exists:
        return _resume(launch, workers, examples)
    examples = examples or gather(launch, recipe.training)
    if recipe.training.ink == "wide":
        vocabulary = wide_vocabulary()
    elif recipe.training.ink == "free":
        vocabulary = free_vocabulary()
    else:
        vocabulary = Vocabulary.build(example.tokens for example in examples[0])
    config = replace(recipe.model, vocabulary=tuple(vocabulary.tokens))
    if workers.is_first:
        data = str(launch.data) if launch.data else None
        command = {"data": data, "synthetic": launch.synthetic, "initial": launch.initial}
        folder.create(config, recipe.training, command)
    return _train(Recipe(config, recipe.training), launch, workers, examples)


def resume(launch: Launch, examples: Examples | None = None) -> Position:
    """Continue the run in the folder, exactly where its last checkpoint was."""
    RunFolder(launch.folder).settings()  # reports what is wrong before waiting for other workers
    return _resume(launch, Workers.join(launch.device), examples)


def _resume(launch: Launch, workers: Workers, examples: Examples | None) -> Position:
    config, options, command = RunFolder(launch.folder).settings()
    begun_with = Path(command["data"]) if command.get("data") else None
    launch = replace(launch, synthetic=int(command.get("synthetic") or 0), data=launch.data or begun_with)
    return _train(Recipe(config, options), launch, workers, examples or gather(launch, options))


def _made_ink(options: TrainOptions, launch: Launch, training: Sequence[Example]) -> MadeInk | None:
    if options.ink == "wide":
        return WideInk(training, wide_banks(launch.data), options.mix, seed=options.seed)
    if options.ink == "redrawn":
        known = sorted({token for example in training for token in example.tokens})
        return WideInk(training, [], options.mix or CORPUS_MIX, seed=options.seed, known=known)
    if options.ink == "free":
        return FreeInk(free_drawings(launch.data), seed=options.seed)
    return None


_COVERAGE = {"decoder.q", "decoder.u_f"}  # the weights that only coverage has


def _begin_from(network: Network, name: str) -> None:
    """Take over the weights of a `.safetensors` file, a run's folder or a model of the same shape."""
    path = Path(name)
    weights = path.is_dir() or path.suffix == WEIGHTS
    given = load_network(find_weights(path)) if weights else read_network(find_model(name))
    if given.config.vocabulary != network.config.vocabulary:
        raise ValueError(
            f"{name}: has another vocabulary than the recipe ({len(given.config.vocabulary)} tokens)"
        )
    own = network.state_dict()
    if not given.config.query_token:
        for query in (own[key] for key in own if key.endswith("w_query")):
            query.zero_()  # the network begins as what it was
    # The head that names symbols is not part of a model file; it begins anew.
    left_out = {key for key in own if "symbol_head" in key and not weights}
    if not network.config.coverage_window:  # P1 is P2 without coverage
        left_out |= _COVERAGE
    found = own | {key: value for key, value in given.state_dict().items() if key not in left_out}
    try:
        network.load_state_dict(found)
    except RuntimeError as error:
        raise ValueError(f"{name}: a network of another shape than the recipe's ({error})") from None


def _train(recipe: Recipe, launch: Launch, workers: Workers, examples: Examples) -> Position:
    config, options, folder = recipe.model, recipe.training, RunFolder(launch.folder)
    training, validation = examples
    torch.set_num_threads(launch.threads)
    keep_freed_memory()
    place = choose_place(launch.device, options.precision, workers.local_rank)
    torch.manual_seed(options.seed)
    network = accelerate(Network(config))
    if launch.initial is not None:
        _begin_from(network, launch.initial)
    made = _made_ink(options, launch, training)
    data = TrainingData(training, config, options, made)
    console = Console(stderr=True, quiet=not workers.is_first, highlight=False)
    with Reporter(folder if workers.is_first else None, options, console) as reporter:
        trainer = Trainer(network, data, validation, folder, place, workers, reporter)
        state = folder.load_state()
        if state is not None:
            trainer.resume(state)
            console.print(f"goes on from step {state.position.step}")
        size = "made expressions" if options.ink == "free" else f"{len(training):,} expressions"
        console.print(
            f"{network.parameter_count:,} parameters, {size}, "
            f"{len(validation):,} to validate, {place.device}{'' if place.half is None else ' bf16'}, "
            f"{workers.count} worker(s), epoch {trainer.position.epoch_of_stage} of "
            f"{options.epochs_of(trainer.position.stage)}",
            soft_wrap=True,
        )
        position = trainer.run()
    # With connections open until the process ends, a worker was seen to abort after its work was done.
    del trainer
    workers.leave()
    return position
