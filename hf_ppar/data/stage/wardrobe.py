"""What a person wears in a clip: the attribute labels turned into garments.

Every attribute has a carrier of its own, so that all but one pair can be set freely:

* `face` 0: a full-face mask. Hair, ears and neck stay as they are.
* `skin` 0: long sleeves, gloves, long trousers or leggings, high collar. 1: short sleeves and bare hands, often bare
  lower legs. The face counts under `face` alone.
* `gender` 0: a woollen cap over the hair, no beard or lip colour, straight unisex clothes and a body outline half-way
  between the two presentations. 1: hair style, silhouette, cut of the clothes.
* `nudity` 1: bare torso (with a bandeau on a feminine figure, a chest wrap when `gender` is 0). It shows skin, so it
  needs `skin` 1.
* `relationship` 1: a second person close by, who obeys the same labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from .people import Colour, Outfit, Person
from .skeleton import Proportions

_NEUTRAL = Proportions(shoulders=0.995, hips=1.03, waist=0.95, bust=0.0)


@dataclass(frozen=True)
class Look:
    """One dressed person: what the figure builder needs."""

    person: Person
    body: Proportions
    outfit: Outfit
    masked: bool
    mask_colour: Colour
    capped: bool
    cap_colour: Colour
    bare_torso: bool
    chest: str
    sleeves: str
    gloves: bool
    legs: str
    high_collar: bool
    beard: str
    lips: float
    coat: bool = False
    bag: bool = False


def dress(
    person: Person,
    attributes: Mapping[str, int],
    rng: np.random.Generator,
    condition: str = "normal",
    outfit: int = -1,
) -> Look:
    """Choose garments for the labels; `outfit` -1 draws one of the person's two outfits."""
    gender, skin, nudity = (bool(attributes[name]) for name in ("gender", "skin", "nudity"))
    choice, cut = rng.random(2)
    worn = person.outfits[int(choice < 0.4) if outfit < 0 else outfit]
    if outfit >= 0:
        # A fixed outfit is the same in every clip, whatever the clip's random numbers.
        cut = (0.37 * person.number) % 1.0
    return Look(
        person=person,
        body=person.body if gender else _neutral_body(person.body),
        outfit=worn if gender else replace(worn, bottom_cut="trousers"),
        masked=not attributes["face"],
        mask_colour=_mask_colour(rng),
        capped=not gender,
        cap_colour=_cap_colour(rng),
        bare_torso=nudity,
        chest=_chest(person, gender),
        sleeves="none" if nudity else ("short" if skin else "long"),
        gloves=not skin,
        legs=_legs(worn, gender, skin, float(cut)),
        high_collar=not skin,
        beard=person.face.beard if gender else "none",
        lips=person.face.lips if gender else 0.3,
        coat=condition == "coat",
        bag=condition == "bag",
    )


def _neutral_body(body: Proportions) -> Proportions:
    """The silhouette half-way between the presentations, at the person's own height and build."""
    return replace(
        body,
        shoulders=_NEUTRAL.shoulders,
        hips=_NEUTRAL.hips,
        waist=_NEUTRAL.waist,
        bust=0.0,
        build=0.5 * (body.build + 1.0),
    )


def _chest(person: Person, gender: bool) -> str:
    if not gender:
        return "wrap"
    return "bandeau" if person.feminine else "bare"


def _legs(outfit: Outfit, gender: bool, skin: bool, draw: float) -> str:
    if gender and outfit.bottom_cut == "skirt":
        return "skirt" if skin else "skirt_leggings"
    return "shorts" if skin and draw < 0.55 else "trousers"


def _mask_colour(rng: np.random.Generator) -> Colour:
    colours: tuple[Colour, ...] = ((0.93, 0.94, 0.96), (0.15, 0.32, 0.80), (0.85, 0.12, 0.14), (0.10, 0.60, 0.62))
    return colours[int(rng.integers(0, len(colours)))]


def _cap_colour(rng: np.random.Generator) -> Colour:
    """Wool in colours that no hair has."""
    colours: tuple[Colour, ...] = ((0.22, 0.36, 0.66), (0.62, 0.16, 0.40), (0.18, 0.50, 0.34), (0.44, 0.26, 0.60))
    return colours[int(rng.integers(0, len(colours)))]
