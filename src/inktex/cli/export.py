"""`inktex export` and `inktex calibrate`: from trained weights to a model file with calibrated confidence."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

from typer import Argument, BadParameter, Option, echo

from inktex.cli.common import BeamOption, LengthRule, load_examples, progress_bar


def export(
    runs: list[Path] = Argument(
        ..., help="Training runs, .safetensors or model files; several make an ensemble."
    ),
    out: Path = Option(..., "--output", "-o", help="The model file to write, NAME.inktex."),
    weights: Literal["best", "last"] | None = Option(
        None,
        help="The weights of a run: best on validation, or last. Default: best for recipes with early "
        "stopping (the paper's), last for all others.",
    ),
    precision: Literal["full", "half", "int8"] = Option(
        "half", help="How weights are stored; arithmetic is always in 32 bits."
    ),
    summary: str | None = Option(None, help="One line about the model, for its card."),
    length_handling: LengthRule = Option("none", help="How answers of different lengths are ranked."),
    length_weight: float = Option(1.0, help="Exponent of `normalise`, gain per token of `reward`."),
    backward_weight: float | None = Option(None, help="Weight of networks that write from right to left."),
    backward_beam: int | None = Option(
        None, min=0, help="Hypotheses of their own search, as many as of the others if not given."
    ),
    copies: int | None = Option(
        None, min=0, help="Distorted copies of the ink on which answers are scored again."
    ),
    team: bool = Option(
        False, "--team", help="Write no networks: the file names the models, all in its own folder."
    ),
) -> None:
    """Turn trained weights into a model file for recognition."""
    from inktex.reading import ModelFile, join_models, read_model, write_model

    if team and any(
        run.absolute().parent != out.absolute().parent or run.suffix != ".inktex" for run in runs
    ):
        raise BadParameter(f"--team: all models must be model files (*.inktex) in {out.parent}")
    if out.suffix != ".inktex":
        raise BadParameter(f"{out}: the name of a model file must end in .inktex")
    parts: list[ModelFile] = []
    for run in runs:
        if run.suffix == ".inktex":
            parts.append(read_model(run))
            continue
        try:
            from inktex.training.export import export_run
            from inktex.training.onnx_graph import Precision
        except ImportError as error:
            raise ImportError(f"{run}: needs PyTorch ({error}); pip install 'inktex[train]'") from None

        name = run.name if run.is_dir() else run.parent.name or run.stem
        parts.append(export_run(run, name, which=weights, precision=Precision(precision)))
    card = parts[0].card if len(parts) == 1 else {"members": [part.card for part in parts]}
    if team:
        card = {"name": out.stem, "models": [run.stem for run in runs]}
    if summary is not None:
        card = {"summary": summary, **card}
    made = join_models(parts, card) if len(parts) > 1 else replace(parts[0], card=card)
    search = dict(made.search)
    if length_handling != "none":
        search |= {"length_handling": length_handling, "length_weight": length_weight}
    rules = {"backward_weight": backward_weight, "backward_beam": backward_beam, "copies": copies}
    search |= {name: value for name, value in rules.items() if value is not None}
    made = replace(made, search=search)
    if team:
        made = replace(made, team={run.name: part.sha256 for run, part in zip(runs, parts, strict=True)})
    write_model(out, made)
    networks = sum(not member.encoder_of for member in made.members)
    echo(f"{out}: {out.stat().st_size / 1e6:.1f} MB, {networks} network(s)")


def calibrate(
    model: Path = Argument(..., help="A model file; the calibration is stored in its card."),
    data: str = Option(
        "test2013",
        help="Split to measure on, never the test set; mixed: CROHME 2013, lone symbols, unknown "
        "symbols; free: the same without CROHME.",
    ),
    limit: int | None = Option(None, min=50, help="Use only this many expressions."),
    beam: BeamOption = 10,
    jobs: int | None = Option(None, min=1, help="Threads (default: one per core)."),
    lengths: bool = Option(True, help="First choose how answers of different lengths are ranked."),
) -> None:
    """Measure how often answers are right by how probable they seem, and store that in the model file."""
    import os

    from inktex.evaluation.calibration import fit, judge, try_length_rules
    from inktex.reading import Reader, open_model, read_model, write_model

    found, opened = read_model(model), open_model(model)
    examples = [(example.ink, example.tokens) for example in load_examples(data, limit)]
    expressions = [each for each in examples if len(each[1]) > 1]  # lone symbols have one length
    threads = jobs or os.cpu_count() or 1
    search = replace(opened.search, beam=beam)
    if lengths:
        tried = try_length_rules(opened, expressions, beam=beam, jobs=threads)
        for rule in tried:
            shown = " ".join(str(value) for value in rule.search.values())
            echo(f"length rule {shown}: {rule.right:.2%} right, token error {rule.error:.2%}")
        found = replace(found, search={**found.search, **tried[0].search})
        search = replace(search, **tried[0].search)
    with progress_bar("reading", len(examples)) as advance:
        fitted = fit(judge(Reader(opened, search), examples, jobs=threads, progress=advance))
    card = {**found.card, "calibration": {"data": data, "beam": beam, **fitted.to_json()}}
    write_model(model, replace(found, card=card))
    echo(f"{fitted.expressions} expressions of {data}, {fitted.right:.1%} read right")
    for name, part in (("answers", fitted.answers), ("tokens", fitted.tokens)):
        echo(
            f"{name}: expected calibration error {part.error:.2%} by cross-validation, "
            f"{part.uncalibrated:.2%} before"
        )
        for confidence, accuracy, count in part.curve:
            echo(f"  confidence {confidence:6.1%}  right {accuracy:6.1%}  {count}")
    if fitted.found_out is not None and fitted.doubted is not None:
        echo(
            f"unknown symbols: {fitted.found_out:.1%} are told; "
            f"of known ones {fitted.doubted:.1%} are doubted"
        )
    echo(f"{model}: written")
