"""Videos of one length: how long a person takes says something about who it is, even where no pixel does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from .video import FrameBatch


def fix_length(batches: Iterator[FrameBatch], frames: int, rate: Fraction) -> Iterator[FrameBatch]:
    """Exactly `frames` frames at an even rate: a longer video is cut off, a shorter one ends in a still picture."""
    done = 0
    last: FrameBatch | None = None
    for batch in batches:
        if len(batch) == 0:
            continue
        kept = batch.frames[: frames - done]
        last = _timed(batch, kept, done, rate)
        done += len(kept)
        yield last
        if done == frames:
            return
    if last is None:
        return
    still = last.frames[-1:]
    while done < frames:
        count = min(frames - done, max(1, len(last.frames)))
        yield _timed(last, np.repeat(still, count, axis=0), done, rate)
        done += count


def _timed(batch: FrameBatch, frames: np.ndarray, first: int, rate: Fraction) -> FrameBatch:
    return replace(
        batch, frames=frames, times=list(range(first, first + len(frames))), time_base=1 / rate, duration=1, audio=[]
    )
