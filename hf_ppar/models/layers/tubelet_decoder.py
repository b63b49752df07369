"""From one code to a clip, by matrix products over tubelets."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from .positions import PositionEmbedding
from .transformer import Mlp, TransformerBlock
from .tubelets import TubeletGrid, tubelets_to_clip

_DARKNESS = 1.0  # a fresh decoder paints dark pictures, since most of a picture does not move


class TubeletDecoder(nn.Module):
    """A code -> one token a tubelet, by one linear map for all of them -> MLP on every token -> pixels.

    Args:
        input_size: numbers of a code.
        grid: the tubelets of the clip.
        tubelet_size: (frames, height, width) of one tubelet.
        num_layers: residual MLPs on every token, or transformer blocks with `num_heads`.
        num_heads: of attention between tokens; 0 leaves them alone, which is much cheaper.
    """

    def __init__(
        self,
        input_size: int,
        grid: TubeletGrid,
        tubelet_size: Sequence[int],
        num_channels: int = 1,
        hidden_size: int = 64,
        num_layers: int = 1,
        num_heads: int = 0,
    ) -> None:
        super().__init__()
        self.grid, self.tubelet_size = grid, tuple(tubelet_size)
        depth, rows, columns = self.tubelet_size
        self.expand = nn.Linear(input_size, grid.tokens * hidden_size)
        self.positions = PositionEmbedding(grid, hidden_size)
        self.layers = nn.ModuleList(
            TransformerBlock(hidden_size, num_heads, 2 * hidden_size) if num_heads else ResidualMlp(hidden_size)
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(hidden_size)
        self.pixels = nn.Linear(hidden_size, num_channels * depth * rows * columns)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Codes (batch, numbers) -> clip (batch, frames, channels, height, width) in [0, 1]."""
        tokens = self.expand(codes).unflatten(-1, (self.grid.tokens, -1))  # (batch, tokens, hidden)
        tokens = tokens + self.positions(self.grid)
        for layer in self.layers:
            tokens = layer(tokens)
        pixels = (self.pixels(self.norm(tokens)) - _DARKNESS).sigmoid()
        return tubelets_to_clip(pixels, self.grid, self.tubelet_size)


class ResidualMlp(nn.Module):
    """LayerNorm and an MLP of twice the width on every token, with a residual connection."""

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(hidden_size)
        self.mlp = Mlp(hidden_size, 2 * hidden_size)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return tokens + self.mlp(self.norm(tokens))
