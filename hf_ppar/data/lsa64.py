"""`lsa64`: LSA64, Argentinian Sign Language (Ronchetti, Quiroga, Estrebou, Lanzarini and Rosete, 2016).

The folder holds `labels.csv` (file, sign, signer_code, repetition, session, person, apparent_gender) and `videos/`.
Two traps are avoided here. Signer code 10 is two different people, so identity is the column `person`. Signs 1-23 and
24-64 were recorded in two sessions with other light, wall and clothes, so that the background gives the sign group
away: a data set never mixes them.
"""

from __future__ import annotations

import csv
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets import Dataset

from .listing import check_listing, find_videos
from .options import checked_options
from .schema import Vocabulary, build_dataset

_COLUMNS = ("file", "sign", "repetition", "session", "person", "apparent_gender")
_SPLITS = ("train", "validation", "test")
_GENDERS = ("f", "m")
_TERMS = "CC BY-NC-SA 4.0"


@dataclass(frozen=True)
class Lsa64Options:
    """Which clips make up the splits.

    Args:
        session: recording session, 2 (41 signs, 10 persons) or 1 (23 signs, 10 persons).
        signs: sign numbers that there are at all, in every split; empty for all of the session.
        held_out_persons: person numbers that appear in test only; test is then these persons, all repetitions.
        held_out_signs: sign numbers that appear in test only; test is then these signs, all repetitions.
        on_mismatch: "raise" or "skip" when `labels.csv` and `videos/` disagree.
    """

    session: int = 2
    train_repetitions: tuple[int, ...] = (1, 2)
    validation_repetitions: tuple[int, ...] = (3,)
    test_repetitions: tuple[int, ...] = (4,)
    signs: tuple[int, ...] = ()
    held_out_persons: tuple[int, ...] = ()
    held_out_signs: tuple[int, ...] = ()
    on_mismatch: str = "raise"

    def __post_init__(self) -> None:
        for name in (*(f"{split}_repetitions" for split in _SPLITS), "signs", "held_out_persons", "held_out_signs"):
            value = getattr(self, name)
            numbers = (value,) if isinstance(value, int) else tuple(value)
            if any(not isinstance(number, int) for number in numbers):
                raise ValueError(f"{name}={value!r} must be whole numbers, such as (1, 2).")
            object.__setattr__(self, name, numbers)

    def repetitions(self, split: str) -> tuple[int, ...]:
        """Repetitions of a split; a test on held-out people or signs may use all of them."""
        named: dict[str, tuple[int, ...]] = {name: getattr(self, f"{name}_repetitions") for name in _SPLITS}
        if split == "test" and (self.held_out_persons or self.held_out_signs):
            return tuple(repetition for name in _SPLITS for repetition in named[name])
        return named[split]


@dataclass(frozen=True)
class _Row:
    file: str
    sign: int
    repetition: int
    session: int
    person: int
    apparent_gender: str


def load_lsa64(data_dir: Path | None, split: str, **options: Any) -> Dataset:
    """Real people who sign: action = sign, private = person and apparent gender (by eye, not official).

    Options are those of `Lsa64Options`, such as `session`, `held_out_persons` or `held_out_signs`.
    """
    if data_dir is None:
        raise ValueError("lsa64 needs data_dir, the folder that holds labels.csv and videos/.")
    if split not in _SPLITS:
        raise ValueError(f"split={split!r} is not a split of lsa64; choose one of: {', '.join(_SPLITS)}.")
    chosen = _check_options(options)
    every = _read_labels(data_dir / "labels.csv")
    rows = [row for row in every if row.session == chosen.session]
    _check_held_out("signs", chosen.signs, {row.sign for row in rows}, chosen.session)
    rows = [row for row in rows if not chosen.signs or row.sign in chosen.signs]
    _check_held_out("held_out_persons", chosen.held_out_persons, {row.person for row in rows}, chosen.session)
    _check_held_out("held_out_signs", chosen.held_out_signs, {row.sign for row in rows}, chosen.session)
    kept = _present([row for row in rows if _belongs(row, split, chosen)], every, data_dir / "videos", chosen)
    vocabulary = Vocabulary(
        actions=tuple(_sign_name(sign) for sign in sorted({row.sign for row in rows})),
        attributes=("apparent_female",),
        persons=tuple(_person_name(person) for person in sorted({row.person for row in rows})),
        subject_groups=_GENDERS,
    )
    return build_dataset(_columns(kept, data_dir / "videos"), vocabulary, split, "LSA64 sign language.", _TERMS)


def _check_options(options: dict[str, Any]) -> Lsa64Options:
    chosen = checked_options(Lsa64Options, "lsa64", options)
    if chosen.session not in (1, 2):
        raise ValueError(
            f"session={chosen.session!r} must be 1 or 2; they differ in light, wall and clothes, so that a mix "
            "of them gives the sign away by its background."
        )
    seen: dict[int, str] = {}
    for split in _SPLITS:
        for repetition in getattr(chosen, f"{split}_repetitions"):
            if seen.setdefault(repetition, split) != split:
                raise ValueError(f"repetition {repetition} is in {seen[repetition]} and in {split}; keep them apart.")
    return chosen


def _check_held_out(name: str, held_out: Collection[int], known: set[int], session: int) -> None:
    unknown = sorted(set(held_out) - known)
    if unknown:
        raise ValueError(f"{name}={unknown} do not occur in session {session}, which has {sorted(known)}.")


def _belongs(row: _Row, split: str, options: Lsa64Options) -> bool:
    if row.repetition not in options.repetitions(split):
        return False
    person, sign = row.person in options.held_out_persons, row.sign in options.held_out_signs
    if split != "test":
        return not person and not sign
    return (person or not options.held_out_persons) and (sign or not options.held_out_signs)


def _read_labels(path: Path) -> list[_Row]:
    if not path.is_file():
        raise ValueError(
            f"data_dir={str(path.parent)!r} has no labels.csv; it needs the columns {', '.join(_COLUMNS)}."
        )
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        absent = [name for name in _COLUMNS if name not in (reader.fieldnames or [])]
        if absent:
            raise ValueError(f"{path} lacks the columns {', '.join(absent)}; it has {reader.fieldnames}.")
        return [_parse(path, number, values) for number, values in enumerate(reader, start=2)]


def _parse(path: Path, line: int, values: dict[str, str]) -> _Row:
    try:
        numbers = {name: int(values[name]) for name in ("sign", "repetition", "session", "person")}
    except ValueError as error:
        raise ValueError(f"{path}, line {line}: sign, repetition, session and person must be numbers.") from error
    if values["apparent_gender"] not in _GENDERS:
        raise ValueError(f"{path}, line {line}: apparent_gender={values['apparent_gender']!r} must be f or m.")
    return _Row(file=values["file"], apparent_gender=values["apparent_gender"], **numbers)


def _present(rows: list[_Row], every: list[_Row], videos: Path, options: Lsa64Options) -> list[_Row]:
    """Rows whose file is there. Files of other splits may be absent, but every file must be known to the list."""
    there = set(find_videos(videos))
    wanted = {row.file for row in rows}
    known_elsewhere = {row.file for row in every} - wanted
    missing = check_listing(videos, wanted, there - known_elsewhere, options.on_mismatch)
    return [row for row in rows if row.file not in missing]


def _columns(rows: list[_Row], videos: Path) -> dict[str, list[Any]]:
    return {
        "video": [videos / row.file for row in rows],
        "action": [_sign_name(row.sign) for row in rows],
        "attributes": [{"apparent_female": int(row.apparent_gender == "f")} for row in rows],
        "person": [_person_name(row.person) for row in rows],
        "subject_group": [row.apparent_gender for row in rows],
        "condition": [f"session_{row.session}" for row in rows],
    }


def _sign_name(sign: int) -> str:
    return f"sign_{sign:02d}"


def _person_name(person: int) -> str:
    return f"person_{person:02d}"
