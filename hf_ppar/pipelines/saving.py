"""Anonymized clips into one file, one after the other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import numpy as np

from ..video import FrameBatch, VideoWriter, WriteOptions
from ..video.writing import check_target


class ClipFile(AbstractContextManager["ClipFile"]):
    """A video file made of clips; leaving the `with` block normally publishes it, by an exception removes it."""

    def __init__(self, target: Path, fps: float, options: WriteOptions) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        check_target(target, options)
        self.target, self.options = target, options
        self.fps = max(Fraction(1, 1001), Fraction(fps).limit_denominator(1001))
        self._writer: VideoWriter | None = None

    def add(self, clip: np.ndarray) -> None:
        """Append frames (T, H, W, 3) uint8; all clips have one size."""
        if self._writer is None:
            self._writer = VideoWriter(self.target, (clip.shape[1], clip.shape[2]), self.fps, options=self.options)
        first = self._writer.frames_written
        self._writer.write(FrameBatch(clip, list(range(first, first + len(clip))), 1 / self.fps, duration=1))

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._writer is not None:
            self._writer.__exit__(kind, error, trace)
