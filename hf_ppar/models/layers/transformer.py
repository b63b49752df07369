"""The pre-norm transformer block of ViT, with an optional mask of visible tokens."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers.modeling_layers import GradientCheckpointingLayer

from .attention import SelfAttention


class Mlp(nn.Module):
    """Linear, GELU, Linear on every token."""

    def __init__(self, hidden_size: int, intermediate_size: int) -> None:
        super().__init__()
        self.expand = nn.Linear(hidden_size, intermediate_size)
        self.activation = nn.GELU()
        self.contract = nn.Linear(intermediate_size, hidden_size)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.contract(self.activation(self.expand(tokens)))


class TransformerBlock(GradientCheckpointingLayer):
    """LayerNorm, self-attention, LayerNorm, MLP, each with a residual connection.

    Args:
        mask_eps: see `SelfAttention`.
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        intermediate_size: int,
        qkv_bias: bool = True,
        layer_norm_eps: float = 1e-6,
        mask_eps: float = 1e-6,
    ) -> None:
        super().__init__()
        self.norm_before_attention = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.attention = SelfAttention(hidden_size, num_heads, qkv_bias, mask_eps)
        self.norm_before_mlp = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.mlp = Mlp(hidden_size, intermediate_size)

    @classmethod
    def of(cls, config: Any) -> TransformerBlock:
        """A block of the size in a model's config."""
        return cls(
            config.hidden_size,
            config.num_attention_heads,
            config.intermediate_size,
            qkv_bias=config.qkv_bias,
            layer_norm_eps=config.layer_norm_eps,
            mask_eps=config.mask_eps,
        )

    def forward(self, tokens: torch.Tensor, token_mask: torch.Tensor | None = None) -> torch.Tensor:
        """Tokens (batch, tokens, hidden), mask (batch, tokens) of visible ones -> (batch, tokens, hidden)."""
        tokens = tokens + self.attention(self.norm_before_attention(tokens), token_mask)
        return tokens + self.mlp(self.norm_before_mlp(tokens))
