"""Top-1 and top-5: how often the right class is among the best-scored ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .chance import Scored, top_k_levels
from .checks import UNKNOWN, as_labels, as_scores


@dataclass(frozen=True)
class TopK(Scored):
    """Top-k accuracy in [0, 1] over `count` videos of `classes` classes."""

    k: int
    classes: int


def top_k_accuracy(scores: ArrayLike, labels: ArrayLike, k: int = 1) -> TopK:
    """Share of videos whose true class is among the k best-scored, in [0, 1]; higher recognises more.

    `scores` (N, classes), one row a video (see `average_views` for several clips or crops); `labels` (N,) in
    0..classes-1, or -1 for unknown. Ties are worth what a random order of the tied classes would give on average, so a
    collapsed model with constant scores has exactly the chance level k / classes.

    >>> top_k_accuracy([[0.1, 0.9], [0.8, 0.2]], [1, 1]).value
    0.5
    """
    array, known = check_classification(scores, labels)
    classes = array.shape[1]
    if not 1 <= k <= classes:
        raise ValueError(f"k must be in 1..{classes}, the number of classes, got {k}")
    chosen = known != UNKNOWN
    credit = top_k_credit(array[chosen], known[chosen], k)
    levels = top_k_levels(known[chosen], classes, k)
    return TopK(float(credit.mean()), levels, int(chosen.sum()), int((~chosen).sum()), k, classes)


def top_k_credit(scores: np.ndarray, labels: np.ndarray, k: int = 1) -> np.ndarray:
    """Credit (N,) in [0, 1] of each video, whose mean is the top-k accuracy; every label is known."""
    better, tied = rivals(scores, labels)
    return np.clip((k - better) / tied, 0.0, 1.0)


def rivals(scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many classes score above the true one (N,), and how many the same, itself included (N,)."""
    true = np.take_along_axis(scores, labels[:, None], axis=1)
    return (scores > true).sum(axis=1), (scores == true).sum(axis=1)


def check_classification(scores: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Scores (N, classes) of two classes or more and labels (N,) that fit."""
    array = as_scores("scores", scores, 2)
    if array.shape[1] < 2:
        raise ValueError(f"scores must have a column for each of at least 2 classes, got shape {array.shape}")
    return array, as_labels("labels", labels, array.shape[:1], array.shape[1])
