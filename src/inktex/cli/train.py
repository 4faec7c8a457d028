"""`inktex train`: train a network by a named recipe, or continue a run that was stopped."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from typer import Argument, Option, echo


def train(
    folder: Path | None = Argument(None, help="Folder of the run; default runs/RECIPE-SEED."),
    recipe: str = Option(
        "p2",
        "--recipe",
        "--preset",
        help="p2, p1 (no coverage), backward, twin, wide, wide-grids, free, paper-p1, paper-p2.",
    ),
    settings: list[str] | None = Option(
        None, "--set", help="Change one value of the recipe, such as training.parts=1.0; repeatable."
    ),
    seed: int = Option(1, help="The same seed gives the same run."),
    resume: bool = Option(False, "--resume", help="Continue from the run's last checkpoint."),
    data: Path | None = Option(None, help="Folder of the CROHME data; default INKTEX_DATA."),
    synthetic: bool = Option(False, "--synthetic", help="Train on built-in synthetic ink; no data needed."),
    expressions: int = Option(2000, help="How many synthetic expressions."),
    epochs: int | None = Option(None, help="Number of epochs, instead of the recipe's."),
    batch: int | None = Option(None, help="Expressions per step over all workers, instead of the recipe's."),
    device: str = Option("auto", help="auto, cpu, cuda or mps."),
    threads: int = Option(1, help="CPU threads per worker; more workers (torchrun) use cores better."),
    checkpoint_minutes: float | None = Option(None, help="Minutes between checkpoints."),
    initial: str | None = Option(
        None, help="Start from these weights: a model's name, a .inktex or .safetensors file, a run."
    ),
) -> None:
    """Train a network. With several processes: torchrun --nproc-per-node 2 -m inktex train …"""
    try:
        from inktex import training
    except ImportError as error:
        raise ImportError(
            f"training needs PyTorch ({error.name} is missing): pip install 'inktex[train]'"
        ) from None
    chosen = training.recipe(recipe, settings or [])
    given = {"epochs": epochs, "batch": batch, "checkpoint_minutes": checkpoint_minutes}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    options = replace(chosen.training, seed=seed, **changes)
    launch = training.Launch(
        folder=folder or Path("runs") / f"{recipe}-{seed}",
        data=data,
        device=device,
        threads=threads,
        synthetic=expressions if synthetic else 0,
        initial=initial,
    )
    begun = replace(chosen, training=options)
    position = training.resume(launch) if resume else training.begin(begun, launch)
    echo(f"{launch.folder}: best WER {position.best_wer:.2f} %, ExpRate there {position.best_exprate:.2f} %")
