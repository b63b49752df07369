"""Display rotation: what a player does to the stored picture before showing it."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import av
import numpy as np
from av.sidedata.sidedata import Type as SideDataType


@dataclass(frozen=True)
class Orientation:
    """The display matrix of a video, as transpose then flips (the eight symmetries of a rectangle).

    `rotation` is what phones report: degrees clockwise by which the stored picture is turned for display.
    """

    transpose: bool = False
    flip_rows: bool = False
    flip_columns: bool = False

    @property
    def rotation(self) -> int:
        """Clockwise degrees, one of 0, 90, 180, 270 (a mirrored picture reports the nearest rotation)."""
        if self.transpose:
            return 270 if self.flip_rows else 90
        return 180 if self.flip_rows else 0

    def apply(self, frames: np.ndarray) -> np.ndarray:
        """Turn frames (..., H, W, 3) upright; a contiguous copy where anything changes."""
        if self == Orientation():
            return frames
        if self.transpose:
            frames = np.swapaxes(frames, -3, -2)
        if self.flip_rows:
            frames = frames[..., ::-1, :, :]
        if self.flip_columns:
            frames = frames[..., ::-1, :]
        return np.ascontiguousarray(frames)


def read_orientation(frame: av.VideoFrame) -> Orientation:
    """Orientation from the first decoded frame's display matrix; upright when there is none.

    The matrix maps stored (x, y) to displayed (x', y') = (a x + c y, b x + d y), in 16.16 fixed point. Angles other
    than multiples of 90 degrees are left as stored, as browsers do.
    """
    matrix = frame.side_data.get(SideDataType.DISPLAYMATRIX)  # type: ignore[call-overload]
    if matrix is None:
        return Orientation()
    a, b, _, c, d, *_ = (value / 65536 for value in struct.unpack("<9i", bytes(matrix)[:36]))
    if abs(a) + abs(d) > abs(b) + abs(c):
        return Orientation(flip_rows=d < 0, flip_columns=a < 0)
    return Orientation(transpose=True, flip_rows=b < 0, flip_columns=c < 0)
