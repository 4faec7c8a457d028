"""`inktex evaluate`: measure models, or anyone's predictions, by the CROHME protocol."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from inktex.corpus import Example
    from inktex.decoding import SearchOptions
    from inktex.evaluation import Evaluation
    from inktex.evaluation.runner import LoadedModel, System


class ReportFormat(StrEnum):
    """How the report is written."""

    text = "text"
    md = "md"
    latex = "latex"
    json = "json"


class LengthRule(StrEnum):
    """How answers of different lengths are ranked."""

    none = "none"
    normalise = "normalise"
    reward = "reward"


def register(app: typer.Typer) -> None:
    """Add the command `evaluate`."""
    app.command()(evaluate)


def evaluate(
    models: Annotated[
        list[str] | None,
        typer.Argument(help="Models: names, exported files, .safetensors files or folders of training runs."),
    ] = None,
    data: Annotated[
        str, typer.Option(help="Split, as test2013 or test2014, or a path with ink files.")
    ] = "test2014",
    beam: Annotated[int, typer.Option(min=1, help="Hypotheses kept per step; 1 is greedy search.")] = 10,
    ensemble: Annotated[
        bool, typer.Option("--ensemble", help="Take all models together as one system instead of each alone.")
    ] = False,
    predictions: Annotated[
        list[Path] | None,
        typer.Option(help="Score this file of predictions (stem, tab, LaTeX); may be given several times."),
    ] = None,
    form: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the report.")
    ] = ReportFormat.text,
    out: Annotated[Path | None, typer.Option(help="Write the report to this file.")] = None,
    save_predictions: Annotated[
        Path | None,
        typer.Option(help="Write the answers here; the system's name is added if there are several."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many expressions, spread evenly over the data.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Worker processes (default: one per core).")] = None,
    batch: Annotated[int, typer.Option(min=1, help="Expressions decoded together.")] = 8,
    length_handling: Annotated[
        LengthRule, typer.Option(help="How answers of different lengths are ranked.")
    ] = LengthRule.none,
    length_weight: Annotated[
        float, typer.Option(help="Exponent of `normalise`, log probability per token of `reward`.")
    ] = 1.0,
    grammar: Annotated[bool, typer.Option(help="Allow well-formed LaTeX only.")] = True,
) -> None:
    """Measure how well models, or files of predictions, read a set of expressions."""
    from inktex.decoding import SearchOptions
    from inktex.evaluation import Report, render
    from inktex.evaluation.comparison import compare_all
    from inktex.evaluation.provenance import provenance
    from inktex.files import write_atomically

    if not models and not predictions:
        raise ValueError("give at least one model, or a file with --predictions")
    if save_predictions is not None and not models:
        raise ValueError("--save-predictions needs a model")
    options = SearchOptions(
        beam=beam, length_handling=length_handling.value, length_weight=length_weight, grammar=grammar
    )
    examples, whole = _examples(data, limit)
    results = [_score_file(path, data, examples) for path in predictions or []]
    systems = systems_of(models or [], together=ensemble)
    for system in systems:
        saved = _saved_path(save_predictions, system.name, len(systems))
        results.append(_score_system(system, data, examples, options, jobs, batch, saved))
    report = Report(
        data=data,
        evaluations=tuple(results),
        comparisons=compare_all(results),
        provenance=provenance("inktex " + " ".join(sys.argv[1:])),
        whole=whole,
    )
    text = render(report, form.value)
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_atomically(out, text)
        typer.echo(f"{out}: written", err=True)


def load_model(spec: str) -> "LoadedModel":
    """Open a model: a training run or its weights (needs torch), else what the runtime knows by that name."""
    from inktex.evaluation.runner import LoadedModel

    path = Path(spec)
    if (path / "run.json").is_file():
        weights = [path / name for name in ("best.safetensors", "last.safetensors")]
        path = next((file for file in weights if file.is_file()), path)
        if path.suffix != ".safetensors":
            raise ValueError(f"{spec}: the run has no weights yet")
    if path.suffix == ".safetensors":
        try:
            import torch

            from inktex.model import load_network
            from inktex.training.stepper import TorchStepper
        except ImportError as error:
            raise ImportError(f"{spec}: needs PyTorch ({error}); install inktex[train]") from None
        torch.set_num_threads(1)  # workers side by side use cores better than threads inside one
        network = load_network(path)
        return LoadedModel(TorchStepper(network), network.config.features)
    if find_spec("inktex.runtime") is None:
        raise ValueError(f"{spec}: neither a folder of a training run nor a .safetensors file")
    exported = import_module("inktex.runtime").load_model(spec)
    return LoadedModel(exported.stepper(), exported.info.features)


def systems_of(models: Sequence[str], *, together: bool) -> "list[System]":
    """One system per model, or one of all, with names that tell them apart."""
    from inktex.evaluation.runner import System

    if together and models:
        return [System(f"ensemble of {len(models)}", tuple(models))]
    short = [_short_name(model) for model in models]
    names = [name if short.count(name) == 1 else model for name, model in zip(short, models, strict=True)]
    return [System(name, (model,)) for name, model in zip(names, models, strict=True)]


def _short_name(model: str) -> str:
    path = Path(model)
    if path.stem in ("best", "last") and path.parent.name:
        return path.parent.name
    return path.name if path.is_dir() else path.stem or model


def _examples(data: str, limit: int | None) -> "tuple[list[Example], bool]":
    from inktex.corpus import load_all, load_split

    path = Path(data)
    corpora = load_all([path]) if path.exists() else [load_split(data)]
    examples = [example for corpus in corpora for example in corpus]
    if limit is None or limit >= len(examples):
        return examples, True
    return [examples[number * len(examples) // limit] for number in range(limit)], False


def _score_file(path: Path, data: str, examples: "Sequence[Example]") -> "Evaluation":
    from inktex.evaluation import evaluate as measure
    from inktex.evaluation import read_predictions

    found = read_predictions(path)
    answers = [found.tokens.get(example.stem) for example in examples]
    if all(answer is None for answer in answers):
        raise ValueError(f"{path}: none of its stems occurs in {data}")
    return measure(path.stem, data, examples, answers, malformed=found.malformed)


def _score_system(
    system: "System",
    data: str,
    examples: "Sequence[Example]",
    options: "SearchOptions",
    jobs: int | None,
    batch: int,
    saved: Path | None,
) -> "Evaluation":
    import os

    from inktex.evaluation import evaluate as measure
    from inktex.evaluation import recognise, write_predictions

    inks = [example.ink for example in examples]
    with _progress(system.name, len(inks)) as advance:
        found = recognise(
            system, inks, load_model, options, jobs=jobs or os.cpu_count() or 1, batch=batch, progress=advance
        )
    answers = [answer.tokens for answer in found.answers]
    if saved is not None:
        write_predictions(saved, [example.stem for example in examples], answers)
    vocabulary = frozenset(found.vocabulary)
    return measure(system.name, data, examples, answers, vocabulary=vocabulary, seconds=found.seconds)


def _saved_path(path: Path | None, system: str, systems: int) -> Path | None:
    if path is None or systems == 1:
        return path
    plain = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in system)
    return path.with_name(f"{path.stem}-{plain}{path.suffix}")


@contextmanager
def _progress(name: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal, nothing where there is none; the report itself goes to standard output."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bars:
        task = bars.add_task(name, total=total)
        yield lambda count: bars.advance(task, count)
