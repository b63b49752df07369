"""Cut a stream of frames into the windows a model works on, and put its answers together again.

Every input frame gets exactly one output frame, whatever the length of the video and of the window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import torch

from .models import AnonymizerConfig
from .video import play_backwards

# Frames go through a model in chunks of about this many pixels: enough to keep it busy, and small enough that the
# allocator reuses its memory. Past 32 MB a tensor is given back to the system and faulted in anew, at a third of the
# speed.
_CHUNK_PIXELS = 4 * 640 * 480


@dataclass(frozen=True)
class WindowPlan:
    """How a video is cut.

    Args:
        length: new frames a window starts with, before any context.
        hop: frames from one window to the next; less than `length` makes windows overlap.
        context: earlier frames put before each window, whose answers are thrown away.
        fixed: whether the model takes windows of exactly `length` frames; a short one is played backwards.
        batch: windows per call of the model.
        stride: the model sees every so many frames of a window, and each of its answers stands for as many.
    """

    length: int
    hop: int
    context: int
    fixed: bool
    batch: int
    stride: int = 1

    @classmethod
    def for_model(
        cls, config: AnonymizerConfig, height: int, width: int, frame_rate: Fraction | float | None = None
    ) -> WindowPlan:
        """The plan for a model working on frames of this size, of a video with this many frames a second."""
        frames = max(1, min(64, _CHUNK_PIXELS // (height * width)))
        if config.num_frames is None:
            return cls(frames, frames, config.context_frames, fixed=False, batch=1)
        known = frame_rate and config.frame_rate
        stride = max(1, round(float(frame_rate) / config.frame_rate)) if known else 1  # type: ignore[arg-type, operator]
        length = config.num_frames * stride
        hop = length if config.window == "disjoint" else max(1, length // 2)
        return cls(length, hop, 0, fixed=True, batch=max(1, frames // length), stride=stride)


@dataclass
class Window:
    """Frames (n, H, W, 3) uint8 for one call: `context` leading ones, then `count` of the video, then padding."""

    frames: np.ndarray
    context: int
    count: int


def cut_windows(chunks: Iterable[np.ndarray], plan: WindowPlan) -> Iterator[Window]:
    """Windows over a stream of frame arrays (n, H, W, 3) of any lengths, in constant memory."""
    pending: np.ndarray | None = None  # context, then frames not yet left behind
    context = 0
    fresh = 0  # pending frames that no window has held yet
    for chunk in chunks:
        if len(chunk) == 0:
            continue
        pending = chunk if pending is None or len(pending) == 0 else np.concatenate([pending, chunk])
        fresh += len(chunk)
        while len(pending) - context >= plan.length:
            yield Window(pending[: context + plan.length], context, plan.length)
            fresh = len(pending) - context - plan.length
            # Keep what the next window starts with, and the frames it looks back at.
            keep = min(plan.context, context + plan.hop)
            pending = pending[context + plan.hop - keep :]
            context = keep
    if pending is not None and fresh > 0:
        yield _last_window(pending, context, plan)


def _last_window(pending: np.ndarray, context: int, plan: WindowPlan) -> Window:
    count = len(pending) - context
    if plan.fixed:
        pending = pending[context + play_backwards(np.arange(plan.length), count)]
        context = 0
    return Window(pending, context, count)


class Joiner:
    """Joins the answers to consecutive windows; overlapping ones are cross-faded."""

    def __init__(self, plan: WindowPlan) -> None:
        self.plan = plan
        self.sum: torch.Tensor | None = None  # weighted answers (n, 3, H, W) not yet finished
        self.weight = torch.empty(0)

    def add(self, answer: torch.Tensor, window: Window) -> torch.Tensor:
        """Take the answer (n, 3, H, W) to a window; returns the frames that no later window can change."""
        answer = answer[window.context : window.context + window.count]
        if self.plan.hop == self.plan.length:
            return answer
        weight = self._ramp(window.count)
        self._accumulate(answer * weight[:, None, None, None], weight)
        return self._take(min(self.plan.hop, len(self.weight)))

    def finish(self) -> torch.Tensor | None:
        """The frames still held back after the last window, None when there are none."""
        return self._take(len(self.weight)) if len(self.weight) else None

    def _ramp(self, count: int) -> torch.Tensor:
        """A triangle over the window: each frame trusts most the window in whose middle it lies."""
        position = torch.arange(count) + 0.5
        return torch.minimum(position, self.plan.length - position)

    def _accumulate(self, answer: torch.Tensor, weight: torch.Tensor) -> None:
        held = len(self.weight)
        if self.sum is None or held == 0:
            self.sum, self.weight = answer, weight
            return
        self.sum = torch.cat([self.sum + answer[:held], answer[held:]])
        self.weight = torch.cat([self.weight + weight[:held], weight[held:]])

    def _take(self, count: int) -> torch.Tensor:
        if self.sum is None:
            raise RuntimeError("no window has been added yet")
        done = self.sum[:count] / self.weight[:count, None, None, None].to(self.sum)
        self.sum, self.weight = self.sum[count:], self.weight[count:]
        return done.clamp_(0, 1)
