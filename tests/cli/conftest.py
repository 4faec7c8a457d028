"""The command, run in this process with a small random network as the default model."""

import pytest
from typer.testing import CliRunner


@pytest.fixture
def inktex(model_path, monkeypatch):
    """Run `inktex ARGUMENTS`; gives exit_code, stdout and stderr."""
    from inktex.cli import build_app

    monkeypatch.setenv("INKTEX_MODEL", str(model_path))
    monkeypatch.setenv("INKTEX_MODELS", str(model_path.parent))

    def run(*arguments, stdin=None):
        return CliRunner().invoke(build_app(), [str(each) for each in arguments], input=stdin)

    return run


@pytest.fixture
def inks(tmp_path):
    """A folder with three ink files and one that is damaged."""
    from inktex.ink import Ink, save

    folder = tmp_path / "inks"
    folder.mkdir()
    cross = [[(0, 0), (20, 20)], [(20, 0), (0, 20)]]
    save(Ink.from_strokes(cross), folder / "a.inkml")
    save(Ink.from_strokes([*cross, [(30, 10), (45, 10)]]), folder / "b.json")
    save(Ink.from_strokes([[(60, 5), (64, 0), (64, 20)]]), folder / "d.inkml")
    (folder / "c.inkml").write_text("<ink><trace>1 2")
    return folder
