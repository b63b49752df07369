"""A dressed person as shapes: trunk and limbs. Head and hair are in `head.py`."""

from __future__ import annotations

from dataclasses import dataclass

from .head import add_head
from .people import Colour
from .shapes import Material, Paint, ShapeList, ShapeSet
from .wardrobe import Look

PATTERNS = ("plain", "stripes", "chest_band", "open_jacket", "logo", "bare", "coat")


@dataclass(frozen=True)
class _Fabric:
    """The materials of one look."""

    skin: Material
    top: Material
    sleeve: Material
    bottom: Material
    shoe: Material
    glove: Material
    belt: Material
    wrap: Material


def build_figure(look: Look) -> ShapeSet:
    """All shapes of one dressed person."""
    shapes = ShapeList()
    fabric = _fabric(look)
    _add_trunk(shapes, look, fabric)
    _add_neck(shapes, look, fabric)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        _add_arm(shapes, look, fabric, side)
        _add_hand(shapes, look, fabric, side, sign)
        _add_leg(shapes, look, fabric, side, sign)
        _add_foot(shapes, look, fabric, side)
    if look.legs.startswith("skirt"):
        _add_skirt(shapes, look, fabric)
    if look.coat:
        _add_coat(shapes, look)
    if look.bag:
        _add_bag(shapes, look)
    add_head(shapes, look)
    return shapes.frozen()


def _fabric(look: Look) -> _Fabric:
    outfit = look.outfit
    skin = Material(look.person.skin, paint=Paint.SKIN, gloss=0.16)
    pattern = "bare" if look.bare_torso else outfit.pattern
    colour = look.person.skin if look.bare_torso else outfit.top
    code = float(PATTERNS.index(pattern))
    top = Material(colour, outfit.accent, look.person.skin, Paint.TOP, 0.05, (code, 0.0, look.body.trunk))
    striped = pattern == "stripes"
    sleeve = Material(outfit.top, outfit.accent, paint=Paint.CLOTH, gloss=0.04, params=(float(striped),))
    bottom = Material(outfit.bottom, paint=Paint.CLOTH, gloss=0.04)
    return _Fabric(
        skin=skin,
        top=top,
        sleeve=sleeve,
        bottom=bottom,
        shoe=Material(outfit.shoes, (0.90, 0.90, 0.88), paint=Paint.SHOE, gloss=0.2, params=(look.body.ankle,)),
        glove=Material(_darker(outfit.bottom, 0.7), paint=Paint.CLOTH, gloss=0.05),
        belt=Material((0.16, 0.11, 0.08), gloss=0.2),
        wrap=Material(_darker(outfit.accent, 0.85), outfit.top, paint=Paint.CLOTH, gloss=0.05),
    )


def _presented(look: Look, feminine: float, masculine: float) -> float:
    """The value of the person's presentation, or the middle when the look conceals it."""
    if look.capped:
        return 0.5 * (feminine + masculine)
    return feminine if look.person.feminine else masculine


def _darker(colour: Colour, factor: float) -> Colour:
    red, green, blue = colour
    return red * factor, green * factor, blue * factor


def _at(material: Material, rise: float) -> Material:
    """The same top at a segment whose origin is `rise` metres above the hips, so that patterns run through."""
    code, _, trunk = material.params[:3]
    return Material(
        material.colour, material.accent, material.third, material.paint, material.gloss, (code, rise, trunk)
    )


def _add_trunk(shapes: ShapeList, look: Look, fabric: _Fabric) -> None:
    body = look.body
    trunk, girth = body.trunk, body.build * body.height / 1.74
    cloth = 0.0 if look.bare_torso else 0.010
    hip, waist = 0.154 * girth * body.hips, 0.130 * girth * body.waist + cloth
    chest = 0.148 * girth * (0.5 + 0.5 * body.shoulders) + cloth
    low, middle, high = (_at(fabric.top, rise) for rise in (0.0, 0.22 * trunk, 0.50 * trunk))
    shapes.cone("pelvis", (0, -0.03, 0), (0, 0.08, 0), (hip, hip * 0.93), fabric.bottom, (1.0, 0.70))
    shapes.cone("pelvis", (0, 0.07, 0.0), (0, 0.26 * trunk, 0.0), (hip * 0.91 + cloth, waist), low, (1.0, 0.69))
    shapes.cone("spine", (0, 0, 0.0), (0, 0.28 * trunk, 0.004), (waist, waist * 1.02), middle, (1.0, 0.69))
    shapes.cone("chest", (0, -0.02, 0.004), (0, 0.24 * trunk, 0.0), (waist * 1.0, chest), high, (1.0, 0.66))
    shoulder = 0.88 * body.shoulder_half
    yoke = 0.385 * trunk
    round_ = 0.058 * girth + cloth * 0.6
    shapes.cone("chest", (-shoulder, yoke, -0.008), (shoulder, yoke, -0.008), (round_, round_), high, (1.0, 1.0))
    for sign in (1.0, -1.0):
        slope_end = (sign * 0.025, 0.47 * trunk, -0.012)
        shapes.cone("chest", (sign * shoulder, yoke + 0.012, -0.01), slope_end, (0.046 * girth, 0.05 * girth), high)
        back = (sign * 0.068 * body.hips, -0.045, -0.048 * girth)
        shapes.ball("pelvis", back, (0.082 * girth, 0.09 * girth, 0.082 * girth), fabric.bottom)
        _add_breast(shapes, look, high, fabric, sign, girth)
    if look.bare_torso:
        _add_chest_cover(shapes, look, fabric, chest)
    if not look.bare_torso and look.outfit.pattern != "chest_band":
        # The hem of a shirt that is worn over the trousers.
        radii = (max(hip, body.hip_half + 1.10 * _hip_radius(look)) + cloth, hip * 0.96 + cloth)
        shapes.cone("pelvis", (0, -0.055, 0), (0, 0.10, 0), radii, low, (1.0, 0.75), True)
        return
    waistband = hip * 0.95 + cloth
    shapes.cone("pelvis", (0, 0.055, 0), (0, 0.095, 0), (waistband * 1.02, waistband), fabric.belt, (1.0, 0.71), True)


def _add_breast(shapes: ShapeList, look: Look, top: Material, fabric: _Fabric, sign: float, girth: float) -> None:
    body = look.body
    material = fabric.wrap if look.bare_torso and look.chest == "bandeau" else top
    if body.bust > 0:
        size = 0.058 * girth * (0.75 + 0.25 * body.bust)
        centre = (sign * 0.062 * girth, 0.20 * body.trunk, 0.058 * girth)
        shapes.ball("chest", centre, (size * 1.05, size, size * 0.95), material)
    elif look.bare_torso and look.chest == "bare":
        centre = (sign * 0.062 * girth, 0.25 * body.trunk, 0.050 * girth)
        shapes.ball("chest", centre, (0.070 * girth, 0.052 * girth, 0.050 * girth), material)


def _add_chest_cover(shapes: ShapeList, look: Look, fabric: _Fabric, chest: float) -> None:
    if look.chest == "bare":
        return
    trunk = look.body.trunk
    bottom, top = (0.13, 0.25) if look.chest == "bandeau" else (0.08, 0.27)
    radii = (chest * 0.985, chest * 1.03)
    shapes.cone("chest", (0, bottom * trunk, 0.002), (0, top * trunk, 0), radii, fabric.wrap, (1.0, 0.69), True)


def _add_neck(shapes: ShapeList, look: Look, fabric: _Fabric) -> None:
    body = look.body
    radius = 0.052 * (0.6 + 0.4 * body.build) * _presented(look, 0.93, 1.05)
    material = fabric.sleeve if look.high_collar else fabric.skin
    grow = 1.12 if look.high_collar else 1.0
    shapes.cone("neck", (0, -0.035, -0.004), (0, 0.075, 0.012), (radius * 1.1 * grow, radius * grow), material)
    if not look.bare_torso:
        collar = Material(_darker(look.outfit.top, 0.8), paint=Paint.KNIT, gloss=0.03, params=(90.0,))
        shapes.cone("neck", (0, -0.02, 0.0), (0, 0.006, 0.004), (radius * 1.32, radius * 1.22), collar, tube=True)


def _add_arm(shapes: ShapeList, look: Look, fabric: _Fabric, side: str) -> None:
    body = look.body
    girth = (0.55 + 0.45 * body.build) * body.height / 1.74
    covered = look.sleeves == "long"
    material = fabric.sleeve if covered else fabric.skin
    puff = 1.16 if covered else 1.0
    upper, fore = f"upper_arm_{side}", f"forearm_{side}"
    elbow, wrist = -body.upper_arm, -body.forearm
    bare = look.sleeves == "none"
    round_ = 0.056 * girth * (1.0 if bare else 1.14)
    shapes.ball(upper, (0, -0.01, 0), (round_, round_, round_), fabric.skin if bare else fabric.sleeve)
    shapes.cone(upper, (0, -0.02, 0), (0, elbow, 0), (0.051 * girth * puff, 0.040 * girth * puff), material)
    bulge = 0.25 * wrist
    shapes.cone(fore, (0, 0, 0), (0, bulge, 0.003), (0.040 * girth * puff, 0.043 * girth * puff), material)
    shapes.cone(fore, (0, bulge, 0.003), (0, wrist, 0), (0.043 * girth * puff, 0.029 * girth * puff), material)
    if covered:
        cuff = Material(_darker(look.outfit.top, 0.75), paint=Paint.KNIT, gloss=0.03, params=(120.0,))
        shapes.cone(fore, (0, wrist * 0.90, 0), (0, wrist * 1.0, 0), (0.040 * girth, 0.039 * girth), cuff)
    if look.sleeves == "short":
        hem = 0.62 * elbow
        radii = (0.0635 * girth, 0.060 * girth)
        shapes.cone(upper, (0, -0.01, 0), (0, hem, 0), radii, fabric.sleeve, tube=True)


def _add_hand(shapes: ShapeList, look: Look, fabric: _Fabric, side: str, sign: float) -> None:
    material = fabric.glove if look.gloves else fabric.skin
    size = look.body.height / 1.74 * _presented(look, 0.93, 1.0) * (1.1 if look.gloves else 1.0)
    hand = f"hand_{side}"
    shapes.cone(hand, (0, -0.01, 0), (0, -0.075 * size, 0.0), (0.030 * size, 0.036 * size), material, (0.55, 1.0))
    end = (-sign * 0.012 * size, -0.165 * size, 0.006)
    shapes.cone(hand, (0, -0.085 * size, 0.0), end, (0.033 * size, 0.020 * size), material, (0.55, 1.05))
    tip = (-sign * 0.014, -0.095 * size, 0.050 * size)
    shapes.cone(hand, (0, -0.03 * size, 0.018 * size), tip, (0.016 * size, 0.011 * size), material)


def _hip_radius(look: Look) -> float:
    """Radius of the top of a bare thigh."""
    body = look.body
    return 0.084 * (0.45 + 0.55 * body.build) * (body.height / 1.74) * (0.6 + 0.4 * body.hips)


def _add_leg(shapes: ShapeList, look: Look, fabric: _Fabric, side: str, sign: float) -> None:
    body = look.body
    girth = (0.45 + 0.55 * body.build) * body.height / 1.74
    upper, lower = f"thigh_{side}", f"shank_{side}"
    knee, ankle = -body.thigh, -body.shank
    trousers = look.legs == "trousers"
    covered = trousers or look.legs == "skirt_leggings"
    material = fabric.bottom if trousers else (fabric.glove if covered else fabric.skin)
    puff = 1.10 if trousers else 1.0
    hip_radius = _hip_radius(look) * puff
    shapes.cone(upper, (0, 0, 0), (0, knee, 0.0), (hip_radius, 0.056 * girth * puff), material)
    calf = 0.28 * ankle
    shapes.cone(lower, (0, 0, 0), (0, calf, -0.012), (0.054 * girth * puff, 0.057 * girth * puff), material)
    hem = 0.050 * girth if trousers else 0.036 * girth
    end = 0.96 * ankle if trousers else ankle
    shapes.cone(lower, (0, calf, -0.012), (0, end, 0), (0.057 * girth * puff, hem), material)
    if look.legs == "shorts":
        radii = (hip_radius * 1.08, 0.078 * girth)
        shapes.ball(upper, (0, 0, 0), (radii[0], radii[0], radii[0]), fabric.bottom)
        shapes.cone(upper, (0, 0, 0), (0, 0.72 * knee, 0), radii, fabric.bottom, tube=True)


def _add_foot(shapes: ShapeList, look: Look, fabric: _Fabric, side: str) -> None:
    body = look.body
    foot, ankle = f"foot_{side}", body.ankle
    sole = -ankle + 0.030
    heel, toe = (0.0, sole, -0.20 * body.foot), (0.0, sole - 0.004, 0.58 * body.foot)
    shapes.cone(foot, heel, toe, (0.036, 0.040), fabric.shoe, (1.08, 0.80))
    shapes.cone(foot, (0, 0.012, -0.012), (0, sole + 0.012, 0.34 * body.foot), (0.042, 0.032), fabric.shoe)


def _add_skirt(shapes: ShapeList, look: Look, fabric: _Fabric) -> None:
    body = look.body
    girth = body.build * body.height / 1.74
    hip = 0.150 * girth * body.hips
    shapes.cone("pelvis", (0, 0.06, 0), (0, -0.16, 0), (hip * 0.98, hip * 1.15), fabric.bottom, (1.0, 0.80), True)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        start, end = (-sign * 0.01, -0.02, 0.0), (-sign * 0.035, -0.80 * body.thigh, 0.0)
        wide = 1.12 * _hip_radius(look)
        shapes.ball(f"thigh_{side}", (0, 0, 0), (wide, wide, wide), fabric.bottom)
        shapes.cone(f"thigh_{side}", start, end, (wide * 1.02, wide * 1.22), fabric.bottom, (1.0, 0.94), True)


def _add_coat(shapes: ShapeList, look: Look) -> None:
    """A long coat over everything from the shoulders to below the knees."""
    body = look.body
    girth = body.build * body.height / 1.74
    colour: Colour = (0.34, 0.30, 0.26) if look.person.number % 2 else (0.20, 0.23, 0.30)
    code = float(PATTERNS.index("coat"))
    coat = Material(colour, _darker(colour, 0.55), paint=Paint.TOP, gloss=0.04, params=(code, 0.0, body.trunk))
    trunk, wide = body.trunk, 0.185 * girth
    shapes.cone("chest", (0, 0.34 * trunk, 0), (0, -0.16, 0), (wide * 0.88, wide * 0.98), coat, (1.0, 0.80), True)
    shapes.cone("pelvis", (0, 0.50 * trunk, 0), (0, -0.10, 0), (wide * 0.96, wide * 1.06), coat, (1.0, 0.83), True)
    shoulder = 0.90 * body.shoulder_half
    high = (0.066 * girth + 0.008,) * 2
    shapes.cone("chest", (-shoulder, 0.385 * trunk, -0.008), (shoulder, 0.385 * trunk, -0.008), high, coat)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        start, end = (-sign * 0.01, 0.0, 0.0), (-sign * 0.03, -1.02 * body.thigh, 0.0)
        shapes.cone(f"thigh_{side}", start, end, (0.14 * girth, 0.165 * girth), coat, (1.0, 0.95), True)
        sleeve = (0.074 * girth, 0.062 * girth)
        slope = (sign * 0.045, 0.455 * trunk, -0.012)
        shapes.cone("chest", (sign * shoulder, 0.40 * trunk, -0.01), slope, (0.056 * girth, 0.052 * girth), coat)
        shapes.cone(f"upper_arm_{side}", (0, 0.0, 0), (0, -body.upper_arm, 0), sleeve, coat)
        shapes.cone(f"forearm_{side}", (0, 0, 0), (0, -0.95 * body.forearm, 0), (0.06 * girth, 0.052 * girth), coat)


def _add_bag(shapes: ShapeList, look: Look) -> None:
    """A rucksack with straps."""
    body = look.body
    girth = body.build * body.height / 1.74
    bag = Material((0.50, 0.33, 0.16), (0.2, 0.14, 0.08), paint=Paint.CLOTH, gloss=0.06)
    back = -0.17 * girth
    shapes.cone("chest", (0, -0.10, back), (0, 0.16, back), (0.12, 0.10), bag, (1.15, 0.75))
    for sign in (1.0, -1.0):
        start, end = (sign * 0.10 * girth, 0.205, 0.045), (sign * 0.12 * girth, 0.0, 0.095 * girth)
        shapes.cone("chest", start, end, (0.024, 0.022), bag)
