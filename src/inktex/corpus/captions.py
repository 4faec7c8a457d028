"""Captions (the paper's normalised truth) and alignments (the strokes of each token) next to the ink.

Reads them from the folder that holds the ink packages, as `stem -> tokens` and `stem -> strokes per token`:

- `captions/<split>.txt`: one expression per line, `stem<TAB>tokens`;
- `captions/<split>_alignment.tar.gz`: one member `<stem>.align` per expression, one line per token: the token
  and its 0-based strokes, -1 for a token without ink.
"""

import tarfile
from dataclasses import dataclass, field
from pathlib import Path

from inktex.corpus.example import StrokesOf


@dataclass(frozen=True)
class Captions:
    """The truth of a split that does not come from the ink files themselves."""

    tokens: dict[str, tuple[str, ...]] = field(default_factory=dict)
    strokes_of: dict[str, StrokesOf] = field(default_factory=dict)


def caption_files(folder: Path, split: str) -> list[Path]:
    """List the caption and alignment files that exist for a split of the packages in `folder`."""
    captions = folder / "captions"
    candidates = [captions / f"{split}.txt", captions / f"{split}_alignment.tar.gz"]
    return [path for path in candidates if path.is_file()]


def read_captions(files: list[Path]) -> Captions:
    """Read what `caption_files` found; nothing found means no captions."""
    captions = Captions()
    alignments: dict[str, tuple[tuple[str, ...], StrokesOf]] = {}
    for path in files:
        if path.suffix == ".txt":
            captions.tokens.update(_read_table(path))
        else:
            alignments.update(_read_alignments(path))
    for stem, (tokens, strokes_of) in alignments.items():
        # An alignment of another wording of the same expression would point at the wrong tokens.
        if captions.tokens.get(stem) == tokens:
            captions.strokes_of[stem] = strokes_of
    return captions


def _read_table(path: Path) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        stem, tab, words = line.partition("\t")
        if not tab or not words.strip():
            raise ValueError(f"{path}: line {number}: expected a stem, a tab and the tokens")
        table[stem] = tuple(words.split())
    return table


def _read_alignments(path: Path) -> dict[str, tuple[tuple[str, ...], StrokesOf]]:
    alignments: dict[str, tuple[tuple[str, ...], StrokesOf]] = {}
    with tarfile.open(path, "r:*") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".align") else None
            if file is None:
                continue
            tokens: list[str] = []
            strokes_of: list[tuple[int, ...]] = []
            for line in file.read().decode("utf-8").splitlines():
                words = line.split()
                if not words:
                    continue
                tokens.append(words[0])
                try:
                    strokes_of.append(tuple(sorted(int(word) for word in words[1:] if word != "-1")))
                except ValueError as error:
                    raise ValueError(
                        f"{path}: {member.name}: {line!r}: expected a token and stroke numbers"
                    ) from error
            stem = member.name.rsplit("/", 1)[-1].removesuffix(".align")
            alignments[stem] = (tuple(tokens), tuple(strokes_of))
    return alignments
