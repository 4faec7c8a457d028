"""Put what the recogniser answers into the texts that show it: README.md, examples/README.md, the notebook.

    python scripts/example_outputs.py

Run it after a change of the default weights; `make docs` does. A test compares the texts with the answers.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

from inktex.files import write_atomically
from inktex.ink import Ink, read_all
from inktex.recognizer import Recognition, Recognizer

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
BEGIN, END = "<!-- answers: made by scripts/example_outputs.py -->", "<!-- end of answers -->"


def readme_code(readme: str) -> str:
    """The Python example of the README."""
    found = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    if found is None:
        raise ValueError("README.md has no Python example")
    return found.group(1)


def readme_answer(readme: str) -> Recognition:
    """What its example gives."""
    names: dict[str, Any] = {}
    exec(readme_code(readme), names)
    answer = names["answer"]
    assert isinstance(answer, Recognition)
    return answer


def with_answer(readme: str, answer: Recognition) -> str:
    """The README with this answer in its comments."""
    readme = re.sub(r"(answer\.latex +# ).*", lambda m: f"{m[1]}{answer.latex!r}", readme)
    return re.sub(r"(answer\.score +# .*: )[\d.]+", lambda m: f"{m[1]}{answer.score:.2f}", readme)


def example_table(recognizer: Recognizer) -> str:
    """Every example of one expression, what it says and how sure that is."""
    lines = ["| file | answer | score |", "|---|---|---:|"]
    for name in json.loads((EXAMPLES / "answers.json").read_text(encoding="utf-8")):
        inks = [ink for _, ink in read_all(EXAMPLES / name) if isinstance(ink, Ink)]
        if len(inks) == 1 and not name.startswith("page"):
            answer = recognizer.recognize(inks[0])
            lines.append(f"| `{name}` | `{answer.latex}` | {answer.score:.2f} |")
    return "\n".join(lines)


def with_table(text: str, table: str) -> str:
    """The text with another table between its marks."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}"


def with_outputs(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook, run from top to bottom in this process; widgets leave no output."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    cells = []
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            cells.append(cell)
            continue
        number += 1
        with capture_output():  # what the shell itself would print
            done = shell.run_cell("".join(cell["source"]))
        done.raise_error()
        outputs: list[dict[str, Any]] = []
        if done.result is not None and not hasattr(done.result, "_model_id"):
            bundle, _ = shell.display_formatter.format(done.result)
            if len(bundle) > 1:
                del bundle["text/plain"]  # it holds the time that the answer took
            data = {kind: content.splitlines(keepends=True) for kind, content in sorted(bundle.items())}
            head = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
            outputs.append({**head, "data": data})
        cells.append({**cell, "execution_count": number, "outputs": outputs})
    return {**notebook, "cells": cells}


def main() -> None:
    """Write all three."""
    os.chdir(ROOT)  # the notebook's paths begin here
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    write_atomically(ROOT / "README.md", with_answer(readme, readme_answer(readme)))
    page = EXAMPLES / "README.md"
    table = example_table(Recognizer())
    write_atomically(page, with_table(page.read_text(encoding="utf-8"), table))
    path = EXAMPLES / "notebook.ipynb"
    notebook = with_outputs(json.loads(path.read_text(encoding="utf-8")))
    write_atomically(path, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    print("README.md, examples/README.md, examples/notebook.ipynb")


if __name__ == "__main__":
    main()
