"""How far pruning is from the share of tokens it should keep."""

from __future__ import annotations

import torch


def sparsity(decisions: torch.Tensor, steps: int, keep_ratio: float) -> torch.Tensor:
    """STPrivacy Eq. 7: mean over blocks m and time steps l of (share kept - keep_ratio^m)^2, averaged over the batch.

    Args:
        decisions: (batch, blocks, steps * tokens of a step), 1 for a token that is left after the block.
    """
    shares = decisions.unflatten(-1, (steps, -1)).mean(-1)  # (batch, blocks, steps)
    blocks = torch.arange(1, shares.shape[1] + 1, device=shares.device)
    wanted = keep_ratio ** blocks.to(shares.dtype)
    return (shares - wanted[:, None]).square().mean()
