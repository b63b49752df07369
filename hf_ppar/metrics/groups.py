"""Does it work equally well for everyone: the accuracy gap between groups of people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import UNKNOWN, UndefinedMetricError, as_array, as_ids, as_labels, as_whole_numbers


@dataclass(frozen=True)
class GroupGap:
    """Accuracy of the best group minus that of the worst, in [0, 1]; 0 treats all alike, higher is less fair.

    `accuracies` and `counts` are per group; `unknown` videos have no label or no group and are left out. A gap of
    small groups is largely noise: print the counts, and an interval from `bootstrap_interval`.
    """

    value: float
    accuracies: dict[str, float]
    counts: dict[str, int]
    unknown: int


def group_accuracy_gap(predictions: ArrayLike, labels: ArrayLike, groups: ArrayLike) -> GroupGap:
    """The largest difference of accuracy between two groups; for two groups, their absolute difference.

    `predictions` (N,) and `labels` (N,) are class numbers, `groups` (N,) numbers or names. Label -1 and group -1 are
    unknown.

    >>> group_accuracy_gap([0, 1, 1, 1], [0, 1, 0, 1], ["a", "a", "b", "b"]).value
    0.5
    """
    predicted = as_whole_numbers("predictions", as_array("predictions", predictions))
    if predicted.ndim != 1 or (predicted < 0).any():
        raise ValueError(
            f"predictions must be class numbers (N,) from 0, got shape {predicted.shape} and minimum "
            f"{predicted.min()}; take the argmax of scores first"
        )
    actual = as_labels("labels", labels, predicted.shape)
    ids = as_ids("groups", groups, len(predicted))
    missing = UNKNOWN if np.issubdtype(ids.dtype, np.number) else str(UNKNOWN)
    known = (actual != UNKNOWN) & (ids != missing)
    correct = predicted == actual
    names = np.unique(ids[known])
    if len(names) < 2:
        raise UndefinedMetricError(f"groups must hold at least 2 known groups to compare, got {names.tolist()}")
    chosen = {str(name): known & (ids == name) for name in names}
    accuracies = {name: float(correct[rows].mean()) for name, rows in chosen.items()}
    counts = {name: int(rows.sum()) for name, rows in chosen.items()}
    gap = max(accuracies.values()) - min(accuracies.values())
    return GroupGap(gap, accuracies, counts, int((~known).sum()))
