"""Which frames and which crops to look at: index arithmetic, no decoding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def play_backwards(indices: np.ndarray, length: int) -> np.ndarray:
    """Complete a video of `length` frames by playing it backwards: 0 1 2 3 2 1 0 1 ...

    Maps any non-negative frame numbers into [0, length); numbers below `length` stay as they are.
    """
    _require_positive(length=length)
    if length == 1:
        return np.zeros_like(indices)
    period = 2 * (length - 1)
    folded = indices % period
    return np.where(folded < length, folded, period - folded)


def even_indices(length: int, count: int) -> np.ndarray:
    """`count` frame numbers spread evenly from the first to the last frame; short videos repeat frames in order."""
    _require_positive(length=length, count=count)
    return np.linspace(0, length - 1, count).round().astype(np.int64)


def strided_indices(length: int, count: int, stride: int = 1, start: int = 0) -> np.ndarray:
    """`count` frame numbers from `start` with a `stride`; past the end the video is played backwards."""
    _require_positive(length=length, count=count, stride=stride)
    return play_backwards(start + stride * np.arange(count), length)


def clip_indices(length: int, clips: int, count: int, stride: int = 1) -> np.ndarray:
    """Frame numbers (clips, count) of `clips` clips whose starts are spread evenly over the whole video.

    One clip is the centre one. A video shorter than a clip gives the same clip, played backwards to its length.
    """
    _require_positive(length=length, clips=clips, count=count, stride=stride)
    last_start = max(0, length - ((count - 1) * stride + 1))
    starts = [last_start // 2] if clips == 1 else np.linspace(0, last_start, clips).round().astype(np.int64)
    return np.stack([strided_indices(length, count, stride, int(start)) for start in starts])


def window_starts(length: int, window: int, hop: int) -> list[int]:
    """First frames of sliding windows that together cover every frame; the last window may run past the end."""
    _require_positive(length=length, window=window, hop=hop)
    if hop > window:
        raise ValueError(f"hop must be at most the window of {window} frames or frames are missed, got {hop}")
    count = 1 + max(0, -(-(length - window) // hop))
    return [index * hop for index in range(count)]


def window_indices(length: int, window: int, hop: int) -> np.ndarray:
    """Frame numbers (windows, window) of sliding windows, the last one completed by playing backwards."""
    return np.stack([strided_indices(length, window, start=start) for start in window_starts(length, window, hop)])


@dataclass(frozen=True)
class CropBox:
    """A square or rectangle of a frame, in pixels."""

    top: int
    left: int
    height: int
    width: int

    def cut(self, frames: np.ndarray) -> np.ndarray:
        """The box out of frames (..., H, W, channels), as a view."""
        return frames[..., self.top : self.top + self.height, self.left : self.left + self.width, :]


def square_crops(height: int, width: int, crops: int) -> list[CropBox]:
    """`crops` squares of the short side, spread evenly along the long side; one crop is the centre.

    With `clip_indices` this gives the papers' 5 x 1 and 5 x 3 views.
    """
    _require_positive(height=height, width=width, crops=crops)
    side, slack = min(height, width), abs(height - width)
    offsets = [slack // 2] if crops == 1 else np.linspace(0, slack, crops).round().astype(int).tolist()
    if height >= width:
        return [CropBox(offset, 0, side, side) for offset in offsets]
    return [CropBox(0, offset, side, side) for offset in offsets]


def _require_positive(**values: int) -> None:
    for name, value in values.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
