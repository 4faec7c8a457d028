"""Everything that shapes a network, as data: stored with its weights, enough to rebuild it.

Presets: `paper-p1` and `paper-p2` have the exact sizes of the paper (§III); `p1` and `p2` are the sizes
that won in `docs/experiments.md`. P1 is always P2 without coverage and nothing
else.
"""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from inktex.features import FeatureOptions


@dataclass(frozen=True)
class ModelConfig:
    """Sizes and variants of encoder and decoder."""

    features: FeatureOptions = field(default_factory=FeatureOptions.polyline)
    vocabulary: tuple[str, ...] = ()  # token of every id; id 0 is the start and end mark
    # Brings the 8 features to about unit deviation; measured once on the training set.
    input_scale: tuple[float, ...] = (0.22, 1.4, 2.0, 2.7, 1.4, 1.9, 1.0, 1.0)
    encoder_units: int = 256  # per direction; D = 2 * encoder_units
    encoder_layers: int = 4
    pool_after: tuple[int, ...] = (2,)  # layers (from 1) after which time is halved by maximum
    embedding: int = 256  # m
    decoder_units: int = 256  # n
    attention: int = 256  # n'
    coverage_window: int = 15  # width of Q; 0 is a decoder without coverage (system P1)
    coverage_filters: int = 64  # filters of Q
    query_token: bool = True  # the attention also sees y_{t-1}; off in the paper (equation 7)
    symbol_head: bool = True  # auxiliary: name the symbol at every annotation (training only)
    encoder_dropout: float = 0.2
    decoder_dropout: float = 0.3

    @property
    def annotation_size(self) -> int:
        """D of the paper."""
        return 2 * self.encoder_units

    @property
    def stride(self) -> int:
        """Feature rows per annotation."""
        return int(2 ** len(self.pool_after))

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "ModelConfig":
        """The config that `to_json` gave; unknown or missing fields are an error that names them."""
        known = set(cls.__dataclass_fields__)
        if unknown := sorted(set(data) - known):
            raise ValueError(
                f"model config has unknown fields {unknown}: it was made by another version of inktex"
            )
        values = dict(data)
        values["features"] = FeatureOptions(**values["features"])
        values["vocabulary"] = tuple(values["vocabulary"])
        values["pool_after"] = tuple(values["pool_after"])
        values["input_scale"] = tuple(values["input_scale"])
        return cls(**values)


PAPER_P2 = ModelConfig(
    features=FeatureOptions.paper(),
    input_scale=(1.0,) * 8,
    encoder_units=250,
    pool_after=(3, 4),
    attention=500,
    coverage_window=121,  # of the original code; the paper gives no width
    coverage_filters=256,
    query_token=False,
    symbol_head=False,
    encoder_dropout=0.0,
    decoder_dropout=0.0,
)
P2 = ModelConfig()


def without_coverage(config: ModelConfig) -> ModelConfig:
    """System P1: the same network, its attention blind to what was read."""
    return replace(config, coverage_window=0, coverage_filters=0)


def model_presets() -> dict[str, ModelConfig]:
    """Presets by name."""
    return {
        "paper-p1": without_coverage(PAPER_P2),
        "paper-p2": PAPER_P2,
        "p1": without_coverage(P2),
        "p2": P2,
    }
