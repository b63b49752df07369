"""The two F1 scores of the field, which are not comparable and never called just "F1".

`f1_positive` is the F1 of the positive class. Where most labels are positive, saying yes to everything scores high:
on the VP-HMDB51 labels .688, above what some papers print for raw video. `f1_macro` is the mean of the F1 of both
classes and has no such flaw. Report them side by side, with the levels of the result.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .attributes import AttributeScores, as_columns, score_attributes
from .chance import f1_macro_levels, f1_positive_levels
from .checks import as_probabilities

THRESHOLD = 0.5


def f1_positive(probabilities: ArrayLike, labels: ArrayLike, names: Sequence[str] | None = None) -> AttributeScores:
    """Positive-class F1 = 2 TP / (2 TP + FP + FN) of each attribute, then the plain mean; in [0, 1].

    `probabilities` (N, A) or (N,), after the sigmoid; an attribute is predicted where its probability is above
    one half. `labels` of the same shape, 0/1, or -1 for unknown; an attribute with one class only is left out,
    visibly.
    """
    array = as_probabilities("probabilities", as_columns(probabilities, "probabilities"), 2)
    return score_attributes(
        "f1_positive",
        array,
        as_columns(labels, "labels"),
        names,
        lambda column, positive: class_f1(column > THRESHOLD, positive),
        f1_positive_levels,
    )


def f1_macro(probabilities: ArrayLike, labels: ArrayLike, names: Sequence[str] | None = None) -> AttributeScores:
    """Mean of the F1 of the positive and of the negative class of each attribute, then the plain mean; in [0, 1].

    Arguments as for `f1_positive`.
    """
    array = as_probabilities("probabilities", as_columns(probabilities, "probabilities"), 2)
    return score_attributes(
        "f1_macro",
        array,
        as_columns(labels, "labels"),
        names,
        lambda column, positive: both_f1(column > THRESHOLD, positive),
        f1_macro_levels,
    )


def class_f1(predicted: np.ndarray, actual: np.ndarray) -> float:
    """F1 of booleans (N,) of which at least one is actual."""
    return float(2 * (predicted & actual).sum() / (predicted.sum() + actual.sum()))


def both_f1(predicted: np.ndarray, actual: np.ndarray) -> float:
    """Mean of the F1 of yes and the F1 of no."""
    return (class_f1(predicted, actual) + class_f1(~predicted, ~actual)) / 2
