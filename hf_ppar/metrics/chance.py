"""What guessing without looking scores: the levels that every result is printed beside, computed from the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class Levels:
    """Scores of guessers that never look at the video.

    `chance` guesses evenly (a fair coin, a random order), `majority` always says the most frequent class and
    `all_positive` always says yes. None where a guesser makes no sense for the metric.
    """

    chance: float
    majority: float | None = None
    all_positive: float | None = None

    def known(self) -> list[float]:
        return [level for level in (self.chance, self.majority, self.all_positive) if level is not None]


@dataclass(frozen=True)
class Scored:
    """A metric's value beside its levels; `count` rows were used and `unknown` labels (-1) were left out.

    A gain is positive where the model does better at its task than the guesser, also for metrics where lower is
    better. For an attacker a gain of 0 is perfect privacy.
    """

    value: float
    levels: Levels
    count: int
    unknown: int
    higher_is_better: ClassVar[bool] = True

    @property
    def gain(self) -> float:
        """The value over chance."""
        return self._over(self.levels.chance)

    @property
    def gain_over_guess(self) -> float:
        """The value over the best of the guessers: what only looking at the video can explain."""
        return self._over(max(self.levels.known()) if self.higher_is_better else min(self.levels.known()))

    def _over(self, level: float) -> float:
        return self.value - level if self.higher_is_better else level - self.value


def top_k_levels(labels: np.ndarray, classes: int, k: int = 1) -> Levels:
    """Levels of top-k accuracy from known labels (N,): k / classes, and the share of the k most frequent classes."""
    frequency = np.sort(np.bincount(labels, minlength=classes))[::-1]
    return Levels(chance=k / classes, majority=float(frequency[:k].sum() / labels.size))


def average_precision_levels(positive: np.ndarray) -> Levels:
    """Levels of average precision from booleans (N,): the positive rate.

    It is exact for constant scores; a random order exceeds it a little on few videos and approaches it on many.
    """
    rate = float(positive.mean())
    return Levels(chance=rate, majority=rate)


def f1_positive_levels(positive: np.ndarray) -> Levels:
    """Levels of the positive class's F1 from booleans (N,) with positive rate p.

    Fair coin p / (p + 1/2); all-positive guesser 2p / (1 + p); the majority guesser is that one for p >= 1/2, else 0.
    """
    rate = float(positive.mean())
    all_positive = 2 * rate / (1 + rate)
    return Levels(rate / (rate + 0.5), all_positive if rate >= 0.5 else 0.0, all_positive)


def f1_macro_levels(positive: np.ndarray) -> Levels:
    """Levels of the mean of both classes' F1 from booleans (N,): the class that a guesser never names has 0."""
    yes, no = f1_positive_levels(positive), f1_positive_levels(~positive)
    return Levels((yes.chance + no.chance) / 2, max(_constant(yes), _constant(no)), _constant(yes))


def _constant(levels: Levels) -> float:
    return (levels.all_positive or 0.0) / 2


def mean_levels(levels: Sequence[Levels]) -> Levels:
    """Each level averaged over attributes; a level that one of them lacks is None."""
    return Levels(
        float(np.mean([level.chance for level in levels])),
        _mean([level.majority for level in levels]),
        _mean([level.all_positive for level in levels]),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None
