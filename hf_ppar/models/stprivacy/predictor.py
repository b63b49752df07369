"""Which tubelets to keep: multi-level aggregation and the decisions made on it (STPrivacy section 3.2)."""

from __future__ import annotations

import math
from typing import cast

import torch
import torch.nn.functional as F
from torch import nn

from ..layers import TubeletGrid
from ..layers.noise import gumbel_noise

KEEP = 0  # which of the two log-probabilities is the one to keep a token
_LEAST = 0.01


class TokenPredictor(nn.Module):
    """Log-probabilities of keeping and dropping each token (Eq. 1 to 5).

    One LayerNorm, Linear and GELU stand for the MLPs of Eq. 1 to 3, split in thirds: a token's own, averaged over
    the visible tokens of its time step, and averaged over those of the clip. Three layers and a log-softmax follow.
    """

    def __init__(self, hidden_size: int, layer_norm_eps: float = 1e-6) -> None:
        super().__init__()
        self.evidence = nn.Sequential(
            nn.LayerNorm(hidden_size, eps=layer_norm_eps), nn.Linear(hidden_size, hidden_size), nn.GELU()
        )
        self.decide = nn.Sequential(
            nn.Linear(hidden_size, hidden_size // 2),
            nn.GELU(),
            nn.Linear(hidden_size // 2, hidden_size // 4),
            nn.GELU(),
            nn.Linear(hidden_size // 4, 2),
        )

    @torch.no_grad()
    def begin_at(self, keep_ratio: float) -> None:
        """Keep about this share of tokens, whatever they are.

        The paper leaves the beginning open. From here the sparsity loss has nothing to pull at before the action has.
        """
        share = min(max(keep_ratio, _LEAST), 1 - _LEAST)
        last = cast(nn.Linear, self.decide[-1])
        last.weight.mul_(_LEAST)
        last.bias[KEEP], last.bias[1 - KEEP] = math.log(share), math.log(1 - share)

    def forward(self, tokens: torch.Tensor, steps: int, token_mask: torch.Tensor | None = None) -> torch.Tensor:
        """Tokens (batch, steps * tokens of a step, hidden), mask (batch, tokens) -> (batch, tokens, 2)."""
        own, frame, clip = self.evidence(tokens).unflatten(1, (steps, -1)).chunk(3, dim=-1)
        mask = None if token_mask is None else token_mask.unflatten(1, (steps, -1))
        levels = [own, visible_mean(frame, mask, (2,)), visible_mean(clip, mask, (1, 2))]
        evidence = torch.cat([level.expand_as(own) for level in levels], dim=-1)  # Eq. 4
        return F.log_softmax(self.decide(evidence).flatten(1, 2).float(), dim=-1)


def visible_mean(values: torch.Tensor, mask: torch.Tensor | None, axes: tuple[int, ...]) -> torch.Tensor:
    """Mean over `axes` of the visible tokens, kept as axes of length 1.

    Args:
        values: (batch, steps, tokens of a step, hidden).
        mask: (batch, steps, tokens of a step), 1 for visible; None if all are.
    """
    if mask is None:
        return values.mean(dim=axes, keepdim=True)
    weights = mask.unsqueeze(-1).to(values.dtype)
    return (values * weights).sum(dim=axes, keepdim=True) / weights.sum(dim=axes, keepdim=True).clamp(min=1e-6)


def draw_decisions(log_probabilities: torch.Tensor, temperature: float = 1.0) -> torch.Tensor:
    """1 for a token to keep, 0 for one to drop, (batch, tokens, 2) -> (batch, tokens), by hard Gumbel-softmax (Eq. 6).

    Gradients pass as if the decision were the soft one (straight-through). The noise is always finite, which that of
    torch's own function is not.
    """
    noise = gumbel_noise(len(log_probabilities), log_probabilities[0].numel(), seeded=True)
    noisy = log_probabilities + noise.view_as(log_probabilities).to(log_probabilities)
    soft = (noisy / temperature).softmax(dim=-1)
    hard = F.one_hot(noisy.argmax(dim=-1), 2).to(soft)
    return (hard + (soft - soft.detach()))[..., KEEP]


def kept_per_step(tokens: int, keep_ratio: float, stage: int) -> int:
    """How many of a time step's `tokens` are left after sparsification block number `stage`, counted from 1."""
    return max(1, int(tokens * keep_ratio**stage + 1e-6))  # 1e-6: powers of .7 fall just below whole numbers


def choose_kept(log_probabilities: torch.Tensor, steps: int, count: int) -> torch.Tensor:
    """Positions (batch, steps * count), in order, of the `count` tokens of each time step most worth keeping."""
    scores = log_probabilities[..., KEEP].unflatten(1, (steps, -1))  # (batch, steps, tokens of a step)
    best = scores.topk(count, dim=-1).indices.sort(dim=-1).values
    starts = torch.arange(steps, device=scores.device)[:, None] * scores.shape[-1]
    return (best + starts).flatten(1)


def decision_map(token_mask: torch.Tensor, grid: TubeletGrid, tubelet_size: tuple[int, ...]) -> torch.Tensor:
    """Token mask (batch, tokens) -> pixel mask (batch, frames, 1, height, width)."""
    boxes = token_mask.unflatten(1, tuple(grid))
    for axis, length in enumerate(tubelet_size, start=1):
        boxes = boxes.repeat_interleave(length, dim=axis)
    return boxes.unsqueeze(2)
