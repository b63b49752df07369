"""Scores of several yes/no attributes: one value each, their plain mean, and what had to be left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .chance import Levels, Scored, mean_levels
from .checks import UNKNOWN, UndefinedMetricError, as_array, as_labels, require_both


@dataclass(frozen=True)
class AttributeScore(Scored):
    """One attribute's value; `positives` of its `count` known labels are 1."""

    name: str
    positives: int


@dataclass(frozen=True)
class AttributeScores(Scored):
    """The plain mean of `rows` and the mean of their levels.

    `left_out` names each attribute that is not in the mean and says why; print it beside the value. `count` is the
    number of rows of the input, `unknown` the number of its -1 entries.
    """

    metric: str
    rows: tuple[AttributeScore, ...]
    left_out: dict[str, str]

    def per_attribute(self) -> dict[str, float]:
        return {row.name: row.value for row in self.rows}


def score_attributes(
    metric: str,
    scores: np.ndarray,
    labels: ArrayLike,
    names: Sequence[str] | None,
    score: Callable[[np.ndarray, np.ndarray], float],
    levels: Callable[[np.ndarray], Levels],
) -> AttributeScores:
    """Apply `score(scores, positive)` and `levels(positive)` to the known labels of each column of scores (N, A)."""
    array = as_labels("labels", labels, scores.shape, classes=2)
    rows: list[AttributeScore] = []
    left_out: dict[str, str] = {}
    for column, name in enumerate(check_names(names, scores.shape[1])):
        known = array[:, column] != UNKNOWN
        positive = array[known, column] == 1
        if not known.any():
            left_out[name] = "no known label"
        elif positive.all() or not positive.any():
            left_out[name] = f"all {positive.size} known labels are {int(positive[0])}"
        else:
            value = score(scores[known, column], positive)
            counts = int(known.sum()), int((~known).sum())
            rows.append(AttributeScore(value, levels(positive), *counts, name, int(positive.sum())))
    if not rows:
        raise UndefinedMetricError(f"{metric} is undefined: every attribute has one class only ({left_out})")
    mean = float(np.mean([row.value for row in rows]))
    unknown = int((array == UNKNOWN).sum())
    return AttributeScores(
        mean, mean_levels([row.levels for row in rows]), len(array), unknown, metric, tuple(rows), left_out
    )


def known_binary(scores: np.ndarray, labels: ArrayLike, name: str = "labels") -> tuple[np.ndarray, np.ndarray, int]:
    """Scores and booleans of the known labels (N,), both classes present, and how many labels are unknown."""
    array = as_labels(name, labels, scores.shape, classes=2)
    known = array != UNKNOWN
    positive = array[known] == 1
    require_both(name, positive)
    return scores[known], positive, int((~known).sum())


def check_names(names: Sequence[str] | None, count: int) -> list[str]:
    """The attributes' names, or attribute_0, attribute_1, ..."""
    if names is None:
        return [f"attribute_{index}" for index in range(count)]
    if len(names) != count or len(set(names)) != count:
        raise ValueError(f"names must be {count} different names, one a column of the scores, got {list(names)}")
    return list(names)


def as_columns(values: ArrayLike, name: str) -> np.ndarray:
    """(N, A) of (N, A), or of (N,) for a single attribute."""
    array = as_array(name, values)
    return array[:, None] if array.ndim == 1 else array
