"""Training: batching, loop, optimisers, checkpoints, and one process or many. Needs `inktex[train]`."""

from inktex.training.options import TrainOptions
from inktex.training.recipes import Recipe, recipe, recipes
from inktex.training.start import Launch, begin, begin_or_resume, resume
from inktex.training.stepper import TorchStepper

__all__ = [
    "Launch",
    "Recipe",
    "TorchStepper",
    "TrainOptions",
    "begin",
    "begin_or_resume",
    "recipe",
    "recipes",
    "resume",
]
