"""Clips beside their texts, where several clips of a batch may be of one text's action."""

from __future__ import annotations

import torch


def contrastive(logits: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """Mean of both cross-entropies, from clips to texts and back, with the weight of a row spread over its matches.

    CLIP's loss where every clip matches one text; ActionCLIP's where more do (Wang et al., 2021, section 3.2).

    Args:
        logits: (clips, texts).
        same: (clips, texts), whether a text fits a clip; each row and column has at least one match.
    """
    return (_cross_entropy(logits, same) + _cross_entropy(logits.T, same.T)) / 2


def _cross_entropy(logits: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    wanted = same.float() / same.sum(1, keepdim=True)
    return -(wanted * logits.float().log_softmax(1)).sum(1).mean()
