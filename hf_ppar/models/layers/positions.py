"""Learned positions of tubelets, and their interpolation to clips of another size."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from transformers import initialization as init

from .tubelets import TubeletGrid


class PositionEmbedding(nn.Module):
    """One learned vector a tubelet of a clip, (1, tokens, hidden), no class token.

    Args:
        grid: the grid that the vectors belong to; other grids get interpolated ones.
    """

    def __init__(self, grid: TubeletGrid, hidden_size: int) -> None:
        super().__init__()
        self.grid = grid
        self.weight = nn.Parameter(torch.empty(1, grid.tokens, hidden_size))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialise as a ViT does; a model calls this from its `_init_weights`."""
        init.trunc_normal_(self.weight, std=0.02)

    def forward(self, grid: TubeletGrid) -> torch.Tensor:
        """Positions (1, tokens of `grid`, hidden)."""
        return resize_positions(self.weight, self.grid, grid)


def resize_positions(positions: torch.Tensor, old: TubeletGrid, new: TubeletGrid) -> torch.Tensor:
    """Positions (1, old tokens, hidden) -> (1, new tokens, hidden): bicubic over the picture, linear over time."""
    if old == new:
        return positions
    values = positions.reshape(old.time, old.height, old.width, -1).permute(0, 3, 1, 2)  # (time, hidden, h, w)
    if old[1:] != new[1:]:
        values = F.interpolate(values, (new.height, new.width), mode="bicubic", align_corners=False)
    values = values.permute(2, 3, 1, 0).flatten(0, 1)  # (h * w, hidden, time)
    if old.time != new.time:
        values = F.interpolate(values, new.time, mode="linear", align_corners=False)
    return values.permute(2, 0, 1).reshape(1, new.tokens, -1)


def positions_from_image(positions: torch.Tensor, side: int, grid: TubeletGrid) -> torch.Tensor:
    """Positions of a square image model (1, [extra tokens +] side * side, hidden) for the tubelets of `grid`.

    The slots of class and distillation tokens, which come first, are dropped; the rest is resized over the picture
    and repeated over time.
    """
    patches = positions[:, positions.shape[1] - side * side :]
    step = resize_positions(patches, TubeletGrid(1, side, side), TubeletGrid(1, grid.height, grid.width))
    return step.repeat(1, grid.time, 1)
