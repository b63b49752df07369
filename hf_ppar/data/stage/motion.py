"""From an action and a person to a skeleton that moves through the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .actions import action_parts
from .people import Gait
from .skeleton import FEET, Array, Proportions, Skeleton, contact_points, forward_kinematics
from .trajectories import TRAJECTORIES, Action

PATH_RATE = 60.0
"""Steps per second at which the path over the floor is integrated, whatever the frame rate of the clip."""

_PAUSE_SECONDS = 0.35
_RETURN_FACTOR = 1.3
_SIGNED = ("twist", "lean", "look", "turn", "roll", "sway")
_REST: dict[str, float] = {
    "arm_raise_l": 5.0,
    "arm_raise_r": 5.0,
    "arm_side_l": 20.0,
    "arm_side_r": 20.0,
    "elbow_l": 14.0,
    "elbow_r": 14.0,
    "knee_l": 4.0,
    "knee_r": 4.0,
    "hip_l": 1.0,
    "hip_r": 1.0,
    "hip_side_l": 2.5,
    "hip_side_r": 2.5,
}


@dataclass(frozen=True)
class Style:
    """What varies from clip to clip: tempo and size of the movement, its phase, which side leads."""

    tempo: float = 1.0
    amplitude: float = 1.0
    phase: float = 0.0
    mirrored: bool = False
    facing: float = 0.0


def interpolate_keys(values: tuple[float, ...], phase: Array, cyclic: bool) -> Array:
    """Catmull-Rom curve through values that are evenly spaced over phase 0..1; a cyclic one closes on itself."""
    keys = np.asarray(values, dtype=float)
    count = len(keys)
    if count == 1:
        return np.full(phase.shape, keys[0])
    position = (phase % 1.0) * count if cyclic else np.clip(phase, 0.0, 1.0) * (count - 1)
    index = np.floor(position).astype(int)
    weight = position - index
    around = [index + offset for offset in (-1, 0, 1, 2)]
    p0, p1, p2, p3 = (keys[i % count] if cyclic else keys[np.clip(i, 0, count - 1)] for i in around)
    cubic = 2 * p1 + (p2 - p0) * weight + (2 * p0 - 5 * p1 + 4 * p2 - p3) * weight**2
    return 0.5 * (cubic + (3 * p1 - p0 - 3 * p2 + p3) * weight**3)


def action_phase(action: Action, seconds: Array, style: Style) -> Array:
    """Phase of an action over time: cycles for a cyclic one, 0..1 (and back) for the others."""
    if action.kind == "cyclic":
        return seconds * style.tempo / action.seconds + style.phase
    active = action.seconds / style.tempo
    back = _RETURN_FACTOR * active if action.kind == "state" else 0.0
    pause = _PAUSE_SECONDS * (2 if action.kind == "state" else 1)
    # Phase of a one-shot shifts its start by up to a tenth of a second around the clip's first frame.
    local = (seconds + 0.12 * style.phase - 0.08) % (active + back + 2 * pause)
    early = seconds + 0.12 * style.phase - 0.08 < 0
    forward = np.clip(local / active, 0.0, 1.0)
    if action.kind == "oneshot":
        return np.where(early, 0.0, forward)
    backward = 1.0 - np.clip((local - active - pause) / back, 0.0, 1.0)
    return np.where(early, 0.0, np.minimum(forward, backward))


def _action_pose(action: Action, seconds: Array, style: Style, gait: Gait, travels: bool) -> dict[str, Array]:
    cyclic = action.kind == "cyclic"
    phase = action_phase(action, seconds, style)
    pose = {}
    for name, values in action.keys.items():
        shift = gait.lag if travels and name.startswith(("arm", "elbow")) else 0.0
        pose[name] = _scaled(interpolate_keys(values, phase - shift, cyclic), name, style, gait, travels)
        if name.endswith("_r") and (action.alternate or action.symmetric):
            other = phase - shift + (0.5 if action.alternate else 0.0)
            left = name[:-2] + "_l"
            if left not in action.keys:
                pose[left] = _scaled(interpolate_keys(values, other, cyclic), left, style, gait, travels)
    if action.spin:
        pose["turn"] = action.spin * (phase - style.phase)
    return pose


def _scaled(values: Array, name: str, style: Style, gait: Gait, travels: bool) -> Array:
    """Clip variation for every action, plus the personal gait for those that travel."""
    if name.startswith(("roll", "arm_side", "lift")):
        return values
    factor = style.amplitude if name.startswith(("arm_raise", "hip", "hinge", "twist")) else 1.0
    if travels:
        side = 1.0 + (gait.asymmetry if name.endswith("_l") else -gait.asymmetry)
        factors = {"hip_": gait.stride, "knee": gait.knees, "arm_": gait.arm_swing * side, "twis": gait.sway}
        factors |= {"lean": gait.sway, "sway": gait.sway}
        factor *= factors.get(name[:4], 1.0)
    return values * factor


def _mirrored(pose: dict[str, Array]) -> dict[str, Array]:
    swap = {"_l": "_r", "_r": "_l"}
    swapped = {}
    for name, values in pose.items():
        other = name[:-2] + swap[name[-2:]] if name[-2:] in swap else name
        swapped[other] = -values if name in _SIGNED else values
    return swapped


def pose_over_time(name: str | None, seconds: Array, style: Style, gait: Gait) -> dict[str, Array]:
    """Degrees of freedom (T,) of an action, or of standing at ease when `name` is None."""
    pose = {dof: np.full(seconds.shape, value) for dof, value in _REST.items()}
    breath = np.sin(2 * np.pi * (0.27 * seconds + style.phase))
    pose["lean"] = 0.8 * np.sin(2 * np.pi * (0.4 * seconds + style.phase))
    if name is not None:
        lower, upper = action_parts(name)
        travels = lower in ("walk", "run")
        pose |= _action_pose(TRAJECTORIES[lower], seconds, style, gait, travels)
        if upper is not None:
            arms = _action_pose(TRAJECTORIES[upper], seconds, style, gait, False)
            pose |= {dof: value for dof, value in arms.items() if dof.startswith(("arm", "elbow", "wrist", "look"))}
    if style.mirrored:
        pose = _mirrored(pose)
    _add_posture(pose, gait, breath)
    pose["turn"] = pose.get("turn", np.zeros(seconds.shape)) + style.facing
    return pose


def _add_posture(pose: dict[str, Array], gait: Gait, breath: Array) -> None:
    zero = np.zeros(breath.shape)
    pose["bend"] = pose.get("bend", zero) + gait.lean + 0.6 * breath
    pose["nod"] = pose.get("nod", zero) + gait.nod
    for side in ("l", "r"):
        pose[f"arm_out_{side}"] = np.full(breath.shape, gait.arm_out)
        pose[f"toe_out_{side}"] = np.full(breath.shape, gait.toe_out)
        relaxed = np.clip(1.0 - np.abs(pose[f"arm_raise_{side}"]) / 60.0, 0.0, 1.0)
        pose[f"elbow_{side}"] = np.clip(pose[f"elbow_{side}"] + gait.elbow * relaxed, 0.0, 150.0)


def _contacts(body: Proportions, skeleton: Skeleton) -> tuple[Array, Array]:
    """Positions (T, C, 3) of points that may touch the floor and their lowest heights (T, C)."""
    points = contact_points(body)
    places = np.stack([skeleton.point(segment, offset) for segment, offset, _ in points], axis=1)
    return places, places[..., 1] - np.array([radius for _, _, radius in points])


def _path(body: Proportions, name: str | None, duration: float, style: Style, gait: Gait) -> tuple[Array, Array]:
    """Times (N,) and floor positions (N, 2) of the hips, found by keeping the foot that touches the floor in place."""
    times = np.arange(0.0, duration + 2.0 / PATH_RATE, 1.0 / PATH_RATE)
    skeleton = forward_kinematics(body, pose_over_time(name, times, style, gait), len(times))
    places, heights = _contacts(body, skeleton)
    # Only the feet hold: a hand that touches down while falling must not drag the body along.
    places, heights = places[:, :FEET], heights[:, :FEET]
    closeness = np.exp(-(heights - heights.min(axis=1, keepdims=True)) / 0.012)
    share = closeness / closeness.sum(axis=1, keepdims=True)
    steps = np.diff(places[..., (0, 2)], axis=0)
    moves = -(0.5 * (share[1:] + share[:-1])[..., None] * steps).sum(axis=1)
    return times, np.concatenate([np.zeros((1, 2)), np.cumsum(moves, axis=0)])


def perform(body: Proportions, name: str | None, seconds: Array, style: Style, gait: Gait) -> Skeleton:
    """Skeleton over `seconds` (T,): feet on the floor (y = 0), the space that it takes centred on the origin."""
    pose = pose_over_time(name, seconds, style, gait)
    skeleton = forward_kinematics(body, pose, len(seconds))
    _, heights = _contacts(body, skeleton)
    times, path = _path(body, name, float(seconds[-1]), style, gait)
    shift = np.zeros((len(seconds), 3))
    for axis, column in ((0, 0), (2, 1)):
        along = np.interp(seconds, times, path[:, column])
        reach = skeleton.position[..., axis] + along[:, None]
        shift[:, axis] = along - 0.5 * (reach.min() + reach.max())
    # Curves through the keys may dip below zero next to a landing.
    lift = np.maximum(pose.get("lift", np.zeros(len(seconds))), 0.0)
    shift[:, 1] = lift * style.amplitude - heights.min(axis=1)
    return skeleton.moved(shift)


def seat_position(body: Proportions, name: str, style: Style, gait: Gait, skeleton: Skeleton) -> Array | None:
    """Where a stool must stand (x, top, z) for an action that sits; None for the other actions."""
    lower, _ = action_parts(name)
    if lower not in ("sit_down", "stand_up"):
        return None
    # The seated posture is the end of sitting down, reached one execution after the start.
    late = np.array([TRAJECTORIES["sit_down"].seconds / style.tempo + 0.1])
    seated = perform(body, "sit_down", late, style, gait)
    feet = [0.5 * (frames.position[:1, -1] + frames.position[:1, -2])[0] for frames in (skeleton, seated)]
    place = feet[0] + seated.position[0, 1] - feet[1]
    return np.array([place[0], place[1] - 0.085 * body.build, place[2]])
