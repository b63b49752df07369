"""The receiver operating characteristic of one yes/no question, and the area under it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .attributes import known_binary
from .chance import Levels, Scored
from .checks import as_scores


def roc_auc(scores: ArrayLike, labels: ArrayLike) -> Scored:
    """Probability that a positive scores above a negative, ties half, in [0, 1]; chance is 0.5 whatever the labels.

    `scores` (N,) of any scale, `labels` (N,) 0/1, or -1 for unknown. For an attacker a value far below 0.5 leaks as
    much as one far above it: the answer is only turned around.
    """
    kept, positive, unknown = known_binary(as_scores("scores", scores, 1), labels)
    return Scored(area_under_roc(kept, positive), Levels(0.5, 0.5), positive.size, unknown)


def area_under_roc(scores: np.ndarray, positive: np.ndarray) -> float:
    """Trapezoids under `roc_curve`, for checked scores (N,) and booleans (N,) of both classes."""
    false_rate, true_rate = roc_curve(scores, positive)
    return float(np.sum(np.diff(false_rate) * (true_rate[1:] + true_rate[:-1]) / 2))


def roc_curve(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """False and true positive rates (P,), (P,) from (0, 0) to (1, 1), a point after each group of equal scores."""
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    true = np.cumsum(positive[order])[ends]
    false = ends + 1 - true
    return np.append(0, false) / false[-1], np.append(0, true) / true[-1]
