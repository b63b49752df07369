"""Actions of the whole body."""

from __future__ import annotations

from .action import Action

JUMP = Action(
    1.1,
    "oneshot",
    {
        "hip_r": (0, 30, 58, 18, 4, 14, 20, 42, 18, 0),
        "knee_r": (4, 48, 92, 20, 8, 30, 34, 70, 30, 4),
        "toe_r": (0, 0, 0, -30, -40, -34, -14, 0, 0, 0),
        "hinge": (0, 22, 40, 8, 0, 4, 8, 28, 10, 0),
        "arm_raise_r": (5, -25, -45, 90, 150, 140, 100, 45, 20, 5),
        "arm_side_r": (20,),
        "elbow_r": (12, 15, 20, 25, 12, 14, 20, 30, 20, 12),
        "lift": (0, 0, 0, 0.09, 0.23, 0.26, 0.14, 0, 0, 0),
    },
    (
        "a person jumps",
        "somebody jumps straight up and lands",
        "jumping into the air with both feet",
        "a person crouches, leaps up and comes down again",
    ),
    symmetric=True,
)

BEND = Action(
    1.2,
    "oneshot",
    {
        "hinge": (0, 30, 66, 72, 66, 30, 0),
        "bend": (0, 14, 40, 46, 40, 14, 0),
        "nod": (0, 4, 10, 12, 10, 4, 0),
        "arm_raise_r": (5, 48, 112, 124, 112, 48, 5),
        "arm_side_r": (4,),
        "knee_r": (3, 6, 10, 11, 10, 6, 3),
        "hip_r": (0, -1, -3, -3, -3, -1, 0),
    },
    (
        "a person bends forward",
        "somebody bows down towards the floor with straight legs",
        "bending the upper body forward and coming up",
        "a person leans over and touches the toes",
    ),
    symmetric=True,
)

_SIT = {
    "hip_r": (0, 26, 68, 88, 90),
    "knee_r": (4, 38, 80, 92, 92),
    "hinge": (0, 26, 42, 16, 2),
    "bend": (0, 8, 12, 8, 5),
    "arm_raise_r": (5, 30, 52, 42, 34),
    "arm_side_r": (10,),
    "elbow_r": (12, 18, 26, 44, 52),
}

SIT_DOWN = Action(
    1.05,
    "state",
    _SIT,
    (
        "a person sits down",
        "somebody takes a seat on a stool",
        "sitting down from standing",
        "a person lowers onto a seat",
    ),
    symmetric=True,
)

STAND_UP = Action(
    1.05,
    "state",
    {name: tuple(reversed(values)) for name, values in _SIT.items()},
    (
        "a person stands up",
        "somebody gets up from a stool",
        "standing up from sitting",
        "a person rises from a seat",
    ),
    symmetric=True,
)

SQUAT = Action(
    1.25,
    "cyclic",
    {
        "hip_r": (0, 30, 84, 102, 84, 30),
        "knee_r": (4, 36, 98, 122, 98, 36),
        "hip_side_r": (9,),
        "hinge": (0, 14, 34, 38, 34, 14),
        "arm_raise_r": (12, 40, 82, 90, 82, 40),
        "arm_side_r": (4,),
        "elbow_r": (10, 8, 5, 5, 5, 8),
    },
    (
        "a person squats",
        "somebody does knee bends",
        "squatting down and up again",
        "a person lowers the hips with arms stretched forward",
    ),
    symmetric=True,
)

JACK = Action(
    0.96,
    "cyclic",
    {
        "arm_raise_r": (8, 66, 140, 158, 140, 66),
        "arm_side_r": (88,),
        "elbow_r": (10, 10, 16, 22, 16, 10),
        "arm_twist_r": (70,),
        "hip_side_r": (1, 14, 25, 26, 24, 14),
        "knee_r": (22, 8, 6, 16, 6, 8),
        "hip_r": (11, 3, 2, 7, 2, 3),
        "lift": (0.0, 0.10, 0.08, 0.0, 0.10, 0.08),
        "toe_r": (0, -22, -14, 0, -22, -14),
    },
    (
        "a person does jumping jacks",
        "somebody jumps with legs apart and arms overhead",
        "doing star jumps",
        "a person hops, spreading arms and legs, and closes them again",
    ),
    symmetric=True,
)

FALL = Action(
    1.0,
    "state",
    {
        "roll": (0, -4, -16, -48, -80, -87, -88),
        "tilt": (0, 2, 4, 4, 2, 0, 0),
        "knee_r": (4, 26, 62, 74, 60, 44, 40),
        "hip_r": (0, 14, 38, 48, 42, 34, 30),
        "knee_l": (4, 22, 50, 66, 56, 34, 28),
        "hip_l": (0, 12, 28, 36, 30, 20, 16),
        "hinge": (0, 8, 16, 14, 10, 6, 5),
        "lean": (0, -6, -4, 10, 6, 2, 0),
        "arm_raise_r": (6, 30, 62, 92, 108, 116, 116),
        "arm_side_r": (60, 70, 80, 84, 70, 44, 40),
        "arm_raise_l": (6, 40, 70, 70, 50, 38, 36),
        "arm_side_l": (60, 74, 80, 60, 36, 20, 18),
        "elbow_r": (12, 24, 30, 26, 30, 40, 42),
        "elbow_l": (12, 24, 30, 36, 44, 50, 52),
    },
    (
        "a person falls",
        "somebody collapses to the floor",
        "falling over sideways",
        "a person tumbles and ends up lying on the ground",
    ),
)

_STEP = (0, 16, 22, 8, 0, 0, 0, 0)

_STEP_KNEE = (4, 34, 40, 14, 4, 4, 4, 4)

TURN = Action(
    1.7,
    "cyclic",
    {
        "hip_r": _STEP * 2,
        "knee_r": _STEP_KNEE * 2,
        "hip_l": (_STEP[4:] + _STEP[:4]) * 2,
        "knee_l": (_STEP_KNEE[4:] + _STEP_KNEE[:4]) * 2,
        "arm_raise_r": (14, 18),
        "arm_raise_l": (14, 10),
        "arm_side_r": (66,),
        "arm_side_l": (66,),
        "elbow_r": (26,),
        "elbow_l": (26,),
        "twist": (10,),
        "look": (14,),
    },
    (
        "a person turns around",
        "somebody turns on the spot",
        "turning full circle with small steps",
        "a person spins round slowly",
    ),
    spin=360.0,
)

PICK_UP = Action(
    1.25,
    "oneshot",
    {
        "hip_r": (0, 30, 74, 86, 66, 24, 0),
        "knee_r": (4, 44, 96, 110, 86, 34, 4),
        "hip_l": (0, 24, 60, 70, 52, 18, 0),
        "knee_l": (4, 40, 92, 104, 80, 30, 4),
        "hip_side_r": (6,),
        "hip_side_l": (6,),
        "hinge": (0, 26, 52, 60, 48, 18, 0),
        "bend": (0, 10, 26, 30, 20, 8, 0),
        "nod": (0, 6, 8, 8, 4, 6, 8),
        "arm_raise_r": (6, 36, 76, 82, 66, 44, 40),
        "arm_side_r": (4,),
        "elbow_r": (12, 16, 12, 8, 44, 86, 92),
        "arm_raise_l": (6, 16, 34, 38, 30, 14, 6),
        "elbow_l": (12, 40, 70, 74, 60, 30, 12),
    },
    (
        "a person picks something up",
        "somebody crouches and lifts an object from the floor",
        "picking up a thing from the ground with one hand",
        "a person reaches down, grabs an object and rises",
    ),
)
