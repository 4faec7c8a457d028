"""The model file `*.inktex`: an uncompressed zip of one network or an ensemble.

    manifest.json             format, members, and the SHA-256 of every other file
    NAME/encoder.onnx         features to annotations, already projected for the decoder
    NAME/decoder.onnx         one step
    NAME/config.json          the `ModelConfig` of the network, vocabulary and feature options included
    card.json                 what the model is: training data, results, calibration
    search.json               how to search with it, where that differs from the defaults (optional)

A member is the folder `NAME`; an ensemble has several. A network with two decoders, one per direction, is
two members that share an encoder: the manifest names the member that has it. A team is an ensemble without
networks of its own: its manifest names other model files in the same folder, and their SHA-256. Nothing in
the file is ever executed or unpickled.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inktex.checked import is_number
from inktex.files import write_atomically

FORMAT = "inktex.model/2"  # raised whenever the graphs take or give something else
SHARED = "inktex.model/3"  # the same, where members share an encoder: versions that cannot are told so
TEAM = "inktex.model/4"  # the networks are in other files
BACKWARD = "_backward"  # ends the names of what a shared encoder gives for the decoder from right to left
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
    encoder_of: str = ""  # the member that brings the encoder, where that is another one


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds."""

    members: tuple[Member, ...]
    card: dict[str, Any] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)  # fields of `SearchOptions`
    sha256: str = ""  # of the manifest, which holds those of all files
    team: dict[str, str] = field(default_factory=dict)  # of a team: files beside it, and their SHA-256


def write_model(path: Path, model: ModelFile) -> None:
    """Write a model file, whole or not at all; equal models give equal bytes."""
    files: dict[str, bytes] = {"card.json": _json(model.card)}
    if model.search:
        files["search.json"] = _json(model.search)
    manifest: dict[str, Any] = {"format": TEAM, "files": model.team}
    if not model.team:
        shared = any(member.encoder_of for member in model.members)
        manifest = {"format": SHARED if shared else FORMAT, "members": []}
        for member in model.members:
            entry: dict[str, Any] = {"name": member.name, "weight": member.weight}
            if member.encoder_of:
                entry["encoder"] = member.encoder_of
            else:
                files[f"{member.name}/encoder.onnx"] = member.encoder
            manifest["members"].append(entry)
            files[f"{member.name}/decoder.onnx"] = member.decoder
            files[f"{member.name}/config.json"] = _json(member.config)
    manifest["sha256"] = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in {"manifest.json": _json(manifest), **files}.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # a fixed date: the same bytes every time
    write_atomically(path, buffer.getvalue())


def read_model(path: Path) -> ModelFile:
    """Read a model file and check every part of it against the manifest."""
    large = f"{path}: larger than {MAX_BYTES // 2**20} MiB"
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ModelError(f"{large}, not an inktex model file; `inktex models` lists the available models")
        with zipfile.ZipFile(path) as archive:
            files = {info.filename: info for info in archive.infolist()}
            if "manifest.json" not in files:
                raise ModelError(f"{path}: not an inktex model file (it has no manifest)")
            if sum(info.file_size for info in files.values()) > MAX_BYTES:
                raise ModelError(f"{large} when unpacked; get or export it again")
            manifest_text = archive.read("manifest.json")
            manifest = json.loads(manifest_text)
            _check_format(path, manifest)
            contents = {name: archive.read(name) for name in manifest["sha256"]}
        for name, digest in manifest["sha256"].items():
            if hashlib.sha256(contents[name]).hexdigest() != digest:
                raise ModelError(f"{path}: {name} is damaged (its SHA-256 differs); get or export it again")
        team = dict(manifest["files"]) if manifest["format"] == TEAM else {}
        if team:
            members = join_models(_others(path, team)).members
        else:
            members = tuple(_member(contents, entry) for entry in manifest["members"])
        if not {member.encoder_of or member.name for member in members} <= {each.name for each in members}:
            raise ValueError("a network shares the encoder of one that is not there")
        card = _object(contents["card.json"], "card.json")
        search = _object(contents.get("search.json", b"{}"), "search.json")
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    # zipfile and json report damage in many ways; RuntimeError includes nesting without end.
    except (zipfile.BadZipFile, ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError,
            ValueError, zlib.error, EOFError) as error:  # fmt: skip
        raise ModelError(
            f"{path}: damaged, or not an inktex model file ({error}); get or export it again"
        ) from None
    digest = hashlib.sha256(manifest_text).hexdigest()
    return ModelFile(members, card, search, digest, team)


def join_models(models: Sequence[ModelFile], card: dict[str, Any] | None = None) -> ModelFile:
    """An ensemble of all members, searched as the first model is; where names meet, they are numbered.

    A network that is in several of the models is one member.
    """
    distinct = {member.decoder: member for model in models for member in model.members}
    names = [member.name for member in distinct.values()]
    if len({tuple(member.config["vocabulary"]) for member in distinct.values()}) > 1:
        raise ModelError("models of an ensemble must have the same vocabulary")
    joined: list[Member] = []
    known: dict[bytes, str] = {}  # by decoder, what a member is called here
    for model in models:
        new = {
            member.name: known.get(member.decoder)
            or (member.name if names.count(member.name) == 1 else f"{member.name}-{len(joined) + number}")
            for number, member in enumerate(model.members, 1)
        }
        joined += [
            replace(member, name=new[member.name], encoder_of=new.get(member.encoder_of, ""))
            for member in model.members
            if member.decoder not in known
        ]
        known |= {member.decoder: new[member.name] for member in model.members}
    return ModelFile(tuple(joined), card or {}, models[0].search, "+".join(model.sha256 for model in models))


def _check_format(path: Path, manifest: dict[str, Any]) -> None:
    found = manifest.get("format")
    if found not in (FORMAT, SHARED, TEAM):
        raise ModelError(
            f"{path}: the format is {found!r}, this version of inktex reads {FORMAT!r} to {TEAM!r}; "
            "export it again"
        )
    if not manifest.get("files" if found == TEAM else "members"):
        raise ModelError(f"{path}: holds no network")


def _others(path: Path, files: dict[str, str]) -> list[ModelFile]:
    """The models of a team, which are files beside it and no teams themselves."""
    found = []
    for name, digest in files.items():
        other = path.with_name(name)  # ValueError unless it is a plain name
        if not other.is_file():
            raise ModelError(f"{path}: a team of several models, of which {name} is not beside it")
        with zipfile.ZipFile(other) as archive:
            if json.loads(archive.read("manifest.json"))["format"] == TEAM:
                raise ModelError(f"{path}: {name} is a team itself")
        model = read_model(other)
        if model.sha256 != digest:
            raise ModelError(f"{path}: {name} is not the version that it was made with; export it again")
        found.append(model)
    return found


def _member(contents: dict[str, bytes], entry: dict[str, Any]) -> Member:
    name, encoder_of, weight = entry["name"], entry.get("encoder", ""), entry["weight"]
    if not (isinstance(name, str) and name and isinstance(encoder_of, str)):
        raise ValueError("a network has no name")
    if not (is_number(weight) and weight > 0):
        raise ValueError(f"the weight of {name} is not a number above 0")
    return Member(
        name=name,
        encoder=contents[f"{encoder_of or name}/encoder.onnx"],
        decoder=contents[f"{name}/decoder.onnx"],
        config=_object(contents[f"{name}/config.json"], f"{name}/config.json"),
        weight=float(weight),
        encoder_of=encoder_of,
    )


def _object(content: bytes, name: str) -> dict[str, Any]:
    found = json.loads(content)
    if not isinstance(found, dict):
        raise ValueError(f"{name} is not an object")
    return found


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"


def parameter_count(model: ModelFile) -> int:
    """Of all networks, by their sizes in the config: exported graphs hold products of the matrices.

    An encoder that two decoders share is counted once; the head that names symbols in training is left out.
    """
    total = 0
    for member in model.members:
        config = member.config
        units, tokens = config["encoder_units"], len(config["vocabulary"])
        depth, m, n = 2 * units, config["embedding"], config["decoder_units"]
        width, window, filters = config["attention"], config["coverage_window"], config["coverage_filters"]
        if not member.encoder_of:
            # Of all layers: inputs with a bias, gates and candidate of both directions (paper §II-B).
            inputs = [8, *[depth] * (config["encoder_layers"] - 1)]
            total += sum((size + 1) * 6 * units + 6 * units * units for size in inputs)
        total += tokens * m + (depth + 1) * n  # the embedding and the first state (§II-C)
        total += (depth + 1) * width + n * width + width + (m * width if config["query_token"] else 0)
        total += window * filters + filters * width if window else 0  # coverage (§II-D)
        total += (m + 1) * 3 * n + 3 * n * n + 3 * depth * n  # the GRU
        total += (n + 1) * m + depth * m + (m + 1) * tokens  # the output
    return int(total)
