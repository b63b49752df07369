"""How different an anonymized clip looks, which LaF-Privacy maximises."""

from __future__ import annotations

from typing import Literal

import torch

from ..metrics import ssim


def visual_difference(
    raw: torch.Tensor,
    anonymized: torch.Tensor,
    kept: torch.Tensor,
    pixel_weight: float = 1.0,
    ssim_weight: float = 1.0,
    kind: Literal["mse", "l1"] = "mse",
) -> torch.Tensor:
    """LaF-Privacy section 3.4.1: MSE over what is kept + 1 - SSIM over everything, (batch,).

    SSIM takes the clip as it would be shown, within [0, 1]; a weight of 0 leaves a part out.

    Args:
        raw, anonymized: (batch, frames, channels, height, width), raw in [0, 1].
        kept: (batch, frames, 1, height, width), 1 for a pixel that is not masked.
        kind: of the pixel-wise part; "l1" is the ablation of Table 2.
    """
    total = raw.new_zeros(len(raw))
    if pixel_weight:
        total = total + pixel_weight * masked_difference(raw, anonymized, kept, kind)
    if ssim_weight:
        total = total + ssim_weight * (1 - ssim(raw, anonymized.clamp(0, 1)))
    return total


def masked_difference(
    raw: torch.Tensor, anonymized: torch.Tensor, kept: torch.Tensor, kind: Literal["mse", "l1"] = "mse"
) -> torch.Tensor:
    """Mean squared, or absolute, difference over the kept pixels of each clip, (batch,)."""
    difference = raw - anonymized
    distances = difference.abs() if kind == "l1" else difference.square()
    weights = kept.detach().expand_as(distances)
    return (weights * distances).flatten(1).sum(1) / weights.flatten(1).sum(1).clamp(min=1)
