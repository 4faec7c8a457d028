"""Weights that are missing, torn, altered or absurdly large: the command says which file and what to do."""

import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.reading import ModelError, find_model, open_model, opening


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A copy of the default weights."""
    try:
        original = find_model()
    except ModelError as error:
        pytest.skip(f"no weights to damage: {error}")
    copy = tmp_path / "copy.inktex"
    copy.write_bytes(original.read_bytes())
    return copy


def said(tmp_path: Path, weights: Path) -> str:
    """What `inktex recognize` says with these weights; it must be a message, not a traceback."""
    (tmp_path / "ink.json").write_text(json.dumps({"strokes": [[[0, 0], [5, 5]]]}))
    done = CliRunner().invoke(build_app(), ["recognize", str(tmp_path / "ink.json"), "--model", str(weights)])
    assert done.exit_code in (1, 2)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return " ".join(done.output.replace("│", " ").split())


def test_weights_that_are_not_there(tmp_path):
    assert "inktex models" in said(tmp_path, tmp_path / "missing.inktex")


def test_a_package_without_weights(monkeypatch):
    monkeypatch.setattr(opening, "_folders", list)
    monkeypatch.delenv("INKTEX_MODEL", raising=False)
    with pytest.raises(ModelError, match=r"no model is called 'wide' \(there are: none, so name a file\)"):
        open_model()


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.999])
def test_torn_weights(tmp_path, weights, kept):
    content = weights.read_bytes()
    weights.write_bytes(content[: int(kept * len(content))])
    assert "get or export it again" in said(tmp_path, weights)


def test_weights_with_a_wrong_hash(tmp_path, weights):
    """A zip that is whole, with one file exchanged: only the manifest tells."""
    altered = tmp_path / "altered.inktex"
    with zipfile.ZipFile(weights) as old, zipfile.ZipFile(altered, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, content.replace(b"{", b"{ ", 1) if name == "card.json" else content)
    message = said(tmp_path, altered)
    assert "card.json is damaged (its SHA-256 differs)" in message
    assert "get or export it again" in message


def test_a_gigabyte_instead_of_weights(tmp_path):
    path = tmp_path / "huge.inktex"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    message = said(tmp_path, path)
    assert "larger than 512 MiB" in message
    assert "`inktex models` lists the available models" in message


def test_nothing_in_the_package_unpickles():
    """No pickle in loading: neither the module, nor the functions that use it unless told not to."""
    import inktex

    for file in Path(inktex.__file__).parent.rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        assert "import pickle" not in source, file
        assert "torch.load(" not in source, file
        assert "allow_pickle=True" not in source, file
        assert "joblib" not in source, file
        assert source.count("np.load(") == source.count("allow_pickle=False"), file
