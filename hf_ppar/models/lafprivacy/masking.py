"""The Action-Aware Masking Module: which patches of a frame matter more than its mean (LaF-Privacy section 3.2)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import nn

# "off" keeps everything, "straight-through" is hard with the gradient of the soft mask.
Masking = Literal["off", "soft", "straight-through", "hard"]
MASKINGS: tuple[Masking, ...] = ("off", "soft", "straight-through", "hard")


class TokenScores(nn.Module):
    """LayerNorm, Linear, GELU, Linear: how much a token matters, less the mean of its frame.

    Args:
        score_hidden_size: width of the layer between; the paper leaves it open.
    """

    def __init__(self, hidden_size: int, score_hidden_size: int, layer_norm_eps: float = 1e-6) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.LayerNorm(hidden_size, eps=layer_norm_eps),
            nn.Linear(hidden_size, score_hidden_size),
            nn.GELU(),
            nn.Linear(score_hidden_size, 1),
        )

    def forward(self, tokens: torch.Tensor, steps: int) -> torch.Tensor:
        """Tokens (batch, steps * places, hidden) -> centred scores (batch, steps, places)."""
        return centre_scores(self.layers(tokens).squeeze(-1).unflatten(1, (steps, -1)).float())


def centre_scores(scores: torch.Tensor) -> torch.Tensor:
    """Scores less the mean over the last axis; exactly 0 where all of them are equal."""
    # The mean of equal numbers is rounded, that of zeros is not.
    below = scores - scores.amax(-1, keepdim=True).detach()
    return below - below.mean(-1, keepdim=True)


def soft_mask(scores: torch.Tensor, temperature: float, kind: str = "sigmoid") -> torch.Tensor:
    """Centred scores (batch, steps, places) -> mask in (0, 1); "softmax" is over the places of a step."""
    scaled = scores / temperature
    return scaled.softmax(-1) if kind == "softmax" else scaled.sigmoid()


def hard_mask(scores: torch.Tensor, keep_ties: bool = True) -> torch.Tensor:
    """1 where a centred score is above 0, the threshold of the paper, or exactly there with `keep_ties`."""
    return (scores >= 0 if keep_ties else scores > 0).to(scores.dtype)


def straight_through(hard: torch.Tensor, soft: torch.Tensor) -> torch.Tensor:
    """The values of `hard` with the gradient of `soft`."""
    return hard + (soft - soft.detach())
