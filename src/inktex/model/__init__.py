"""The network of paper §II-B to §II-D in PyTorch: pure modules, and the config stored with their weights."""

from inktex.model.config import ModelConfig, model_presets, without_coverage
from inktex.model.network import Network, load_network, save_network

__all__ = ["ModelConfig", "Network", "load_network", "model_presets", "save_network", "without_coverage"]
