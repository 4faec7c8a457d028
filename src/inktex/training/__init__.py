"""Training: batching, loop, optimisers, checkpoints, and one process or many. Needs `inktex[train]`."""

from inktex.training.options import TrainOptions
from inktex.training.recipes import Recipe, recipe, recipe_names
from inktex.training.start import Launch, begin, resume

__all__ = [
    "Launch",
    "Recipe",
    "TrainOptions",
    "begin",
    "recipe",
    "recipe_names",
    "resume",
]
