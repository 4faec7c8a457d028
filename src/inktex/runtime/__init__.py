"""Exported models, run by onnxruntime without torch."""

from .modelfile import Member, ModelError, ModelFile, read_model, write_model
from .models import Model, ModelInfo, ModelInput, find_model, join_models, known_models, load_model
from .stepper import OnnxStepper

__all__ = [
    "Member",
    "Model",
    "ModelError",
    "ModelFile",
    "ModelInfo",
    "ModelInput",
    "OnnxStepper",
    "find_model",
    "join_models",
    "known_models",
    "load_model",
    "read_model",
    "write_model",
]
