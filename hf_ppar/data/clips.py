"""The one way to the pixels of an example: decode a file, or render a stage address, at the size that is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..video import CropBox, clip_indices, cover_size, even_indices, read_chosen
from ..video.picking import Size
from .stage import render_clip, spec_from_uri

FITS = ("crop", "stretch")
_STAGE = "stage://"

Choice = Callable[[int], Sequence[int] | np.ndarray] | Sequence[int] | np.ndarray | None


@dataclass(frozen=True)
class ClipOptions:
    """Which frames of a video make up a clip, and at what size.

    Args:
        frames: frames in a clip.
        stride: distance between them in frames; None spreads them evenly over the whole video.
        clips: clips per video, their starts spread evenly; more than one needs a stride.
        size: (height, width).
        fit: "crop" scales until the picture covers `size` and cuts out the centre; "stretch" ignores proportions.
    """

    frames: int = 16
    stride: int | None = None
    clips: int = 1
    size: tuple[int, int] = (112, 112)
    fit: str = "crop"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", tuple(self.size))
        numbers = {"frames": self.frames, "clips": self.clips, "stride": 1 if self.stride is None else self.stride}
        for name, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}={value!r} must be a whole number of at least 1.")
        if len(self.size) != 2 or any(not isinstance(side, int) or side < 1 for side in self.size):
            raise ValueError(f"size={self.size!r} must be (height, width), both at least 1.")
        if self.fit not in FITS:
            raise ValueError(f"fit={self.fit!r} is unknown; choose one of: {', '.join(FITS)}.")
        if self.stride is None and self.clips > 1:
            raise ValueError(f"clips={self.clips} needs a stride: without one a clip spans the whole video.")

    def indices(self, length: int) -> np.ndarray:
        """Frame numbers (clips, frames) in a video of `length` frames; short videos are played back and forth."""
        if self.stride is None:
            return even_indices(length, self.frames)[None]
        return clip_indices(length, self.clips, self.frames, self.stride)


def read_clips_of(video: Any, options: ClipOptions) -> np.ndarray:
    """All clips of a video, (clips, T, H, W, 3) uint8."""
    return read_example_frames(video, options.indices, options.size, options.fit)


def read_one_clip(video: Any, options: ClipOptions, number: int = 0) -> np.ndarray:
    """Clip `number` of a video, (T, H, W, 3) uint8."""
    return read_example_frames(video, lambda length: options.indices(length)[number], options.size, options.fit)


def read_example_frames(
    video: Any, choose: Choice = None, size: tuple[int, int] | None = None, fit: str = "stretch"
) -> np.ndarray:
    """Frames (..., H, W, 3) uint8 of a `video` value of the schema, or of anything `hf_ppar.video` reads.

    Args:
        choose: frame numbers, or a function from the video's length to frame numbers; None reads every frame. The
            result is shaped like them.
        size: (height, width); a stage clip is rendered at this size, a video is scaled. None keeps the video's own.
        fit: see `ClipOptions`; a stage clip always fits.
    """
    address = _stage_address(video)
    if address is not None:
        return _render(address, choose, size)
    if size is None or fit == "stretch":
        return _decode(video, choose, size)
    decoded = _decode(video, choose, lambda info: cover_size(info.height, info.width, size))
    top, left = (decoded.shape[-3] - size[0]) // 2, (decoded.shape[-2] - size[1]) // 2
    return np.ascontiguousarray(CropBox(top, left, *size).cut(decoded))


def video_name(video: Any) -> str:
    """What to call a video in messages: its path or address."""
    if isinstance(video, Mapping):
        return str(video.get("path") or f"<{len(video.get('bytes') or b'')} bytes>")
    return str(video)


def is_rendered(video: Any) -> bool:
    """Whether the value is a stage address rather than a video."""
    return _stage_address(video) is not None


def _stage_address(video: Any) -> str | None:
    if isinstance(video, Mapping):
        video = video.get("path") if video.get("bytes") is None else None
    return video if isinstance(video, str) and video.startswith(_STAGE) else None


def _render(address: str, choose: Choice, size: tuple[int, int] | None) -> np.ndarray:
    spec = spec_from_uri(address)
    height, width = size or (None, None)
    frames = render_clip(spec, height=height, width=width).rgb
    return frames[_chosen(choose, len(frames))]


def _decode(video: Any, choose: Choice, size: Size) -> np.ndarray:
    return read_chosen(video, partial(_chosen, choose), size)


def _chosen(choose: Choice, length: int) -> np.ndarray:
    if choose is None:
        return np.arange(length)
    return np.asarray(choose(length) if callable(choose) else choose, dtype=np.int64)
