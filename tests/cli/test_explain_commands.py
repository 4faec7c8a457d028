"""`inktex explain` and `inktex errors`, run as a user would, with a small random network as the model."""

import pytest
from typer.testing import CliRunner

from inktex.ink import save, write_inkml
from known_readings import written


@pytest.fixture
def inktex(monkeypatch, tmp_path):
    from inktex.cli import build_app

    monkeypatch.setenv("INKTEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=None):
        return CliRunner().invoke(build_app(), [str(each) for each in arguments], input=stdin)

    return run


@pytest.fixture
def note(tmp_path):
    path = tmp_path / "note.inkml"
    save(written("x+1").ink, path)
    return path


def test_explain_writes_a_page(inktex, note, model_path, tmp_path):
    done = inktex("explain", note, "-o", "why.html", "--model", model_path, "--top", 2)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert "inktexViewer(" in page
    assert "answer 2" in page
    assert "in the file" in page  # the ink holds its own LaTeX


@pytest.mark.parametrize(
    ("name", "begins"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.gif", b"GIF89a")]
)
def test_explain_draws_pictures(inktex, note, model_path, tmp_path, name, begins):
    if not name.endswith("svg"):
        pytest.importorskip("matplotlib", reason="PNG and GIF need inktex[figures]")
    assert inktex("explain", note, "-o", name, "--model", model_path).exit_code == 0
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_explain_makes_svg_move(inktex, note, model_path, tmp_path):
    assert inktex("explain", note, "-o", "a.svg", "--moving", "--model", model_path).exit_code == 0
    assert "@keyframes" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_explain_reads_standard_input(inktex, model_path, tmp_path):
    ink = write_inkml(written("x+1").ink)
    assert inktex("explain", "-", "--model", model_path, stdin=ink).exit_code == 0
    assert (tmp_path / "why.html").is_file()


def test_explain_shows_how_other_latex_would_have_been_written(inktex, note, model_path, tmp_path):
    done = inktex("explain", note, "--latex", "x^2", "--model", model_path)
    assert done.exit_code == 0, done.output
    assert "given, 0 %" in (tmp_path / "why.html").read_text(encoding="utf-8")


def test_explain_refuses_what_it_cannot_do(inktex, note, model_path):
    assert inktex("explain", note, "-o", "a.docx", "--model", model_path).exit_code == 2
    unknown = inktex("explain", note, "--latex", r"\aleph", "--model", model_path)
    assert unknown.exit_code != 0
    assert "aleph" in str(unknown.exception)
    assert inktex("explain", "missing.inkml", "--model", model_path).exit_code != 0


def test_errors_writes_a_report_about_ink_files(inktex, model_path, tmp_path):
    inks = tmp_path / "inks"
    inks.mkdir()
    for number, latex in enumerate(("x+1", r"\frac{a}{b}", "x^2")):
        save(written(latex).ink.replace(truth=latex), inks / f"ink{number}.inkml")
    done = inktex("errors", model_path, "--data", inks, "--out", "report", "--beam", 2, "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert "| all wrong answers |" in done.stdout
    assert (tmp_path / "report" / "index.html").is_file()


def test_errors_reads_with_a_run_that_has_only_its_last_weights(inktex, tmp_path):
    pytest.importorskip("torch", reason="PyTorch weights need inktex[train]")
    from inktex.model import save_network
    from small_networks import random_network

    run, inks = tmp_path / "run", tmp_path / "inks"
    run.mkdir()
    inks.mkdir()
    (run / "run.json").write_text("{}")
    save_network(random_network(seed=5), run / "last.safetensors")
    save(written("x+1").ink.replace(truth="x+1"), inks / "ink.inkml")
    done = inktex("errors", run, "--data", inks, "--beam", 2, "--jobs", 1)
    assert done.exit_code == 0, done.output


def test_errors_compares_two_models_at_most(inktex, model_path):
    assert inktex("errors", model_path, model_path, model_path).exit_code == 2
