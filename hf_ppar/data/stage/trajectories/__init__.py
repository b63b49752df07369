"""The actions: joint trajectories as tables of key values, and their descriptions.

A table maps a degree of freedom to values that are evenly spaced over one cycle (or over one execution of a one-shot
action) and joined by smooth curves. One-handed actions are written for the right side; a clip may mirror them.
Shoulders are given by `arm_raise` (0 hanging, 90 level, 180 up) towards `arm_side` (0 forward, 90 outward), hips by
`hip` (forward) and `hip_side` (outward). A foot is level unless `toe` lifts (+) or drops (-) its tip.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .action import Action
from .arms import CLAP, KICK, POINT, PUNCH, THROW, WAVE_BOTH, WAVE_ONE
from .travel import RUN, WALK
from .whole_body import BEND, FALL, JACK, JUMP, PICK_UP, SIT_DOWN, SQUAT, STAND_UP, TURN

__all__ = ["TRAJECTORIES", "Action"]

TRAJECTORIES: Mapping[str, Action] = MappingProxyType(
    {
        "walk": WALK,
        "run": RUN,
        "jump": JUMP,
        "wave_one_hand": WAVE_ONE,
        "wave_both_hands": WAVE_BOTH,
        "bend": BEND,
        "sit_down": SIT_DOWN,
        "stand_up": STAND_UP,
        "kick": KICK,
        "punch": PUNCH,
        "clap": CLAP,
        "squat": SQUAT,
        "jumping_jack": JACK,
        "throw": THROW,
        "fall": FALL,
        "turn": TURN,
        "pick_up": PICK_UP,
        "point": POINT,
    }
)
