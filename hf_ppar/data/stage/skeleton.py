"""The articulated body: segments, proportions and forward kinematics.

World axes: x to the right of a camera that looks along -z, y up, z towards that camera. A person with no rotation
faces +z, so the person's left is +x. Angles are in degrees, lengths in metres.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pose = Mapping[str, Array]

SEGMENTS = (
    "root",
    "pelvis",
    "spine",
    "chest",
    "neck",
    "head",
    "upper_arm_l",
    "upper_arm_r",
    "forearm_l",
    "forearm_r",
    "hand_l",
    "hand_r",
    "thigh_l",
    "thigh_r",
    "shank_l",
    "shank_r",
    "foot_l",
    "foot_r",
)
SEGMENT_INDEX = {name: index for index, name in enumerate(SEGMENTS)}

# The 2D joints that a clip reports: name, segment, offset in the segment's frame as a share of body height.
JOINTS: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("head", "head", (0.0, 0.07, 0.03)),
    ("neck", "neck", (0.0, 0.0, 0.0)),
    ("shoulder_left", "upper_arm_l", (0.0, 0.0, 0.0)),
    ("elbow_left", "forearm_l", (0.0, 0.0, 0.0)),
    ("wrist_left", "hand_l", (0.0, 0.0, 0.0)),
    ("shoulder_right", "upper_arm_r", (0.0, 0.0, 0.0)),
    ("elbow_right", "forearm_r", (0.0, 0.0, 0.0)),
    ("wrist_right", "hand_r", (0.0, 0.0, 0.0)),
    ("pelvis", "pelvis", (0.0, 0.0, 0.0)),
    ("hip_left", "thigh_l", (0.0, 0.0, 0.0)),
    ("knee_left", "shank_l", (0.0, 0.0, 0.0)),
    ("ankle_left", "foot_l", (0.0, 0.0, 0.0)),
    ("hip_right", "thigh_r", (0.0, 0.0, 0.0)),
    ("knee_right", "shank_r", (0.0, 0.0, 0.0)),
    ("ankle_right", "foot_r", (0.0, 0.0, 0.0)),
)
JOINT_NAMES = tuple(name for name, _, _ in JOINTS)


@dataclass(frozen=True)
class Proportions:
    """Lengths of one body in metres; `build` (about 1) scales girth, `hips` and `waist` scale the silhouette."""

    height: float = 1.74
    legs: float = 1.0
    arms: float = 1.0
    shoulders: float = 1.0
    hips: float = 1.0
    waist: float = 1.0
    build: float = 1.0
    head: float = 1.0
    bust: float = 0.0

    @property
    def thigh(self) -> float:
        return 0.245 * self.height * self.legs

    @property
    def shank(self) -> float:
        return 0.242 * self.height * self.legs

    @property
    def ankle(self) -> float:
        return 0.045 * self.height

    @property
    def foot(self) -> float:
        return 0.150 * self.height

    @property
    def upper_arm(self) -> float:
        return 0.172 * self.height * self.arms

    @property
    def forearm(self) -> float:
        return 0.146 * self.height * self.arms

    @property
    def hip_half(self) -> float:
        return 0.046 * self.height * self.hips

    @property
    def shoulder_half(self) -> float:
        return 0.106 * self.height * self.shoulders

    @property
    def trunk(self) -> float:
        """Hip joints to the base of the neck; longer legs shorten it, so that `height` stays the height."""
        return 0.845 * self.height - self.thigh - self.shank - self.ankle


@dataclass(frozen=True)
class Skeleton:
    """Segment frames over time: `position` (T, S, 3) and `rotation` (T, S, 3, 3), columns are the segment's axes."""

    position: Array
    rotation: Array

    def point(self, segment: str, offset: tuple[float, float, float]) -> Array:
        """World position (T, 3) of a point that is fixed in a segment."""
        index = SEGMENT_INDEX[segment]
        return self.position[:, index] + self.rotation[:, index] @ np.asarray(offset)

    def moved(self, shift: Array) -> Skeleton:
        """The same motion displaced by `shift` (T, 3)."""
        return Skeleton(self.position + shift[:, None, :], self.rotation)


def rotation(axis: int, degrees: Array) -> Array:
    """Rotation matrices (T, 3, 3) about one coordinate axis."""
    radians = np.deg2rad(degrees)
    cosine, sine = np.cos(radians), np.sin(radians)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.zeros((len(radians), 3, 3))
    matrix[:, axis, axis] = 1.0
    matrix[:, first, first] = cosine
    matrix[:, second, second] = cosine
    matrix[:, second, first] = sine
    matrix[:, first, second] = -sine
    return matrix


class _Chain:
    """Collects segment frames while walking from the root outwards."""

    def __init__(self, pose: Pose, frames: int) -> None:
        self.pose = pose
        self.zero = np.zeros(frames)
        self.position = np.zeros((frames, len(SEGMENTS), 3))
        self.rotation = np.zeros((frames, len(SEGMENTS), 3, 3))

    def angle(self, name: str) -> Array:
        return self.pose.get(name, self.zero)

    def attach(self, name: str, parent: str, offset: tuple[float, float, float], *turns: Array) -> None:
        index, above = SEGMENT_INDEX[name], SEGMENT_INDEX[parent]
        frame = self.rotation[:, above]
        self.position[:, index] = self.position[:, above] + frame @ np.asarray(offset)
        for turn in turns:
            frame = frame @ turn
        self.rotation[:, index] = frame


def forward_kinematics(body: Proportions, pose: Pose, frames: int) -> Skeleton:
    """Segment frames for a pose whose values are (T,) arrays; the hip centre stays at the origin."""
    chain = _Chain(pose, frames)
    root = rotation(1, chain.angle("turn")) @ rotation(2, chain.angle("roll")) @ rotation(0, chain.angle("tilt"))
    chain.rotation[:, 0] = root
    _attach_trunk(chain, body)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        _attach_arm(chain, body, side, sign)
        _attach_leg(chain, body, side, sign)
    return Skeleton(chain.position, chain.rotation)


def _attach_trunk(chain: _Chain, body: Proportions) -> None:
    trunk, half = body.trunk, 0.5
    bend = rotation(0, half * chain.angle("bend"))
    lean = rotation(2, half * chain.angle("lean"))
    twist = rotation(1, half * chain.angle("twist"))
    chain.attach("pelvis", "root", (0, 0, 0), rotation(1, chain.angle("sway")), rotation(0, chain.angle("hinge")))
    chain.attach("spine", "pelvis", (0, 0.22 * trunk, 0), twist, lean, bend)
    chain.attach("chest", "spine", (0, 0.28 * trunk, 0), twist, lean, bend)
    nod = rotation(0, chain.angle("nod") * half)
    chain.attach("neck", "chest", (0, 0.47 * trunk, -0.008), nod)
    chain.attach("head", "neck", (0, 0.045 * body.height, 0.012), nod, rotation(1, chain.angle("look")))


def _attach_arm(chain: _Chain, body: Proportions, side: str, sign: float) -> None:
    azimuth = sign * chain.angle(f"arm_side_{side}")
    swing = rotation(1, azimuth) @ rotation(0, -chain.angle(f"arm_raise_{side}")) @ rotation(1, -azimuth)
    out = rotation(2, sign * chain.angle(f"arm_out_{side}"))
    twist = rotation(1, sign * chain.angle(f"arm_twist_{side}"))
    elbow = rotation(0, -chain.angle(f"elbow_{side}"))
    shoulder = (sign * body.shoulder_half, 0.40 * body.trunk, -0.005)
    chain.attach(f"upper_arm_{side}", "chest", shoulder, out, swing, twist)
    chain.attach(f"forearm_{side}", f"upper_arm_{side}", (0, -body.upper_arm, 0), elbow)
    wrist = rotation(0, -chain.angle(f"wrist_{side}"))
    # Palms face the thighs when the arms hang, as in a relaxed stance.
    chain.attach(f"hand_{side}", f"forearm_{side}", (0, -body.forearm, 0), wrist)


def _attach_leg(chain: _Chain, body: Proportions, side: str, sign: float) -> None:
    hip, knee = chain.angle(f"hip_{side}"), chain.angle(f"knee_{side}")
    spread = sign * chain.angle(f"hip_side_{side}")
    chain.attach(f"thigh_{side}", "root", (sign * body.hip_half, 0, 0), rotation(2, spread), rotation(0, -hip))
    chain.attach(f"shank_{side}", f"thigh_{side}", (0, -body.thigh, 0), rotation(0, knee))
    # The ankle undoes hip, knee and spread, so that a foot is parallel to the floor unless `toe` lifts its tip.
    level = (rotation(0, hip - knee), rotation(2, -spread))
    toe_out = rotation(1, sign * (8.0 + chain.angle(f"toe_out_{side}")))
    chain.attach(
        f"foot_{side}",
        f"shank_{side}",
        (0, -body.shank, 0),
        *level,
        toe_out,
        rotation(0, -chain.angle(f"toe_{side}")),
    )


FEET = 4
"""How many of the contact points, counted from the first, belong to the feet."""


def contact_points(body: Proportions) -> list[tuple[str, tuple[float, float, float], float]]:
    """Points that may touch the floor: segment, offset and radius of flesh around the offset; feet first."""
    points: list[tuple[str, tuple[float, float, float], float]] = []
    for side in ("l", "r"):
        points.append((f"foot_{side}", (0.0, -body.ankle, -0.28 * body.foot), 0.0))
        points.append((f"foot_{side}", (0.0, -body.ankle, 0.70 * body.foot), 0.0))
    for side in ("l", "r"):
        points.append((f"shank_{side}", (0.0, 0.0, 0.0), 0.055 * body.build))
        points.append((f"hand_{side}", (0.0, -0.08, 0.0), 0.035))
        points.append((f"forearm_{side}", (0.0, 0.0, 0.0), 0.045 * body.build))
        points.append((f"upper_arm_{side}", (0.0, 0.0, 0.0), 0.06 * body.build))
        points.append((f"thigh_{side}", (0.0, 0.0, 0.0), 0.10 * body.build))
    points.append(("pelvis", (0.0, 0.0, 0.0), 0.12 * body.build))
    points.append(("head", (0.0, 0.07 * body.height, 0.0), 0.10 * body.head))
    return points
