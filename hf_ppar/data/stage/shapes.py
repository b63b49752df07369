"""Round cones and ellipsoids that ride on skeleton segments: what figures and props are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from .people import Colour
from .skeleton import SEGMENT_INDEX, Array

Vector = tuple[float, float, float]
PARAMS = 12


class Paint(IntEnum):
    """Procedural surface of a shape; see `paint.py`."""

    PLAIN = 0
    FACE = 1
    TOP = 2
    CLOTH = 3
    HAIR = 4
    SHOE = 5
    MASK = 6
    KNIT = 7
    SKIN = 8


@dataclass(frozen=True)
class Material:
    """Colours (sRGB in [0, 1]), paint and its parameters; `gloss` in [0, 1]."""

    colour: Colour
    accent: Colour = (0.0, 0.0, 0.0)
    third: Colour = (0.0, 0.0, 0.0)
    paint: Paint = Paint.PLAIN
    gloss: float = 0.08
    params: tuple[float, ...] = ()


@dataclass(frozen=True)
class ShapeSet:
    """P shapes as arrays. A shape is a round cone of height `tall` between radii `low` and `high` in local space.

    `basis` (P, 3, 3) maps local to segment space (scaled axes), `offset` (P, 3) is the local origin there. `frame`
    (P,) numbers the frame that carries the shape. A `tube` has no rounded ends.
    """

    frame: NDArray[np.int64]
    basis: Array
    offset: Array
    tall: Array
    low: Array
    high: Array
    tube: NDArray[np.bool_]
    palette: Array
    paint: NDArray[np.int64]
    gloss: Array
    params: Array

    def __len__(self) -> int:
        return len(self.frame)

    def carried_by(self, first: int) -> ShapeSet:
        """The same shapes with frame numbers that start at `first`."""
        return ShapeSet(self.frame + first, *[getattr(self, name) for name in _ARRAYS[1:]])


_ARRAYS = tuple(ShapeSet.__dataclass_fields__)


def join_shapes(sets: Sequence[ShapeSet]) -> ShapeSet:
    """One set with the shapes of all of `sets`."""
    return ShapeSet(*[np.concatenate([getattr(part, name) for part in sets]) for name in _ARRAYS])


def linear(colour: Colour) -> tuple[float, ...]:
    """sRGB in [0, 1] to linear light."""
    return tuple(float(value) ** 2.2 for value in colour)


@dataclass
class ShapeList:
    """Collects shapes one at a time; `frozen` turns them into arrays."""

    rows: list[tuple[object, ...]] = field(default_factory=list)

    def cone(
        self,
        segment: str,
        start: Vector,
        end: Vector,
        radii: tuple[float, float],
        material: Material,
        flat: tuple[float, float] = (1.0, 1.0),
        tube: bool = False,
    ) -> None:
        """A round cone; `flat` scales its cross-section along the segment's x and z (or nearest) axes."""
        axis = np.subtract(end, start)
        tall = float(np.linalg.norm(axis))
        up = axis / tall
        hint = np.array([0.0, 0.0, 1.0]) if abs(up[0]) > 0.9 else np.array([1.0, 0.0, 0.0])
        side = hint - up * (hint @ up)
        side /= np.linalg.norm(side)
        basis = np.stack([side * flat[0], up, np.cross(side, up) * flat[1]], axis=1)
        # A cone whose slope would exceed its length is a ball; the limit keeps the tangent circles real.
        low, high = radii
        high = float(np.clip(high, low - 0.98 * tall, low + 0.98 * tall))
        self._append(segment, basis, start, tall, low, high, tube, material)

    def ball(self, segment: str, centre: Vector, radii: Vector, material: Material, pitch: float = 0.0) -> None:
        """An ellipsoid, tipped forward by `pitch` degrees."""
        angle = np.deg2rad(pitch)
        turn = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
        self._append(segment, turn @ np.diag(radii), centre, 0.0, 1.0, 1.0, False, material)

    def _append(
        self,
        segment: str,
        basis: Array,
        offset: Vector,
        tall: float,
        low: float,
        high: float,
        tube: bool,
        material: Material,
    ) -> None:
        params = np.zeros(PARAMS)
        params[: len(material.params)] = material.params
        palette = [linear(colour) for colour in (material.colour, material.accent, material.third)]
        surface = (palette, int(material.paint), material.gloss, params)
        self.rows.append((SEGMENT_INDEX[segment], basis, offset, tall, low, high, tube, *surface))

    def frozen(self) -> ShapeSet:
        columns = list(zip(*self.rows, strict=True))
        return ShapeSet(*[np.array(column) for column in columns])
