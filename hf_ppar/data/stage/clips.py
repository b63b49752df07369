"""Clip specifications: labels plus all that the renderer needs, with an address that rebuilds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np

from .actions import check_action, describe_action
from .labels import draw_labels, split_number
from .options import ATTRIBUTES, CONDITIONS, GAIT_SPLITS, SPLITS, VIEWS, StageOptions

GALLERY_REPETITIONS = 4
PROBE_REPETITIONS = 2
FACING_LIMIT = 50
_PLAIN = {"face": 1, "skin": 1, "gender": 1, "nudity": 0, "relationship": 0}


@dataclass(frozen=True)
class ClipSpec:
    """One clip: its labels and what rebuilds it.

    `flags` are the attributes, 0 or 1, in the order of ATTRIBUTES; `view` is the direction that the person faces in
    degrees (0 to the camera, positive towards the right edge of the picture); `text` is one of the action's
    descriptions.
    """

    options: StageOptions
    split: str
    index: int
    action: str
    person: int
    flags: tuple[int, ...]
    view: int
    condition: str
    text: str
    clip_seed: int = 0

    @property
    def attributes(self) -> dict[str, int]:
        """Attribute name -> 0 or 1."""
        return dict(zip(ATTRIBUTES, self.flags, strict=True))

    @property
    def domain(self) -> str:
        return self.options.domain

    @property
    def uri(self) -> str:
        """Short address, e.g. "stage://normal/train/17?persons=5"; options at their defaults are left out."""
        query = {name: str(value) for name, value in self.options.changed().items() if name != "domain"}
        if self.split == "sample":
            query |= {"action": self.action, "person": str(self.person), "view": str(self.view)}
            query |= {"condition": self.condition, "clip_seed": str(self.clip_seed)}
            query |= {name: str(value) for name, value in self.attributes.items()}
        tail = f"?{urlencode(query)}" if query else ""
        return f"stage://{self.domain}/{self.split}/{self.index}{tail}"


def clip_specs(options: StageOptions, split: str) -> list[ClipSpec]:
    """All clips of "train", "validation" or "test", or of the gait set's "gallery" or "probe"; nothing is rendered."""
    return list(_specs(options, _check_split(split)))


def _check_split(split: str) -> str:
    allowed = (*SPLITS, *GAIT_SPLITS)
    if split not in allowed:
        raise ValueError(f"split={split!r} is not a split of the stage; choose one of: {', '.join(allowed)}.")
    return split


@lru_cache(maxsize=32)
def _specs(options: StageOptions, split: str) -> tuple[ClipSpec, ...]:
    return _gait_specs(options, split) if split in GAIT_SPLITS else _action_specs(options, split)


def _action_specs(options: StageOptions, split: str) -> tuple[ClipSpec, ...]:
    labels = draw_labels(options, split)
    rng = np.random.default_rng([options.seed, 102, split_number(split)])
    views = rng.integers(-FACING_LIMIT, FACING_LIMIT + 1, len(labels.action))
    texts = rng.integers(0, 1 << 20, len(labels.action))
    specs = []
    for index, (action, person, flags) in enumerate(zip(labels.action, labels.person, labels.attributes, strict=True)):
        name = options.class_names[int(action)]
        descriptions = describe_action(name)
        text = descriptions[int(texts[index]) % len(descriptions)]
        specs.append(
            ClipSpec(
                options, split, index, name, int(person), tuple(flags.tolist()), int(views[index]), "normal", text
            )
        )
    return tuple(specs)


def _gait_specs(options: StageOptions, split: str) -> tuple[ClipSpec, ...]:
    """Walks of every person in every view: four normal repetitions in the gallery, two per condition as probes."""
    gallery = split == "gallery"
    conditions = CONDITIONS[:1] if gallery else CONDITIONS
    repetitions = GALLERY_REPETITIONS if gallery else PROBE_REPETITIONS
    text = describe_action("walk")[0]
    cells = [
        (person, view, condition)
        for person in range(options.persons)
        for view in VIEWS
        for condition in conditions
        for _ in range(repetitions)
    ]
    return tuple(
        ClipSpec(options, split, index, "walk", person, tuple(_PLAIN.values()), view, condition, text)
        for index, (person, view, condition) in enumerate(cells)
    )


def sample_spec(
    action: str,
    person: int = 0,
    seed: int = 0,
    *,
    view: int = 0,
    condition: str = "normal",
    options: StageOptions | None = None,
    **attributes: int,
) -> ClipSpec:
    """A hand-picked clip: `seed` varies scene and movement; `face=0` and so on set attributes.

    Attributes default to face, skin and gender visible, no nudity, alone.
    """
    options = options or StageOptions()
    check_action(action)
    if isinstance(person, bool) or not isinstance(person, int) or not 0 <= person < options.persons:
        raise ValueError(f"person={person!r} must be a whole number from 0 to {options.persons - 1}.")
    if condition not in CONDITIONS:
        raise ValueError(f"condition={condition!r} is unknown; choose one of: {', '.join(CONDITIONS)}.")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed={seed!r} must be a whole number of at least 0.")
    if isinstance(view, bool) or not isinstance(view, int) or not -180 <= view <= 180:
        raise ValueError(f"view={view!r} must be a whole number of degrees from -180 to 180.")
    flags = _check_attributes(_PLAIN | attributes)
    text = describe_action(action)[0]
    return ClipSpec(options, "sample", 0, action, person, flags, view, condition, text, seed)


def _check_attributes(attributes: Mapping[str, int]) -> tuple[int, ...]:
    for name, value in attributes.items():
        if name not in ATTRIBUTES:
            raise ValueError(f"{name}={value!r}: no such attribute; choose from: {', '.join(ATTRIBUTES)}.")
        if value not in (0, 1):
            raise ValueError(f"{name}={value!r} must be 0 or 1.")
    if attributes["nudity"] and not attributes["skin"]:
        raise ValueError("nudity=1 with skin=0 is contradictory: a bare torso shows skin. Set skin=1 or nudity=0.")
    return tuple(int(attributes[name]) for name in ATTRIBUTES)


def spec_from_uri(uri: str) -> ClipSpec:
    """Rebuild a clip specification from `ClipSpec.uri`."""
    parts = urlsplit(uri)
    path = parts.path.strip("/").split("/")
    if parts.scheme != "stage" or len(path) != 2 or not path[1].isdigit():
        raise ValueError(f"uri={uri!r} is not a stage address; expected stage://<domain>/<split>/<index>?<options>.")
    query = dict(parse_qsl(parts.query))
    options = _options_from_query(uri, parts.netloc, query)
    split, index = path[0], int(path[1])
    if split == "sample":
        return _sample_from_query(uri, options, query)
    specs = _specs(options, _check_split(split))
    if index >= len(specs):
        raise ValueError(f"uri={uri!r} names clip {index}, but split {split!r} has {len(specs)} clips.")
    return specs[index]


_SAMPLE_KEYS = ("action", "person", "view", "condition", "clip_seed", *ATTRIBUTES)


def _options_from_query(uri: str, domain: str, query: Mapping[str, str]) -> StageOptions:
    values: dict[str, object] = {"domain": domain}
    known = {item.name: item.default for item in fields(StageOptions)}
    for name, text in query.items():
        if name in known:
            values[name] = _parse(text, known[name])
        elif name not in _SAMPLE_KEYS:
            raise ValueError(f"uri={uri!r} has an unknown option {name!r}; known: {', '.join(known)}.")
    return StageOptions(**values)  # type: ignore[arg-type]


def _parse(text: str, default: object) -> object:
    if isinstance(default, bool):
        return text == "True"
    if isinstance(default, int | float):
        number = float(text)
        return int(text) if isinstance(default, int) or (number.is_integer() and "." not in text) else number
    return text


def _sample_from_query(uri: str, options: StageOptions, query: Mapping[str, str]) -> ClipSpec:
    missing = [name for name in _SAMPLE_KEYS if name not in query]
    if missing:
        raise ValueError(f"uri={uri!r} lacks {', '.join(missing)}, which a sample clip needs.")
    attributes = {name: int(query[name]) for name in ATTRIBUTES}
    return sample_spec(
        query["action"],
        int(query["person"]),
        int(query["clip_seed"]),
        view=int(query["view"]),
        condition=query["condition"],
        options=options,
        **attributes,
    )
