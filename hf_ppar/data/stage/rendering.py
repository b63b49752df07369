"""Clip specification -> pixels, depth, silhouette and joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .backdrop import Backdrop, render_backdrop
from .clips import ClipSpec
from .labels import split_number
from .lighting import FloorShadow, cast_floor_shadow, shade
from .raycasting import cast, place_shapes
from .scene import Scene, build_scene
from .skeleton import JOINTS, SEGMENTS

Float = NDArray[np.floating[Any]]

SUPERSAMPLING = 2
_PIXELS_PER_BATCH = 300_000
_LEVELS = 4096
_WHITE = 1.7
_LIGHT = _WHITE * np.arange(_LEVELS) / (_LEVELS - 1)
# A soft shoulder keeps bright skin and walls from clipping before the usual gamma.
_GAMMA = (255.0 * np.clip(1.32 * _LIGHT / (1 + 0.46 * _LIGHT), 0, 1) ** (1 / 2.2) + 0.5).astype(np.uint8)


@dataclass(frozen=True)
class StageClip:
    """A rendered clip.

    `rgb` uint8 (T, H, W, 3); `depth` float32 (T, H, W) in metres along the camera's axis, infinite in the sky;
    `silhouette` bool (T, H, W) of all people; `joints` float32 (T, people, J, 2) in pixels as (x, y), in the order of
    `JOINT_NAMES`, the acting person first.
    """

    rgb: NDArray[np.uint8]
    depth: Float
    silhouette: NDArray[np.bool_]
    joints: Float
    fps: float


def render_clip(
    spec: ClipSpec,
    *,
    height: int | None = None,
    width: int | None = None,
    frames: int | None = None,
    fps: float | None = None,
) -> StageClip:
    """Render a clip; size, length and frame rate default to the options of the specification."""
    options = spec.options
    height, width = options.height if height is None else height, options.width if width is None else width
    frames, fps = options.frames if frames is None else frames, options.fps if fps is None else fps
    # Checks the overrides with the messages of the options.
    replace(options, height=height, width=width, frames=frames, fps=fps)
    scene = build_scene(spec, frames, fps)
    shadow = cast_floor_shadow(scene.position, len(scene.people), scene.light)
    fine = (height * SUPERSAMPLING, width * SUPERSAMPLING)
    still = (
        render_backdrop(scene.place, scene.camera.frames(slice(0, 1)), scene.light, *fine)
        if scene.camera.still
        else None
    )
    step = max(1, _PIXELS_PER_BATCH // (fine[0] * fine[1]))
    parts = [
        _render_frames(scene, shadow, still, slice(at, min(at + step, frames)), fine) for at in range(0, frames, step)
    ]
    light, depth, silhouette = (np.concatenate(column) for column in zip(*parts, strict=True))
    return StageClip(_develop(light, scene.noise, spec), depth, silhouette, _joints(scene, height, width), float(fps))


def _render_frames(
    scene: Scene, shadow: FloorShadow, still: Backdrop | None, part: slice, size: tuple[int, int]
) -> tuple[Float, Float, NDArray[np.bool_]]:
    """Linear colour (t, H, W, 3), depth and silhouette of some frames, at the final resolution."""
    camera = scene.camera.frames(part)
    count = len(camera.position)
    backdrop = still or render_backdrop(scene.place, camera, scene.light, *size)
    repeat = count if still else 1
    colour, depth = np.tile(backdrop.colour, (repeat, 1, 1, 1)), np.tile(backdrop.depth, (repeat, 1, 1))
    if still:
        for frame in range(count):
            _darken_floor(colour[frame], backdrop, shadow, np.array(part.start + frame))
    else:
        _darken_floor(colour, backdrop, shadow, part.start + backdrop.floor_pixel // (size[0] * size[1]))
    placed = place_shapes(scene.shapes, scene.position[part], scene.rotation[part], camera)
    hits = cast(scene.shapes, placed, camera, depth)
    shaded = shade(scene.shapes, placed, hits, scene.light, camera.axes[:, 2])
    colour.reshape(-1, 3)[hits.pixel] = shaded * _nearness_shadow(depth, hits.pixel, _far_limit(scene, part))[:, None]
    person = np.zeros(depth.shape, bool)
    person.reshape(-1)[hits.pixel] = placed.shape[hits.pair] < scene.person_shapes
    return _downsample(colour, depth, person)


def _far_limit(scene: Scene, part: slice) -> Float:
    """Depth (t, 1, 1) a little behind the people, per frame."""
    away = scene.position[part] - scene.camera.position[part][:, None]
    depth = np.einsum("ti,tfi->tf", scene.camera.axes[part][:, 2], away[:, : len(scene.people) * len(SEGMENTS)])
    return (depth.max(axis=1) + 0.4).astype(np.float32)[:, None, None]


def _nearness_shadow(depth: Float, pixel: NDArray[np.int64], limit: Float) -> Float:
    """Light factors of pixels: what lies close behind something else is darker, which sets limbs off the trunk."""
    own = depth.reshape(-1)[pixel]
    limited = np.minimum(depth, limit)
    reach = max(2, min(depth.shape[1:]) // 32)
    blurred = _spread(_spread(limited, reach), (reach + 1) // 2).reshape(-1)[pixel]
    return 1.0 - 0.55 * np.clip((own - blurred) / 0.10, 0.0, 1.0)


def _spread(values: Float, reach: int) -> Float:
    """Weighted mean of each pixel and those `reach` away along both image axes, edges repeated."""
    for axis in (1, 2):
        pad = [(0, 0)] * 3
        pad[axis] = (reach, reach)
        wide = np.pad(values, pad, mode="edge")
        before, after = [slice(None)] * 3, [slice(None)] * 3
        before[axis], after[axis] = slice(None, -2 * reach), slice(2 * reach, None)
        values = np.float32(0.25) * (wide[tuple(before)] + wide[tuple(after)]) + np.float32(0.5) * values
    return values


def _darken_floor(colour: Float, backdrop: Backdrop, shadow: FloorShadow, frame: NDArray[np.int64]) -> None:
    """Put the shadow of `frame` (one for all floor points, or one each) on the floor, in place."""
    taken = shadow.at(frame, backdrop.floor_x, backdrop.floor_z)
    rows = np.flatnonzero(taken > 0.004)
    colour.reshape(-1, 3)[backdrop.floor_pixel[rows]] *= (1.0 - 0.62 * taken[rows])[:, None]


def _downsample(colour: Float, depth: Float, person: NDArray[np.bool_]) -> tuple[Float, Float, NDArray[np.bool_]]:
    """Average colour; a pixel belongs to a person if half of its samples do, and takes their nearest depth."""
    s = SUPERSAMPLING
    corners = [(slice(None), slice(i, None, s), slice(j, None, s)) for i in range(s) for j in range(s)]
    mean = sum(colour[corner] for corner in corners) / np.float32(s * s)
    covered = sum(person[corner].astype(np.int8) for corner in corners)
    silhouette = np.asarray(covered) >= (s * s) // 2
    near, far = depth[corners[0]], depth[corners[0]]
    for corner in corners[1:]:
        near, far = np.minimum(near, depth[corner]), np.maximum(far, depth[corner])
    return np.asarray(mean), np.where(silhouette, near, far), silhouette


def _develop(light: Float, noise: float, spec: ClipSpec) -> NDArray[np.uint8]:
    """Linear light to 8-bit sRGB, with sensor noise if there is any."""
    if noise:
        numbers = [spec.options.seed, 104, split_number(spec.split), spec.index, spec.clip_seed]
        rng = np.random.default_rng(numbers)
        amount = noise * (0.15 + np.sqrt(np.clip(light, 0, 1)))
        light = light + 0.3 * amount * rng.standard_normal(light.shape, dtype=np.float32)
    levels = np.clip(light * ((_LEVELS - 1) / _WHITE), 0, _LEVELS - 1).astype(np.int16)
    return _GAMMA[levels]


def _joints(scene: Scene, height: int, width: int) -> Float:
    seen = []
    for skeleton, tall in zip(scene.people, scene.heights, strict=True):
        points = [skeleton.point(segment, (x * tall, y * tall, z * tall)) for _, segment, (x, y, z) in JOINTS]
        seen.append(np.stack(points, axis=1))
    world = np.stack(seen, axis=1)
    return scene.camera.project(world, height, width).astype(np.float32)
