"""Pixels in [0, 1] to the range that a network was trained on, and back."""

from __future__ import annotations

from collections.abc import Sequence

import torch

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)


def normalize_clip(clip: torch.Tensor, mean: Sequence[float], std: Sequence[float]) -> torch.Tensor:
    """(clip - mean) / std for a clip (..., channels, height, width); `mean` and `std` have one value a channel."""
    return (clip - _per_channel(mean, clip)) / _per_channel(std, clip)


def denormalize_clip(clip: torch.Tensor, mean: Sequence[float], std: Sequence[float]) -> torch.Tensor:
    """The inverse of `normalize_clip`. It does not clamp."""
    return clip * _per_channel(std, clip) + _per_channel(mean, clip)


def _per_channel(values: Sequence[float], clip: torch.Tensor) -> torch.Tensor:
    return torch.tensor(tuple(values), dtype=clip.dtype, device=clip.device).view(-1, 1, 1)
