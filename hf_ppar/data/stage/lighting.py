"""Light on surfaces: a soft key light, light from sky and floor, gloss, and shadows on the floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .paint import paint
from .raycasting import Hits, Placed
from .shapes import ShapeSet
from .skeleton import SEGMENT_INDEX, Array

Float = NDArray[np.floating[Any]]

GRID = 64
GRID_METRES = 4.2
_SHADOW_CASTERS = {
    "head": 0.11,
    "neck": 0.07,
    "chest": 0.15,
    "spine": 0.14,
    "pelvis": 0.14,
    "forearm_l": 0.05,
    "forearm_r": 0.05,
    "hand_l": 0.05,
    "hand_r": 0.05,
    "upper_arm_l": 0.06,
    "upper_arm_r": 0.06,
    "shank_l": 0.07,
    "shank_r": 0.07,
    "foot_l": 0.07,
    "foot_r": 0.07,
}


@dataclass(frozen=True)
class Light:
    """`direction` points to the key light; colours are linear light."""

    direction: Float
    key: Float
    sky: Float
    floor: Float

    def on(self, normal: Float) -> Float:
        """Light (N, 3) that reaches surfaces with unit normals (N, 3)."""
        facing = normal @ self.direction
        wrapped = np.clip((facing + 0.3) / 1.3, 0.0, 1.0)[:, None]
        upward = (0.5 + 0.5 * normal[:, 1])[:, None]
        around = self.floor * (1 - upward) + self.sky * upward
        return around + self.key * (wrapped * wrapped)


def shade(shapes: ShapeSet, placed: Placed, hits: Hits, light: Light, forward: Array) -> Float:
    """Linear colours (N, 3) of hits; `forward` (T, 3) is where the camera looks."""
    kind = placed.shape[hits.pair]
    x, y, z = hits.point.T
    tall, low, high = (values[kind].astype(np.float32) for values in (shapes.tall, shapes.low, shapes.high))
    slope = np.where(tall > 0, (low - high) / np.maximum(tall, 1e-9), 0.0).astype(np.float32)
    axis = np.clip((y - slope * low) / (1 - slope * slope), 0.0, tall)
    local = np.stack([x, y - axis, z], axis=1)
    normal = np.einsum("nij,nj->ni", placed.normals[hits.pair].astype(np.float32), local)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    place = np.einsum("nij,nj->ni", shapes.basis[kind].astype(np.float32), hits.point)
    place += shapes.offset[kind].astype(np.float32)
    palette, params = shapes.palette[kind].astype(np.float32), shapes.params[kind].astype(np.float32)
    colour = paint(shapes.paint[kind], place, palette, params) * light.on(normal)
    return colour + _gloss(shapes, placed, hits, normal, light, forward)


def _gloss(shapes: ShapeSet, placed: Placed, hits: Hits, normal: Float, light: Light, forward: Array) -> Float:
    middle = light.direction[None] - forward
    middle = (middle / np.linalg.norm(middle, axis=1, keepdims=True)).astype(np.float32)
    frame = placed.frame[hits.pair]
    aligned = np.clip((normal * middle[frame]).sum(axis=1), 0.0, 1.0)
    power = aligned**2
    power = power * power
    power = power * power * power
    gloss = shapes.gloss[placed.shape[hits.pair]].astype(np.float32)
    edge = 1.0 - np.clip(-(normal * forward[frame].astype(np.float32)).sum(axis=1), 0.0, 1.0)
    rim = 0.05 * edge * edge * edge
    return ((gloss * power * 0.35)[:, None] * light.key + rim[:, None] * light.sky).astype(np.float32)


@dataclass(frozen=True)
class FloorShadow:
    """Share of light taken away on a square grid of floor cells: `grid` (T, z, x), first corner (T, 2) as x, z."""

    grid: Float
    corner: Array

    def at(self, frame: NDArray[np.int64], x: Float, z: Float) -> Float:
        """Shadow at floor points by bilinear interpolation; zero off the grid."""
        cell = GRID_METRES / GRID
        column = np.clip((x - self.corner[frame, 0]) / cell, 0, GRID - 1.001).astype(np.float32)
        row = np.clip((z - self.corner[frame, 1]) / cell, 0, GRID - 1.001).astype(np.float32)
        i, j = row.astype(np.int64), column.astype(np.int64)
        down, right = row - i, column - j
        flat = self.grid.reshape(-1)
        first = (frame * GRID + i) * GRID + j
        upper = flat[first] * (1 - right) + flat[first + 1] * right
        lower = flat[first + GRID] * (1 - right) + flat[first + GRID + 1] * right
        return upper * (1 - down) + lower * down


def cast_floor_shadow(position: Array, people: int, light: Light) -> FloorShadow:
    """Soft shadow of people (frames `position` (T, F, 3)): each body part is a blob, wider the higher it is."""
    segments = len(SEGMENT_INDEX)
    picked = [SEGMENT_INDEX[name] + person * segments for person in range(people) for name in _SHADOW_CASTERS]
    radius = np.tile(np.array(list(_SHADOW_CASTERS.values())), people)
    points = position[:, picked]
    rise = np.maximum(points[..., 1], 0.0)
    slant = light.direction[[0, 2]] / light.direction[1]
    spots = points[..., [0, 2]] - rise[..., None] * slant
    corner = position[:, SEGMENT_INDEX["pelvis"]][:, [0, 2]] - GRID_METRES / 2
    width = 0.6 * radius + 0.10 * rise
    cells = (np.arange(GRID) + 0.5) * (GRID_METRES / GRID)
    offset = (corner[:, None, :] + cells[None, :, None])[:, None] - spots[:, :, None]
    bell = np.exp(-0.5 * (offset / width[:, :, None, None]) ** 2).astype(np.float32)
    amount = (0.9 * np.minimum((radius / width) ** 2, 1.4)).astype(np.float32)
    density = np.einsum("tkz,tkx->tzx", bell[..., 1] * amount[:, :, None], bell[..., 0], optimize=True)
    grid = (1.0 - np.exp(-density)).astype(np.float32)
    # Points off the grid read its border.
    grid[:, [0, -1]] = 0.0
    grid[:, :, [0, -1]] = 0.0
    return FloorShadow(grid, corner)
