"""Everything that shapes a network, as data: stored with its weights, enough to rebuild it.

The defaults are the sizes of `p2`, which won in `docs/experiments.md`; `inktex/recipes/` has the others, with
the exact sizes of the paper (§III) in `paper-p1` and `paper-p2`.
"""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from inktex.checked import checked
from inktex.features import FeatureOptions

# Which way a decoder writes: the tokens as they are read, from the last to the first, or a decoder for each.
Direction = Literal["forward", "backward", "both"]


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
    direction: Direction = "forward"  # "both": two decoders share one encoder
    # Matrices before training: by Glorot's rule, or normal with deviation 0.01 (as in the original code).
    start: Literal["glorot", "normal"] = "glorot"
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
        """The config that `to_json` gave; an error names what is unknown, or the missing vocabulary."""
        return checked(cls, data | {"vocabulary": data["vocabulary"]}, "the config of the model")
