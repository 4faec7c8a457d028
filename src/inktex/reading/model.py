"""A model that is ready to read: one network or several, whether exported or still as PyTorch weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from inktex.augment import AugmentOptions, augment
from inktex.checked import checked
from inktex.decoding import EnsembleStepper, SearchOptions, Stepper
from inktex.features import FeatureOptions, Features, PointBatch, extract_batch, extract_many
from inktex.ink import Ink
from inktex.latex import Vocabulary

from .modelfile import BACKWARD, Member, ModelError, ModelFile
from .onnx_stepper import OnnxEncoder, OnnxStepper

READINGS = 5  # found in every search, since confidence depends on what else an ink could be
# How every model is searched, unless its file says otherwise. Hypotheses e^5 times less probable than the
# best are dropped. The cost of a step is hypotheses times annotations. Past `widest` the beam narrows, so
# time grows with the ink and not with its square: 50 symbols still have the whole beam.
SEARCH: dict[str, Any] = {"top": READINGS, "prune": 5.0, "widest": 1600, "max_length": 1000}


@dataclass(frozen=True)
class ModelInfo:
    """What a model is and reads; of an ensemble, what its first member reads."""

    name: str
    config: dict[str, Any]
    vocabulary: Vocabulary
    stride: int  # feature rows per annotation
    card: dict[str, Any]
    sha256: str
    members: tuple[str, ...]
    team: bool = False  # the networks are in several files


@dataclass(frozen=True)
class ModelInput:
    """An ink as a model reads it."""

    features: Features  # of the first member: attention refers to these rows
    arrays: Any  # what the stepper takes: (N, 8), or a tuple of such where members read different features
    backward: Any = None  # the same for the networks that write from right to left


@dataclass(frozen=True)
class Part:
    """One network of a model, not yet loaded."""

    name: str
    config: dict[str, Any]  # of its `ModelConfig`
    features: FeatureOptions
    vocabulary: Vocabulary
    stride: int  # feature rows per annotation
    backward: bool  # writes from right to left
    weight: float  # its share in the ensemble's mean
    load: "Callable[[Part], Stepper]" = field(repr=False)

    @classmethod
    def of(
        cls, name: str, config: dict[str, Any], load: "Callable[[Part], Stepper]", weight: float = 1.0
    ) -> "Part":
        """Take from the config what reading needs; KeyError, TypeError or ValueError if that is nonsense."""
        tokens, pooled = config["vocabulary"], config["pool_after"]
        if not isinstance(tokens, list | tuple):
            raise ValueError("the vocabulary is not a list")
        vocabulary = Vocabulary(tokens)
        "".join(vocabulary.tokens).encode()  # UnicodeEncodeError: half a character, which could not be shown
        if not isinstance(pooled, list | tuple) or len(pooled) > _MOST_POOLING:
            raise ValueError(f"pool_after must be a list of at most {_MOST_POOLING} layers")
        direction = config.get("direction", "forward")
        if direction not in ("forward", "backward"):
            raise ValueError("the direction is neither forward nor backward")
        features, backward = (
            checked(FeatureOptions, config["features"], "features"),
            bool(direction == "backward"),
        )
        return cls(name, config, features, vocabulary, 2 ** len(pooled), backward, weight, load)


_MOST_POOLING = 6  # layers that halve the time
_DISTORTION = AugmentOptions().scaled(0.6)  # of copies; networks were trained with more


class _Side:
    """The networks of one direction, as one stepper."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self.views = tuple(dict.fromkeys(part.features for part in parts))

    @cached_property
    def stepper(self) -> Stepper:
        steppers = [part.load(part) for part in self._parts]
        if len(steppers) == 1:
            return steppers[0]
        views = None if len(self.views) == 1 else [self.views.index(part.features) for part in self._parts]
        return EnsembleStepper(steppers, weights=[part.weight for part in self._parts], views=views)

    def arrays(self, made: dict[FeatureOptions, list[Features]], place: int) -> Any:
        rows = tuple(made[view][place].rows for view in self.views)
        return rows[0] if len(rows) == 1 else rows


class Model:
    """One network or an ensemble; threads may share it."""

    def __init__(
        self,
        name: str,
        parts: Sequence[Part],
        *,
        search: SearchOptions | None = None,
        card: dict[str, Any] | None = None,
        sha256: str = "",
        sources: Sequence[str] = (),
        team: bool = False,
    ) -> None:
        """`search` is how to search it; `sources` is what another process opens to get the same model."""
        self.parts = tuple(parts)
        self.sources = tuple(sources)
        self.search = search or SearchOptions(**SEARCH)
        forward = [part for part in self.parts if not part.backward]
        backward = [part for part in self.parts if part.backward]
        self._sides = [_Side(side) for side in (forward, backward) if side or side is forward]
        first = (forward or backward)[0]
        self.info = ModelInfo(
            name=name,
            config=first.config,
            vocabulary=first.vocabulary,
            stride=first.stride,
            card=card or {},
            sha256=sha256,
            members=tuple(part.name for part in self.parts),
            team=team,
        )

    @classmethod
    def of_file(cls, file: ModelFile, name: str, *, threads: int = 1, sources: Sequence[str] = ()) -> "Model":
        # Files of earlier versions may hold the weight of a language model, which is no longer used.
        search = {key: value for key, value in file.search.items() if key != "scorer_weight"}
        try:
            options = checked(SearchOptions, {**SEARCH, **search}, "search")
            parts = _parts(file.members, threads)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{name}: its config does not fit this version of inktex ({error})") from None
        card, team = file.card, bool(file.team)
        return cls(name, parts, search=options, card=card, sha256=file.sha256, sources=sources, team=team)

    @classmethod
    def joined(cls, models: "Sequence[Model]", name: str) -> "Model":
        """An ensemble of all networks of some models, searched as the first one is."""
        if len({model.info.vocabulary for model in models}) > 1:
            raise ModelError("models of an ensemble must have the same vocabulary")
        return cls(
            name,
            [part for model in models for part in model.parts],
            search=models[0].search,
            sha256="+".join(model.info.sha256 for model in models),
            sources=[source for model in models for source in model.sources],
        )

    def stepper(self) -> Stepper:
        """The model for a search, from left to right; always the same one, made at first use."""
        self.check_partner()
        return self._sides[0].stepper

    def check_partner(self) -> None:
        """ModelError if all networks write from right to left: they only help others to read."""
        if all(part.backward for part in self.parts):
            raise ModelError(
                f"{self.info.name}: writes from right to left and needs a partner that writes from left to "
                "right; open or export both together"
            )

    def backward_stepper(self) -> Stepper | None:
        """Its networks that write from right to left, if it has any."""
        return self._sides[1].stepper if len(self._sides) > 1 else None

    @property
    def _views(self) -> set[FeatureOptions]:
        """The features that its networks want, each once: both directions mostly want the same."""
        return {view for side in self._sides for view in side.views}

    def inputs(self, inks: Sequence[Ink]) -> list[ModelInput]:
        """Features of inks, for `stepper().start` and for the way back to the strokes."""
        made = {view: extract_many(inks, view) for view in self._views}
        features = made[self._sides[0].views[0]]
        return [
            ModelInput(features[place], *(side.arrays(made, place) for side in self._sides))
            for place in range(len(inks))
        ]

    def copies(self, ink: Ink, count: int) -> list[tuple[Any, Any]]:
        """Distorted copies of an ink as each direction reads them; always the same ones."""
        random = np.random.default_rng(count)
        points = augment(PointBatch.of([ink] * count), _DISTORTION, random)
        made = {view: extract_batch(points, view) for view in self._views}
        first, last = self._sides[0], self._sides[-1]
        return [(first.arrays(made, place), last.arrays(made, place)) for place in range(count)]


def _parts(members: Sequence[Member], threads: int) -> list[Part]:
    """The networks of a file; an encoder that two decoders share is loaded once."""

    @cache
    def encoder(name: str) -> OnnxEncoder:
        member, part = next(pair for pair in zip(members, parts, strict=True) if pair[0].name == name)
        return OnnxEncoder(member.encoder, part.stride, threads=threads)

    def load(member: Member, part: Part) -> Stepper:
        suffix, reads = BACKWARD if member.encoder_of else "", encoder(member.encoder_of or member.name)
        return OnnxStepper(reads, member.decoder, part.vocabulary, suffix=suffix, threads=threads)

    parts = [Part.of(each.name, each.config, partial(load, each), each.weight) for each in members]
    return parts
