"""How much of a clip a mask keeps."""

from __future__ import annotations

import torch


def mask_size(mask: torch.Tensor) -> torch.Tensor:
    """LaF-Privacy section 3.4.3: the mean absolute value of each mask (batch, ...), (batch,)."""
    return mask.abs().flatten(1).mean(1)
