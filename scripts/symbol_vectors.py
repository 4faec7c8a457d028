"""Test vectors for restrictions of the symbols, shared with the browser: makes tests/vectors/symbols.json.

    python scripts/symbol_vectors.py     # after a change of the groups of symbols

Both test suites read the file: `tests/test_web_vectors.py` and `web/test/restriction.test.ts`. Answers are
those of `tests/vectors/twin.inktex` for the ink of `tests/vectors/recognition.json`.
"""

import json
import sys
from pathlib import Path
from typing import Any

from inktex.decoding import DecodingError
from inktex.decoding.masks import permitted_tokens
from inktex.latex import wide_vocabulary
from inktex.recognizer import Recognizer
from inktex.recognizer.symbols import GROUPS, allowed_ids

sys.path.insert(0, str(Path(__file__).parent))
from web_vectors import PATH as RECOGNITION
from web_vectors import TWIN

PATH = TWIN.with_name("symbols.json")
RESTRICTIONS: list[str | list[str]] = [
    *GROUPS,
    "digits operators x y",
    "all -greek",
    "-digits -uppercase",
    ["latin", "-uppercase", r"\pi"],
    "[ x",
    "digits -digits",
    "xyz",
    r"\nosuch",
    "'",
    "",
    "-",
]
READ = ["digits", "latin", "-latin", "all -y -a"]


def permitted(symbols: str | list[str]) -> dict[str, Any]:
    """The tokens of the wide vocabulary that may be written, or why there are none."""
    vocabulary = wide_vocabulary()
    try:
        mask = permitted_tokens(vocabulary, allowed_ids(symbols, vocabulary))
    except (ValueError, DecodingError) as error:
        return {"symbols": symbols, "error": str(error)}
    assert mask is not None
    bits = "".join(str(int(each)) for each in mask)
    return {"symbols": symbols, "permitted": f"{int(bits, 2):x}"}


def read(recognizer: Recognizer, case: int, strokes: Any, symbols: str) -> dict[str, Any]:
    """What is read with a restriction, at once and in a session with a pin."""
    answer = recognizer.recognize(strokes, symbols=symbols, timeout=None, lines=False)
    session = recognizer.session(symbols=symbols)
    ids = [session.add(stroke) for stroke in strokes]
    session.pin(ids[:1], "y")
    pinned = session.answer(timeout=None)
    return {"case": case, "symbols": symbols, "latex": answer.latex, "pinned": pinned.latex}


def make() -> dict[str, Any]:
    """The content of the file."""
    cases = json.loads(RECOGNITION.read_text(encoding="utf-8"))["cases"]
    recognizer = Recognizer(TWIN)
    places = sorted(range(20), key=lambda place: len(cases[place]["strokes"]))[:3]
    return {
        "vocabulary": list(wide_vocabulary().tokens),
        "restrictions": [permitted(symbols) for symbols in RESTRICTIONS],
        "answers": [
            read(recognizer, place, cases[place]["strokes"], symbols) for place in places for symbols in READ
        ],
    }


def main() -> None:
    """Write the file."""
    content = make()
    rows = {
        name: ",\n".join(json.dumps(each) for each in content[name]) for name in ("restrictions", "answers")
    }
    parts = [f'"vocabulary": {json.dumps(content["vocabulary"])}']
    parts += [f'"{name}": [\n{text}\n]' for name, text in rows.items()]
    PATH.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    print(f"{PATH.name}: {PATH.stat().st_size} bytes")


if __name__ == "__main__":
    main()
