"""The tables of the demo: what was said about each video, and the figures of the reports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.stage import ATTRIBUTES, ClipSpec, StageOptions, clip_specs
from ..shipped import Shipped
from .answers import Answers
from .opponents import RAW, attacker_of, raw_recognizer
from .samples import Sample

Row = tuple[str, ...]

GUESS = "guess"
ANSWERS_HEAD: Row = ("seen as", "action right?", "person named?", "attributes guessed")
FIGURES_HEAD: Row = ("seen as", "action (top-1)", "person (top-1)", "attributes (cMAP)")
GUESS_MEANS = (
    f'"{GUESS}" is what not looking gives: an even guess at the action and the person, and for each attribute the '
    "commoner answer."
)
_TARGETS = ("action", "person", "attributes")


def answer_rows(sample: Sample, answers: dict[str, Answers]) -> list[Row]:
    """A row for the raw video, one for each anonymizer, and one for guessing without looking."""
    rows = [
        (
            seen,
            _compare(given.action, sample.spec.action),
            _compare(given.person, sample.person),
            _count([given.attributes[name] for name in ATTRIBUTES], sample.spec),
        )
        for seen, given in answers.items()
    ]
    options = sample.spec.options
    chances = (f"1 in {len(options.class_names)}", f"1 in {options.persons}")
    return [*rows, (GUESS, *chances, _count(common_attributes(options), sample.spec))]


def figure_rows(classifiers: Sequence[Shipped]) -> list[Row]:
    """What the reports say of the whole test split: raw videos, each anonymizer, chance."""
    raw = {**raw_recognizer().figures, **attacker_of(RAW).figures}
    rows = [(RAW, raw), *((shipped.name, shipped.figures) for shipped in classifiers)]
    found = [(seen, *(f"{figures[target]['value']:.3f}" for target in _TARGETS)) for seen, figures in rows]
    return [*found, ("chance", *(f"{raw[target]['chance']:.3f}" for target in _TARGETS))]


def common_attributes(options: StageOptions) -> list[int]:
    """For each attribute the commoner answer in the train split: the best guess of somebody who does not look."""
    flags = np.array([spec.flags for spec in clip_specs(options, "train")])
    return (flags.mean(0) > 0.5).astype(int).tolist()


def _compare(given: str, true: str) -> str:
    return "yes" if given == true else f"no ({given})"


def _count(given: Sequence[int], spec: ClipSpec) -> str:
    right = sum(a == b for a, b in zip(given, spec.flags, strict=True))
    return f"{right} of {len(spec.flags)}"
