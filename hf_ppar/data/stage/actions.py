"""Names, compounds and descriptions of the actions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .trajectories import TRAJECTORIES

ACTIONS: tuple[str, ...] = tuple(TRAJECTORIES)
"""Names of the base actions."""

COMPOUND_PARTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "walk_and_wave_one_hand": ("walk", "wave_one_hand"),
        "walk_and_clap": ("walk", "clap"),
        "run_and_wave_both_hands": ("run", "wave_both_hands"),
        "squat_and_point": ("squat", "point"),
        "squat_and_clap": ("squat", "clap"),
        "jump_and_punch": ("jump", "punch"),
        "kick_and_clap": ("kick", "clap"),
        "turn_and_wave_both_hands": ("turn", "wave_both_hands"),
        "sit_down_and_wave_one_hand": ("sit_down", "wave_one_hand"),
        "walk_and_punch": ("walk", "punch"),
    }
)
"""Compound action -> (base action of the legs, base action of the arms)."""

COMPOUNDS: tuple[str, ...] = tuple(COMPOUND_PARTS)
"""Names of the compound actions."""

_GERUND = {
    "walk": "walking",
    "run": "running",
    "jump": "jumping",
    "wave_one_hand": "waving one hand",
    "wave_both_hands": "waving both hands",
    "sit_down": "sitting down",
    "kick": "kicking",
    "punch": "punching",
    "clap": "clapping",
    "squat": "squatting",
    "turn": "turning around",
    "point": "pointing",
}


def check_action(name: str) -> str:
    """Return `name` if it is a base or compound action, else raise a ValueError that lists the choices."""
    if name not in TRAJECTORIES and name not in COMPOUND_PARTS:
        allowed = ", ".join(ACTIONS + COMPOUNDS)
        raise ValueError(f"action={name!r} is not an action of the stage; choose one of: {allowed}.")
    return name


def action_parts(name: str) -> tuple[str, str | None]:
    """The base actions that move the legs and, for a compound, the arms."""
    check_action(name)
    return COMPOUND_PARTS.get(name, (name, None))


def describe_action(name: str) -> list[str]:
    """Several text descriptions of an action; those of a compound name both of its parts."""
    lower, upper = action_parts(name)
    if upper is None:
        return list(TRAJECTORIES[lower].descriptions)
    legs, arms = _GERUND[lower], _GERUND[upper]
    return [
        f"a person is {legs} while {arms}",
        f"somebody is {arms} and {legs} at the same time",
        f"{legs} and {arms} together",
        f"{TRAJECTORIES[lower].descriptions[0]}, {arms} meanwhile",
    ]
