"""`inktex evaluate`: measure models, or anyone's predictions, by the CROHME protocol."""

import json
import os
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from typer import Argument, Option, echo

from inktex.cli.common import ExpressionsOption, LengthRule, all_read, load_examples, progress_bar

if TYPE_CHECKING:
    from inktex.corpus import Example
    from inktex.evaluation import Answers, Evaluation, System
    from inktex.evaluation.lone import LoneReport


def evaluate(
    models: list[str] | None = Argument(
        None, help="Models: names, exported files, .safetensors files or folders of training runs."
    ),
    data: str = Option(
        "test2014",
        help="A split, such as test2013 or test2014; symbols (drawn alone), matrices or unknown "
        "(symbols that no model knows); or a path with ink files.",
    ),
    beam: int = Option(10, min=1, help="Hypotheses kept per step; 1 is greedy search."),
    ensemble: bool = Option(
        False, "--ensemble", help="Combine all models into one system instead of measuring each."
    ),
    predictions: list[Path] | None = Option(
        None, help="Score this file of predictions (stem, tab, LaTeX); may be given several times."
    ),
    form: Literal["text", "md", "latex", "json"] = Option(
        "text", "--format", help="How to write the report."
    ),
    out: Path | None = Option(None, help="Write the report to this file."),
    save_predictions: Path | None = Option(
        None, help="Write the answers here; the system's name is added if there are several."
    ),
    lg: Path | None = Option(
        None,
        help="Write label graphs (.lg) for the organisers' tool here: folders `truth` and one per system.",
    ),
    among: int = Option(1, min=1, help="Also measure how often the truth is among this many hypotheses."),
    limit: ExpressionsOption = None,
    jobs: int | None = Option(None, min=1, help="Worker processes (default: one per core)."),
    batch: int = Option(6, min=1, help="Expressions encoded together."),
    plain: bool = Option(
        False,
        "--plain",
        help="The paper's search: a full beam, ranked by probability, not by the model's rule.",
    ),
    length_handling: LengthRule | None = Option(
        None, help="How answers of different lengths are ranked (default: as set in the model)."
    ),
    length_weight: float = Option(
        1.0, help="Exponent of `normalise`, log probability per token of `reward`."
    ),
    grammar: bool = Option(True, help="Allow well-formed LaTeX only."),
) -> None:
    """Measure how well models, or files of predictions, read a set of expressions.

    Models search as in `inktex recognize --one`, unless --plain or --length-handling says otherwise.
    """
    from inktex.decoding import SearchOptions
    from inktex.evaluation import Report, read_answers, render, systems_of, write_predictions
    from inktex.evaluation import evaluate as measure
    from inktex.evaluation.provenance import provenance

    if not models and not predictions:
        raise ValueError("give at least one model, or a file with --predictions")
    files = {"--save-predictions": save_predictions, "--lg": lg}
    for option, given in files.items():
        if given is not None and not models:
            raise ValueError(f"{option} needs a model")
    if data in ("symbols", "unknown"):
        for option, asked in {"--predictions": predictions, **files}.items():
            if asked:
                raise ValueError(f"{option} says nothing about single symbols")
        if form not in ("text", "json"):
            raise ValueError(f"--data {data} is reported as text or json")
        lone = _lone_report(systems_of(models or [], together=ensemble), data, beam, limit, jobs)
        as_json = json.dumps(lone.to_json(), indent=2, ensure_ascii=False) + "\n"
        _deliver(as_json if form == "json" else lone.text(), out)
        return
    examples = load_examples(data, limit)
    stems = [example.stem for example in examples]
    results = [_score_file(path, data, examples) for path in predictions or []]
    systems = systems_of(models or [], together=ensemble)
    for system in systems:
        model = system.open()
        options = SearchOptions() if plain else model.search
        options = replace(options, beam=max(beam, among), top=among, grammar=grammar)
        if length_handling is not None:
            options = replace(options, length_handling=length_handling, length_weight=length_weight)
        with progress_bar(system.name, len(examples)) as advance:
            inks, workers = [example.ink for example in examples], jobs or os.cpu_count() or 1
            found = read_answers(model, inks, options, jobs=workers, batch=batch, progress=advance)
        if save_predictions is not None:
            several = f"-{_file_name(system.name)}" if len(systems) > 1 else ""
            path = save_predictions.with_name(f"{save_predictions.stem}{several}{save_predictions.suffix}")
            write_predictions(path, stems, [answer or () for answer in found.tokens])
        if lg is not None:
            _write_graphs(lg, system.name, examples, found)
        results.append(measure(system.name, data, examples, found))
    report = Report(
        data=data,
        evaluations=tuple(results),
        provenance=provenance("inktex " + " ".join(sys.argv[1:])),
        whole=limit is None or len(examples) < limit,
    )
    _deliver(render(report, form), out)


def _lone_report(
    systems: "Sequence[System]", data: str, beam: int, limit: int | None, jobs: int | None
) -> "LoneReport":
    """Measure drawings of single symbols: read as everyone gets them, and as a single symbol."""
    from inktex.evaluation import lone
    from inktex.evaluation.provenance import provenance
    from inktex.reading import guess_symbols
    from inktex.recognizer import Recognizer

    examples = load_examples(data, limit)
    truths, inks = [example.tokens[0] for example in examples], [example.ink for example in examples]
    measured = []
    for system in systems:
        begin = time.perf_counter()
        recognizer = Recognizer(system.open(), beam=beam)
        guessed = guess_symbols(recognizer.model, inks)
        read = all_read(system.name, len(inks), recognizer.stream(inks, jobs=jobs, processes=True))
        answers = [
            lone.LoneAnswer(
                texts=answer.texts,
                others=tuple(other.texts for other in answer.alternatives),
                score=answer.score,
                known=all(symbol.known for symbol in answer.symbols),
                guesses=tuple(guess.latex for guess in guesses),
                probability=guesses[0].probability,
            )
            for answer, guesses in zip(read, guessed, strict=True)
        ]
        found: lone.LoneEvaluation | lone.UnknownEvaluation
        if data == "unknown":
            found = lone.evaluate_unknown(system.name, data, truths, answers)
        else:
            folders = [example.folder for example in examples]
            found = lone.evaluate_lone(system.name, data, truths, folders, answers)
        measured.append(replace(found, seconds=time.perf_counter() - begin))
    command = provenance("inktex " + " ".join(sys.argv[1:]))
    return lone.LoneReport(data, tuple(measured), command, limit is None or len(examples) < limit)


def _deliver(text: str, out: Path | None) -> None:
    from inktex.files import write_atomically

    if out is None:
        echo(text, nl=False)
    else:
        write_atomically(out, text)
        echo(f"{out}: written", err=True)


def _score_file(path: Path, data: str, examples: "Sequence[Example]") -> "Evaluation":
    from inktex.evaluation import Answers, read_predictions
    from inktex.evaluation import evaluate as measure

    found = read_predictions(path)
    answers = [found.tokens.get(example.stem) for example in examples]
    if all(answer is None for answer in answers):
        raise ValueError(f"{path}: none of its stems occurs in {data}")
    return measure(path.stem, data, examples, Answers(answers, malformed=found.malformed))


def _write_graphs(folder: Path, system: str, examples: "Sequence[Example]", found: "Answers") -> None:
    """Label graphs of the truth and of a system's answers, one file per expression."""
    from inktex.evaluation.labelgraphs import graph_of, truth_graph, write_graphs

    truths = {each.stem: truth_graph(each) for each in examples}
    answers = map(graph_of, [answer or () for answer in found.tokens], found.strokes or ())
    write_graphs(folder / "truth", {stem: graph for stem, graph in truths.items() if graph is not None})
    write_graphs(folder / _file_name(system), dict(zip(truths, answers, strict=True)))


def _file_name(system: str) -> str:
    return re.sub(r"[^\w.-]", "-", system)
