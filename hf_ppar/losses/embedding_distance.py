"""How far embeddings of an anonymized clip are from those of the raw one."""

from __future__ import annotations

from collections.abc import Mapping

import torch


def embedding_distance(
    raw: Mapping[str, torch.Tensor], anonymized: Mapping[str, torch.Tensor], weights: Mapping[str, float]
) -> torch.Tensor:
    """LaF-Privacy section 3.4.2: the sum over levels of weight * MSE, (batch,).

    Args:
        raw, anonymized: level ("patch", "class", "video") -> (batch, ...).
        weights: by level, 1 in the paper; 0 leaves a level out.
    """
    distances = [
        weight * (raw[level].detach() - anonymized[level]).float().square().flatten(1).mean(1)
        for level, weight in weights.items()
        if weight
    ]
    return torch.stack(distances).sum(0)
