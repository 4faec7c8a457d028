"""Encoder and decoder as one network, and its file format.

A model file is safetensors; its metadata holds the config as JSON. Nothing is ever unpickled.
"""

import json
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from inktex.files import write_atomically
from inktex.model.config import ModelConfig
from inktex.model.decoder import Decoder
from inktex.model.encoder import Encoder


class Network(nn.Module):
    """p(tokens | features)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.symbol_head = (
            nn.Linear(config.annotation_size, len(config.vocabulary)) if config.symbol_head else None
        )

    def forward(
        self, features: Tensor, lengths: Tensor, previous: Tensor
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Scores (batch, T, K), attention (batch, T, L), symbol scores (batch, L, K) if there is the head."""
        annotations, mask = self.encoder(features, lengths)
        scores, attention = self.decoder(annotations, mask, previous)
        return scores, attention, None if self.symbol_head is None else self.symbol_head(annotations)

    @property
    def parameter_count(self) -> int:
        """Number of trained values."""
        return sum(parameter.numel() for parameter in self.parameters())


def save_network(network: Network, path: Path, *, half: bool = False) -> None:
    """Write weights and config to one file; `half` stores 16-bit floats."""
    kind = torch.float16 if half else torch.float32
    weights = {
        name: value.detach().to("cpu", kind).contiguous() for name, value in network.state_dict().items()
    }
    write_atomically(path, save(weights, metadata={"config": json.dumps(network.config.to_json())}))


def load_network(path: Path) -> Network:
    """Read what `save_network` wrote, as 32-bit floats, ready for inference."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            weights = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise ValueError(
            f"{path}: cannot be read as a model ({error}); it may be torn, export it again"
        ) from None
    if "config" not in metadata:
        raise ValueError(f"{path}: holds weights but no inktex config")
    network = Network(ModelConfig.from_json(json.loads(metadata["config"])))
    network.load_state_dict(weights)
    return network.eval()
