"""Labels of a split: actions, persons and attributes, drawn independently of each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .options import ATTRIBUTES, GAIT_SPLITS, SPLITS, StageOptions

RATES: dict[str, float] = {"face": 0.66, "skin": 0.62, "gender": 0.62, "nudity": 0.28, "relationship": 0.34}
"""Positive rates without bias. A bare torso needs visible skin: nudity is drawn among the clips with skin."""

Flags = NDArray[np.int64]


@dataclass(frozen=True)
class Labels:
    """Columns of one split: class number, person and a (N, 5) table of attributes in the order of ATTRIBUTES."""

    action: Flags
    person: Flags
    attributes: Flags


def split_number(split: str) -> int:
    """A number per split for seeding."""
    return (*SPLITS, *GAIT_SPLITS, "sample").index(split)


def draw_labels(options: StageOptions, split: str) -> Labels:
    """Equal shares of actions and of persons in random order; attributes in exact shares, in another random order."""
    count = options.clips(split)
    rng = np.random.default_rng([options.seed, 101, split_number(split)])
    action = _shuffled_cycle(rng, count, len(options.class_names))
    person = _shuffled_cycle(rng, count, options.persons)
    flags = {name: _exact_share(rng, np.ones(count, bool), RATES[name]) for name in ATTRIBUTES if name != "nudity"}
    flags["nudity"] = _exact_share(rng, flags["skin"], RATES["nudity"] / RATES["skin"])
    if options.bias is not None:
        _tie(rng, flags, options.bias, action, options.bias_strength)
    return Labels(action, person, np.stack([flags[name].astype(np.int64) for name in ATTRIBUTES], axis=1))


def _shuffled_cycle(rng: np.random.Generator, count: int, size: int) -> Flags:
    """0..size-1 in turn, shuffled; which numbers occur once more than the others is random too."""
    return rng.permutation(rng.permutation(size)[np.arange(count) % size])


def _exact_share(rng: np.random.Generator, allowed: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    places = rng.permutation(np.flatnonzero(allowed))
    flags = np.zeros(len(allowed), bool)
    flags[places[: round(share * len(places))]] = True
    return flags


def _tie(
    rng: np.random.Generator, flags: dict[str, NDArray[np.bool_]], bias: str, action: Flags, strength: float
) -> None:
    """Tie one attribute to the class number's parity; keep `nudity` within `skin`."""
    kept = rng.random(len(action)) < strength
    flags[bias] = (action % 2 == 0) == kept
    if bias == "skin":
        flags["nudity"] = _exact_share(rng, flags["skin"], RATES["nudity"] / RATES["skin"])
    elif bias == "nudity":
        rest = (RATES["skin"] - RATES["nudity"]) / (1 - RATES["nudity"])
        flags["skin"] = flags["nudity"] | (rng.random(len(action)) < rest)
