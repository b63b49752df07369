"""What a stage data set consists of."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from .actions import ACTIONS, COMPOUNDS

ATTRIBUTES: tuple[str, ...] = ("face", "skin", "gender", "nudity", "relationship")
DOMAINS: tuple[str, ...] = ("normal", "dark", "drone", "backgrounds", "camera")
SPLITS: tuple[str, ...] = ("train", "validation", "test")
GAIT_SPLITS: tuple[str, ...] = ("gallery", "probe")
CONDITIONS: tuple[str, ...] = ("normal", "coat", "bag")
VIEWS: tuple[int, ...] = tuple(range(0, 181, 18))
"""Directions of the gait set in degrees: 0 walks towards the camera, 90 crosses the picture, 180 walks away."""

_LEAST = {
    "seed": 0,
    "persons": 1,
    "train_clips": 0,
    "validation_clips": 0,
    "test_clips": 0,
    "frames": 1,
    "height": 16,
    "width": 16,
}


@dataclass(frozen=True)
class StageOptions:
    """Size and kind of a stage data set.

    All `persons` appear in every split. `bias` names an attribute that is tied to the action: classes at even places
    of `class_names` have it with probability `bias_strength`, the others with 1 - `bias_strength`. A bare torso shows
    skin, so that tying "skin" or "nudity" also moves the other one. `compounds` adds the compound actions.
    """

    seed: int = 0
    persons: int = 20
    train_clips: int = 2000
    validation_clips: int = 400
    test_clips: int = 400
    frames: int = 16
    height: int = 64
    width: int = 64
    fps: float = 12.5
    domain: str = "normal"
    bias: str | None = None
    bias_strength: float = 0.95
    compounds: bool = True

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            _check_whole(name, getattr(self, name), least)
        _check_number("fps", self.fps, 0.0, math.inf)
        _check_number("bias_strength", self.bias_strength, 0.5, 1.0, closed=True)
        if self.domain not in DOMAINS:
            raise ValueError(f"domain={self.domain!r} is not a domain of the stage; choose one of: {_names(DOMAINS)}.")
        if self.bias is not None and self.bias not in ATTRIBUTES:
            raise ValueError(f"bias={self.bias!r} is not an attribute; choose None or one of: {_names(ATTRIBUTES)}.")
        if not isinstance(self.compounds, bool):
            raise ValueError(f"compounds={self.compounds!r} must be True or False.")

    @property
    def class_names(self) -> tuple[str, ...]:
        """The actions that occur, in label order."""
        return ACTIONS + COMPOUNDS if self.compounds else ACTIONS

    def clips(self, split: str) -> int:
        """Number of clips of an action split."""
        return {"train": self.train_clips, "validation": self.validation_clips, "test": self.test_clips}[split]

    def changed(self) -> dict[str, object]:
        """The options that differ from their defaults."""
        return {
            item.name: getattr(self, item.name) for item in fields(self) if getattr(self, item.name) != item.default
        }


def _names(choices: tuple[str, ...]) -> str:
    return ", ".join(choices)


def _check_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}.")


def _check_number(name: str, value: object, low: float, high: float, closed: bool = False) -> None:
    fine = isinstance(value, int | float) and not isinstance(value, bool)
    if not fine or not (low <= float(value) <= high if closed else low < float(value) < high):  # type: ignore[arg-type]
        limits = f"between {low:g} and {high:g}" if closed else "positive and finite"
        raise ValueError(f"{name}={value!r} must be a number, {limits}.")
