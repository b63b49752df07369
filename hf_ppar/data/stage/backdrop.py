"""Floors, walls and skies: procedural places behind the people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .camera import Camera, pixel_rays
from .lighting import Light
from .skeleton import Array

Float = NDArray[np.floating[Any]]

ROOM_FLOORS = ("planks", "tiles", "carpet", "concrete")
ROOM_WALLS = ("paint", "wallpaper", "panels")
OTHER_PLACES = ("park", "beach", "street", "court", "theatre")
_OUTDOORS = ("park", "beach", "street")
_FLOOR_OF_PLACE = {"park": "grass", "beach": "sand", "street": "asphalt", "court": "court", "theatre": "planks"}
_WALL_OF_PLACE = {"court": "brick", "theatre": "curtain"}


@dataclass(frozen=True)
class Place:
    """One background; colours are linear light, `seed` varies small details, `depth` is the wall's z (negative)."""

    kind: str
    floor: str
    wall: str
    floor_colour: Float
    wall_colour: Float
    trim_colour: Float
    depth: float
    half_width: float
    decor: tuple[tuple[str, float, float], ...]
    seed: float

    @property
    def outdoors(self) -> bool:
        return self.kind in _OUTDOORS


@dataclass(frozen=True)
class Backdrop:
    """Rendered background: `colour` (t, H, W, 3) linear, `depth` (t, H, W), and the visible floor points.

    `floor_pixel` are flat pixel indices into (t, H, W); `floor_x`, `floor_z` their places.
    """

    colour: Float
    depth: Float
    floor_pixel: NDArray[np.int64]
    floor_x: Float
    floor_z: Float


def draw_place(rng: np.random.Generator, other: bool) -> Place:
    """A room of the normal domain, or one of the places that the normal domain never shows."""
    tones = rng.uniform(0.0, 1.0, 6)
    kind = OTHER_PLACES[int(rng.integers(0, len(OTHER_PLACES)))] if other else "room"
    floor = _FLOOR_OF_PLACE.get(kind, ROOM_FLOORS[int(rng.integers(0, len(ROOM_FLOORS)))])
    wall = _WALL_OF_PLACE.get(kind, ROOM_WALLS[int(rng.integers(0, len(ROOM_WALLS)))])
    warm = np.array([1.0, 0.96, 0.90]) * (0.34 + 0.34 * tones[0])
    tint = np.array([0.9 + 0.2 * tones[1], 1.0, 0.9 + 0.2 * tones[2]])
    decor = _draw_decor(rng) if kind == "room" else ()
    return Place(
        kind=kind,
        floor=floor,
        wall=wall,
        floor_colour=_floor_colour(floor, tones).astype(np.float32),
        wall_colour=_wall_colour(wall, warm * tint, tones).astype(np.float32),
        trim_colour=(np.array([0.75, 0.73, 0.70]) * (0.75 + 0.25 * tones[3])).astype(np.float32),
        depth=-float(rng.uniform(2.2, 3.6)),
        half_width=float(rng.uniform(3.0, 4.6)),
        decor=decor,
        seed=float(rng.uniform(0, 100)),
    )


def _floor_colour(floor: str, tones: Array) -> Array:
    colours = {
        "planks": (0.34 + 0.12 * tones[4], 0.20 + 0.07 * tones[4], 0.10 + 0.05 * tones[5]),
        "tiles": (0.46, 0.45, 0.43),
        "carpet": (0.20 + 0.14 * tones[4], 0.19 + 0.06 * tones[5], 0.22 + 0.12 * tones[5]),
        "concrete": (0.33, 0.33, 0.33),
        "grass": (0.09, 0.22, 0.05),
        "sand": (0.62, 0.50, 0.32),
        "asphalt": (0.13, 0.13, 0.14),
        "court": (0.45, 0.16, 0.08),
    }
    return np.array(colours[floor]) * (0.85 + 0.3 * tones[3])


def _wall_colour(wall: str, default: Array, tones: Array) -> Array:
    colours = {"brick": (0.36, 0.13, 0.08), "curtain": (0.34, 0.02, 0.03)}
    return np.array(colours[wall]) * (0.8 + 0.4 * tones[3]) if wall in colours else default


def _draw_decor(rng: np.random.Generator) -> tuple[tuple[str, float, float], ...]:
    kinds = ("picture", "window", "door", "shelf", "none")
    slots = (-1.7, 0.0, 1.7)
    chosen = [kinds[int(index)] for index in rng.integers(0, len(kinds), len(slots))]
    return tuple(
        (kind, slot + float(rng.uniform(-0.3, 0.3)), float(rng.random()))
        for kind, slot in zip(chosen, slots, strict=True)
    )


def _wave(x: Float, z: Float, seed: float) -> Float:
    """Cheap smooth noise in about [-1, 1]."""
    first = np.sin(2.1 * x + 1.3 * z + seed) + np.sin(-1.7 * x + 2.9 * z + 2 * seed)
    return 0.25 * (first + np.sin(5.3 * x + 4.1 * z + 3 * seed) + np.sin(7.9 * x - 6.1 * z + seed * 5))


def _grid_line(values: Float, spacing: float, width: float) -> Float:
    """1 on lines `spacing` apart, 0 between."""
    distance = np.abs(np.mod(values / spacing + 0.5, 1.0) - 0.5) * spacing
    return np.clip(1.5 - distance / width, 0.0, 1.0)


def _floor_texture(place: Place, x: Float, z: Float) -> Float:
    """Brightness factors of the floor; lines fade with distance so that they do not shimmer."""
    fade = np.exp(-0.12 * np.maximum(2.0 - z, 0.0))
    base = 1.0 + 0.07 * _wave(x, z, place.seed)
    if place.floor == "planks":
        plank = np.floor(x / 0.16)
        tone = 0.13 * np.sin(plank * 12.9898 + place.seed)
        joints = np.maximum(_grid_line(x, 0.16, 0.008), _grid_line(z + plank * 0.77, 1.3, 0.010))
        return base + (tone - 0.35 * joints) * fade
    if place.floor == "tiles":
        joints = np.maximum(_grid_line(x, 0.5, 0.014), _grid_line(z, 0.5, 0.014))
        checks = 0.10 * np.sign(np.sin(x * np.pi / 0.5) * np.sin(z * np.pi / 0.5))
        return base + (checks * np.sign(np.sin(place.seed)) - 0.30 * joints) * fade
    if place.floor in ("grass", "sand", "carpet"):
        fine = np.sin(47 * x + 13 * np.sin(9 * z)) * np.sin(53 * z + 11 * np.sin(8 * x))
        return base + 0.10 * _wave(3 * x, 3 * z, place.seed) + (0.16 if place.floor == "grass" else 0.06) * fine * fade
    if place.floor == "court":
        return base + 1.6 * np.maximum(_grid_line(x + 0.4, 3.1, 0.030), _grid_line(z + 0.3, 2.7, 0.030)) * fade
    return base + 0.05 * _wave(6 * x, 6 * z, place.seed) - 0.2 * _grid_line(x, 2.0, 0.01) * fade


def _wall_texture(place: Place, x: Float, y: Float) -> Float:
    """Colour (N, 3) of a wall at horizontal place x and height y."""
    factor = 1.0 + 0.03 * _wave(x, y, place.seed)
    if place.wall == "wallpaper":
        factor = factor + 0.10 * np.sign(np.sin(x * 14.0))
    elif place.wall == "panels":
        factor = factor - 0.18 * np.maximum(_grid_line(x, 0.9, 0.012), _grid_line(y, 0.95, 0.012)) * (y < 1.0)
        factor = factor * np.where(y < 0.97, np.float32(0.78), np.float32(1.0))
    elif place.wall == "brick":
        row = np.floor(y / 0.085)
        mortar = np.maximum(_grid_line(y, 0.085, 0.008), _grid_line(x + 0.125 * (row % 2), 0.25, 0.008))
        factor = factor + 0.16 * np.sin(row * 7.1 + np.floor(x / 0.25 + 0.5 * (row % 2)) * 3.7) + 0.9 * mortar
    elif place.wall == "curtain":
        factor = 0.75 + 0.45 * np.sin(x * 17.0 + 0.8 * np.sin(3 * x))
    factor = factor.astype(np.float32)
    # Corners receive less light than the middle of a wall.
    factor = factor * (0.80 + 0.20 * np.clip(y / 0.7, 0, 1))
    colour = factor[:, None] * place.wall_colour
    skirting = (y < 0.11) & (place.kind == "room")
    return np.where(skirting[:, None], place.trim_colour * (0.8 + 1.8 * y)[:, None], colour)


def _hang_decor(place: Place, colour: Float, x: Float, y: Float) -> Float:
    """Pictures, windows, doors and shelves on the back wall."""
    sizes = {
        "picture": (0.34, 1.62, 0.26),
        "window": (0.55, 1.65, 0.55),
        "door": (0.44, 1.02, 1.02),
        "shelf": (0.5, 1.5, 0.32),
    }
    for kind, centre, tone in place.decor:
        if kind not in sizes:
            continue
        wide, middle, tall = sizes[kind]
        across, up = np.abs(x - centre), np.abs(y - middle)
        rows = np.flatnonzero((across < wide) & (up < tall))
        frame = (across[rows] > wide - 0.05) | (up[rows] > tall - 0.05)
        inner = _decor_colour(kind, tone, x[rows] - centre, y[rows] - middle)
        border = place.trim_colour * (0.35 if kind == "picture" else 1.0)
        colour[rows] = np.where(frame[:, None], border, inner)
    return colour


def _decor_colour(kind: str, tone: float, x: Float, y: Float) -> Float:
    if kind == "window":
        bars = (np.abs(x) < 0.022) | (np.abs(y) < 0.022)
        sky = np.stack([0.72 + 0.15 * y, 0.84 + 0.10 * y, 0.98 + 0 * y], axis=1)
        return np.where(bars[:, None], 0.7, sky)
    if kind == "door":
        panel = (np.abs(np.abs(x) - 0.17) < 0.12) & (np.abs(np.abs(y) - 0.45) < 0.36)
        wood = np.array([0.34, 0.21, 0.12]) * (0.6 + 0.8 * tone)
        return wood * np.where(panel, 0.82, 1.0)[:, None]
    if kind == "shelf":
        book = np.floor((x + 1) / 0.055)
        hue = np.stack([0.5 + 0.4 * np.sin(book * 2.1 + phase + tone) for phase in (0.0, 2.1, 4.2)], axis=1)
        gap = (np.mod(y + 0.32, 0.32) > 0.25)[:, None]
        return np.where(gap, 0.06, 0.35 * hue)
    blobs = np.stack(
        [0.4 + 0.35 * np.sin(9 * x * (1 + tone) + 7 * y + phase + 6 * tone) for phase in (0.0, 1.4, 2.9)], axis=1
    )
    return blobs**1.6


def _sky(place: Place, ray: Float) -> Float:
    """Colour (N, 3) of what lies beyond the floor outdoors: sky with hills, trees, a sea or houses."""
    up = ray[:, 1] / np.sqrt(ray[:, 0] ** 2 + ray[:, 2] ** 2)
    around = ray[:, 0] / np.maximum(-ray[:, 2], 0.05)
    blend = np.clip(up * 1.6, 0, 1)[:, None]
    colour = np.array([0.72, 0.82, 0.92]) * (1 - blend) + np.array([0.22, 0.44, 0.82]) * blend
    clouds = np.clip(_wave(5 * around, 18 * up, place.seed) - 0.15, 0, 1)[:, None] * np.clip(up * 5, 0, 1)[:, None]
    colour = colour + clouds * 0.35
    if place.kind == "park":
        trees = 0.13 + 0.05 * _wave(9 * around, 0 * up, place.seed) + 0.02 * np.sin(60 * around)
        crown = _wave(23 * around + 3 * np.sin(31 * up), 37 * up + 2 * np.sin(19 * around), place.seed)
        leaf = np.array([0.06, 0.15, 0.04]) * (1 + 0.45 * crown)[:, None]
        return np.where((up < trees)[:, None], leaf, colour)
    if place.kind == "street":
        block = np.floor(around * 5 + place.seed)
        roof = 0.30 + 0.12 * np.sin(block * 4.7)
        lit = (np.mod(around * 40, 1.0) < 0.55) & (np.mod(up * 26, 1.0) < 0.55)
        house = np.where(lit, 0.16, 0.36)[:, None] * (0.85 + 0.15 * np.sin(block[:, None] * np.array([1.3, 1.5, 1.7])))
        return np.where((up < roof)[:, None], house, colour)
    sea = np.array([0.05, 0.22, 0.34]) * (1 + 0.2 * np.sin(300 * up))[:, None]
    return np.where((up < 0.02)[:, None], sea, colour)


def render_backdrop(place: Place, camera: Camera, light: Light, height: int, width: int) -> Backdrop:
    """Background of every camera frame given; pass one frame for a camera that stands still."""
    columns, rows = pixel_rays(camera, height, width)
    axes = camera.axes.astype(np.float32)
    across, up = columns.astype(np.float32)[:, None, :, None], rows.astype(np.float32)[:, :, None, None]
    ray = across * axes[:, None, None, 0] + up * axes[:, None, None, 1] + axes[:, None, None, 2]
    frames = len(across)
    ray = ray.reshape(frames, -1, 3)
    eye = camera.position.astype(np.float32)[:, None]
    reach, surface = _nearest_surface(place, eye, ray)
    point = eye + np.where(np.isfinite(reach), reach, 0.0)[..., None] * ray
    colour = np.empty((frames * height * width, 3), np.float32)
    flat_point, flat_surface, flat_ray = point.reshape(-1, 3), surface.reshape(-1), ray.reshape(-1, 3)
    floor = np.flatnonzero(flat_surface == 0)
    x, _, z = flat_point[floor].T
    texture = _floor_texture(place, x, z)[:, None] * place.floor_colour
    colour[floor] = texture * light.on(np.array([[0.0, 1.0, 0.0]], np.float32)) * _vignette(x, z)[:, None]
    _colour_walls(place, light, colour, flat_surface, flat_point)
    sky = np.flatnonzero(flat_surface == 4)
    if len(sky):
        colour[sky] = _sky(place, flat_ray[sky]) * float(light.sky.mean() * 1.6 + 0.05)
    shape = (frames, height, width)
    return Backdrop(colour.reshape(*shape, 3), reach.reshape(shape), floor, x, z)


def _vignette(x: Float, z: Float) -> Float:
    """The key light is strongest around the middle of the scene."""
    return (0.72 + 0.28 * np.exp(-(x * x + z * z) / 14.0)).astype(np.float32)


def _nearest_surface(place: Place, eye: Float, ray: Float) -> tuple[Float, NDArray[np.int64]]:
    """Depth (t, N) and surface number (t, N): 0 floor, 1 back wall, 2 left, 3 right, 4 sky."""
    with np.errstate(divide="ignore", invalid="ignore"):
        candidates = [-eye[..., 1] / ray[..., 1]]
        if not place.outdoors:
            candidates.append((place.depth - eye[..., 2]) / ray[..., 2])
            candidates += [(side * place.half_width - eye[..., 0]) / ray[..., 0] for side in (-1, 1)]
    reach = np.stack([np.where(values > 0, values, np.inf) for values in candidates])
    surface = reach.argmin(axis=0)
    nearest = np.take_along_axis(reach, surface[None], axis=0)[0]
    if place.outdoors:
        far = ~(nearest < 80.0)
        nearest, surface = np.where(far, np.inf, nearest), np.where(far, 4, surface)
    return nearest.astype(np.float32), surface


def _colour_walls(place: Place, light: Light, colour: Float, surface: NDArray[np.int64], point: Float) -> None:
    normals = {1: (0.0, 0.0, 1.0), 2: (1.0, 0.0, 0.0), 3: (-1.0, 0.0, 0.0)}
    for number, normal in normals.items():
        rows = np.flatnonzero(surface == number)
        if not len(rows):
            continue
        x, y, z = point[rows].T
        along = x if number == 1 else z
        texture = _wall_texture(place, along, y)
        if number == 1:
            texture = _hang_decor(place, texture, x, y)
        lit = light.on(np.array([normal], np.float32)) * (0.86 + 0.14 * np.exp(-(along**2) / 6.0))[:, None]
        colour[rows] = texture * lit
