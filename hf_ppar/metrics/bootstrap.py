"""Confidence intervals by resampling videos, since frames and clips of one video are not independent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .checks import UndefinedMetricError, as_array, as_ids, as_scores

CHUNK = 64  # resamples drawn at once: fast, and small in memory for tens of thousands of videos


@dataclass(frozen=True)
class Interval:
    """A value with its percentile bootstrap interval.

    `groups` is how many videos were resampled. `undefined` of the `resamples` had no value (e.g. only one class
    drawn) and are not in the interval; where they are many, the interval is too narrow.
    """

    value: float
    low: float
    high: float
    level: float
    resamples: int
    groups: int
    undefined: int


def bootstrap_interval(
    metric: Callable[..., Any],
    *arrays: ArrayLike,
    groups: ArrayLike | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> Interval:
    """The interval of `metric(*arrays)` when whole groups of rows are drawn with replacement.

    `arrays` share their first axis; `groups` (N,) is the video of each row (each row its own without it). `metric`
    returns a number or one of this package's results. A resample is undefined where the metric raises
    `UndefinedMetricError`, or leaves out other attributes or compares other groups than on the full data. Average
    clips and crops first (`average_views`): a video that is drawn twice must count twice.

    >>> interval = bootstrap_interval(np.mean, [0, 1, 1, 1, 0, 1], resamples=200)
    >>> interval.low <= interval.value <= interval.high
    True

    A paired difference of two models is a metric too: `lambda a, b, y: cmap(a, y).value - cmap(b, y).value`.
    """
    rows = _check_arrays(arrays)
    members = _Members(groups, len(rows[0]))
    value, parts = _evaluate(metric, rows)
    values = []
    for draw in chain.from_iterable(_draws(members.count, resamples, level, seed)):
        chosen = members.rows(draw)
        try:
            again, parts_again = _evaluate(metric, [array[chosen] for array in rows])
        except UndefinedMetricError:
            continue
        if parts_again == parts:
            values.append(again)
    return _interval(value, np.array(values), level, resamples, members.count)


def bootstrap_mean(
    values: ArrayLike,
    groups: ArrayLike | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> Interval:
    """The interval of the mean of values (N,), e.g. of `top_k_credit`; draws as `bootstrap_interval`, much faster."""
    array = as_scores("values", values, 1)
    members = _Members(groups, len(array))
    totals = np.add.reduceat(array[members.order], members.starts)
    chunks = _draws(members.count, resamples, level, seed)
    means = [totals[chunk].sum(axis=1) / members.sizes[chunk].sum(axis=1) for chunk in chunks]
    return _interval(float(array.mean()), np.concatenate(means), level, resamples, members.count)


class _Members:
    """Which rows belong to which group: rows in group order, and where each group starts."""

    def __init__(self, groups: ArrayLike | None, count: int) -> None:
        ids = np.arange(count) if groups is None else as_ids("groups", groups, count)
        names, inverse = np.unique(ids, return_inverse=True)
        self.count = len(names)
        if self.count < 2:
            raise ValueError(f"groups must hold at least 2 videos to resample, got {self.count}")
        self.order = np.argsort(inverse, kind="stable")
        self.sizes = np.bincount(inverse)
        self.starts = np.cumsum(self.sizes) - self.sizes

    def rows(self, draw: np.ndarray) -> np.ndarray:
        """The rows of all drawn groups (G,), with repeats."""
        sizes = self.sizes[draw]
        shift = self.starts[draw] - (np.cumsum(sizes) - sizes)
        return self.order[np.repeat(shift, sizes) + np.arange(sizes.sum())]


def _draws(count: int, resamples: int, level: float, seed: int | np.random.Generator) -> Iterator[np.ndarray]:
    """Group numbers (<= CHUNK, G) of some resamples at a time."""
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, e.g. 0.95, got {level}")
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, CHUNK):
        yield generator.integers(0, count, (min(CHUNK, resamples - start), count))


def _evaluate(metric: Callable[..., Any], arrays: list[np.ndarray]) -> tuple[float, set[str]]:
    """The value, and what it is made of: the attributes left out or the groups compared."""
    result = metric(*arrays)
    value = float(getattr(result, "value", result))
    if not np.isfinite(value):
        raise ValueError(
            f"metric must return a finite number, got {value}; raise UndefinedMetricError where it has none"
        )
    return value, set(getattr(result, "left_out", ())) | set(getattr(result, "accuracies", ()))


def _interval(value: float, values: np.ndarray, level: float, resamples: int, groups: int) -> Interval:
    if 2 * len(values) < resamples:
        raise UndefinedMetricError(
            f"the metric is undefined on {resamples - len(values)} of {resamples} resamples of {groups} videos; "
            f"there are too few videos of some class for an interval"
        )
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high), level, resamples, groups, resamples - len(values))


def _check_arrays(arrays: tuple[ArrayLike, ...]) -> list[np.ndarray]:
    rows = [as_array(f"array {index}", array) for index, array in enumerate(arrays)]
    lengths = [len(array) if array.ndim else 0 for array in rows]
    if not rows or len(set(lengths)) > 1 or not lengths[0]:
        raise ValueError(f"arrays must be at least one, all with the same number of rows, got lengths {lengths}")
    return rows
