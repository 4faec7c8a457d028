"""Encoder and decoder as one network, and its file format.

A model file is safetensors; its metadata holds the config as JSON. Nothing is ever unpickled.
"""

import hashlib
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


def start_normal(network: nn.Module) -> None:
    """Small weights, so that the attention begins even: recurrent matrices stay orthogonal."""
    recurrent = {"gates", "candidate", "u_gates", "u_candidate"}
    for name, parameter in network.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)
        elif name.rsplit(".", 1)[-1] not in recurrent:
            nn.init.normal_(parameter, std=0.01)


class Network(nn.Module):
    """p(tokens | features)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.backward_decoder = Decoder(config) if config.direction == "both" else None
        tokens = len(config.vocabulary)
        self.symbol_head = nn.Linear(config.annotation_size, tokens) if config.symbol_head else None
        if config.start == "normal":
            start_normal(self)

    @property
    def decoders(self) -> tuple[Decoder, ...]:
        """One decoder per direction, the forward one first where there are both."""
        return (self.decoder,) if self.backward_decoder is None else (self.decoder, self.backward_decoder)

    def forward(
        self, features: Tensor, lengths: Tensor, *previous: Tensor
    ) -> tuple[list[tuple[Tensor, Tensor]], Tensor | None]:
        """Teacher forcing, with the previous tokens (batch, T) of each decoder.

        Returns, per decoder, scores (batch, T, K) and attention (batch, T, L); then the symbol scores
        (batch, L, K) where there is that head.
        """
        annotations, mask = self.encoder(features, lengths)
        pairs = zip(self.decoders, previous, strict=True)
        decoded = [decoder(annotations, mask, tokens) for decoder, tokens in pairs]
        return decoded, None if self.symbol_head is None else self.symbol_head(annotations)

    @property
    def parameter_count(self) -> int:
        """Number of trained values."""
        return sum(parameter.numel() for parameter in self.parameters())


def save_network(network: Network, path: Path) -> None:
    """Write weights and config to one file."""
    weights = {
        name: value.detach().to("cpu", torch.float32).contiguous()
        for name, value in network.state_dict().items()
    }
    config = json.dumps(network.config.to_json())
    metadata = {"config": config, "sha256": tensors_digest(config, weights)}
    write_atomically(path, _same_bytes(save(weights, metadata=metadata)))


def _same_bytes(data: bytes) -> bytes:
    """The safetensors file with its metadata in order: the library writes the entries in any order."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[8 + size :]


def load_network(path: Path) -> Network:
    """Read what `save_network` wrote, as 32-bit floats, ready for inference."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise ValueError(
            f"{path}: cannot be read as a model ({error}); it may be incomplete; export it again"
        ) from None
    if "config" not in metadata:
        raise ValueError(f"{path}: holds weights but no inktex config")
    # Files of earlier versions carry no checksum.
    if metadata.get("sha256", "") not in ("", tensors_digest(metadata["config"], stored)):
        raise ValueError(f"{path}: damaged (its SHA-256 differs); export or train it again")
    try:
        network = Network(ModelConfig.from_json(json.loads(metadata["config"])))
        network.load_state_dict({name: value.float() for name, value in stored.items()})
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise ValueError(f"{path}: its config and its weights do not fit ({said})") from None
    return network.eval()


def tensors_digest(about: str, tensors: dict[str, Tensor]) -> str:
    """The SHA-256 of a text and named tensors, stored in files to detect damage."""
    digest = hashlib.sha256(about.encode())
    for name in sorted(tensors):
        value = tensors[name]
        digest.update(f"{name} {value.dtype} {tuple(value.shape)}".encode())
        digest.update(value.flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()
