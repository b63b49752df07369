"""Ray casting of round cones under affine maps, inside each shape's exact image bounds, with a depth buffer.

All (frame, shape) pairs of a batch of frames are flattened into one ragged list of rays, so the cost per shape is a
few array operations on many rays rather than many operations on few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .camera import Camera
from .shapes import ShapeSet
from .skeleton import Array

Float = NDArray[np.floating[Any]]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Placed:
    """Shapes placed in T frames, flattened frame by frame to K = T * P pairs.

    `rays` (K, 3, 3) maps a ray (across, up, 1) of the camera to local space; `eye` (K, 3) is the camera there;
    `normals` (K, 3, 3) maps local normals to the world; `bounds` (K, 4) are tangents left, right, bottom, top.
    """

    rays: Array
    eye: Array
    normals: Array
    depth: Array
    bounds: Array
    shape: Index
    frame: Index


@dataclass(frozen=True)
class Hits:
    """Nearest hits, one per covered pixel: flat pixel index, depth in metres, pair, local point (N, 3)."""

    pixel: Index
    depth: Float
    pair: Index
    point: Float


def place_shapes(shapes: ShapeSet, position: Array, rotation: Array, camera: Camera) -> Placed:
    """Put shapes on frames `position` (T, F, 3), `rotation` (T, F, 3, 3) and see them from the camera."""
    turn = rotation[:, shapes.frame]
    origin = position[:, shapes.frame] + np.einsum("tpij,pj->tpi", turn, shapes.offset)
    inverse = np.linalg.inv(shapes.basis) @ turn.swapaxes(-1, -2)
    axes = camera.axes[:, None]
    away = origin - camera.position[:, None]
    eye = -np.einsum("tpij,tpj->tpi", inverse, away)
    centre = np.einsum("tpij,tpj->tpi", np.broadcast_to(axes, turn.shape), away)
    seen = axes @ turn @ shapes.basis
    frames, count = origin.shape[:2]
    flat = (frames * count,)
    return Placed(
        rays=(inverse @ axes.swapaxes(-1, -2)).reshape(*flat, 3, 3),
        eye=eye.reshape(*flat, 3),
        normals=inverse.swapaxes(-1, -2).reshape(*flat, 3, 3),
        depth=centre[..., 2].reshape(flat),
        bounds=_bounds(shapes, centre, seen).reshape(*flat, 4),
        shape=np.tile(np.arange(count), frames),
        frame=np.repeat(np.arange(frames), count),
    )


def _bounds(shapes: ShapeSet, centre: Array, seen: Array) -> Array:
    """Exact image bounds (T, P, 4): a round cone is the hull of two ellipsoids, each bounded by its dual conic."""
    top = centre + seen[..., :, 1] * shapes.tall[:, None]
    spread = np.einsum("tpik,tpjk->tpij", seen, seen)
    limits = []
    for point, radius in ((centre, shapes.low), (top, shapes.high)):
        dual = point[..., :, None] * point[..., None, :] - (radius**2)[:, None, None] * spread
        # A shape that reaches the camera plane has no finite bounds; it is dropped by giving it empty ones.
        near = np.where(dual[..., 2, 2] > 1e-4, dual[..., 2, 2], np.inf)
        for axis in (0, 1):
            root = np.sqrt(np.maximum(dual[..., axis, 2] ** 2 - dual[..., axis, axis] * near, 0.0))
            limits += [(dual[..., axis, 2] - root) / near, (dual[..., axis, 2] + root) / near]
    low_x, high_x, low_y, high_y, low_x2, high_x2, low_y2, high_y2 = limits
    sides = (
        np.minimum(low_x, low_x2),
        np.maximum(high_x, high_x2),
        np.minimum(low_y, low_y2),
        np.maximum(high_y, high_y2),
    )
    return np.nan_to_num(np.stack(sides, axis=-1))


def cast(shapes: ShapeSet, placed: Placed, camera: Camera, depth: Float, budget: int = 120_000) -> Hits:
    """Nearest hits in front of `depth` (T, H, W), which is updated in place."""
    _, height, width = depth.shape
    boxes = _pixel_boxes(placed, camera, height, width)
    counts = (boxes[:, 1] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 2])
    pairs = np.flatnonzero((counts > 0) & (placed.depth > 0.2))
    total = np.cumsum(counts[pairs])
    cuts = np.searchsorted(total, np.arange(budget, int(total[-1]) if len(total) else 0, budget))
    found = []
    buffer = depth.reshape(-1)
    for part in np.split(pairs, cuts):
        if len(part):
            found.append(_cast_pairs(shapes, placed, camera, part, boxes[part], (height, width), buffer))
    if not found:
        empty = np.zeros(0, np.int64)
        return Hits(empty, np.zeros(0, np.float32), empty, np.zeros((0, 3), np.float32))
    pixel, distance, pair = (np.concatenate(column) for column in zip(*found, strict=True))
    nearest = np.flatnonzero(distance == buffer[pixel])
    # Two shapes may tie on a pixel; the first one keeps it.
    _, first = np.unique(pixel[nearest], return_index=True)
    keep = nearest[first]
    return _with_points(placed, camera, pixel[keep], distance[keep], pair[keep], (height, width))


def _pixel_boxes(placed: Placed, camera: Camera, height: int, width: int) -> Index:
    """First and last-plus-one column and row (K, 4) of the pixels whose centres lie in the bounds."""
    focal = camera.focal[placed.frame] * min(height, width)
    left, right, bottom, top = placed.bounds.T
    columns = (width / 2 + left * focal - 0.5, width / 2 + right * focal - 0.5)
    rows = (height / 2 - top * focal - 0.5, height / 2 - bottom * focal - 0.5)
    edges = (np.ceil(columns[0]), np.floor(columns[1]) + 1, np.ceil(rows[0]), np.floor(rows[1]) + 1)
    limits = (width, width, height, height)
    boxes = np.stack([np.clip(edge, 0, limit) for edge, limit in zip(edges, limits, strict=True)], axis=1)
    return boxes.astype(np.int64)


def _cast_pairs(
    shapes: ShapeSet,
    placed: Placed,
    camera: Camera,
    pairs: Index,
    boxes: Index,
    size: tuple[int, int],
    buffer: Float,
) -> tuple[Index, Float, Index]:
    """Candidate hits of some pairs: flat pixel, depth, pair. `buffer` takes their minimum."""
    height, width = size
    wide, tall = boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 2]
    counts = wide * tall
    first = np.cumsum(counts) - counts
    step = (np.arange(int(counts.sum())) - np.repeat(first, counts)).astype(np.int32)
    row, column = np.divmod(step, np.repeat(wide, counts).astype(np.int32))
    row += np.repeat(boxes[:, 2], counts).astype(np.int32)
    column += np.repeat(boxes[:, 0], counts).astype(np.int32)
    inverse_focal = 1.0 / (camera.focal[placed.frame[pairs]] * min(height, width))
    scale = np.repeat(inverse_focal.astype(np.float32), counts)
    across = (column.astype(np.float32) + np.float32(0.5 - width / 2)) * scale
    up = (np.float32(height / 2 - 0.5) - row.astype(np.float32)) * scale
    # Rays that miss give the square root of a negative number, which marks them.
    with np.errstate(invalid="ignore", divide="ignore"):
        distance = _intersect(shapes, placed, pairs, counts, across, up)
    hit = np.flatnonzero(np.isfinite(distance))
    owner = np.repeat(np.arange(len(pairs)), counts)[hit]
    pixel = (placed.frame[pairs] * (height * width))[owner] + row[hit].astype(np.int64) * width + column[hit]
    distance = distance[hit]
    front = distance < buffer[pixel]
    pixel, distance, owner = pixel[front], distance[front], owner[front]
    np.minimum.at(buffer, pixel, distance)
    return pixel, distance, pairs[owner]


def _intersect(shapes: ShapeSet, placed: Placed, pairs: Index, counts: Index, across: Float, up: Float) -> Float:
    """Depth of the entry point of each ray, infinity where it misses."""

    def spread(values: Array) -> Float:
        return np.repeat(values.astype(np.float32), counts)

    rays, kind = placed.rays[pairs], placed.shape[pairs]
    # Starting near the shape instead of at the camera keeps float32 exact enough.
    start = placed.depth[pairs]
    near = placed.eye[pairs] + start[:, None] * rays[:, :, 2]
    direction: list[Float] = []
    point: list[Float] = []
    for axis in range(3):
        turn_x, turn_y = spread(rays[:, axis, 0]) * across, spread(rays[:, axis, 1]) * up
        sideways = turn_x + turn_y
        direction.append(sideways + spread(rays[:, axis, 2]))
        point.append(spread(near[:, axis]) + spread(start) * sideways)
    tall, low, high = shapes.tall[kind], shapes.low[kind], shapes.high[kind]
    slope = np.where(tall > 0, (low - high) / np.maximum(tall, 1e-9), 0.0)
    tube, ball = shapes.tube[kind], tall == 0
    ends = (spread(np.where(tube, 0.0, slope * low)), spread(np.where(tube, tall, tall + slope * high)))
    nearest = _hit_side(direction, point, spread(slope), spread(low), ends)
    limit = spread(np.where(ball, np.inf, np.where(tube, -np.inf, slope * low)))
    bottom = _hit_ball(direction, point, spread(low), None)
    bottom[point[1] + bottom * direction[1] > limit] = np.inf
    nearest = np.minimum(nearest, bottom)
    capped = np.flatnonzero(np.repeat(~tube & ~ball, counts))
    if len(capped):
        _hit_cap(nearest, capped, direction, point, spread(tall), spread(high), ends[1])
    return nearest + spread(start)


def _hit_side(
    direction: list[Float], point: list[Float], slope: Float, low: Float, ends: tuple[Float, Float]
) -> Float:
    (dx, dy, dz), (px, py, pz) = direction, point
    squeeze = 1 - slope * slope
    reach = low - slope * py
    lean = slope * dy
    a = squeeze * (dx * dx + dz * dz) - lean * lean
    b = squeeze * (px * dx + pz * dz) + lean * reach
    c = squeeze * (px * px + pz * pz) - reach * reach
    root = np.sqrt(b * b - a * c)
    distance = -(b + root) / a
    height = py + distance * dy
    distance[~((height >= ends[0]) & (height <= ends[1]))] = np.inf
    return distance


def _hit_ball(direction: list[Float], point: list[Float], radius: Float, centre: Float | None) -> Float:
    (dx, dy, dz), (px, py, pz) = direction, point
    if centre is not None:
        py = py - centre
    a = dx * dx + dy * dy + dz * dz
    b = px * dx + py * dy + pz * dz
    c = px * px + py * py + pz * pz - radius * radius
    distance = -(b + np.sqrt(b * b - a * c)) / a
    distance[np.isnan(distance)] = np.inf
    return distance


def _hit_cap(
    nearest: Float, rows: Index, direction: list[Float], point: list[Float], tall: Float, high: Float, end: Float
) -> None:
    """Lower `nearest` in place where the rounded upper end is closer."""
    direction, point = [values[rows] for values in direction], [values[rows] for values in point]
    distance = _hit_ball(direction, point, high[rows], tall[rows])
    distance[point[1] + distance * direction[1] < end[rows]] = np.inf
    nearest[rows] = np.minimum(nearest[rows], distance)


def _with_points(
    placed: Placed, camera: Camera, pixel: Index, depth: Float, pair: Index, size: tuple[int, int]
) -> Hits:
    height, width = size
    rest = pixel % (height * width)
    scale = 1.0 / (camera.focal[placed.frame[pair]] * min(height, width))
    across = (rest % width + 0.5 - width / 2) * scale
    up = (height / 2 - 0.5 - rest // width) * scale
    rays = placed.rays[pair]
    ray = rays[:, :, 0] * across[:, None] + rays[:, :, 1] * up[:, None] + rays[:, :, 2]
    point = placed.eye[pair] + depth[:, None] * ray
    return Hits(pixel, depth, pair, point.astype(np.float32))
