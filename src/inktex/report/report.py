"""The error report of one or two models: a folder of static pages that opens from disk, without a server.

Takes expressions with their truth and the readings of one or two systems. Writes `index.html` with
summary, rates, confusion matrix, figures, and a gallery of every expression that a system got wrong.
Attention is in a small file per expression, loaded on demand (`attention/N.js`, as scripts: browsers load
nothing else from disk).
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inktex.corpus import Example
from inktex.evaluation import Answers, Evaluation, evaluate
from inktex.evaluation.metrics import Outcome, judge
from inktex.files import write_atomically
from inktex.reading import Reading

from .canvas import Canvas
from .figures import Case, case_picture, clearest_case, clearest_looks, relation_looks, relations_picture
from .mistakes import Diagnosis, Kind, diagnose
from .picture import Picture
from .report_tables import summary_html
from .tally import Tally, tally
from .why import differing_places, filled_page, mathml_or_nothing, page_part, script_json, view_data


@dataclass(frozen=True)
class SystemReadings:
    """What a system read, in the order of the expressions."""

    name: str
    readings: Sequence[Reading]
    as_truth: Mapping[int, Reading]  # by place: the system made to write the truth, where it can
    vocabulary: frozenset[str]


@dataclass(frozen=True)
class _Judged:
    """One system's answers, judged."""

    system: SystemReadings
    outcomes: Sequence[Outcome]
    diagnoses: Sequence[Diagnosis | None]
    evaluation: Evaluation


@dataclass(frozen=True)
class Report:
    index: Path
    cases: int  # expressions in the gallery
    tally: Tally


def write_report(
    folder: Path, data: str, examples: Sequence[Example], systems: Sequence[SystemReadings], origin: str
) -> Report:
    """Write the site; `origin` is the line that says where the figures come from."""
    judged = [
        _Judged(
            system=system,
            outcomes=[judge(example, r.tokens) for example, r in zip(examples, system.readings, strict=True)],
            diagnoses=[diagnose(*pair) for pair in zip(examples, system.readings, strict=True)],
            evaluation=evaluate(
                system.name,
                data,
                examples,
                Answers([r.tokens for r in system.readings], vocabulary=system.vocabulary),
            ),
        )
        for system in systems
    ]
    counts = tally({each.system.name: each.diagnoses for each in judged})
    wrong = [place for place in range(len(examples)) if any(each.diagnoses[place] for each in judged)]
    items = [_item(number, place, examples[place], judged) for number, place in enumerate(wrong)]
    for number, place in enumerate(wrong):
        view = script_json(_view(examples[place], place, judged))
        write_atomically(folder / "attention" / f"{number}.js", f"inktexView({number},{view});\n")
    figures = _figures(examples, judged)
    for name, picture in figures.items():
        write_atomically(folder / "figures" / name, picture.to_svg())
    for old in (folder / "attention").glob("[0-9]*.js"):  # of an earlier report with more errors
        if old.stem.isdigit() and int(old.stem) >= len(wrong):
            old.unlink()
    gallery = {"systems": [each.system.name for each in judged], "items": items}
    write_atomically(folder / "gallery.js", f"const REPORT = {script_json(gallery)};\n")
    for name in ("viewer.css", "viewer.js", "report.css", "report.js"):
        write_atomically(folder / name, page_part(name))
    evaluations = [each.evaluation for each in judged]
    confusions = [
        [pair for o in each.outcomes if o.confusions for pair in o.confusions.labels] for each in judged
    ]
    parts = {
        "title": html.escape(f"Errors on {data}: {', '.join(each.system.name for each in judged)}"),
        "summary": summary_html(evaluations, counts, confusions, examples),
        "figures": "".join(
            f'<figure><img src="figures/{name}" alt="{html.escape(picture.title)}"></figure>'
            for name, picture in figures.items()
        ),
        "origin": html.escape(origin),
    }
    write_atomically(folder / "index.html", filled_page("report.html", parts))
    return Report(folder / "index.html", len(items), counts)


def _item(number: int, place: int, example: Example, judged: Sequence[_Judged]) -> dict[str, Any]:
    return {
        "id": number,
        "stem": example.stem,
        "folder": example.folder,
        "truth": list(example.tokens),
        "mathml": mathml_or_nothing(example.tokens),
        "relations": sorted(judged[0].outcomes[place].relations),
        **Canvas.fit(example.ink, 330.0, 120.0, margin=8.0, spacing=1e9).to_json(),
        "answers": [_answer(example, place, each) for each in judged],
    }


def _answer(example: Example, place: int, judged: _Judged) -> dict[str, Any]:
    reading, outcome = judged.system.readings[place], judged.outcomes[place]
    diagnosis, sure = judged.diagnoses[place], round(float(np.exp(reading.log_prob)), 4)
    if diagnosis is None:
        return {"right": True, "sure": sure}
    in_truth, in_answer = differing_places(example.tokens, reading.tokens)
    forced = judged.system.as_truth.get(place)
    return {
        "right": False,
        "tokens": list(reading.tokens),
        "mathml": mathml_or_nothing(reading.tokens),
        "inTruth": in_truth,
        "inAnswer": in_answer,
        "edits": outcome.edits,
        "sure": sure,
        "truthSure": None if forced is None else round(float(np.exp(forced.log_prob)), 4),
        "kind": diagnosis.main.value,
        "kinds": sorted({mistake.kind.value for mistake in diagnosis.mistakes}),
        "mistakes": [mistake.text for mistake in diagnosis.mistakes],
        "pairs": [list(pair) for pair in outcome.confusions.labels] if outcome.confusions else [],
        "unknown": sorted(set(example.tokens) - judged.system.vocabulary),
    }


def _view(example: Example, place: int, judged: Sequence[_Judged]) -> dict[str, Any]:
    """The answers of all systems, and what each would have looked at for the truth."""
    systems = [each.system for each in judged]
    several = len(systems) > 1
    answers = [(f"answer of {s.name}" if several else "answer", s.readings[place]) for s in systems]
    truths = [
        (f"truth, written by {s.name}" if several else "truth, written", s.as_truth[place])
        for s in systems
        if place in s.as_truth
    ]
    return view_data(example.ink, [*answers, *truths], truth=example.tokens)


def _figures(examples: Sequence[Example], judged: Sequence[_Judged]) -> dict[str, Picture]:
    """Where relations are read, by the last system, and the clearest case of each kind of mistake."""
    figures: dict[str, Picture] = {}
    pairs = zip(examples, judged[-1].system.readings, strict=True)
    clearest = clearest_looks(look for pair in pairs for look in relation_looks(*pair))
    if clearest:
        figures["relations.svg"] = relations_picture(list(clearest.values()))
    cases = [
        Case(f"{each.system.name}: {example.stem}", example.tokens, reading, diagnosis)
        for each in judged
        for example, reading, diagnosis in zip(examples, each.system.readings, each.diagnoses, strict=True)
        if diagnosis is not None
    ]
    for kind in Kind:
        case = clearest_case(cases, kind)
        if case is not None:
            figures[f"{kind.name.lower()}.svg"] = case_picture(case)
    return figures
