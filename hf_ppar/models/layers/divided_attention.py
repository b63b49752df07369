"""Divided space-time attention: over time at every place, then over the places of every frame."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import nn
from transformers import initialization as init
from transformers.modeling_layers import GradientCheckpointingLayer

from .attention import SelfAttention
from .transformer import Mlp


class DividedBlock(GradientCheckpointingLayer):
    """A block of TimeSformer (Bertasius et al., ICML 2021), as in LaF-Privacy section 3.1.2; no class token.

    LayerNorm, attention over time, LayerNorm, attention over space, LayerNorm, MLP, each with a residual connection.

    Args:
        time_linear: TimeSformer's Linear after the attention over time. The equations leave it out, the paper's number
            of parameters does not. "zero" starts it at zero, so that the block looks at single frames at first.
        dropout: after the MLP.
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        intermediate_size: int,
        qkv_bias: bool = True,
        layer_norm_eps: float = 1e-6,
        time_linear: Literal["none", "random", "zero"] = "random",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.norm_before_time = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.time_attention = SelfAttention(hidden_size, num_heads, qkv_bias)
        self.time_linear = nn.Identity() if time_linear == "none" else TimeLinear(hidden_size, time_linear == "zero")
        self.norm_before_space = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.space_attention = SelfAttention(hidden_size, num_heads, qkv_bias)
        self.norm_before_mlp = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.mlp = Mlp(hidden_size, intermediate_size)
        self.dropout = nn.Dropout(dropout)

    @classmethod
    def of(cls, config: Any, number: int) -> DividedBlock:
        """Block `number`, counted from 0, of the size in a model's config."""
        start: Literal["random", "zero"] = "zero" if config.zero_time_linear and number else "random"
        return cls(
            config.hidden_size,
            config.num_attention_heads,
            config.intermediate_size,
            qkv_bias=config.qkv_bias,
            layer_norm_eps=config.layer_norm_eps,
            time_linear=start if config.time_linear else "none",
            dropout=config.dropout,
        )

    def forward(self, tokens: torch.Tensor, steps: int) -> torch.Tensor:
        """Tokens (batch, steps * places, hidden), ordered by time and then place -> the same shape."""
        tokens = tokens + self._over_time(self.norm_before_time(tokens), steps)
        tokens = tokens + self._over_space(self.norm_before_space(tokens), steps)
        return tokens + self.dropout(self.mlp(self.norm_before_mlp(tokens)))

    def _over_time(self, tokens: torch.Tensor, steps: int) -> torch.Tensor:
        rows = tokens.unflatten(1, (steps, -1)).transpose(1, 2)  # (batch, places, steps, hidden)
        mixed = self.time_linear(self.time_attention(rows.flatten(0, 1)))
        return mixed.unflatten(0, rows.shape[:2]).transpose(1, 2).flatten(1, 2)

    def _over_space(self, tokens: torch.Tensor, steps: int) -> torch.Tensor:
        frames = tokens.unflatten(1, (steps, -1))  # (batch, steps, places, hidden)
        return self.space_attention(frames.flatten(0, 1)).view_as(tokens)


class TimeLinear(nn.Linear):
    """A square Linear that may start at zero."""

    zero = False

    def __init__(self, hidden_size: int, zero: bool) -> None:
        super().__init__(hidden_size, hidden_size)
        self.zero = zero
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Zero, or as a ViT's layers are; a model calls this from its `_init_weights`."""
        init.trunc_normal_(self.weight, std=0.02)
        init.zeros_(self.bias)
        if self.zero:
            init.zeros_(self.weight)
