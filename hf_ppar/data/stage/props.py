"""Furniture made of shapes."""

from __future__ import annotations

import numpy as np

from .people import Colour
from .shapes import Material, ShapeList, ShapeSet
from .skeleton import Array


def build_stool(place: Array, rng: np.random.Generator) -> ShapeSet:
    """A round stool whose seat is at `place` (x, top, z)."""
    woods: tuple[Colour, ...] = ((0.55, 0.36, 0.20), (0.30, 0.20, 0.14), (0.75, 0.73, 0.70), (0.25, 0.35, 0.42))
    wood = Material(woods[int(rng.integers(0, len(woods)))], gloss=0.15)
    x, top, z = (float(value) for value in place)
    shapes = ShapeList()
    shapes.ball("root", (x, top - 0.03, z), (0.19, 0.035, 0.19), wood)
    for across, along in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        start = (x + across * 0.10, top - 0.05, z + along * 0.10)
        shapes.cone("root", start, (x + across * 0.15, 0.015, z + along * 0.15), (0.020, 0.015), wood)
    return shapes.frozen()
