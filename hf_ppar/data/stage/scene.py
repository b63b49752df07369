"""One clip's world: who is where, doing what, in which place, seen and lit how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .actions import action_parts
from .backdrop import Place, draw_place
from .camera import Camera, look_at
from .clips import ClipSpec
from .figure import build_figure
from .labels import split_number
from .lighting import Light
from .motion import Style, perform, seat_position
from .people import draw_person
from .props import build_stool
from .shapes import ShapeSet, join_shapes
from .skeleton import SEGMENTS, Array, Skeleton
from .wardrobe import dress

_STRANGERS = 100_000
"""Companions are numbered from here, so that none of them is one of the persons of a data set."""


@dataclass(frozen=True)
class Scene:
    """Everything that is rendered. `position` (T, F, 3) and `rotation` (T, F, 3, 3) carry the shapes.

    The first `len(people) * len(SEGMENTS)` frames belong to people, the rest to props.
    """

    people: tuple[Skeleton, ...]
    heights: tuple[float, ...]
    shapes: ShapeSet
    person_shapes: int
    position: Array
    rotation: Array
    camera: Camera
    light: Light
    place: Place
    noise: float


def build_scene(spec: ClipSpec, frames: int, fps: float) -> Scene:
    """Draw all of a clip that its labels leave open, and move the people."""
    rng = _stream(spec, 0)
    seconds = np.arange(frames) / fps
    place = draw_place(rng, spec.domain == "backgrounds")
    light = _draw_light(rng, spec.domain, place)
    style = _draw_style(rng, spec)
    side = 1.0 if rng.random() < 0.5 else -1.0
    if action_parts(spec.action)[0] == "fall" and spec.attributes["relationship"]:
        side = 1.0 if style.mirrored else -1.0
    people, sets, heights, seat = _cast_people(spec, seconds, style, side)
    count = sum(len(shapes) for shapes in sets)
    distractor = rng.random() < 0.35
    corner = np.array([-side * rng.uniform(1.05, 1.3), 0.45, -rng.uniform(0.7, 1.2)])
    stool = seat if seat is not None else (corner if distractor else None)
    if stool is not None:
        sets.append(build_stool(stool, rng).carried_by(len(people) * len(SEGMENTS)))
    camera = _aim_camera(spec, rng, people[0], heights[0], seconds)
    position, rotation = _carriers(people, frames)
    shapes = join_shapes(sets)
    place = _push_wall_back(place, position)
    noise = 0.022 if spec.domain == "dark" else 0.0
    return Scene(tuple(people), tuple(heights), shapes, count, position, rotation, camera, light, place, noise)


def _stream(spec: ClipSpec, part: int) -> np.random.Generator:
    """Random numbers for one part of a clip, so that changing a label leaves the other parts as they are."""
    return np.random.default_rng([spec.options.seed, 103, split_number(spec.split), spec.index, spec.clip_seed, part])


def _draw_style(rng: np.random.Generator, spec: ClipSpec) -> Style:
    gait_set = spec.split in ("gallery", "probe")
    spread = 0.03 if gait_set else 0.06
    return Style(
        tempo=float(rng.normal(1.0, spread)),
        amplitude=float(np.clip(rng.normal(1.0, spread), 0.85, 1.15)),
        phase=float(rng.random()),
        mirrored=bool(rng.random() < 0.5),
        facing=float(spec.view),
    )


def _cast_people(
    spec: ClipSpec, seconds: Array, style: Style, side: float
) -> tuple[list[Skeleton], list[ShapeSet], list[float], Array | None]:
    """Actor and, with the relationship attribute, a companion who stands by or walks along."""
    rng, other = _stream(spec, 1), _stream(spec, 2)
    together = bool(spec.attributes["relationship"])
    gait_set = spec.split in ("gallery", "probe")
    person = draw_person(spec.options.seed, spec.person)
    look = dress(person, spec.attributes, rng, spec.condition, 0 if gait_set else -1)
    style = Style(style.tempo * person.gait.tempo, style.amplitude, style.phase, style.mirrored, style.facing)
    aside, ahead = rng.uniform(-0.22, 0.22), rng.uniform(-0.15, 0.15)
    lower, _ = action_parts(spec.action)
    along = lower if lower in ("walk", "run") else None
    # Those who travel start further back, which leaves room to come closer.
    shift = np.array([-side * 0.44 if together else aside, 0.0, ahead - (0.25 if along else 0.0)])
    actor = perform(look.body, spec.action, seconds, style, person.gait).moved(np.tile(shift, (len(seconds), 1)))
    seat = seat_position(look.body, spec.action, style, person.gait, actor)
    people, sets, heights = [actor], [build_figure(look)], [look.body.height]
    if together:
        friend = draw_person(spec.options.seed, _STRANGERS + int(other.integers(0, 1000)))
        worn = dress(friend, {**spec.attributes, "nudity": 0}, other)
        turn = spec.view if along else float(other.uniform(-30, 10)) * side
        pace = Style(style.tempo, 1.0, float(other.random()), False, turn)
        hips = actor.position[:, 0, 0]
        beside = float(hips.mean() if along else hips[0]) + side * other.uniform(0.80, 0.95)
        where = np.array([np.clip(beside, -0.95, 0.95), 0.0, shift[2] - other.uniform(0.1, 0.3)])
        skeleton = perform(worn.body, along, seconds, pace, friend.gait).moved(np.tile(where, (len(seconds), 1)))
        people.append(skeleton)
        sets.append(build_figure(worn).carried_by(len(SEGMENTS)))
        heights.append(worn.body.height)
    return people, sets, heights, seat


def _carriers(people: list[Skeleton], frames: int) -> tuple[Array, Array]:
    """Frames of all people followed by one fixed frame for props."""
    fixed = np.broadcast_to(np.eye(3), (frames, 1, 3, 3))
    position = np.concatenate([*(person.position for person in people), np.zeros((frames, 1, 3))], axis=1)
    return position, np.concatenate([*(person.rotation for person in people), fixed], axis=1)


def _push_wall_back(place: Place, position: Array) -> Place:
    """A room large enough for the whole path."""
    back = min(place.depth, float(position[..., 2].min()) - 0.9)
    wide = max(place.half_width, float(np.abs(position[..., 0]).max()) + 0.9)
    values = {name: getattr(place, name) for name in Place.__dataclass_fields__}
    return Place(**{**values, "depth": back, "half_width": wide})


def _draw_light(rng: np.random.Generator, domain: str, place: Place) -> Light:
    azimuth = np.deg2rad(rng.uniform(20, 60) * rng.choice([-1.0, 1.0]))
    height = np.deg2rad(rng.uniform(42, 62))
    direction = np.array([np.sin(azimuth) * np.cos(height), np.sin(height), np.cos(azimuth) * np.cos(height)])
    warm = rng.uniform(-0.05, 0.08)
    level = rng.uniform(0.9, 1.12)
    key = np.array([1.0 + warm, 1.0, 1.0 - warm]) * 0.78 * level
    sky = np.array([0.50, 0.52, 0.56]) * level
    floor = np.array([0.26, 0.24, 0.22]) * level
    if domain == "dark":
        dim = rng.uniform(0.035, 0.075)
        night = np.array([0.8, 0.92, 1.25])
        key, sky, floor = key * dim * 1.5 * night, sky * dim * night, floor * dim * night
    return Light(*(values.astype(np.float32) for values in (direction, key, sky, floor)))


def _aim_camera(spec: ClipSpec, rng: np.random.Generator, actor: Skeleton, tall: float, seconds: Array) -> Camera:
    """Frame about 2.3 m of height around the actor; follow only when the actor would leave the middle."""
    drone = spec.domain == "drone"
    distance = rng.uniform(6.5, 8.0) if drone else rng.uniform(4.8, 5.5)
    lift = np.deg2rad(rng.uniform(38, 52) if drone else rng.uniform(1.0, 9.0))
    swing = np.deg2rad(rng.uniform(-8, 8))
    span = (2.4 if drone else 2.34) * rng.uniform(0.96, 1.06)
    drift = _camera_drift(spec.domain, rng, seconds)
    follow = _dead_zone(actor.position[:, 0][:, [0, 2]])
    around = swing + np.deg2rad(drift[:, 0])
    above = lift + np.deg2rad(drift[:, 1])
    target = np.zeros((len(seconds), 3))
    target[:, [0, 2]] = follow
    # Tall people are framed a little higher, so that a jump stays in the picture; they still look taller.
    middle = (0.85 if drone else 1.07) + 0.3 * (tall - 1.74)
    target[:, 1] = middle + rng.uniform(-0.04, 0.04) + drift[:, 2]
    offset = np.stack([np.sin(around) * np.cos(above), np.sin(above), np.cos(around) * np.cos(above)], axis=1)
    zoom = 1.0 + drift[:, 3]
    return look_at(target + distance * offset, target, distance / span * zoom, drift[:, 4])


def _dead_zone(path: Array) -> Array:
    """Follow `path` (T, 2), x and z, only where it leaves the middle; coming close would cut off the feet first."""
    return path - np.clip(path, (-0.62, -1.1), (0.62, 0.42))


def _camera_drift(domain: str, rng: np.random.Generator, seconds: Array) -> Array:
    """Orbit and climb in degrees, rise in metres, zoom factor, roll in degrees: (T, 5); zeros for a still camera."""
    amounts = {"camera": (9.0, 3.0, 0.06, 0.09, 2.0), "drone": (2.0, 0.8, 0.02, 0.015, 0.6)}
    if domain not in amounts:
        return np.zeros((len(seconds), 5))
    rate = rng.uniform(0.25, 0.6, 5)
    phase = rng.uniform(0, 2 * np.pi, 5)
    shake = 0.10 * np.sin(2 * np.pi * 3.1 * seconds[:, None] + 2 * phase)
    return np.array(amounts[domain]) * (np.sin(2 * np.pi * rate * seconds[:, None] + phase) + shake)
