"""Read a metadata.csv: one video a row, its labels checked, every complaint with file, line and fix."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from .listing import check_listing, find_videos
from .schema import UNKNOWN

LABEL_COLUMNS = ("person", "subject_group", "domain", "condition", "text")
_NO_ATTRIBUTES = ("file_name", "split", "view", *LABEL_COLUMNS)
_ATTRIBUTE_VALUES = {"0": 0, "1": 1, "-1": UNKNOWN, "": UNKNOWN}


@dataclass(frozen=True)
class FolderOptions:
    """How to read the labels.

    Args:
        action_column: the CSV column that holds the action.
        attribute_columns: the CSV columns that are private attributes; None takes every column that is nothing else.
        actions: action names in label order; None sorts the names that occur.
        on_mismatch: "raise" or "skip" when a CSV and its folder disagree.
    """

    action_column: str = "action"
    attribute_columns: Sequence[str] | None = None
    actions: Sequence[str] | None = None
    on_mismatch: str = "raise"


@dataclass(frozen=True)
class ClipRow:
    """One video and what is known about it."""

    file: Path
    split: str
    action: str | None = None
    attributes: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    view: int | None = None

    def with_split(self, split: str) -> ClipRow:
        return replace(self, split=split)


def read_metadata(path: Path, options: FolderOptions, complete: bool = True) -> list[ClipRow]:
    """Rows of a CSV whose `file_name`s are relative to its folder.

    Args:
        complete: the list must also name every video below its folder.
    """
    try:
        rows = _read_rows(path, options)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    if not rows:
        raise ValueError(f"{path} lists no videos.")
    return _present(path, rows, options.on_mismatch, complete)


def _read_rows(path: Path, options: FolderOptions) -> list[ClipRow]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        attributes = _attribute_columns(path, list(reader.fieldnames or []), options)
        return [_parse(path, line, values, attributes, options) for line, values in enumerate(reader, start=2)]


def _attribute_columns(path: Path, columns: list[str], options: FolderOptions) -> list[str]:
    if "file_name" not in columns:
        raise ValueError(f"{path} has no column file_name; it has {', '.join(columns) or 'none'}.")
    if options.action_column != "action" and options.action_column not in columns:
        raise ValueError(
            f"action_column={options.action_column!r} is not in {path}; it has the columns {', '.join(columns)}."
        )
    if options.attribute_columns is None:
        return [name for name in columns if name not in (*_NO_ATTRIBUTES, options.action_column)]
    absent = [name for name in options.attribute_columns if name not in columns]
    if absent:
        raise ValueError(
            f"attribute_columns: {', '.join(absent)} are not in {path}; it has the columns {', '.join(columns)}."
        )
    return list(options.attribute_columns)


def _parse(path: Path, line: int, values: dict[str, str], attributes: list[str], options: FolderOptions) -> ClipRow:
    where = f"{path}, line {line}"
    if None in values or None in values.values():
        raise ValueError(f"{where}: it has more or fewer cells than the header; quote cells that hold a comma.")
    values = {name: value.strip() for name, value in values.items()}
    if not values["file_name"]:
        raise ValueError(f"{where}: file_name is empty; give the video's path relative to {path.parent}.")
    action = values.get(options.action_column)
    if action == "":
        raise ValueError(f"{where}: {options.action_column} is empty; fill it in, or leave the whole column out.")
    return ClipRow(
        path.parent / values["file_name"],
        values.get("split") or "train",
        action,
        {name: _attribute(where, name, values[name]) for name in attributes},
        {name: values[name] for name in LABEL_COLUMNS if values.get(name)},
        _view(where, values.get("view", "")),
    )


def _attribute(where: str, name: str, value: str) -> int:
    if value not in _ATTRIBUTE_VALUES:
        raise ValueError(
            f"{where}: attribute {name}={value!r} must be 0, 1, or -1 or empty for unknown; if {name} is no private "
            "attribute, name those that are with attribute_columns=[...]."
        )
    return _ATTRIBUTE_VALUES[value]


def _view(where: str, value: str) -> int | None:
    try:
        return int(value) if value else None
    except ValueError as error:
        raise ValueError(f"{where}: view={value!r} must be a whole number (degrees or camera), or empty.") from error


def _present(path: Path, rows: list[ClipRow], on_mismatch: str, complete: bool) -> list[ClipRow]:
    """Rows whose video is there, after comparing list and folder."""
    root = path.parent
    names = [_relative(row.file, root) for row in rows]
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise ValueError(f"{path} lists {len(twice)} videos more than once, such as {twice[0]}; keep one row each.")
    present = {name for name, row in zip(names, rows, strict=True) if row.file.is_file()}
    if complete:
        present |= set(find_videos(root))
    missing = check_listing(root, names, present, on_mismatch)
    kept = [row for name, row in zip(names, rows, strict=True) if name not in missing]
    if not kept:
        raise ValueError(f"{path}: none of its {len(rows)} videos is there; file_name is relative to {root}.")
    return kept


def _relative(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()
