"""The persons: proportions, looks and personal gait, all drawn from a seed and the person's number."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .skeleton import Proportions

Colour = tuple[float, float, float]

SKIN_TONES: tuple[Colour, ...] = (
    (0.91, 0.72, 0.61),
    (0.86, 0.65, 0.51),
    (0.79, 0.57, 0.42),
    (0.70, 0.48, 0.33),
    (0.58, 0.38, 0.25),
    (0.44, 0.28, 0.18),
    (0.32, 0.20, 0.13),
)
HAIR_COLOURS: tuple[Colour, ...] = (
    (0.07, 0.05, 0.04),
    (0.20, 0.12, 0.07),
    (0.36, 0.22, 0.12),
    (0.55, 0.24, 0.10),
    (0.82, 0.65, 0.36),
    (0.62, 0.60, 0.58),
)
FEMININE_HAIR = ("long", "bob", "ponytail", "bun", "curls")
MASCULINE_HAIR = ("short", "crop", "quiff", "bald", "curly_short")
IRIS_COLOURS: tuple[Colour, ...] = ((0.25, 0.14, 0.07), (0.20, 0.36, 0.52), (0.24, 0.40, 0.24), (0.30, 0.30, 0.32))


@dataclass(frozen=True)
class Gait:
    """How one person moves, the same in all of that person's clips.

    Factors are around 1; `lean`, `nod` and `toe_out` are degrees added to the posture; `asymmetry` makes one side
    move more than the other; `lag` is the share of a cycle by which the arms trail the legs.
    """

    tempo: float
    stride: float
    knees: float
    arm_swing: float
    sway: float
    elbow: float
    lean: float
    nod: float
    toe_out: float
    arm_out: float
    asymmetry: float
    lag: float


@dataclass(frozen=True)
class Face:
    """Facial features; lengths in metres."""

    iris: Colour
    eye_gap: float
    eye_size: float
    brow: float
    nose: float
    mouth: float
    jaw: float
    beard: str
    lips: float


@dataclass(frozen=True)
class Outfit:
    """One set of clothes that a person owns; colours are sRGB in [0, 1]."""

    top: Colour
    accent: Colour
    bottom: Colour
    shoes: Colour
    pattern: str
    bottom_cut: str


@dataclass(frozen=True)
class Person:
    """One identity."""

    number: int
    feminine: bool
    body: Proportions
    skin: Colour
    hair: Colour
    hair_style: str
    face: Face
    gait: Gait
    outfits: tuple[Outfit, Outfit]
    hue: float


@lru_cache(maxsize=512)
def draw_person(seed: int, number: int) -> Person:
    """The person with this number in the population of this seed; presentation alternates with the number."""
    rng = np.random.default_rng([seed, 7001, number])
    feminine = number % 2 == 1
    # Steps of the golden ratio spread hues evenly whatever the number of persons.
    hue = (number * 0.61803398875 + _population_hue(seed)) % 1.0
    styles = FEMININE_HAIR if feminine else MASCULINE_HAIR
    skin = SKIN_TONES[(number * 3 + int(rng.integers(0, 2))) % len(SKIN_TONES)]
    return Person(
        number=number,
        feminine=feminine,
        body=_draw_body(rng, feminine),
        skin=_jitter(rng, skin, 0.03),
        hair=_jitter(rng, HAIR_COLOURS[int(rng.integers(0, len(HAIR_COLOURS)))], 0.08),
        hair_style=styles[(number // 2 + int(rng.integers(0, 2))) % len(styles)],
        face=_draw_face(rng, feminine),
        gait=_draw_gait(rng),
        outfits=_draw_outfits(rng, hue, feminine),
        hue=hue,
    )


def _population_hue(seed: int) -> float:
    return float(np.random.default_rng([seed, 7002]).random())


def _jitter(rng: np.random.Generator, colour: Colour, amount: float) -> Colour:
    factor = float(rng.normal(1.0, amount))
    red, green, blue = (float(np.clip(value * factor, 0.02, 1.0)) for value in colour)
    return red, green, blue


def _draw_body(rng: np.random.Generator, feminine: bool) -> Proportions:
    height = float(np.clip(rng.normal(1.67 if feminine else 1.78, 0.065), 1.52, 1.93))
    build = float(np.clip(rng.normal(0.92 if feminine else 1.03, 0.11), 0.78, 1.32))
    return Proportions(
        height=height,
        legs=float(rng.uniform(0.96, 1.04)),
        arms=float(rng.uniform(0.97, 1.05)),
        shoulders=float(rng.normal(0.93 if feminine else 1.06, 0.03)),
        hips=float(rng.normal(1.10 if feminine else 0.98, 0.03)),
        waist=float(rng.normal(0.84 if feminine else 1.0, 0.03)),
        build=build,
        head=float(rng.normal(0.97 if feminine else 1.0, 0.02)),
        bust=float(rng.uniform(0.7, 1.0)) if feminine else 0.0,
    )


def _draw_face(rng: np.random.Generator, feminine: bool) -> Face:
    beards = ("none", "none", "stubble", "full", "moustache")
    return Face(
        iris=IRIS_COLOURS[int(rng.integers(0, len(IRIS_COLOURS)))],
        eye_gap=float(rng.uniform(0.030, 0.037)),
        eye_size=float(rng.uniform(0.0135, 0.0165)) * (1.08 if feminine else 1.0),
        brow=float(rng.uniform(0.0030, 0.0045)) if feminine else float(rng.uniform(0.0045, 0.0070)),
        nose=float(rng.uniform(0.85, 1.2)),
        mouth=float(rng.uniform(0.020, 0.028)),
        jaw=float(rng.uniform(0.90, 1.0)) if feminine else float(rng.uniform(1.0, 1.14)),
        beard="none" if feminine else beards[int(rng.integers(0, len(beards)))],
        lips=float(rng.uniform(0.6, 1.0)) if feminine else 0.25,
    )


def _draw_gait(rng: np.random.Generator) -> Gait:
    return Gait(
        tempo=float(rng.uniform(0.90, 1.12)),
        stride=float(rng.uniform(0.84, 1.16)),
        knees=float(rng.uniform(0.88, 1.16)),
        arm_swing=float(rng.uniform(0.50, 1.50)),
        sway=float(rng.uniform(0.3, 2.2)),
        elbow=float(rng.uniform(-6, 24)),
        lean=float(rng.uniform(-3, 7)),
        nod=float(rng.uniform(-5, 9)),
        toe_out=float(rng.uniform(-6, 12)),
        arm_out=float(rng.uniform(3, 11)),
        asymmetry=float(rng.uniform(-0.14, 0.14)),
        lag=float(rng.uniform(-0.06, 0.06)),
    )


def _draw_outfits(rng: np.random.Generator, hue: float, feminine: bool) -> tuple[Outfit, Outfit]:
    """Two outfits around one personal colour, with the same shoes and bottoms; the second top is darker."""
    trouser_hues = ((0.60, 0.45, 0.30), (0.08, 0.35, 0.45), (0.0, 0.0, 0.16), (0.62, 0.20, 0.42), (0.10, 0.30, 0.66))
    bottom = _jitter(rng, colorsys.hsv_to_rgb(*trouser_hues[int(rng.integers(0, len(trouser_hues)))]), 0.10)
    shoes: tuple[Colour, ...] = ((0.92, 0.92, 0.90), (0.12, 0.11, 0.11), (0.45, 0.28, 0.16), (0.70, 0.16, 0.16))
    worn = shoes[int(rng.integers(0, len(shoes)))]
    cut = "skirt" if feminine and rng.random() < 0.5 else "trousers"
    first, second = (_draw_top(rng, hue, which) for which in (0, 1))
    return Outfit(*first[:2], bottom, worn, first[2], cut), Outfit(*second[:2], bottom, worn, second[2], cut)


def _draw_top(rng: np.random.Generator, hue: float, which: int) -> tuple[Colour, Colour, str]:
    shade = (0.72, 0.80) if which == 0 else (0.48, 0.60)
    saturation = float(rng.uniform(0.5, 0.85))
    top = colorsys.hsv_to_rgb((hue + rng.normal(0, 0.01)) % 1.0, saturation, float(rng.uniform(*shade)))
    accent_hue = (hue + float(rng.choice([0.08, 0.45, 0.58]))) % 1.0
    accent = colorsys.hsv_to_rgb(accent_hue, float(rng.uniform(0.08, 0.4)), 0.92)
    patterns = ("plain", "stripes", "chest_band", "open_jacket", "logo")
    return top, accent, patterns[int(rng.integers(0, len(patterns)))]
