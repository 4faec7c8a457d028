"""`inktex train`: train a network by a named recipe, or continue a run that was stopped."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer


def train(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder of the run; default runs/RECIPE-SEED.")
    ] = None,
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            "--preset",
            help="p2, p1 (no coverage), backward, twin, wide, wide-grids, free, paper-p1, paper-p2.",
        ),
    ] = "p2",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change one value of the recipe, such as training.parts=1.0; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same run.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the run's last checkpoint.")
    ] = False,
    data: Annotated[Path | None, typer.Option(help="Folder of the CROHME data; default INKTEX_DATA.")] = None,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="Train on built-in synthetic ink; no data needed.")
    ] = False,
    expressions: Annotated[int, typer.Option(help="How many synthetic expressions.")] = 2000,
    epochs: Annotated[int | None, typer.Option(help="Number of epochs, instead of the recipe's.")] = None,
    batch: Annotated[
        int | None, typer.Option(help="Expressions per step over all workers, instead of the recipe's.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")] = "auto",
    threads: Annotated[
        int, typer.Option(help="CPU threads per worker; more workers (torchrun) use cores better.")
    ] = 1,
    checkpoint_minutes: Annotated[float | None, typer.Option(help="Minutes between checkpoints.")] = None,
    initial: Annotated[
        str | None,
        typer.Option(help="Start from these weights: a model's name, a .inktex or .safetensors file, a run."),
    ] = None,
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
    if resume:
        position = training.resume(launch)
    else:
        position = training.begin(replace(chosen, training=options), launch)
    typer.echo(
        f"{launch.folder}: best WER {position.best_wer:.2f} %, ExpRate there {position.best_exprate:.2f} %"
    )
