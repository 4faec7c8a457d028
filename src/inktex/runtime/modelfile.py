"""The model file `*.inktex`: a zip, not compressed, of one network or of an ensemble; read and written whole.

    manifest.json             format, members, and the SHA-256 of every other file
    NAME/encoder.onnx         features to annotations, already projected for the decoder
    NAME/decoder.onnx         one step
    NAME/config.json          the `ModelConfig` of the network, vocabulary and feature options included
    card.json                 what the model is: training data, results, calibration
    search.json               how to search with it, where that differs from the defaults (may be missing)
    language.npz              n-grams of formulas that guide the search (may be missing)

A member is the folder `NAME`; an ensemble has several. Nothing in the file is ever executed or unpickled.
"""

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inktex.files import write_atomically

FORMAT = "inktex.model/2"  # raised whenever the graphs take or give something else
SUFFIX = ".inktex"
MAX_BYTES = 512 * 1024 * 1024


class ModelError(ValueError):
    """A model that is not there, is damaged, or was made by another version."""


@dataclass(frozen=True)
class Member:
    """One network of a model file."""

    name: str
    encoder: bytes
    decoder: bytes
    config: dict[str, Any]
    weight: float = 1.0  # its share in the ensemble's mean


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds."""

    members: tuple[Member, ...]
    card: dict[str, Any] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)  # fields of `SearchOptions`
    language: bytes | None = None  # arrays `grams` and `counts` of an `NgramModel`
    sha256: str = ""  # of the manifest, which holds those of all files


def model_bytes(model: ModelFile) -> bytes:
    """The file's content; equal models give equal bytes."""
    files: dict[str, bytes] = {"card.json": _json(model.card)}
    if model.search:
        files["search.json"] = _json(model.search)
    if model.language is not None:
        files["language.npz"] = model.language
    for member in model.members:
        files[f"{member.name}/encoder.onnx"] = member.encoder
        files[f"{member.name}/decoder.onnx"] = member.decoder
        files[f"{member.name}/config.json"] = _json(member.config)
    manifest = {
        "format": FORMAT,
        "members": [{"name": member.name, "weight": member.weight} for member in model.members],
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in {"manifest.json": _json(manifest), **files}.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # a fixed date: the same bytes every time
    return buffer.getvalue()


def write_model(path: Path, model: ModelFile) -> None:
    """Write a model file, whole or not at all."""
    write_atomically(path, model_bytes(model))


def read_model(path: Path) -> ModelFile:
    """Read a model file and check every part of it against the manifest."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ModelError(
                f"{path}: larger than {MAX_BYTES // 2**20} MiB, no model file of inktex; "
                "`inktex models` lists what there is"
            )
        with zipfile.ZipFile(path) as archive:
            files = {info.filename: info for info in archive.infolist()}
            if "manifest.json" not in files:
                raise ModelError(f"{path}: no model file of inktex (it has no manifest)")
            if sum(info.file_size for info in files.values()) > MAX_BYTES:
                raise ModelError(
                    f"{path}: larger than {MAX_BYTES // 2**20} MiB when unpacked; get or export it again"
                )
            manifest_text = archive.read("manifest.json")
            manifest = json.loads(manifest_text)
            _check_format(path, manifest)
            contents = {
                name: _checked(archive, path, name, digest) for name, digest in manifest["sha256"].items()
            }
        members = tuple(_member(contents, entry) for entry in manifest["members"])
        card = json.loads(contents["card.json"])
        search = json.loads(contents.get("search.json", b"{}"))
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise ModelError(
            f"{path}: damaged or no model file of inktex ({error}); get or export it again"
        ) from None
    digest = hashlib.sha256(manifest_text).hexdigest()
    return ModelFile(members, card, search, contents.get("language.npz"), digest)


def _check_format(path: Path, manifest: dict[str, Any]) -> None:
    found = manifest.get("format")
    if found != FORMAT:
        raise ModelError(
            f"{path}: the format is {found!r}, this version of inktex reads {FORMAT!r}; export it again"
        )
    if not manifest.get("members"):
        raise ModelError(f"{path}: holds no network")


def _checked(archive: zipfile.ZipFile, path: Path, name: str, digest: str) -> bytes:
    content = archive.read(name)
    if hashlib.sha256(content).hexdigest() != digest:
        raise ModelError(f"{path}: {name} is damaged (its SHA-256 differs); get or export it again")
    return content


def _member(contents: dict[str, bytes], entry: dict[str, Any]) -> Member:
    name = entry["name"]
    return Member(
        name=name,
        encoder=contents[f"{name}/encoder.onnx"],
        decoder=contents[f"{name}/decoder.onnx"],
        config=json.loads(contents[f"{name}/config.json"]),
        weight=float(entry["weight"]),
    )


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"
