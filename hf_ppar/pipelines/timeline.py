"""A long video as a row of windows, each looked at as a clip of its own, in memory that does not grow with length."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..video import VideoSource, even_indices, open_video
from .views import Views

_BATCH = 32


@dataclass(frozen=True)
class Moment:
    """A window of a video: its seconds, and the views of it (crops, frames, height, width, 3) uint8."""

    start: float
    end: float
    clips: np.ndarray


@dataclass(frozen=True)
class Timeline:
    """Windows of `window` seconds that begin every `stride` seconds.

    The last one ends with the video. Less than half a window that is left over joins the window before it, so that
    every row stands for at least half a window, if the video is that long. Frames are held at the size of the views,
    for one and a half windows at most.
    """

    window: float
    stride: float
    views: Views

    def __post_init__(self) -> None:
        for name, value in (("window", self.window), ("stride", self.stride)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
                raise ValueError(f"{name} must be a number of seconds above 0, got {value!r}")
        if self.stride > self.window:
            raise ValueError(
                f"stride must be at most the window of {self.window} s or moments are missed, got {self.stride}"
            )

    def moments(self, source: VideoSource) -> Iterator[Moment]:
        """The windows of a video, in order. A stretch without frames has none."""
        window, stride = (Fraction(value).limit_denominator(10**6) for value in (self.window, self.stride))
        start = shown = Fraction(0)  # of the next window; frames before `shown` have been in one
        held: deque[tuple[Fraction, np.ndarray]] = deque()
        with open_video(source) as reader:
            tick = 1 / Fraction(reader.info.fps)
            for batch in reader.batches(_BATCH, self.views.decoded_size(reader.info)):
                for frame, number in zip(batch.frames, batch.times, strict=True):
                    time = number * batch.time_base
                    while time >= start + window:
                        if held and held[-1][0] >= shown:
                            if time + tick < start + stride + window / 2:
                                break  # this may be the end, and too little for a window of its own
                            shown = start + window
                            yield self._moment(start, shown, held)
                        start += stride
                        while held and held[0][0] < start:
                            held.popleft()
                    held.append((time, frame))
        if held[-1][0] >= shown:
            yield self._moment(start, held[-1][0] + tick, held)

    def _moment(self, start: Fraction, end: Fraction, held: deque[tuple[Fraction, np.ndarray]]) -> Moment:
        frames = [frame for time, frame in held if time < end]
        clip = np.stack([frames[number] for number in even_indices(len(frames), self.views.frames)])
        return Moment(float(start), float(end), self.views.cut(clip))
