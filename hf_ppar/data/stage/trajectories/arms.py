"""Actions of the arms and of a single leg."""

from __future__ import annotations

from .action import Action

WAVE_ONE = Action(
    0.60,
    "cyclic",
    {
        "arm_raise_r": (98, 102),
        "arm_side_r": (78,),
        "arm_twist_r": (88,),
        "elbow_r": (48, 112),
        "lean": (1.5,),
    },
    (
        "a person waves one hand",
        "somebody waves hello with one arm",
        "waving with a single raised hand",
        "a person greets by swinging one hand from side to side",
    ),
)

WAVE_BOTH = Action(
    0.66,
    "cyclic",
    {
        "arm_raise_r": (122, 142),
        "arm_side_r": (84,),
        "arm_twist_r": (86,),
        "elbow_r": (14, 78),
    },
    (
        "a person waves both hands",
        "somebody waves with both arms above the head",
        "waving two raised hands",
        "a person signals with both arms in the air",
    ),
    symmetric=True,
)

PUNCH = Action(
    0.82,
    "cyclic",
    {
        "arm_raise_r": (34, 36, 70, 90, 66, 36, 34, 34),
        "arm_side_r": (6, 6, -2, -8, -2, 6, 6, 6),
        "arm_twist_r": (-24, -22, -8, -4, -10, -22, -24, -24),
        "elbow_r": (128, 124, 50, 3, 66, 122, 128, 128),
        "twist": (4, 10, 16, 26, 8, -10, -16, -26),
        "hip_r": (-14,),
        "hip_l": (20,),
        "knee_r": (14,),
        "knee_l": (18,),
        "toe_r": (-10,),
        "hinge": (6,),
    },
    (
        "a person punches",
        "somebody boxes with both fists",
        "punching straight ahead, left and right",
        "a person throws quick punches",
    ),
    alternate=True,
)

CLAP = Action(
    0.52,
    "cyclic",
    {
        "arm_raise_r": (42, 36),
        "arm_side_r": (0, 16),
        "arm_twist_r": (-25, 36),
        "elbow_r": (86, 80),
        "wrist_r": (5,),
    },
    (
        "a person claps",
        "somebody applauds",
        "clapping hands in front of the chest",
        "a person beats both palms together",
    ),
    symmetric=True,
)

THROW = Action(
    1.05,
    "oneshot",
    {
        "arm_raise_r": (8, 50, 96, 112, 138, 96, 48, 22, 8),
        "arm_side_r": (20, 90, 118, 112, 40, 2, -16, 0, 20),
        "arm_twist_r": (0, 40, 84, 96, 60, 6, -14, -6, 0),
        "elbow_r": (14, 70, 98, 104, 70, 10, 16, 20, 14),
        "arm_raise_l": (8, 44, 70, 66, 34, 6, -14, 2, 8),
        "arm_side_l": (16,),
        "twist": (0, -16, -34, -34, 4, 30, 26, 10, 0),
        "hinge": (0, -3, -9, -8, 8, 22, 18, 6, 0),
        "hip_l": (0, 10, 30, 34, 30, 26, 22, 10, 0),
        "knee_l": (4, 26, 34, 16, 16, 24, 20, 10, 4),
        "hip_r": (0, 0, -6, -10, -18, -20, -16, -6, 0),
        "knee_r": (4, 10, 16, 14, 16, 26, 20, 10, 4),
        "toe_r": (0, 0, 0, 0, -14, -26, -18, -6, 0),
    },
    (
        "a person throws something",
        "somebody throws a ball overarm",
        "throwing with a full swing of one arm",
        "a person winds up and hurls an object",
    ),
)

POINT = Action(
    1.2,
    "oneshot",
    {
        "arm_raise_r": (8, 60, 90, 92, 92, 91, 50, 8),
        "arm_side_r": (40, 46, 52, 52, 52, 52, 46, 40),
        "elbow_r": (14, 56, 10, 2, 2, 2, 30, 14),
        "twist": (0, -4, -9, -10, -10, -10, -4, 0),
        "look": (0, -10, -22, -24, -24, -24, -10, 0),
    },
    (
        "a person points",
        "somebody points at something with an outstretched arm",
        "pointing to the side with one hand",
        "a person raises one arm level to show a direction",
    ),
)

KICK = Action(
    1.0,
    "oneshot",
    {
        "hip_r": (0, -14, -26, 30, 88, 84, 34, 8, 0),
        "knee_r": (4, 24, 70, 84, 10, 14, 50, 14, 4),
        "toe_r": (0, -14, -30, -10, 10, 10, 4, 0, 0),
        "hip_l": (0, 3, 6, 0, -6, -6, -2, 0, 0),
        "knee_l": (4, 10, 16, 12, 10, 10, 10, 6, 4),
        "hinge": (0, 6, 10, 0, -14, -14, -4, 0, 0),
        "twist": (0, 6, 12, 0, -14, -12, -4, 0, 0),
        "arm_raise_l": (6, 24, 36, 30, -20, -18, 0, 6, 6),
        "arm_raise_r": (6, -8, -22, 10, 46, 44, 24, 10, 6),
        "arm_side_r": (50,),
        "arm_side_l": (50,),
        "elbow_r": (14, 22, 30, 34, 40, 38, 28, 18, 14),
        "elbow_l": (14, 22, 30, 34, 30, 30, 26, 18, 14),
    },
    (
        "a person kicks",
        "somebody kicks forward with one leg",
        "kicking with a straight leg",
        "a person swings one foot up in a kick",
    ),
)
