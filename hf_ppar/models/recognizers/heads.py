"""From logits and labels to a loss: one head, or several that share a trunk."""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F

from .configuration_recognizer import Head, ProblemType, RecognizerConfig

Labels = torch.Tensor | Mapping[str, torch.Tensor]


def split_logits(logits: torch.Tensor, heads: Mapping[str, Head]) -> dict[str, torch.Tensor]:
    """Logits (batch, all outputs) -> {name: (batch, outputs of that head)}."""
    parts = logits.split([head.num_labels for head in heads.values()], dim=-1)
    return dict(zip(heads, parts, strict=True))


def recognition_loss(logits: torch.Tensor, labels: Labels, config: RecognizerConfig) -> torch.Tensor:
    """The loss of a recognizer: that of its one head, or the sum over its heads."""
    if config.heads is None:
        if not isinstance(labels, torch.Tensor):
            raise ValueError(f"labels must be a tensor, since the model has one head; got {type(labels).__name__}")
        return classification_loss(logits, labels, config.problem_type)
    if not isinstance(labels, Mapping) or set(labels) != set(config.heads):
        got = sorted(labels) if isinstance(labels, Mapping) else type(labels).__name__
        raise ValueError(f"labels must be a dict with one tensor for each of {sorted(config.heads)}, got {got}")
    parts = split_logits(logits, config.heads)
    losses = [classification_loss(parts[name], labels[name], head.problem_type) for name, head in config.heads.items()]
    return torch.stack(losses).sum()


def classification_loss(logits: torch.Tensor, labels: torch.Tensor, problem_type: ProblemType) -> torch.Tensor:
    """Mean loss over the known labels, in float32; 0 if none is known. Negative labels are unknown and ignored.

    Args:
        logits: (batch, num_labels).
        labels: single label: (batch,) integers, or (batch, num_labels) probabilities; multi-label: (batch,
            num_labels) in [0, 1], or -1.
    """
    logits = logits.float()
    single = problem_type == "single_label_classification"
    if not (labels.shape == logits.shape or (single and labels.shape == logits.shape[:1])):
        expected = f"{tuple(logits.shape[:1])} or {tuple(logits.shape)}" if single else f"{tuple(logits.shape)}"
        raise ValueError(f"labels for {problem_type} must have the shape {expected}, got {tuple(labels.shape)}")
    if not single:
        known = (labels >= 0).to(logits.dtype)
        losses = F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype).clamp(min=0), reduction="none")
    elif labels.ndim == 1:
        known = (labels >= 0).to(logits.dtype)
        losses = F.cross_entropy(logits, labels.long().clamp(min=0), reduction="none")
    else:
        known = (labels >= 0).all(dim=-1).to(logits.dtype)
        losses = F.cross_entropy(logits, labels.to(logits.dtype), reduction="none")
    return (losses * known).sum() / known.sum().clamp(min=1)
