"""What the tests of the corpus share: packages, alignments and the symbols of the CROHME vocabulary."""

import io
import tarfile
import zipfile
from pathlib import Path

from inktex.latex import tokenize

CROHME_SYMBOLS = tokenize(
    r"""! ' ( ) + , - . / 0 1 2 3 4 5 6 7 8 9 < = > A B C E F G H I L M N P R S T V X Y [ ] | \{ \}
    a b c d e f g h i j k l m n o p q r s t u v w x y z
    \Delta \alpha \beta \cdot \cdots \cos \div \exists \forall \frac \gamma \geq \in \infty \int \lambda
    \ldots \leq \lim \log \mu \neq \phi \pi \pm \prime \rightarrow \sigma \sin \sqrt \sum
    \tan \theta \times"""
)


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def write_alignment(path: Path, members: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(f"alignments/{name}.align")
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
