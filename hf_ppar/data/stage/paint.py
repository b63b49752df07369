"""Procedural surfaces: the colour of a point from its place on the body.

Points are in the frame of the segment that carries the shape (metres; x to the person's left, y up, z forward).
Colours are linear light.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .figure import PATTERNS
from .head import BEARDS
from .shapes import Paint

Float = NDArray[np.floating[Any]]
Painter = Callable[[Float, Float, Float], Float]


def _mix(colour: Float, other: Float, weight: Float) -> Float:
    return colour + (other - colour) * weight[:, None]


def _soft(values: Float, width: float) -> Float:
    """Smooth step from 0 to 1 around zero."""
    return np.clip(values / width + 0.5, 0.0, 1.0)


def _ellipse(x: Float, y: Float, wide: Float | float, tall: Float | float) -> Float:
    """1 inside an ellipse at the origin, 0 outside, with a soft edge."""
    return np.clip((1.15 - np.sqrt((x / wide) ** 2 + (y / tall) ** 2)) / 0.3, 0.0, 1.0)


def paint_skin(point: Float, palette: Float, params: Float) -> Float:
    return palette[:, 0]


def paint_cloth(point: Float, palette: Float, params: Float) -> Float:
    """Plain or striped cloth with faint folds."""
    x, y, z = point.T
    colour = palette[:, 0]
    stripes = (np.sin(y * 105.0) > 0.25) & (params[:, 0] > 0.5)
    colour = _mix(colour, palette[:, 1], stripes.astype(np.float32) * 0.85)
    return colour * (1.0 + 0.055 * np.sin(60 * y + 35 * x + 20 * np.sin(25 * z)))[:, None]


def paint_knit(point: Float, palette: Float, params: Float) -> Float:
    """Ribbed wool; a cap (second parameter) has a turned-up brim."""
    x, y, z = point.T
    angle = np.arctan2(x, z)
    ribs = 1.0 + 0.10 * np.sin(angle * 26.0)
    brim = (params[:, 1] > 0.5) & (y < 0.19)
    return palette[:, 0] * (ribs * np.where(brim, 0.78, 1.0))[:, None]


def paint_hair(point: Float, palette: Float, params: Float) -> Float:
    x, y, z = point.T
    strands = np.sin(np.arctan2(x, z + 0.02) * 34.0 + 12 * y) * 0.6 + np.sin(x * 190.0 + 40 * z) * 0.4
    return palette[:, 0] * (1.0 + 0.20 * strands)[:, None] + 0.004


def paint_shoe(point: Float, palette: Float, params: Float) -> Float:
    """A pale sole and a darker lace field."""
    x, y, z = point.T
    colour = _mix(palette[:, 0], palette[:, 1], (y < -params[:, 0] + 0.020).astype(np.float32))
    laces = (np.abs(x) < 0.016) & (z > 0.03) & (z < 0.12) & (y > -params[:, 0] + 0.045)
    return _mix(colour, palette[:, 1], laces.astype(np.float32) * (0.5 + 0.5 * (np.sin(z * 330) > 0)))


def paint_mask(point: Float, palette: Float, params: Float) -> Float:
    """A full-face mask: dark visor across the eyes, breathing slots below."""
    x, y, _ = (point / params[:, :1]).T
    visor = _ellipse(x, y - 0.122, 0.064, 0.022)
    slots = _soft(0.022 - np.abs(x), 0.004) * _soft(0.016 - np.abs(y - 0.055), 0.004) * (np.sin(y * 900) > 0)
    return _mix(palette[:, 0], palette[:, 1], np.maximum(visor, 0.8 * slots))


def paint_top(point: Float, palette: Float, params: Float) -> Float:
    """A garment of the trunk: pattern, neckline and faint folds; or bare skin with its relief."""
    x, y, z = point.T
    pattern, trunk = params[:, 0], params[:, 2]
    rise = (y + params[:, 1]) / trunk
    front = z > 0.0
    accent = np.zeros(len(x), np.float32)
    for name, mask in _patterns(x, rise, front).items():
        accent = np.where(pattern == PATTERNS.index(name), mask, accent)
    dressed = pattern != PATTERNS.index("bare")
    colour = _mix(palette[:, 0], palette[:, 1], accent * dressed)
    folds = 1.0 + 0.05 * np.sin(38 * y + 26 * x + 2.5 * np.sin(31 * x)) * np.where(rise < 0.75, 1.0, 0.4)
    return colour * np.where(dressed, folds, _relief(x, rise, front))[:, None]


def _patterns(x: Float, rise: Float, front: NDArray[np.bool_]) -> dict[str, Float]:
    """Where each pattern shows the accent colour; `rise` is 0 at the hips and 1 at the base of the neck."""
    stripes = _soft(np.sin(rise * 56.0) - 0.2, 0.3)
    band = _soft(0.075 - np.abs(rise - 0.72), 0.02)
    jacket = _soft(0.035 + 0.05 * np.maximum(rise - 0.6, 0.0) - np.abs(x), 0.006) * front
    logo = _ellipse(x, (rise - 0.74) * 0.5, 0.045, 0.045) * front
    buttons = _ellipse(x, (np.mod(rise * 8, 1.0) - 0.5) * 0.06, 0.008, 0.008)
    seam = np.maximum(0.6 * _soft(0.004 - np.abs(x), 0.004), buttons) * front
    return {"stripes": stripes, "chest_band": band, "open_jacket": jacket, "logo": logo, "coat": seam}


def _relief(x: Float, rise: Float, front: NDArray[np.bool_]) -> Float:
    """Shading factors of a bare torso: midline, ribs and navel."""
    line = 0.16 * np.exp(-((x / 0.010) ** 2)) * ((rise > 0.2) & (rise < 0.82))
    rows = 0.10 * np.exp(-(((np.mod(rise * 9.0, 1.0) - 0.5) / 0.12) ** 2)) * ((rise > 0.28) & (rise < 0.6))
    rows = rows * (np.abs(x) < 0.07)
    navel = 0.5 * _ellipse(x, (rise - 0.24) * 0.5, 0.008, 0.010)
    return 1.0 - (line + rows + navel) * front


def paint_face(point: Float, palette: Float, params: Float) -> Float:
    """Skin with eyes, brows, mouth, cheeks, beard and hairline."""
    x, y, z = (point / params[:, :1]).T
    front = z > 0.02
    skin, hair, lips = palette[:, 0], palette[:, 1], palette[:, 2]
    cheeks = 0.35 * np.exp(-(((np.abs(x) - 0.042) / 0.018) ** 2) - ((y - 0.085) / 0.016) ** 2)
    colour = _mix(skin, skin * np.array([1.0, 0.72, 0.68], np.float32), cheeks * front)
    colour = _mix(colour, hair, _beard(x, y, params[:, 6]) * front)
    colour = _paint_mouth(colour, lips, x, y, params, front)
    colour = _paint_eyes(colour, hair, x, y, params, front)
    edge = 0.178 - 0.9 * np.maximum(np.abs(x) - 0.035, 0.0) - 2.2 * np.maximum(0.030 - z, 0.0)
    hairline = _soft(y - edge, 0.006) * params[:, 10]
    return _mix(colour, hair, hairline.astype(np.float32))


def _beard(x: Float, y: Float, code: Float) -> Float:
    moustache = _ellipse(x, y - 0.074, 0.030, 0.0075)
    edge = 0.056 + 0.9 * np.maximum(np.abs(x) - 0.030, 0.0)
    full = np.maximum(_soft(np.minimum(edge, 0.088) - y, 0.010), moustache)
    chin_gap = 1.0 - _ellipse(x, y - 0.060, 0.022, 0.008)
    names = {"stubble": 0.38 * full, "moustache": 0.9 * moustache, "full": 0.92 * full * chin_gap}
    weight = np.zeros(len(x), np.float32)
    for name, mask in names.items():
        weight = np.where(code == BEARDS.index(name), mask, weight)
    return weight


def _paint_mouth(colour: Float, lips: Float, x: Float, y: Float, params: Float, front: NDArray[np.bool_]) -> Float:
    wide = params[:, 4]
    curve = y - 0.060 - 3.0 * x * x
    colour = _mix(colour, lips, _ellipse(x, curve, wide, 0.0085) * (0.35 + 0.6 * params[:, 5]) * front)
    parting = _ellipse(x, curve, wide * 0.92, 0.0018)
    colour = _mix(colour, lips * 0.25, parting * front)
    shadow = 0.35 * _ellipse(x, y - 0.0775, 0.016, 0.004)
    return _mix(colour, colour * 0.4, shadow * front)


def _paint_eyes(colour: Float, hair: Float, x: Float, y: Float, params: Float, front: NDArray[np.bool_]) -> Float:
    gap, wide, brow = params[:, 1], params[:, 2], params[:, 3]
    across, up = np.abs(x) - gap, y - 0.118
    socket = 0.30 * np.exp(-((across / 0.022) ** 2) - ((up - 0.004) / 0.014) ** 2)
    colour = _mix(colour, colour * 0.45, socket * front)
    white = _ellipse(across, up, wide, wide * 0.52)
    colour = _mix(colour, np.full_like(colour, 0.80), white * front)
    iris = _ellipse(across, up, 0.0072, 0.0072) * np.minimum(white + 0.2, 1.0)
    colour = _mix(colour, params[:, 7:10], iris * front)
    colour = _mix(colour, np.full_like(colour, 0.01), _ellipse(across, up, 0.0034, 0.0034) * front)
    lid = _ellipse(across, up - wide * 0.50, wide * 1.12, 0.0024)
    colour = _mix(colour, np.full_like(colour, 0.015), 0.85 * lid * front)
    arch = y - 0.139 + 0.20 * np.maximum(np.abs(across) - 0.006, 0.0)
    return _mix(colour, hair * 0.8, 0.92 * _ellipse(across, arch, 0.021, brow) * front)


PAINTERS: dict[Paint, Painter] = {
    Paint.FACE: paint_face,
    Paint.TOP: paint_top,
    Paint.CLOTH: paint_cloth,
    Paint.HAIR: paint_hair,
    Paint.SHOE: paint_shoe,
    Paint.MASK: paint_mask,
    Paint.KNIT: paint_knit,
}


def paint(kinds: NDArray[np.int64], point: Float, palette: Float, params: Float) -> Float:
    """Linear colours (N, 3) of points (N, 3) whose shapes have paints `kinds` (N,)."""
    colour = palette[:, 0].copy()
    for kind, painter in PAINTERS.items():
        rows = np.flatnonzero(kinds == kind)
        if len(rows):
            colour[rows] = painter(point[rows], palette[rows], params[rows])
    return colour
