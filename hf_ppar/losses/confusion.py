"""What an anonymizer minimises so that an adversary is wrong."""

from __future__ import annotations

import torch
import torch.nn.functional as F

CONFUSIONS = ("negated", "uniform", "entropy")


def confusion(logits: torch.Tensor, labels: torch.Tensor, kind: str) -> torch.Tensor:
    """Low when the adversary does not know.

    "negated": minus its loss on the true labels (STPrivacy Eq. 13); no lower bound. "uniform": its loss against a
    target that says nothing, 1 / classes or one half (VITA). "entropy": minus the entropy of its answer (BDQ).

    Args:
        logits: (batch, classes) with labels (batch,), or (batch, attributes) with labels (batch, attributes) of 0, 1;
            labels of -1 are unknown and do not count.
    """
    if kind not in CONFUSIONS:
        raise ValueError(f"confusion={kind!r} is unknown; choose one of: {', '.join(CONFUSIONS)}")
    logits = logits.float()
    known = labels >= 0
    if labels.ndim == 2:
        loss = _confuse_attributes(logits, labels.clamp(min=0).to(logits.dtype), kind)
    else:
        loss = _confuse_classes(logits, labels.clamp(min=0), kind)
    return loss[known].mean() if known.any() else logits.sum() * 0.0


def _confuse_attributes(logits: torch.Tensor, labels: torch.Tensor, kind: str) -> torch.Tensor:
    if kind == "negated":
        return -F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    target = torch.full_like(logits, 0.5) if kind == "uniform" else logits.sigmoid()
    loss = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    return loss if kind == "uniform" else -loss


def _confuse_classes(logits: torch.Tensor, labels: torch.Tensor, kind: str) -> torch.Tensor:
    if kind == "negated":
        return -F.cross_entropy(logits, labels, reduction="none")
    log_probabilities = logits.log_softmax(-1)
    if kind == "uniform":
        return -log_probabilities.mean(-1)
    return (log_probabilities.exp() * log_probabilities).sum(-1)
