"""Models by file or by name: a path, a name or nothing comes in, a `Model` that is ready to decode goes out.

Names are those of the files `NAME.inktex` in the package (the default weights), in the folder named by
`INKTEX_MODELS`, and in `models/` of the repository when inktex runs from a checkout.
"""

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from inktex.decoding import EnsembleStepper, SearchOptions, Stepper, TokenScorer
from inktex.decoding.ngram import NgramModel, NgramScorer
from inktex.features import FeatureOptions, Features, extract_many
from inktex.ink import Ink
from inktex.latex import Vocabulary

from .modelfile import SUFFIX, Member, ModelError, ModelFile, read_model
from .stepper import OnnxStepper

DEFAULT = "p2"


@dataclass(frozen=True)
class ModelInfo:
    """What a model is and reads; of an ensemble, what its first member reads."""

    name: str
    config: dict[str, Any]
    features: FeatureOptions
    vocabulary: Vocabulary
    stride: int  # feature rows per annotation
    card: dict[str, Any]
    sha256: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class ModelInput:
    """An ink as a model reads it."""

    features: Features  # of the first member: attention refers to these rows
    arrays: Any  # what the stepper takes: (N, 8), or a tuple of such where members read different features


class Model:
    """One network or an ensemble, loaded; threads may share it."""

    def __init__(self, file: ModelFile, name: str, *, threads: int = 1) -> None:
        self._file = file
        self._threads = threads
        first = file.members[0].config
        try:
            self._views = tuple(FeatureOptions(**member.config["features"]) for member in file.members)
            vocabulary = Vocabulary(first["vocabulary"])
            stride = _stride(first)
            self.search = SearchOptions(**file.search)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{name}: its config does not fit this version of inktex ({error})") from None
        self.info = ModelInfo(
            name=name,
            config=first,
            features=self._views[0],
            vocabulary=vocabulary,
            stride=stride,
            card=file.card,
            sha256=file.sha256,
            members=tuple(member.name for member in file.members),
        )

    def stepper(self) -> Stepper:
        """The model for a search; always the same one, made at first use."""
        return self._stepper

    @cached_property
    def _stepper(self) -> Stepper:
        steppers = [_member_stepper(member, self._threads) for member in self._file.members]
        if len(steppers) == 1:
            return steppers[0]
        distinct = self._distinct_views
        numbers = None if len(distinct) == 1 else [distinct.index(view) for view in self._views]
        weights = [member.weight for member in self._file.members]
        return EnsembleStepper(steppers, weights=weights, views=numbers)

    @property
    def _distinct_views(self) -> tuple[FeatureOptions, ...]:
        return tuple(dict.fromkeys(self._views))

    @cached_property
    def scorer(self) -> TokenScorer | None:
        """The language model that guides the search, if the file has one."""
        if self._file.language is None:
            return None
        try:
            with np.load(io.BytesIO(self._file.language), allow_pickle=False) as arrays:
                grams, counts = arrays["grams"], arrays["counts"]
        except (ValueError, KeyError, OSError) as error:
            raise ModelError(f"{self.info.name}: its language model cannot be read ({error})") from None
        return NgramScorer(NgramModel(grams, counts, self.info.vocabulary.size))

    def inputs(self, inks: Sequence[Ink]) -> list[ModelInput]:
        """Features of inks, for `stepper().start` and for the way back to the strokes."""
        made = [extract_many(inks, view) for view in self._distinct_views]
        if len(made) == 1:
            return [ModelInput(features, features.rows) for features in made[0]]
        return [ModelInput(views[0], tuple(view.rows for view in views)) for views in zip(*made, strict=True)]


def load_model(source: str | Path | None = None, *, threads: int = 1) -> Model:
    """Load the default weights, a model file, a folder of such (an ensemble), or a model by its name."""
    path = find_model(source)
    if not path.is_dir():
        return Model(read_model(path), path.stem, threads=threads)
    parts = sorted(path.glob(f"*{SUFFIX}"))
    if not parts:
        raise ModelError(f"{path}: no {SUFFIX} files in this folder")
    return Model(join_models([read_model(part) for part in parts]), path.name, threads=threads)


def join_models(models: Sequence[ModelFile], card: dict[str, Any] | None = None) -> ModelFile:
    """An ensemble of all members, searched as the first model is; where names meet, they are numbered."""
    members = [member for model in models for member in model.members]
    names = [member.name for member in members]
    joined = tuple(
        Member(
            name=member.name if names.count(member.name) == 1 else f"{member.name}-{number}",
            encoder=member.encoder,
            decoder=member.decoder,
            config=member.config,
            weight=member.weight,
        )
        for number, member in enumerate(members, 1)
    )
    vocabularies = {tuple(member.config["vocabulary"]) for member in members}
    if len(vocabularies) > 1:
        raise ModelError("models of an ensemble must have the same vocabulary")
    first = models[0]
    return ModelFile(
        joined,
        card if card is not None else {},
        first.search,
        first.language,
        "+".join(model.sha256 for model in models),
    )


def find_model(source: str | Path | None = None) -> Path:
    """The file (or folder) behind a path or a name."""
    if source is None:
        source = os.environ.get("INKTEX_MODEL") or DEFAULT
    path = Path(source)
    if path.exists():
        return path
    known = dict(known_models())
    if str(source) in known:
        return known[str(source)]
    if path.suffix or len(path.parts) > 1:
        raise ModelError(f"{path}: there is no such file; `inktex models` lists what there is")
    names = ", ".join(known) or "none, so name a file"
    raise ModelError(f"no model is called {str(source)!r} (there are: {names})")


def known_models() -> Iterator[tuple[str, Path]]:
    """All models that have a name, the default one first."""
    found: dict[str, Path] = {}
    for folder in _folders():
        if folder.is_dir():
            for path in sorted(folder.glob(f"*{SUFFIX}")):
                found.setdefault(path.stem, path)
    yield from sorted(found.items(), key=lambda item: (item[0] != DEFAULT, item[0]))


def _folders() -> list[Path]:
    package = Path(str(files("inktex")))
    named = os.environ.get("INKTEX_MODELS")
    checkout = package.parent.parent
    return [
        package / "weights",
        *([Path(named)] if named else []),
        *([checkout / "models"] if (checkout / "pyproject.toml").is_file() else []),
    ]


def _stride(config: dict[str, Any]) -> int:
    return int(2 ** len(config["pool_after"]))


def _member_stepper(member: Member, threads: int) -> OnnxStepper:
    return OnnxStepper(
        member.encoder,
        member.decoder,
        Vocabulary(member.config["vocabulary"]),
        _stride(member.config),
        threads=threads,
    )
