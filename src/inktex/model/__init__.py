"""The network of paper §II-B to §II-D in PyTorch: pure modules, and the config stored with their weights."""

from inktex.model.config import ModelConfig
from inktex.model.network import Network, load_network, save_network, tensors_digest

__all__ = ["ModelConfig", "Network", "load_network", "save_network", "tensors_digest"]
