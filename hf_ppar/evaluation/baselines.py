"""Two honest baselines of every table: what the action alone, and what the length alone, say about a person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def frequency_scores(
    keys: Sequence[object], labels: np.ndarray, test_keys: Sequence[object], classes: int
) -> np.ndarray:
    """Log-probabilities (N, classes) of a guesser that knows only a key: label frequencies given the key in training.

    Add-one smoothing towards the overall frequencies; an unseen key gets those alone.
    """
    overall = np.bincount(labels[labels >= 0], minlength=classes) + 1.0
    overall /= overall.sum()
    counts: dict[object, np.ndarray] = {}
    for key, label in zip(keys, labels.tolist(), strict=True):
        if label >= 0:
            counts.setdefault(key, np.zeros(classes))[label] += 1
    rows = [counts.get(key, np.zeros(classes)) + overall for key in test_keys]
    return np.log(np.stack([row / row.sum() for row in rows]))


def binary_frequency_scores(keys: Sequence[object], labels: np.ndarray, test_keys: Sequence[object]) -> np.ndarray:
    """The same for attributes: log-odds (N, A) from labels (M, A) of 0, 1 and -1."""
    columns = []
    for column in labels.T:
        scores = frequency_scores(keys, column, test_keys, 2)
        columns.append(scores[:, 1] - scores[:, 0])
    return np.stack(columns, axis=1)
