"""What changed between neighbouring frames."""

from __future__ import annotations

import torch


def frame_differences(clip: torch.Tensor) -> torch.Tensor:
    """x_t - x_(t-1) of a clip (batch, frames, channels, height, width); 0 for the first frame, which has no past."""
    difference = torch.zeros_like(clip)
    difference[:, 1:] = clip[:, 1:] - clip[:, :-1]
    return difference
