"""Training methods, one a file."""

from .recipe import Batch, Losses, Modules, Optimization, Phase, Recipe, Update

__all__ = ["Batch", "Losses", "Modules", "Optimization", "Phase", "Recipe", "Update"]
