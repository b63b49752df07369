"""From tokens back to the pixels of their patches."""

from __future__ import annotations

import torch
from torch import nn
from transformers import initialization as init


class PatchDecoder(nn.Module):
    """A ConvTranspose2d whose stride is its kernel, computed as one matrix product.

    The weight has a ConvTranspose2d's shape (hidden, channels, height, width), and there is one bias a channel. The
    result has the order of `clip_to_tubelets` for tubelets of one frame.
    """

    def __init__(self, hidden_size: int, patch_size: int, num_channels: int = 3) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(hidden_size, num_channels, patch_size, patch_size))
        self.bias = nn.Parameter(torch.empty(num_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialise as a ViT's layers are; a model calls this from its `_init_weights`."""
        init.trunc_normal_(self.weight, std=0.02)
        init.zeros_(self.bias)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Tokens (batch, tokens, hidden) -> patches (batch, tokens, channels * height * width)."""
        bias = self.bias.repeat_interleave(self.weight[0, 0].numel())
        return tokens @ self.weight.flatten(1) + bias
