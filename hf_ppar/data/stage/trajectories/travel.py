"""Actions that travel: walking and running."""

from __future__ import annotations

from .action import Action

WALK = Action(
    1.06,
    "cyclic",
    {
        "hip_r": (27, 21, 8, -6, -14, -2, 22, 31),
        "knee_r": (4, 16, 9, 6, 22, 58, 46, 12),
        "toe_r": (16, 0, 0, 0, -16, -34, -4, 12),
        "arm_raise_r": (-24, -18, 0, 18, 26, 18, 0, -18),
        "arm_side_r": (12,),
        "elbow_r": (12, 12, 18, 26, 32, 26, 18, 12),
        "twist": (-6, 0, 6, 0),
        "sway": (5, 0, -5, 0),
        "lean": (0, 2, 0, -2),
        "hinge": (3,),
    },
    (
        "a person walks",
        "somebody is walking across the scene",
        "walking at an easy pace",
        "a person strolls, step after step, with swinging arms",
    ),
    alternate=True,
)

RUN = Action(
    0.68,
    "cyclic",
    {
        "hip_r": (38, 24, 4, -16, -24, -2, 36, 50),
        "knee_r": (18, 36, 26, 14, 40, 92, 104, 56),
        "toe_r": (6, 0, 0, -12, -44, -40, -10, 8),
        "arm_raise_r": (-46, -32, 0, 28, 40, 28, 0, -32),
        "arm_side_r": (8,),
        "elbow_r": (86, 88, 94, 100, 104, 100, 94, 88),
        "twist": (-10, 0, 10, 0),
        "hinge": (11,),
        "lift": (0.0, 0.0, 0.02, 0.07, 0.0, 0.0, 0.02, 0.07),
    },
    (
        "a person runs",
        "somebody is running fast",
        "running with bent arms and high heels",
        "a runner sprints through the scene",
    ),
    alternate=True,
)
