"""CROHME as the LaTeX tests need it: per file the truth, the MathML, the segmentation and the caption.

Read straight from the user's own copy; without one, the tests that ask for it are skipped.
"""

import hashlib
import os
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from inktex.latex import Grammar, Layout, layout_from_mathml

DATA = Path(os.environ.get("INKTEX_DATA") or Path(__file__).resolve().parents[2].parent / "shared" / "data")
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"


@dataclass(frozen=True)
class CrohmeFile:
    stem: str
    folder: str
    truth: str
    mathml: str | None
    symbols: tuple[tuple[str, tuple[int, ...], str | None], ...]
    caption: tuple[str, ...] | None

    @property
    def key(self) -> str:
        """A short name for lists of exceptions, which may not hold anything of CROHME itself."""
        return hashlib.sha256(self.stem.encode()).hexdigest()[:10]


class Crohme:
    """Splits by name, each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._splits: dict[str, list[CrohmeFile]] = {}
        self._layouts: dict[str, dict[str, Layout]] = {}

    def split(self, name: str) -> list[CrohmeFile]:
        if name not in self._splits:
            self._splits[name] = list(self._read(name))
        return self._splits[name]

    def layouts(self, name: str) -> dict[str, Layout]:
        """Per stem, the layout out of the file's annotation; files without one are left out."""
        if name not in self._layouts:
            files = [file for file in self.split(name) if file.mathml is not None]
            self._layouts[name] = {f.stem: layout_from_mathml(f.mathml, f.symbols) for f in files}
        return self._layouts[name]

    def captions(self, name: str) -> dict[str, tuple[str, ...]]:
        path = self.folder / "captions" / f"{name}.txt"
        if not path.exists():
            return {}
        lines = (line.split("\t") for line in path.read_text().splitlines())
        return {stem: tuple(tokens.split()) for stem, tokens in lines}

    def _read(self, name: str):
        captions = self.captions(name)
        with zipfile.ZipFile(self.folder / f"{name}.zip") as archive:
            for member in archive.namelist():
                path = Path(member)
                if (
                    path.suffix != ".inkml"
                    or path.name.startswith(".")
                    or not (content := archive.read(member))
                ):
                    continue
                try:
                    text = content.decode()
                except UnicodeDecodeError:
                    text = content.decode("latin-1")
                root = ElementTree.fromstring(text[text.index("<ink") :])
                for element in root.iter():
                    element.tag = element.tag.rpartition("}")[2]
                yield _crohme_file(root, path, captions.get(path.stem))


def _crohme_file(root: ElementTree.Element, path: Path, caption: tuple[str, ...] | None) -> CrohmeFile:
    truth = next(a.text for a in root.findall("annotation") if "truth" in (a.get("type"), a.get("typx")))
    mathml = root.find("annotationXML")
    trace = {element.get("id"): index for index, element in enumerate(root.findall("trace"))}
    symbols = []
    for group in root.iter("traceGroup"):
        strokes = tuple(trace[view.get("traceDataRef")] for view in group.findall("traceView"))
        if strokes:
            link = group.find("annotationXML")
            symbols.append(
                (group.findtext("annotation") or "", strokes, None if link is None else link.get("href"))
            )
    text = None if mathml is None else ElementTree.tostring(mathml, encoding="unicode")
    return CrohmeFile(path.stem, path.parent.name, truth or "", text, tuple(symbols), caption)


@pytest.fixture(scope="session")
def crohme() -> Crohme:
    if not (DATA / "crohme" / "train.zip").exists():
        pytest.skip("CROHME is not at hand: set INKTEX_DATA to the folder that holds crohme/train.zip")
    return Crohme(DATA / "crohme")


DrawExpression = Callable[[Grammar, random.Random, int], tuple[str, ...]]


@pytest.fixture(scope="session")
def draw_expression() -> DrawExpression:
    """Draw an expression from a grammar, all allowed tokens alike, at most `budget` tokens long."""

    def draw(grammar: Grammar, rng: random.Random, budget: int) -> tuple[str, ...]:
        state, ids = grammar.start, []
        while index := rng.choice(grammar.mask_within(state, budget - len(ids)).nonzero()[0].tolist()):
            ids.append(index)
            state = grammar.advance(state, index)
        return grammar.vocabulary.decode(ids)

    return draw
