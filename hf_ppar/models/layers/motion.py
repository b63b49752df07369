"""Where a clip moves."""

from __future__ import annotations

import torch

from .differences import frame_differences


def soft_motion_mask(clip: torch.Tensor, threshold: float = 0.1) -> torch.Tensor:
    """(batch, frames, 1, height, width) in [0, 1]: the largest channel difference, 1 from `threshold` on.

    The classic motion mask with a ramp in place of its step.
    """
    return (frame_differences(clip).abs().amax(dim=2, keepdim=True) / threshold).clamp(max=1)
