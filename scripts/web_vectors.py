"""Test vectors that Python and the recogniser for browsers share: makes tests/vectors/recognition.json.

    python scripts/web_vectors.py     # after a change of the default model, features, grammar or search

The ink is written with the built-in symbols, by seeds. Both test suites read the file:
`tests/test_web_vectors.py` says whether Python still gives what it says, `web/test/vectors.test.ts` whether
the browser's recogniser does.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from inktex.features import FeatureOptions, extract
from inktex.ink import Ink
from inktex.latex import (
    Grammar,
    LatexError,
    Vocabulary,
    normalize,
    symbols,
    to_mathml,
    to_typst,
    wide_vocabulary,
)
from inktex.recognizer import Recognizer

ROOT = Path(__file__).resolve().parents[1]
PATH = ROOT / "tests" / "vectors" / "recognition.json"
TWIN = PATH.with_name("twin.inktex")  # a small network of random weights, whose two decoders share an encoder
METHODS = {"paper": FeatureOptions.paper(), "polyline": FeatureOptions.polyline()}
FORMULAS = 20
WALKS = 80
SESSIONS = 6  # formulas that are corrected while they are written
BOTH_WAYS = "pair"  # the model whose networks write in both directions
BOTH_WAYS_FORMULAS = 8
BUDGETS = range(1, 9)

# Ink that is hard to be fair to: a dot, dots, points that repeat, a line straight up, numbers of any size.
EDGES: dict[str, list[list[list[float]]]] = {
    "dot": [[[3, 4]]],
    "dots": [[[0, 0]], [[5, 0]], [[10, 0.5]]],
    "repeats": [[[0, 0], [0, 0], [10, 10], [10, 10], [10, 10]], [[10, 0], [0, 10], [0, 10]]],
    "upright": [[[1, 0], [1, 3], [1, 9], [1, 30]]],
    "huge": [[[1e12, 1e12], [2e12, 2e12]], [[2e12, 1e12], [1e12, 2e12]]],
    "tiny": [[[1e-12, 1e-12], [2e-12, 2e-12]], [[2e-12, 1e-12], [1e-12, 2e-12]]],
}


STRANGE = r"""
\frac12
{a \over b}
x^{2}^3
\sqrt{} 3
\sqrt[n]{x}
\sqrt{x} ABOVE {3}
\sqrt{x} ABOVE {}
\left( \frac a b \right]
\left. x \right|
sin x + cos^2 y
s\limits i n x
a_{tan}
1...n
x'' + f'
f^{'}
\ltN
\mathbb R \cup \mathscr{L}
{\cal F}
\operatorname{argmax}_x f
\not= \not\in A
\begin{pmatrix} a & b \\ c \end{pmatrix}
( \begin{matrix} 1 & 0 \\ 0 & 1 \end{matrix} )^T
\{ \begin{array}{ll} x & y \\ z & w \end{array}
\begin{cases} 1 & x > 0 \\[2pt] 0 \end{cases}
a &= b \\ c &= d
\begin{Vmatrix} a \\ b \end{Vmatrix}
\overline{x} + \bar{xy}
90^\circ
\substack{a \\ b}
\pmod 3 \abs{x}
\text{max} \mathrm{d}x
\hspace{3pt} x \color{red} y
α ≤ β²
\unknown{x} \foo2
x_
\frac1
{x
\begin{foo} x \end{foo}
\end{matrix}
\
}
1.5 + .5 + 3.
|x| + ||y|| < |z
[0,1) ]a,b[
a<b & c
\overbrace{a+b}^n \underbrace{c}_m
\sum\limits_{i=1}^n x_i
""".strip().splitlines()


def inks(count: int, seed: str = "web") -> list[tuple[str, Ink]]:
    """Formulas written by hand-like synthesis, no two alike; the same count gives the same ink."""
    from inktex.corpus import SynthesisOptions, Synthesizer, open_bank
    from inktex.corpus.language import FORMULAS as KNOWN

    synthesizer = Synthesizer(open_bank("hershey"), SynthesisOptions(scatter=0.6))
    writable = [tokens for latex in KNOWN if not synthesizer.missing(tokens := normalize(latex))]
    order = random.Random(seed).sample(range(len(writable)), len(writable))
    made = []
    for number in range(count):
        tokens = writable[order[number % len(order)]]
        ink = synthesizer.write(tokens, f"{seed}/{number}").ink
        made.append((f"{number}: {' '.join(tokens)}", ink.replace(points=np.round(ink.points, 1))))
    return made


def strokes_of(ink: Ink) -> list[list[list[float]]]:
    """As plain lists."""
    return [stroke.tolist() for stroke in ink.strokes]


def answer_of(recognizer: Recognizer, strokes: list[list[list[float]]]) -> dict[str, Any]:
    """What Python answers for one expression, without the time it took."""
    answer = recognizer.recognize(strokes, timeout=None, attention=True, lines=False).to_json()
    del answer["elapsed"]
    return answer


def features_of(strokes: list[list[list[float]]]) -> dict[str, Any]:
    """Rows and their strokes by either method, with as many digits as 32-bit floats have."""
    made = {name: extract(Ink.from_strokes(strokes), options) for name, options in METHODS.items()}
    return {
        name: {
            "rows": [[float(f"{value:.7g}") for value in row] for row in each.rows.tolist()],
            "stroke": each.stroke.tolist(),
        }
        for name, each in made.items()
    }


def walks(vocabulary: Vocabulary) -> list[dict[str, Any]]:
    """Random prefixes; where they lead: what may follow, and how far the end is."""
    grammar, chance = Grammar(vocabulary), random.Random("walks")
    marks = frozenset("{}[]^_")
    structure = [number for number, token in enumerate(vocabulary.tokens) if token in marks]
    found = []
    for _ in range(WALKS):
        state, tokens = grammar.start, []
        for _ in range(chance.randrange(60)):
            allowed = sorted(grammar.allowed(state) - {0})
            preferred = [number for number in structure if number in allowed]
            token = chance.choice(preferred if preferred and chance.random() < 0.5 else allowed)
            tokens.append(token)
            state = grammar.advance(state, token)
        found.append(
            {
                "tokens": tokens,
                "closing": grammar.shortest_end(state),
                "allowed": _bits(grammar.mask(state)),
                "within": [_bits(grammar.mask_within(state, budget)) for budget in BUDGETS],
            }
        )
    return found


def sessions(recognizer: Recognizer, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Corrections while writing: what is done, and what the answer says then."""
    found = []
    for case in cases:
        strokes, alternatives = case["strokes"], case["answer"]["alternatives"]
        most, other = len(strokes) - 1, alternatives[0]["latex"] if alternatives else "y"
        for steps in (
            [["choose", other], ["add", strokes[-1]]],
            [["pin", [0], "z"], ["unpin"]],
            [["pin", [0, 1][:most], r"\frac { 1 } { 2 }"], ["replace", most - 1, strokes[0]]],
            [["pin", [0], r"\spadesuit ^ { 2 }"], ["remove", 0]],
            [["choose", case["answer"]["latex"] + " + 1"]],
        ):
            session = recognizer.session()
            ids = [session.add(stroke) for stroke in strokes[:most]]
            answers = []
            for name, *arguments in steps:
                if name == "choose":
                    session.choose(arguments[0])
                elif name == "pin":
                    session.pin([ids[place] for place in arguments[0]], arguments[1])
                elif name == "replace":
                    session.replace(ids[arguments[0]], arguments[1])
                elif name == "remove":
                    session.remove(ids[arguments[0]])
                elif name == "add":
                    session.add(arguments[0])
                else:
                    session.unpin()
                answer = session.answer(timeout=None)
                answers.append([answer.latex, [list(token.strokes) for token in answer.tokens]])
            found.append({"strokes": strokes[:most], "steps": steps, "answers": answers})
    return found


def guesses(recognizer: Recognizer, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first stroke of some formulas as a single symbol, and the first two, begun at their ends."""
    found = []
    for case in cases:
        for drawn in (case["strokes"][:1], [stroke[::-1] for stroke in case["strokes"][1::-1]]):
            named = [[each.latex, round(each.probability, 6)] for each in recognizer.symbol(drawn, top=10)]
            found.append({"strokes": drawn, "symbols": named})
    return found


def printed() -> list[dict[str, Any]]:
    """LaTeX as people write it, and well-formed tokens at random: what is made of them, or why nothing is."""
    from inktex.corpus.language import FORMULAS as KNOWN

    return [_printed(latex) for latex in (*KNOWN, *symbols.WIDE, *STRANGE, *_random_formulas())]


def _printed(latex: str) -> dict[str, Any]:
    try:
        tokens = normalize(latex)
        forms = {
            "mathml": to_mathml(tokens),
            "marked": to_mathml(tokens, ids=True),
            "typst": to_typst(tokens),
        }
        return {"latex": latex, "tokens": list(tokens), **forms}
    except LatexError as error:
        return {"latex": latex, "error": str(error)}


def _random_formulas(count: int = 150) -> Iterator[str]:
    vocabulary, chance = wide_vocabulary(), random.Random("formulas")
    grammar = Grammar(vocabulary)
    marks = ("scripts", "structures", "environments", "accents")
    structure = {vocabulary.id(token) for name in marks for token in symbols.GROUPS[name]}
    for _ in range(count):
        state, tokens, budget = grammar.start, [], chance.randrange(4, 30)
        while budget > 0:
            allowed = np.flatnonzero(grammar.mask_within(state, budget)).tolist()
            preferred = [token for token in allowed if token in structure]
            token = chance.choice(preferred if preferred and chance.random() < 0.4 else allowed)
            if token == 0:
                break
            tokens.append(token)
            state, budget = grammar.advance(state, token), budget - 1
        yield " ".join(vocabulary.tokens[token] for token in tokens)


def _bits(mask: Any) -> str:
    return f"{int(''.join(str(int(each)) for each in mask), 2):x}"


def make() -> dict[str, Any]:
    """The content of the file."""
    recognizer = Recognizer()
    info = recognizer.model.info
    cases = [{"name": name, "strokes": strokes_of(ink)} for name, ink in inks(FORMULAS)]
    cases += [{"name": name, "strokes": strokes} for name, strokes in EDGES.items()]
    for number, case in enumerate(cases):
        if number < 2 or number >= FORMULAS:
            case["features"] = features_of(case["strokes"])  # type: ignore[arg-type, assignment]
        case["answer"] = answer_of(recognizer, case["strokes"])  # type: ignore[arg-type, assignment]
    return {
        "model": info.name,
        "sha256": info.sha256,
        "vocabulary": list(info.vocabulary.tokens),
        "walks": walks(info.vocabulary),
        "printed": printed(),
        "sessions": sessions(recognizer, cases[:SESSIONS]),
        "guesses": guesses(recognizer, cases[:SESSIONS]),
        "cases": cases,
        "both_ways": both_ways(cases),
        "twin": twin(cases),
    }


def both_ways(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """The first formulas and the edge cases as a model in two directions reads them, and two sessions."""
    recognizer = Recognizer(BOTH_WAYS)
    places = [*range(BOTH_WAYS_FORMULAS), *range(FORMULAS, len(cases))]
    answers = {place: answer_of(recognizer, cases[place]["strokes"]) for place in places}
    read = [{**cases[place], "answer": answers[place]} for place in places[:2]]
    return {
        "model": recognizer.model.info.name,
        "sha256": recognizer.model.info.sha256,
        "answers": [{"case": place, "answer": answer} for place, answer in answers.items()],
        "sessions": sessions(recognizer, read),
        "guesses": guesses(recognizer, read),
    }


def twin(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """How a network with two decoders reads the smallest formulas; it is made where it is missing."""
    if not TWIN.exists():
        sys.path.insert(0, str(ROOT / "tests"))
        from inktex.reading import write_model
        from inktex.training.export import export_network
        from small_networks import SMALL, random_network

        network = random_network(replace(SMALL, direction="both"), seed=3)
        search = {"backward_weight": 0.7, "max_length": 12}
        write_model(TWIN, replace(export_network(network, "twin"), search=search))
    recognizer = Recognizer(TWIN)
    places = sorted(range(FORMULAS), key=lambda place: len(cases[place]["strokes"]))[:4]
    return {
        "sha256": recognizer.model.info.sha256,
        "answers": [
            {"case": place, "answer": answer_of(recognizer, cases[place]["strokes"])} for place in places
        ],
    }


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Write the file."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter).parse_args()
    content = make()
    listed = {
        name: [_text(each) for each in content.pop(name)]
        for name in ("walks", "printed", "sessions", "cases")
    }
    parts = [f"{_text(name)}: {_text(value)}" for name, value in content.items()]
    parts += [f'"{name}": [\n' + ",\n".join(rows) + "\n]" for name, rows in listed.items()]
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    print(f"{PATH.name}: {PATH.stat().st_size} bytes")


if __name__ == "__main__":
    main()
