"""Clips as sequences of tubelets: cutting, embedding, and putting a clip together again.

A tubelet is a box of (frames, height, width) pixels; one tubelet is one token. Tokens are ordered by time, then row,
then column. The pixels of a tubelet are ordered (channel, frame, row, column), as in a Conv3d filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
from transformers import initialization as init


class TubeletGrid(NamedTuple):
    """How many tubelets a clip has along time, height and width."""

    time: int
    height: int
    width: int

    @property
    def tokens(self) -> int:
        """Tubelets of the whole clip."""
        return self.time * self.height * self.width

    @property
    def tokens_per_step(self) -> int:
        """Tubelets of one time step."""
        return self.height * self.width

    @classmethod
    def of(cls, frames: int, height: int, width: int, tubelet_size: Sequence[int]) -> TubeletGrid:
        """The grid of a clip of this size; refuses one that tubelets do not fill."""
        size = (frames, height, width)
        if any(side < step or side % step for side, step in zip(size, tubelet_size, strict=True)):
            raise ValueError(
                f"a clip of (frames, height, width) = {size} cannot be cut into tubelets of {tuple(tubelet_size)}: "
                "each side must be a multiple of the tubelet's; resize or sample the clip"
            )
        return cls(*(side // step for side, step in zip(size, tubelet_size, strict=True)))


def clip_to_tubelets(clip: torch.Tensor, tubelet_size: Sequence[int]) -> torch.Tensor:
    """Clip (batch, frames, channels, height, width) -> tubelets (batch, tokens, channels * tubelet pixels)."""
    batch, frames, channels, height, width = clip.shape
    grid = TubeletGrid.of(frames, height, width, tubelet_size)
    depth, rows, columns = tubelet_size
    boxes = clip.reshape(batch, grid.time, depth, channels, grid.height, rows, grid.width, columns)
    return boxes.permute(0, 1, 4, 6, 3, 2, 5, 7).reshape(batch, grid.tokens, -1)


def tubelets_to_clip(tubelets: torch.Tensor, grid: TubeletGrid, tubelet_size: Sequence[int]) -> torch.Tensor:
    """The inverse of `clip_to_tubelets`: (batch, tokens, values) -> (batch, frames, channels, height, width)."""
    depth, rows, columns = tubelet_size
    boxes = tubelets.unflatten(1, tuple(grid)).unflatten(-1, (-1, depth, rows, columns))
    # (batch, time, grid height, grid width, channels, depth, rows, columns)
    boxes = boxes.permute(0, 1, 5, 4, 2, 6, 3, 7)
    frames, height, width = grid.time * depth, grid.height * rows, grid.width * columns
    return boxes.reshape(len(boxes), frames, -1, height, width)


class TubeletEmbedding(nn.Module):
    """A strided Conv3d whose stride is its kernel, computed as one matrix product.

    The weight has a Conv3d's shape (hidden, channels, frames, height, width), so that an image model's filter can be
    inflated into it (`inflate_patch_filter`). The product is several times faster on a CPU than the convolution.

    Args:
        tubelet_size: (frames, height, width) of one tubelet.
    """

    def __init__(self, hidden_size: int, tubelet_size: Sequence[int], num_channels: int = 3) -> None:
        super().__init__()
        self.tubelet_size = tuple(tubelet_size)
        self.weight = nn.Parameter(torch.empty(hidden_size, num_channels, *self.tubelet_size))
        self.bias = nn.Parameter(torch.empty(hidden_size))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialise as a ViT does; a model calls this from its `_init_weights`."""
        init.trunc_normal_(self.weight, std=0.02)
        init.zeros_(self.bias)

    def forward(self, tubelets: torch.Tensor) -> torch.Tensor:
        """Tubelets (batch, tokens, channels * tubelet pixels) -> tokens (batch, tokens, hidden)."""
        return F.linear(tubelets, self.weight.flatten(1), self.bias)


def inflate_patch_filter(weight: torch.Tensor, frames: int, centre_only: bool = False) -> torch.Tensor:
    """A patch filter (hidden, channels, height, width) of an image model as a tubelet filter of `frames` frames.

    Both ways a clip that stands still is embedded as the image was: the filter is spread over the frames and divided
    by their number, or it looks at the central frame only.
    """
    if not centre_only:
        return weight.unsqueeze(2).repeat(1, 1, frames, 1, 1) / frames
    inflated = weight.new_zeros(*weight.shape[:2], frames, *weight.shape[2:])
    inflated[:, :, frames // 2] = weight
    return inflated
