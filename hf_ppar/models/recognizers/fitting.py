"""Clips of any size to the size and length that a ready-made model takes; differentiable."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ...video.sampling import even_indices


def fit_picture(clip: torch.Tensor, size: tuple[int, int]) -> torch.Tensor:
    """Scale a clip (batch, frames, channels, height, width) until it covers `size` (height, width), cut the centre.

    This is the usual preparation of video models. Scaling is bilinear and averages when it shrinks.
    """
    height, width = clip.shape[-2:]
    if (height, width) == size:
        return clip
    scale = max(size[0] / height, size[1] / width)
    scaled = (max(size[0], math.floor(height * scale)), max(size[1], math.floor(width * scale)))
    frames = F.interpolate(clip.flatten(0, 1), scaled, mode="bilinear", align_corners=False, antialias=True)
    top, left = (scaled[0] - size[0]) // 2, (scaled[1] - size[1]) // 2
    return frames[..., top : top + size[0], left : left + size[1]].unflatten(0, clip.shape[:2])


def fit_frames(clip: torch.Tensor, count: int) -> torch.Tensor:
    """`count` frames spread evenly over a clip (batch, frames, ...); a short clip repeats frames in order."""
    if clip.shape[1] == count:
        return clip
    return clip[:, torch.from_numpy(even_indices(clip.shape[1], count)).to(clip.device)]
