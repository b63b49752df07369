"""One number for many operating points: the Pareto front of leakage and utility, and the area that it dominates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import as_scores


@dataclass(frozen=True)
class Anchors:
    """The levels that are rescaled to 0 and 1: what guessing scores, and what raw video scores."""

    leakage_chance: float
    leakage_raw: float
    utility_chance: float
    utility_raw: float

    def __post_init__(self) -> None:
        for axis in ("leakage", "utility"):
            low, high = getattr(self, f"{axis}_chance"), getattr(self, f"{axis}_raw")
            if not (np.isfinite([low, high]).all() and low < high):
                raise ValueError(
                    f"{axis}_raw must be above {axis}_chance, got {high} and {low}; use a measure where raw video "
                    f"scores higher than guessing (1 - EER rather than EER)"
                )

    def rescale(self, leakage: np.ndarray, utility: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both axes with chance at 0 and raw video at 1, not clipped."""
        return (
            (leakage - self.leakage_chance) / (self.leakage_raw - self.leakage_chance),
            (utility - self.utility_chance) / (self.utility_raw - self.utility_chance),
        )


@dataclass(frozen=True)
class Hypervolume:
    """NHV in [0, 1], higher is a better trade-off, with the anchors that it depends on.

    `front` are the indices of the points on the Pareto front, `clipped` those that lay outside the anchors and were
    moved to them.
    """

    value: float
    anchors: Anchors
    front: tuple[int, ...]
    clipped: tuple[int, ...]


def pareto_front(leakage: ArrayLike, utility: ArrayLike) -> np.ndarray:
    """Indices of the points (N,), (N,) that no other point beats, by rising leakage; of equal points the first.

    A point beats another with no more leakage and no less utility, one of the two strictly.
    """
    leaks, gains = _check(leakage, utility)
    order = np.lexsort((-gains, leaks))
    best_before = np.maximum.accumulate(np.append(-np.inf, gains[order][:-1]))
    return order[gains[order] > best_before]


def normalized_hypervolume(leakage: ArrayLike, utility: ArrayLike, anchors: Anchors) -> Hypervolume:
    """Area dominated by the Pareto front after rescaling, against the corner leakage 1, utility 0.

    Raw utility at chance leakage has 1; raw video and pure noise have 0. Points outside the anchors are clipped to
    them. Papers use the name NHV with their own anchors: values are comparable only where the anchors are the same.

    >>> anchors = Anchors(leakage_chance=0.5, leakage_raw=1.0, utility_chance=0.0, utility_raw=0.8)
    >>> normalized_hypervolume([0.75], [0.4], anchors).value
    0.25
    """
    leaks, gains = anchors.rescale(*_check(leakage, utility))
    outside = (leaks < 0) | (leaks > 1) | (gains < 0) | (gains > 1)
    leaks, gains = leaks.clip(0, 1), gains.clip(0, 1)
    front = pareto_front(leaks, gains)
    widths = np.diff(np.append(leaks[front], 1.0))  # each utility holds from its leakage to the next one's
    area = float(widths @ gains[front])
    return Hypervolume(area, anchors, tuple(front.tolist()), tuple(np.flatnonzero(outside).tolist()))


def _check(leakage: ArrayLike, utility: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    leaks, gains = as_scores("leakage", leakage, 1), as_scores("utility", utility, 1)
    if len(leaks) != len(gains):
        raise ValueError(f"leakage and utility must have one entry a point, got {len(leaks)} and {len(gains)}")
    return leaks, gains
