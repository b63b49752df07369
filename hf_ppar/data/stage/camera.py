"""A perspective camera that may move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .skeleton import Array


@dataclass(frozen=True)
class Camera:
    """Camera over T frames.

    `position` (T, 3); `axes` (T, 3, 3) with rows right, up, forward; `focal` (T,) as a share of the image's smaller
    side.
    """

    position: Array
    axes: Array
    focal: Array

    @property
    def still(self) -> bool:
        """Whether all frames share one view."""
        parts = (self.position, self.axes, self.focal)
        return all(bool(np.all(part == part[:1])) for part in parts)

    def frames(self, part: slice) -> Camera:
        """The camera of some of the frames."""
        return Camera(self.position[part], self.axes[part], self.focal[part])

    def project(self, points: Array, height: int, width: int) -> Array:
        """Pixel coordinates (T, ..., 2) of world points (T, ..., 3); pixel centres are at whole numbers plus half."""
        lead = (slice(None),) + (None,) * (points.ndim - 2)
        seen = np.einsum("tij,t...j->t...i", self.axes, points - self.position[lead])
        scale = (self.focal * min(height, width))[lead] / np.maximum(seen[..., 2], 1e-3)
        return np.stack([width / 2 + seen[..., 0] * scale, height / 2 - seen[..., 1] * scale], axis=-1)


def look_at(position: Array, target: Array, focal: Array, roll: Array) -> Camera:
    """Camera at `position` (T, 3) that looks at `target` (T, 3), turned about its axis by `roll` (T,) degrees."""
    forward = target - position
    forward = forward / np.linalg.norm(forward, axis=1, keepdims=True)
    right = np.cross(forward, np.array([0.0, 1.0, 0.0]))
    right = right / np.linalg.norm(right, axis=1, keepdims=True)
    up = np.cross(right, forward)
    cosine, sine = np.cos(np.deg2rad(roll))[:, None], np.sin(np.deg2rad(roll))[:, None]
    axes = np.stack([cosine * right + sine * up, cosine * up - sine * right, forward], axis=1)
    return Camera(position, axes, focal)


def pixel_rays(camera: Camera, height: int, width: int) -> tuple[Array, Array]:
    """Horizontal (T, W) and vertical (T, H) tangents of the pixel centres' rays."""
    focal = camera.focal[:, None] * min(height, width)
    across = (np.arange(width) + 0.5 - width / 2)[None] / focal
    down = (height / 2 - np.arange(height) - 0.5)[None] / focal
    return across, down
