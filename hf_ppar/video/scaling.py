"""Resize frames. One scaler (FFmpeg's) serves reading, the processors and writing, so that sizes agree everywhere."""

from __future__ import annotations

import av
import numpy as np
from av.video.reformatter import Interpolation, VideoReformatter


def resize_frames(frames: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Frames (T, H, W, 3) uint8 -> (T, height, width, 3): area average down, bicubic up."""
    height, width = size
    if frames.shape[1:3] == (height, width):
        return frames
    shrinks = height * width < frames.shape[1] * frames.shape[2]
    interpolation = Interpolation.AREA if shrinks else Interpolation.BICUBIC
    scaler = VideoReformatter()
    return np.stack(
        [
            scaler.reformat(
                av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24"),
                width,
                height,
                format="rgb24",
                interpolation=interpolation,
                threads=1,
            ).to_ndarray()
            for frame in frames
        ]
    )


def fit_short_side(height: int, width: int, short_side: int) -> tuple[int, int]:
    """(height, width) scaled so that the shorter is `short_side`; both even, as 4:2:0 video needs."""
    if short_side < 2:
        raise ValueError(f"the short side must be at least 2 pixels, got {short_side}")
    scale = short_side / min(height, width)
    return 2 * max(1, round(height * scale / 2)), 2 * max(1, round(width * scale / 2))


def cover_size(height: int, width: int, size: tuple[int, int]) -> tuple[int, int]:
    """The smallest (height, width) of the same proportions that covers `size`."""
    scale = max(size[0] / height, size[1] / width)
    return max(size[0], round(height * scale)), max(size[1], round(width * scale))
