"""Average precision of one attribute and cMAP, its plain mean over attributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .attributes import AttributeScores, as_columns, known_binary, score_attributes
from .chance import Scored, average_precision_levels
from .checks import as_scores


def average_precision(scores: ArrayLike, labels: ArrayLike) -> Scored:
    """Step-wise average precision of one attribute, in (0, 1]; higher finds the positives sooner.

    AP = sum over thresholds n of (R_n - R_{n-1}) P_n with precision P and recall R, without interpolation; videos of
    equal score enter together. `scores` (N,) of any scale, `labels` (N,) 0/1, or -1 for unknown. Chance is the
    positive rate.
    """
    kept, positive, unknown = known_binary(as_scores("scores", scores, 1), labels)
    return Scored(stepwise_precision(kept, positive), average_precision_levels(positive), positive.size, unknown)


def cmap(scores: ArrayLike, labels: ArrayLike, names: Sequence[str] | None = None) -> AttributeScores:
    """Class-wise mean average precision: `average_precision` of each attribute, then the plain mean; in (0, 1].

    `scores` (N, A) of any scale, `labels` (N, A) 0/1, or -1 for unknown. An attribute whose known labels are all the
    same has no average precision: it is not in the mean and `left_out` of the result says so.

    >>> result = cmap([[0.9, 0.1], [0.2, 0.3]], [[1, 1], [0, 1]], names=["face", "skin"])
    >>> result.value, result.levels.chance, result.left_out
    (1.0, 0.5, {'skin': 'all 2 known labels are 1'})
    """
    array = as_scores("scores", as_columns(scores, "scores"), 2)
    return score_attributes(
        "cmap", array, as_columns(labels, "labels"), names, stepwise_precision, average_precision_levels
    )


def stepwise_precision(scores: np.ndarray, positive: np.ndarray) -> float:
    """The sum of `average_precision`, for checked scores (N,) and booleans (N,) with at least one positive."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    ends = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)  # last place of each group of equal scores
    found = np.cumsum(positive[order])[ends]
    return float(np.sum(np.diff(found, prepend=0) * found / (ends + 1)) / found[-1])
