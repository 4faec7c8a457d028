"""Ink that looks like a CROHME package, made on the spot, and a cache folder of its own for every test."""

from collections.abc import Callable
from pathlib import Path

import pytest

from inktex.corpus import Corpus, ExpressionModel, SymbolBank, Synthesizer, load_split, locate
from inktex.corpus.hershey import hershey_bank
from inktex.ink import write_inkml
from inktex.latex import normalize


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the user's cache."""
    folder = tmp_path / "own-cache"
    monkeypatch.setenv("INKTEX_CACHE", str(folder))
    return folder


@pytest.fixture(scope="session")
def bank() -> SymbolBank:
    """A small built-in bank."""
    return hershey_bank(writers=3, repeats=1)


@pytest.fixture(scope="session")
def builtin_model() -> ExpressionModel:
    """Statistics that need no data."""
    return ExpressionModel.builtin()


@pytest.fixture(scope="session")
def inkml(bank: SymbolBank) -> Callable[[str], bytes]:
    """The InkML file of a handwritten LaTeX string, without a segmentation."""
    synthesizer = Synthesizer(bank)

    def make(latex: str, truth: str | None = "") -> bytes:
        ink = synthesizer.write(normalize(latex), latex).ink
        return write_inkml(ink.replace(truth=latex if truth == "" else truth, symbols=())).encode()

    return make


@pytest.fixture
def crohme(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Corpus]:
    """Splits of the real data, from the user's own cache; the test is skipped where there is none."""
    monkeypatch.delenv("INKTEX_CACHE")
    if locate() is None:
        pytest.skip("needs the CROHME data: set INKTEX_DATA to the folder that holds crohme/train.zip")

    def load(split: str) -> Corpus:
        try:
            return load_split(split)
        except FileNotFoundError as error:
            pytest.skip(str(error))

    return load
