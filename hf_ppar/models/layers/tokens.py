"""Working with the visible part of a token sequence.

A token mask is (batch, tokens), 1 for a visible token and 0 for a dropped one. A float mask may carry gradients, as
the decisions of a straight-through Gumbel-softmax do.
"""

from __future__ import annotations

import torch


def masked_mean(tokens: torch.Tensor, token_mask: torch.Tensor | None) -> torch.Tensor:
    """Mean of the visible tokens, (batch, tokens, hidden) -> (batch, hidden); zero where none is visible."""
    if token_mask is None:
        return tokens.mean(dim=1)
    weights = token_mask.float().unsqueeze(-1)  # bfloat16 cannot count beyond 256
    mean = (tokens * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1e-6)
    return mean.to(tokens.dtype)


def visible_indices(token_mask: torch.Tensor) -> torch.Tensor | None:
    """Positions (batch, visible) of the visible tokens in order, or None if samples keep different numbers."""
    visible = token_mask > 0
    counts = visible.sum(dim=1)
    kept = int(counts[0])
    if kept == 0 or bool((counts != kept).any()):
        return None
    return visible.nonzero()[:, 1].view(len(token_mask), kept)


def gather_tokens(tokens: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    """Tokens (batch, tokens, hidden) at `indices` (batch, kept) -> (batch, kept, hidden)."""
    return tokens.gather(1, indices.unsqueeze(-1).expand(-1, -1, tokens.shape[-1]))


def scatter_tokens(kept: torch.Tensor, indices: torch.Tensor, tokens: int) -> torch.Tensor:
    """Put kept tokens (batch, kept, hidden) back at `indices` among `tokens` places, zero elsewhere."""
    full = kept.new_zeros(kept.shape[0], tokens, kept.shape[-1])
    return full.scatter(1, indices.unsqueeze(-1).expand_as(kept), kept)
