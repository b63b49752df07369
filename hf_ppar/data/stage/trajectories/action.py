"""What a base action consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Keys = Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class Action:
    """One base action.

    `seconds` is the length of a cycle or of one execution. `kind` is "cyclic" (repeats without a break), "oneshot"
    (returns to its start, then pauses) or "state" (ends in another posture, holds it, then goes back slowly).
    `alternate` copies the right side's keys to the left half a cycle later, `symmetric` copies them unchanged.
    """

    seconds: float
    kind: str
    keys: Keys
    descriptions: tuple[str, ...]
    alternate: bool = False
    symmetric: bool = False
    spin: float = 0.0
