"""A file of named arrays and a JSON header that is memory-mapped instead of read.

Layout: 8 bytes of magic, 8 bytes header length, the header, every array at a multiple of 64 bytes, then the
SHA-256 of everything before it, which is checked when the file is opened. This is what safetensors does;
that comes with the extra `train` only, and evaluation reads corpora without it.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inktex.files import write_atomically

_MAGIC = b"INKTEX\x00\x01"
_ALIGNMENT = 64
_DIGEST = hashlib.sha256().digest_size

Arrays = dict[str, npt.NDArray[Any]]


class ContainerError(ValueError):
    """The file is not a complete container."""


def write_container(path: Path, header: dict[str, Any], arrays: Arrays) -> None:
    """Write header and arrays to `path`."""
    places: dict[str, Any] = {}
    offset = 0
    for name, array in arrays.items():
        places[name] = {"dtype": array.dtype.str, "shape": list(array.shape), "offset": offset}
        offset += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    text = json.dumps({"header": header, "arrays": places, "bytes": offset}, ensure_ascii=False).encode()
    text += b" " * (-(len(_MAGIC) + 8 + len(text)) % _ALIGNMENT)

    parts = [_MAGIC, len(text).to_bytes(8, "little"), text]
    for array in arrays.values():
        parts += [array.tobytes(), b"\0" * (-array.nbytes % _ALIGNMENT)]
    content = b"".join(parts)
    write_atomically(path, content + hashlib.sha256(content).digest())


def read_header(path: Path) -> dict[str, Any]:
    """Read the header alone."""
    return _read_index(path)[0]["header"]  # type: ignore[no-any-return]


def open_container(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Map the file into memory; the arrays are read-only views of it."""
    index, start = _read_index(path)
    end = start + index["bytes"]
    whole = np.memmap(path, dtype=np.uint8, mode="r")
    if len(whole) not in (end, end + _DIGEST):
        raise ContainerError(f"{path}: the file is cut off; delete it and it will be made again")
    # Files of earlier versions end without a checksum.
    if len(whole) > end and hashlib.sha256(whole[:end].data).digest() != whole[end:].tobytes():
        raise ContainerError(f"{path}: damaged (its SHA-256 differs); delete it and it will be made again")
    arrays: Arrays = {}
    for name, place in index["arrays"].items():
        dtype, shape = np.dtype(place["dtype"]), tuple(place["shape"])
        begin = start + place["offset"]
        size = dtype.itemsize * int(np.prod(shape))
        # A plain view: indexing the memmap class itself is several times slower.
        arrays[name] = np.asarray(whole[begin : begin + size]).view(dtype).reshape(shape)
    return index["header"], arrays


def _read_index(path: Path) -> tuple[dict[str, Any], int]:
    with path.open("rb") as file:
        head = file.read(len(_MAGIC) + 8)
        if head[: len(_MAGIC)] != _MAGIC:
            raise ContainerError(f"{path}: not a file of inktex's cache; delete it and it will be made again")
        length = int.from_bytes(head[len(_MAGIC) :], "little")
        try:
            if length > path.stat().st_size:
                raise ValueError("cut off")
            index = json.loads(file.read(length))
        except ValueError as error:
            raise ContainerError(
                f"{path}: the header is damaged; delete it and it will be made again"
            ) from error
    return index, len(head) + length
