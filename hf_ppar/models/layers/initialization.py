"""How weights start."""

from __future__ import annotations

from typing import Any

from torch import nn
from transformers import initialization as init


def init_layer(module: nn.Module, own: tuple[type[nn.Module], ...]) -> bool:
    """Initialise a linear layer as a ViT does, and one of the kinds in `own` as it says; False for any other.

    For a model's `_init_weights`.
    """
    if isinstance(module, own):
        layer: Any = module
        layer.reset_parameters()
        return True
    if isinstance(module, nn.Linear):
        init.trunc_normal_(module.weight, std=0.02)
        if module.bias is not None:
            init.zeros_(module.bias)
        return True
    return False
