"""The one path from ink to hypotheses: open a model, read ink with it, and see which strokes say what.

    from inktex.reading import Reader, open_model
    (reading,) = Reader(open_model()).read([ink])
    reading.tokens, reading.alignment

Everything that reads ink goes through here; onnxruntime is imported nowhere else.
"""

from .alignment import Alignment, LazyAlignment, symbol_places
from .attention import stroke_attention
from .calibration import Calibration
from .executor import Executor, Processes, Threads, WorkerDied
from .model import READINGS, Model, ModelInfo, ModelInput
from .modelfile import (
    BACKWARD,
    Member,
    ModelError,
    ModelFile,
    join_models,
    parameter_count,
    read_model,
    write_model,
)
from .opening import WEIGHTS, find_model, find_weights, known_models, open_model, where_more_are
from .reader import Control, Reader, whole
from .result import Reading
from .single import SymbolGuess, guess_symbols

__all__ = [
    "BACKWARD",
    "READINGS",
    "WEIGHTS",
    "Alignment",
    "Calibration",
    "Control",
    "Executor",
    "LazyAlignment",
    "Member",
    "Model",
    "ModelError",
    "ModelFile",
    "ModelInfo",
    "ModelInput",
    "Processes",
    "Reader",
    "Reading",
    "SymbolGuess",
    "Threads",
    "WorkerDied",
    "find_model",
    "find_weights",
    "guess_symbols",
    "join_models",
    "known_models",
    "open_model",
    "parameter_count",
    "read_model",
    "stroke_attention",
    "symbol_places",
    "where_more_are",
    "whole",
    "write_model",
]
