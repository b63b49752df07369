"""Head, face, hair, cap and mask as shapes. Lengths are for a head of 0.23 m, scaled by the person's head size."""

from __future__ import annotations

from .people import Colour
from .shapes import Material, Paint, ShapeList, Vector
from .wardrobe import Look

BEARDS = ("none", "stubble", "moustache", "full")


class _Scaled:
    """Adds shapes to the head segment, scaled."""

    def __init__(self, shapes: ShapeList, size: float) -> None:
        self.shapes, self.size = shapes, size

    def ball(self, centre: Vector, radii: Vector, material: Material, pitch: float = 0.0) -> None:
        s = self.size
        centre, radii = (tuple(value * s for value in vector) for vector in (centre, radii))  # type: ignore[assignment]
        self.shapes.ball("head", centre, radii, material, pitch)

    def cone(
        self,
        start: Vector,
        end: Vector,
        radii: tuple[float, float],
        material: Material,
        flat: tuple[float, float] = (1.0, 1.0),
        tube: bool = False,
    ) -> None:
        s = self.size
        first = (start[0] * s, start[1] * s, start[2] * s)
        last = (end[0] * s, end[1] * s, end[2] * s)
        self.shapes.cone("head", first, last, (radii[0] * s, radii[1] * s), material, flat, tube)


def add_head(shapes: ShapeList, look: Look) -> None:
    """Head with everything on it."""
    size = 1.05 * look.body.head * (0.4 + 0.6 * look.body.height / 1.74)
    head = _Scaled(shapes, size)
    face, skin = _face_material(look, size), Material(look.person.skin, paint=Paint.SKIN, gloss=0.16)
    hooded = look.masked and look.high_collar
    if hooded:
        face = skin = Material(look.mask_colour, paint=Paint.CLOTH, gloss=0.05)
    jaw = look.person.face.jaw if not look.capped else 1.0
    head.ball((0, 0.133, 0.0), (0.077, 0.092, 0.096), face)
    head.cone((0, 0.10, 0.030), (0, 0.030, 0.056), (0.066 * (0.5 + 0.5 * jaw), 0.036 * jaw), face, (1.0, 0.98))
    for sign in (1.0, -1.0):
        head.ball((sign * 0.079, 0.108, -0.006), (0.010, 0.028, 0.018), skin)
    if look.masked:
        _add_mask(head, look)
    else:
        _add_nose(head, look, skin)
    if look.capped:
        _add_cap(head, look)
    else:
        _add_hair(head, look)


def _face_material(look: Look, size: float) -> Material:
    person, face = look.person, look.person.face
    red, green, blue = face.iris
    bald = person.hair_style == "bald" or look.capped
    params = (
        size,
        face.eye_gap,
        face.eye_size,
        face.brow if not look.capped else 0.0048,
        face.mouth,
        look.lips,
        float(BEARDS.index(look.beard)),
        red**2.2,
        green**2.2,
        blue**2.2,
        0.0 if bald else 1.0,
    )
    return Material(person.skin, person.hair, _lip_colour(person.skin), Paint.FACE, 0.16, params)


def _lip_colour(skin: Colour) -> Colour:
    red, green, blue = skin
    return 0.55 * red + 0.30, 0.38 * green + 0.05, 0.40 * blue + 0.08


def _add_nose(head: _Scaled, look: Look, skin: Material) -> None:
    size = look.person.face.nose
    head.cone((0, 0.118, 0.090), (0, 0.087, 0.097 + 0.008 * size), (0.008, 0.0125 * size), skin)
    for sign in (1.0, -1.0):
        head.ball((sign * 0.011 * size, 0.083, 0.096), (0.008 * size, 0.007, 0.009), skin)


def _add_mask(head: _Scaled, look: Look) -> None:
    mask = Material(look.mask_colour, (0.03, 0.04, 0.06), paint=Paint.MASK, gloss=0.5, params=(head.size,))
    head.ball((0, 0.112, 0.026), (0.082, 0.086, 0.096), mask)
    head.cone((0, 0.095, 0.044), (0, 0.022, 0.064), (0.072, 0.044), mask)


def _add_cap(head: _Scaled, look: Look) -> None:
    wool = Material(look.cap_colour, paint=Paint.KNIT, gloss=0.03, params=(70.0, 1.0))
    head.ball((0, 0.180, -0.018), (0.091, 0.092, 0.103), wool)
    head.ball((0, 0.135, -0.038), (0.085, 0.080, 0.076), wool)
    head.cone((0, 0.166, -0.010), (0, 0.190, -0.014), (0.094, 0.091), wool, (0.99, 1.13), True)


def _add_hair(head: _Scaled, look: Look) -> None:
    style = look.person.hair_style
    hair = Material(look.person.hair, paint=Paint.HAIR, gloss=0.35, params=(head.size,))
    if style == "bald":
        return
    head.ball((0, 0.152, -0.016), (0.085, 0.088, 0.100), hair)
    head.ball((0, 0.115, -0.036), (0.082, 0.078, 0.074), hair)
    builders = {
        "long": _long_hair,
        "bob": _bob_hair,
        "ponytail": _ponytail,
        "bun": _bun,
        "curls": _curls,
        "quiff": _quiff,
        "curly_short": _curly_short,
    }
    if style in builders:
        builders[style](head, hair)


def _long_hair(head: _Scaled, hair: Material) -> None:
    head.cone((0, 0.15, -0.030), (0, -0.12, -0.062), (0.088, 0.078), hair, (1.05, 0.72))
    for sign in (1.0, -1.0):
        head.cone((sign * 0.072, 0.16, 0.010), (sign * 0.082, -0.07, 0.000), (0.026, 0.026), hair)


def _bob_hair(head: _Scaled, hair: Material) -> None:
    head.cone((0, 0.15, -0.024), (0, 0.045, -0.030), (0.090, 0.090), hair, (1.02, 0.86))
    for sign in (1.0, -1.0):
        head.cone((sign * 0.070, 0.16, 0.020), (sign * 0.080, 0.050, 0.024), (0.026, 0.030), hair)
    head.ball((0, 0.196, 0.052), (0.066, 0.028, 0.044), hair)


def _ponytail(head: _Scaled, hair: Material) -> None:
    head.ball((0, 0.172, -0.112), (0.030, 0.030, 0.030), hair)
    head.cone((0, 0.168, -0.125), (0, -0.02, -0.165), (0.030, 0.040), hair)
    head.cone((0, -0.02, -0.165), (0, -0.11, -0.150), (0.040, 0.014), hair)


def _bun(head: _Scaled, hair: Material) -> None:
    head.ball((0, 0.246, -0.046), (0.050, 0.046, 0.050), hair)
    head.ball((0, 0.205, 0.040), (0.062, 0.024, 0.050), hair)


def _curls(head: _Scaled, hair: Material) -> None:
    head.ball((0, 0.165, -0.030), (0.118, 0.108, 0.112), hair)
    for sign in (1.0, -1.0):
        for x, y, z, r in ((0.090, 0.17, 0.010, 0.046), (0.098, 0.10, -0.02, 0.050), (0.080, 0.04, -0.04, 0.044)):
            head.ball((sign * x, y, z), (r, r, r), hair)
        head.ball((sign * 0.046, 0.235, 0.024), (0.046, 0.034, 0.046), hair)


def _quiff(head: _Scaled, hair: Material) -> None:
    head.cone((-0.036, 0.222, 0.046), (0.040, 0.226, 0.046), (0.030, 0.034), hair)
    head.ball((0, 0.226, 0.004), (0.066, 0.034, 0.070), hair)


def _curly_short(head: _Scaled, hair: Material) -> None:
    for x, y, z in ((0.0, 0.235, 0.03), (0.045, 0.222, 0.03), (-0.045, 0.222, 0.03), (0.062, 0.20, -0.02)):
        head.ball((x, y, z), (0.036, 0.030, 0.036), hair)
    head.ball((-0.062, 0.20, -0.02), (0.036, 0.030, 0.036), hair)
    head.ball((0.0, 0.236, -0.03), (0.06, 0.03, 0.05), hair)
