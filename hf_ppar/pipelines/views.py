"""Which clips of a video a model looks at: how many, where in time, and what part of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..models.privacy_classifier import PrivacyClassifierConfig
from ..video import CropBox, VideoInfo, VideoSource, cover_size, even_indices, probe, read_chosen

_CLIP_SECONDS = 10.0  # how long a clip may last, where the anonymizer does not say what it was trained on
_MOST_CLIPS = 8


@dataclass(frozen=True)
class Views:
    """The clips of a video: equal parts of it, each with frames spread evenly over the part.

    Args:
        frames, size: of a clip.
        clips: how many; None takes as many as bring frames about as close as in training, 8 at most.
        crops: None is the whole picture, as anonymizers are trained and judged; a number cuts as many pieces of the
            right proportions, spread along the longer side.
        clip_seconds: what a clip lasts in training.
    """

    frames: int
    size: tuple[int, int]
    clips: int | None = None
    crops: int | None = None
    clip_seconds: float = _CLIP_SECONDS

    def __post_init__(self) -> None:
        for name, value in (("num_clips", self.clips), ("num_crops", self.crops)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")

    @classmethod
    def for_model(cls, config: PrivacyClassifierConfig, clips: int | None, crops: int | None) -> Views:
        """The views that a model's anonymizer works on."""
        frames, size = config.anonymizer_clip
        anonymizer: Any = config.anonymizer
        rate = anonymizer.frame_rate
        seconds = frames / rate if rate else _CLIP_SECONDS
        return cls(frames, size, config.num_clips if clips is None else clips, crops, seconds)

    def read(self, source: VideoSource) -> tuple[np.ndarray, float]:
        """All views (views, frames, height, width, 3) uint8 of a video, and how many seconds they stand for."""
        fps = float(probe(source).fps)
        seconds = 0.0

        def choose(length: int) -> np.ndarray:
            nonlocal seconds
            seconds = length / fps
            return part_indices(length, self.count_clips(seconds), self.frames)

        decoded = read_chosen(source, choose, self.decoded_size)  # (clips, frames, H, W, 3)
        return np.concatenate([self.cut(clip) for clip in decoded]), seconds

    def count_clips(self, seconds: float) -> int:
        """Clips of a video that lasts so long."""
        return self.clips or min(_MOST_CLIPS, max(1, round(seconds / self.clip_seconds)))

    def decoded_size(self, info: VideoInfo) -> tuple[int, int]:
        """(height, width) at which frames are decoded, before any crop."""
        return self.size if self.crops is None else cover_size(info.height, info.width, self.size)

    def cut(self, clip: np.ndarray) -> np.ndarray:
        """A decoded clip (frames, H, W, 3) -> its crops (crops, frames, height, width, 3)."""
        if self.crops is None:
            return clip[None]
        slack = [clip.shape[1] - self.size[0], clip.shape[2] - self.size[1]]
        shares = [0.5] if self.crops == 1 else np.linspace(0, 1, self.crops).tolist()
        boxes = [CropBox(int(slack[0] * share), int(slack[1] * share), *self.size) for share in shares]
        return np.stack([box.cut(clip) for box in boxes])


def part_indices(length: int, parts: int, count: int) -> np.ndarray:
    """Frame numbers (parts, count): the video in equal parts, `count` frames spread evenly over each."""
    edges = np.linspace(0, length, parts + 1)
    firsts = np.minimum(np.floor(edges[:-1]).astype(int), length - 1)
    lasts = np.maximum(np.ceil(edges[1:]).astype(int) - 1, firsts)
    return np.stack([first + even_indices(last - first + 1, count) for first, last in zip(firsts, lasts, strict=True)])
