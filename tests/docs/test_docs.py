"""What the texts say is what the commands do: options, answers, figures, and files and functions named."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
import typer
from blocks import PAGES, ROOT

from inktex.cli import build_app

sys.path.insert(0, str(ROOT / "scripts"))

import example_outputs
import readme_table

COMMAND = typer.main.get_command(build_app())


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def is_model(name: str) -> bool:
    return re.fullmatch(r"(paper-)?p\d", name) is not None


def prose_of(text: str) -> str:
    """The text outside of all blocks."""
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)


def commands_in(text: str) -> list[str]:
    """Every command line of inktex in running text; blocks are run by test_code_blocks.py."""
    spans = (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose_of(text)))
    return [span for span in spans if re.match(r"inktex [a-z]", span)]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_and_option_exists(page: Path) -> None:
    for line in commands_in(page.read_text(encoding="utf-8")):
        words = shlex.split(re.split(r" [|<>&] ?|\s{3,}", line)[0])[1:]
        command = COMMAND
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        assert not hasattr(command, "commands") or not words, f"{line}: there is no such command"
        known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
        used = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert used <= known | {"--help"}, f"{line}: {used - known}"


def test_help_breaks_no_sentence_on_a_narrow_terminal() -> None:
    """After the first paragraph of a help text every line end is kept, wherever the terminal breaks lines."""
    for command in [*COMMAND.commands.values(), *COMMAND.commands["data"].commands.values()]:
        _, *further = (command.help or "").split("\n\n")
        assert not [paragraph for paragraph in further if "\n" in paragraph.strip()], command.name


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", prose_of(page.read_text(encoding="utf-8"))):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_script_that_is_named_exists(page: Path) -> None:
    for script in re.findall(r"\b((?:scripts|benchmarks)/\w+\.py)", page.read_text(encoding="utf-8")):
        assert (ROOT / script).exists(), script


def test_the_readmes_example_gives_what_it_says(recognizer) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    answer = example_outputs.readme_answer(readme)
    assert example_outputs.with_answer(readme, answer) == readme, "run python scripts/example_outputs.py"


def test_the_examples_have_the_answers_and_scores_that_are_listed(recognizer) -> None:
    page = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert example_outputs.with_table(page, example_outputs.example_table(recognizer)) == page


def test_the_notebook_shows_its_outputs(recognizer, monkeypatch) -> None:
    pytest.importorskip("IPython", reason="running the notebook needs IPython, as inktex[notebook] brings it")
    monkeypatch.chdir(ROOT)
    notebook = json.loads((ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))
    assert example_outputs.with_outputs(notebook) == notebook, "run python scripts/example_outputs.py"


def test_figures_in_the_texts_are_those_of_the_results_files() -> None:
    test, validation = (readme_table.Results.read(year) for year in ("2014", "2013"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    figures = readme_table.readme_figures(test, validation)
    assert readme_table.with_figures(readme, figures) == readme, "run python scripts/readme_table.py"
    accuracy = readme_table.ACCURACY.read_text(encoding="utf-8")
    assert readme_table.accuracy_page([test, validation]) == accuracy


def test_every_file_and_function_that_the_page_on_the_paper_names_exists() -> None:
    page = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    named = 0
    for line in page.splitlines():
        source = ""
        for span in re.findall(r"`([^`]+)`", line):
            if re.fullmatch(r"(inktex|tests)/[\w/]+\.py", span):
                file = ROOT / ("src" if span.startswith("inktex") else "") / span
                assert file.is_file(), span
                source, named = file.read_text(encoding="utf-8"), named + 1
            elif source and re.fullmatch(r"[A-Za-z]\w*(\.\w+)?", span) and not is_model(span):
                last = span.split(".")[-1]
                assert re.search(rf"(def|class) {last}\b|^{last}\b", source, re.MULTILINE), (
                    f"{span} in {line}"
                )
    assert named > 30


def test_the_papers_equations_and_figures_are_all_there() -> None:
    page = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+)(?:–(\d+))?(?: \(label \d+\))? \|", page, re.MULTILINE)
    numbers = [n for first, last in rows for n in range(int(first), int(last or first) + 1)]
    assert numbers == list(range(1, 21))
    assert [int(n) for n in re.findall(r"\*\*Figure (\d)", page)] == [1, 2, 3, 4, 5]


def test_the_numbers_beside_the_papers_are_those_of_the_recipes() -> None:
    pytest.importorskip("torch", reason="recipes need inktex[train]")
    from inktex.training import recipe

    page = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    rows = [row for row in cells if len(row) == 3]
    paper, ours = recipe("paper-p2"), recipe("p2")
    for begin, of_the_paper, of_ours in (
        (
            "4 bidirectional GRU layers of 250 + 250",
            (paper.model.encoder_layers,),
            (ours.model.encoder_units,),
        ),
        ("pooling over time", paper.model.pool_after, ours.model.pool_after),
        ("attention n'", (), (ours.model.attention, ours.model.annotation_size)),
        (
            "coverage by a convolution",
            (paper.model.coverage_filters, paper.model.coverage_window),
            (ours.model.coverage_filters, ours.model.coverage_window),
        ),
        ("cross-entropy", (), (ours.training.label_smoothing,)),
        ("gradient clipping", (paper.training.clip,), (ours.training.clip,)),
        ("batches", (paper.training.batch,), (ours.training.batch,)),
        ("early stopping", (paper.training.patience,), ()),
        ("weight noise", (paper.training.weight_noise,), ()),
        ("P3: 5 models", (), (ours.training.epochs,)),
    ):
        [row] = [row for row in rows if row[0].startswith(begin)]
        for cell, values in ((row[1], of_the_paper), (row[2], of_ours)):
            said = {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w%])", cell)}
            if cell != "the same":
                assert {float(value) for value in values} <= said, row


class TestTables:
    """Rows for further systems come by themselves."""

    def result(self, system: str, year: str, exact: float) -> dict:
        rate = {"percent": exact, "low": exact - 1, "high": exact + 1}
        four = dict.fromkeys(readme_table.WITHIN, rate)
        return {
            "published": [{"system": "I", **dict.fromkeys(readme_table.WITHIN, 37.22)}]
            if year == "2014"
            else [],
            "made": {"command": f"inktex evaluate {system}", "date": "2017-11-09", "machine": "some machine"},
            "systems": [
                {
                    "system": system,
                    "expressions": 10,
                    "label_graph": {**four, "structure": rate},
                    "tokens": {**four, "wer": rate},
                    "stroke_graph": None,
                    "by_length": [{"name": "under 10", "expressions": 4, "exact": rate}],
                    "errors_by_kind": {"structure": 3},
                }
            ],
        }

    def test_results_files_beside_the_first_add_rows(self, tmp_path) -> None:
        for year in ("2013", "2014"):
            for suffix, system, exact in (("", "p2", 55.58), ("-paper", "paper-p2", 47.01)):
                path = tmp_path / f"test{year}{suffix}.json"
                path.write_text(json.dumps(self.result(system, year, exact)))
        test, validation = (readme_table.Results.read(year, tmp_path) for year in ("2014", "2013"))
        lines = readme_table.readme_figures(test, validation).splitlines()
        assert lines[2].startswith("| best of the 2014 competition (I) | 37.22 |")
        name = readme_table.NAMES["paper-p2"]
        assert lines[3] == f"| {name} | 47.01 | 47.01 | 47.01 | 47.01 | 47.01 |"
        assert lines[4] == "| `p2`: with coverage | 55.58 | 55.58 | 55.58 | 55.58 | 55.58 |"
        assert "by label graph" in lines[0]
        assert "by token edits" in readme_table.accuracy_page([test, validation])


def test_the_way_from_ink_to_answer_names_files_and_what_is_in_them() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    way = page.split("## From ink to answer")[1].split("\n## ")[0]
    named = re.findall(r"`([\w/]+\.py)`((?:,? `[\w.]+`)*)", way)
    for file, names in named:
        text = (ROOT / "src" / "inktex" / file).read_text(encoding="utf-8")
        for name in re.findall(r"`([\w.]+)`", names):
            for part in name.split("."):
                assert re.search(rf"\b(?:def|class) {part}\b", text), f"{file} has no {name}"
    steps = re.findall(r"^\| \*\*(\w+)\*\* \|", way, re.MULTILINE)
    assert steps == ["ink", "features", "encoder", "decoder", "tokens", "LaTeX", "answer"]
    assert len(named) > 25
