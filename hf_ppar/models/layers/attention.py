"""Self-attention that can be restricted to visible tokens."""

from __future__ import annotations

from typing import Any

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
    """Softmax over visible tokens and the token itself, in float32 (STPrivacy Eq. 9 and 10).

    Exponentials are multiplied by the mask with ones on its diagonal, then (x + eps / tokens) / (sum + eps). With
    `eps` 0 a dropped token cannot influence any other one; it still attends to itself and to the visible ones. The
    row maximum is taken over what a row may see, so that a large score of a dropped token cannot drown the others.
    Gradients reach a float `token_mask`, also at the dropped tokens.

    Args:
        scores: (batch, heads, tokens, tokens).
        token_mask: (batch, tokens), 1 for visible.
    """
    wide = torch.promote_types(scores.dtype, torch.float32)
    return _MaskedSoftmax.apply(scores.to(wide), token_mask.to(wide), eps)


class _MaskedSoftmax(torch.autograd.Function):
    """`masked_softmax` one clip at a time.

    The matrices of one clip fit in a processor's cache, those of a batch do not; and one matrix a clip is kept for
    the way back, where automatic differentiation would keep five.
    """

    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, token_mask: torch.Tensor, eps: float) -> torch.Tensor:
        tokens = scores.shape[-1]
        unmasked = torch.empty_like(scores)  # exp / denominator, before the mask
        result = torch.empty_like(scores)
        floor = torch.empty(scores.shape[:-1], dtype=scores.dtype, device=scores.device)  # eps / tokens / denominator
        for clip, mask, kept, out, low in zip(scores, token_mask, unmasked, result, floor, strict=True):
            hidden = torch.zeros_like(mask).masked_fill(mask <= 0, float("-inf"))
            highest = torch.maximum((clip + hidden).amax(-1), clip.diagonal(dim1=-2, dim2=-1))  # (heads, tokens)
            torch.sub(clip, highest.unsqueeze(-1), out=kept).clamp_(max=_MAX_EXPONENT).exp_()
            _mask_columns(kept, mask, out)
            denominator = out.sum(-1).add_(eps)
            kept.div_(denominator.unsqueeze(-1))
            torch.div(eps / tokens, denominator, out=low)
            out.div_(denominator.unsqueeze(-1)).add_(low.unsqueeze(-1))
        ctx.save_for_backward(unmasked, token_mask, floor)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None, None]:
        unmasked, token_mask, floor = ctx.saved_tensors
        (gradient,) = gradients
        to_scores = torch.empty_like(gradient)
        to_mask = torch.zeros_like(token_mask) if ctx.needs_input_grad[1] else None
        for number, mask in enumerate(token_mask):
            kept, out = unmasked[number], to_scores[number]
            _mask_columns(kept, mask, out)
            result = out.add_(floor[number].unsqueeze(-1))
            shared = (gradient[number] * result).sum(-1, keepdim=True)
            change = (gradient[number] - shared).mul_(kept)
            if to_mask is not None:
                to_mask[number] = change.sum((0, 1)) - change.diagonal(dim1=-2, dim2=-1).sum(0)
            _mask_columns(change, mask, out)
        return to_scores, to_mask, None


def _mask_columns(values: torch.Tensor, mask: torch.Tensor, out: torch.Tensor) -> None:
    """out = values (heads, tokens, tokens) times the mask (tokens,) of the column, 1 on the diagonal."""
    torch.mul(values, mask, out=out)
    out.diagonal(dim1=-2, dim2=-1).copy_(values.diagonal(dim1=-2, dim2=-1))
