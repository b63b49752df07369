"""From a judge's logits to numbers that carry what they need to be read: chance, interval, judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..metrics import (
    attribute_table,
    bootstrap_interval,
    bootstrap_mean,
    cmap,
    f1_macro,
    f1_positive,
    mean_rank,
    top_k_accuracy,
    top_k_credit,
)
from ..metrics.bootstrap import Interval
from ..metrics.chance import Scored


@dataclass
class Number:
    """One result.

    Args:
        low, high: 95 % bootstrap interval by video.
        chance, majority: what guessers score who never look.
        raw: the same measure on un-anonymized video, None until it is known.
        judge: the kind of judge, or the baseline.
        details: more about it, such as a per-attribute table or attributes that had to be left out.
    """

    metric: str
    value: float
    low: float
    high: float
    chance: float
    majority: float | None
    judge: str
    raw: float | None = None
    details: dict[str, Any] = field(default_factory=dict)


def measure_classes(metric: str, judge: str, logits: np.ndarray, labels: np.ndarray, seed: int = 0) -> Number:
    """Top-1 of an action or identity judge; rows with label -1 do not count."""
    known = labels >= 0
    if not known.any():
        raise ValueError(f"{metric}: no label of the test split is known")
    if len(np.unique(labels[known])) < 2:
        raise ValueError(f"{metric}: the test split has one class only, so that any judge is right")
    score = top_k_accuracy(logits, labels)
    interval = bootstrap_mean(top_k_credit(logits[known], labels[known]), seed=seed)
    details = {"mean_rank": mean_rank(logits, labels).value} if metric.startswith("person") else {}
    if logits.shape[1] >= 10:
        details["top_5"] = top_k_accuracy(logits, labels, 5).value
    return _number(metric, judge, score, interval, details)


def measure_attributes(
    judge: str,
    logits: np.ndarray,
    labels: np.ndarray,
    names: tuple[str, ...],
    seed: int = 0,
    videos: np.ndarray | None = None,
) -> Number:
    """cMAP of an attribute judge, with both F1 scores and the per-attribute table beside it.

    Args:
        videos: (N,) the video of each row, where several rows are of one.
    """
    probabilities = 1 / (1 + np.exp(-logits.astype(np.float64)))
    score = cmap(logits, labels, names)
    interval = bootstrap_interval(
        lambda s, y: cmap(s, y, names), logits, labels, groups=videos, resamples=300, seed=seed
    )
    f1 = {
        result.metric: result
        for result in (f1_positive(probabilities, labels, names), f1_macro(probabilities, labels, names))
    }
    details = {
        "left_out": score.left_out,
        "per_attribute": attribute_table(probabilities, labels, names),
        **{
            name: {"value": result.value, "chance": result.levels.chance, "majority": result.levels.majority}
            for name, result in f1.items()
        },
    }
    return _number("attributes_cmap", judge, score, interval, details)


def average_number(numbers: Sequence[Number]) -> Number | None:
    """The mean of one measure over several judges, interval and all; None of none, and one as it is."""
    if len(numbers) < 2:
        return numbers[0] if numbers else None
    value, low, high = (float(np.mean([getattr(n, name) for n in numbers])) for name in ("value", "low", "high"))
    judges = ", ".join(dict.fromkeys(number.judge for number in numbers))
    return replace(numbers[0], value=value, low=low, high=high, judge=judges, details={"mean_of": len(numbers)})


def _number(metric: str, judge: str, score: Scored, interval: Interval, details: dict[str, Any]) -> Number:
    levels = score.levels
    return Number(
        metric, score.value, interval.low, interval.high, levels.chance, levels.majority, judge, details=details
    )
