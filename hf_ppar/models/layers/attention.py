"""Self-attention that can be restricted to visible tokens."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

# Keeps exp of a dropped token's score finite; it is multiplied by zero afterwards.
_MAX_EXPONENT = 20.0


class SelfAttention(nn.Module):
    """Multi-head self-attention over (batch, tokens, hidden), with an optional mask of visible tokens.

    Without a mask it is torch's scaled dot product attention, with one it is STPrivacy's masked self-attention
    (section 3.2, Eq. 8; scaled by the width of a head, as usual, where the paper prints the width of the model).

    Args:
        mask_eps: the epsilon of `masked_softmax` in training mode. In eval mode it is 0, so that a dropped token has
            no influence at all.
    """

    def __init__(self, hidden_size: int, num_heads: int, qkv_bias: bool = True, mask_eps: float = 1e-6) -> None:
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError(f"hidden_size={hidden_size} must be a multiple of num_heads={num_heads}")
        self.num_heads, self.mask_eps = num_heads, mask_eps
        self.qkv = nn.Linear(hidden_size, 3 * hidden_size, bias=qkv_bias)
        self.projection = nn.Linear(hidden_size, hidden_size)

    def forward(self, tokens: torch.Tensor, token_mask: torch.Tensor | None = None) -> torch.Tensor:
        """Tokens (batch, tokens, hidden), mask (batch, tokens) -> (batch, tokens, hidden)."""
        qkv = self.qkv(tokens).unflatten(-1, (3, self.num_heads, -1))
        query, key, value = qkv.permute(2, 0, 3, 1, 4).unbind()  # each (batch, heads, tokens, head width)
        if token_mask is None:
            mixed = F.scaled_dot_product_attention(query, key, value)
        else:
            scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5
            mixed = masked_softmax(scores, token_mask, self.mask_eps if self.training else 0.0).to(value) @ value
        return self.projection(mixed.transpose(1, 2).flatten(2))


def masked_softmax(scores: torch.Tensor, token_mask: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """Softmax over visible tokens and the token itself, in float32.

    Exponentials are multiplied by the mask with ones on its diagonal, then (x + eps / tokens) / (sum + eps). With
    `eps` 0 a dropped token cannot influence any other one; it still attends to itself and to the visible ones. The
    row maximum is taken over what a row may see, so that a large score of a dropped token cannot drown the others.
    Gradients reach a float `token_mask`, also at the dropped tokens.

    Args:
        scores: (batch, heads, tokens, tokens).
        token_mask: (batch, tokens), 1 for visible.
    """
    tokens = scores.shape[-1]
    mask = token_mask.float()[:, None, None, :]  # (batch, 1, 1, tokens)
    mask = mask + (1 - mask) * torch.eye(tokens, device=scores.device)  # (batch, 1, tokens, tokens)
    scores = scores.float()
    highest = scores.detach().masked_fill(mask.detach() <= 0, float("-inf")).amax(dim=-1, keepdim=True)
    weights = (scores - highest).clamp(max=_MAX_EXPONENT).exp() * mask
    return (weights + eps / tokens) / (weights.sum(dim=-1, keepdim=True) + eps)
