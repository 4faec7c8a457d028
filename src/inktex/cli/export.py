"""`inktex export` and `inktex calibrate`: from trained weights to a model file that states its confidence."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Stored(StrEnum):
    """How weights are stored."""

    full = "full"
    half = "half"
    int8 = "int8"


class LengthRule(StrEnum):
    """How answers of different lengths are ranked."""

    none = "none"
    normalise = "normalise"
    reward = "reward"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(export)
    app.command()(calibrate)


def export(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Training runs, .safetensors or model files; several make an ensemble."),
    ],
    out: Annotated[Path, typer.Option("--output", "-o", help="The model file to write, NAME.inktex.")],
    precision: Annotated[
        Stored, typer.Option(help="How weights are stored; arithmetic is in 32 bits always.")
    ] = Stored.half,
    summary: Annotated[str | None, typer.Option(help="One line about the model, for its card.")] = None,
    language_weight: Annotated[
        float,
        typer.Option(min=0.0, help="Weight of n-grams of the training captions in the search; 0: none."),
    ] = 0.0,
    length_handling: Annotated[
        LengthRule, typer.Option(help="How answers of different lengths are ranked.")
    ] = LengthRule.none,
    length_weight: Annotated[
        float, typer.Option(help="Exponent of `normalise`, gain per token of `reward`.")
    ] = 1.0,
) -> None:
    """Turn trained weights into a model file for recognition."""
    from inktex.runtime import ModelFile, join_models, read_model, write_model

    if out.suffix != ".inktex":
        raise typer.BadParameter(f"{out}: the name of a model file ends in .inktex")
    parts: list[ModelFile] = []
    for run in runs:
        if run.suffix == ".inktex":
            parts.append(read_model(run))
            continue
        from inktex.training.export import export_run
        from inktex.training.onnx_graph import Precision

        name = run.name if run.is_dir() else run.parent.name or run.stem
        parts.append(export_run(run, name, precision=Precision(precision.value)))
    card = parts[0].card if len(parts) == 1 else {"members": [part.card for part in parts]}
    if summary is not None:
        card = {"summary": summary, **card}
    made = join_models(parts, card) if len(parts) > 1 else replace(parts[0], card=card)
    search: dict[str, object] = {}
    if length_handling is not LengthRule.none:
        search |= {"length_handling": length_handling.value, "length_weight": length_weight}
    if language_weight > 0:
        from inktex.corpus import load_split
        from inktex.training.export import language_bytes

        captions = [example.tokens for example in load_split("train")]
        made = replace(made, language=language_bytes(captions, made.members[0].config["vocabulary"]))
        search["scorer_weight"] = language_weight
    if search:
        made = replace(made, search=search)
    write_model(out, made)
    typer.echo(f"{out}: {out.stat().st_size / 1e6:.1f} MB, {len(parts)} network(s)")


def calibrate(
    model: Annotated[Path, typer.Argument(help="A model file; its card is given the calibration.")],
    data: Annotated[str, typer.Option(help="Split to measure on; never the test set.")] = "test2013",
    limit: Annotated[int | None, typer.Option(min=50, help="Only so many expressions.")] = None,
    beam: Annotated[int, typer.Option(min=1, help="Hypotheses kept while searching.")] = 10,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads (default: one per core).")] = None,
    lengths: Annotated[
        bool, typer.Option(help="First choose how answers of different lengths are ranked.")
    ] = True,
) -> None:
    """Measure how often answers are right by how probable they seem, and store that in the model file."""
    import os

    from inktex.cli.progress import progress_bar
    from inktex.corpus import load_all, load_split
    from inktex.recognizer import Recognizer
    from inktex.recognizer.fitting import fit, judge, try_length_rules
    from inktex.runtime import Model, read_model, write_model

    found = read_model(model)
    corpora = load_all([Path(data)]) if Path(data).exists() else [load_split(data)]
    examples = [(example.ink, example.tokens) for corpus in corpora for example in corpus]
    if limit is not None and limit < len(examples):
        examples = [examples[number * len(examples) // limit] for number in range(limit)]
    if lengths:
        tried = try_length_rules(Model(found, model.stem), examples, beam=beam)
        for rule in tried:
            shown = " ".join(str(value) for value in rule.search.values())
            typer.echo(f"length rule {shown}: {rule.right:.2%} right, token error {rule.error:.2%}")
        found = replace(found, search={**found.search, **tried[0].search})
    recognizer = Recognizer(Model(found, model.stem), beam=beam)
    with progress_bar("reading", len(examples)) as advance:
        fitted = fit(judge(recognizer, examples, jobs=jobs or os.cpu_count() or 1, progress=advance))
    card = {**found.card, "calibration": {"data": data, "beam": beam, **fitted.to_json()}}
    write_model(model, replace(found, card=card))
    typer.echo(f"{fitted.expressions} expressions of {data}, {fitted.right:.1%} read right")
    for name, part in (("answers", fitted.answers), ("tokens", fitted.tokens)):
        typer.echo(
            f"{name}: expected calibration error {part.error:.2%} by cross-validation, "
            f"{part.uncalibrated:.2%} before"
        )
        for confidence, accuracy, count in part.curve:
            typer.echo(f"  confidence {confidence:6.1%}  right {accuracy:6.1%}  {count}")
    typer.echo(f"{model}: written")
