"""`folder`: a user's own videos, with or without labels.

Layouts, told apart by what is there:
    root/metadata.csv or root/<split>/metadata.csv, or the path of a CSV file: column `file_name` and any labels
    root/<split>/<action>/*.mp4 or root/<action>/*.mp4
    root/<split>/*.mp4 or root/*.mp4: no labels
Without split folders or a `split` column everything is "train". In a CSV, `action`, `person`, `subject_group`,
`domain`, `view`, `condition` and `text` are the columns of the schema; every other column is a private attribute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from datasets import Dataset

from .listing import find_videos, shorten
from .metadata import ClipRow, FolderOptions, read_metadata
from .options import checked_options
from .schema import UNKNOWN, Vocabulary, build_dataset

METADATA = "metadata.csv"
_SPLIT_NAMES = {
    "train": "train",
    "training": "train",
    "validation": "validation",
    "valid": "validation",
    "val": "validation",
    "dev": "validation",
    "test": "test",
    "gallery": "gallery",
    "probe": "probe",
}
_TEXT_COLUMNS = ("domain", "condition", "text")


def load_folder(data_dir: Path | None, split: str, **options: Any) -> Dataset:
    """Your own videos: folders named by action, or a metadata.csv with any action and attribute columns.

    Options are those of `FolderOptions`.
    """
    chosen = checked_options(FolderOptions, "folder", options)
    rows = _find_rows(data_dir, chosen)
    wanted = [row for row in rows if row.split == split]
    if not wanted:
        there = ", ".join(_ordered_splits(rows))
        raise ValueError(f"split={split!r} is not in {data_dir}; it has {there}.")
    vocabulary = _vocabulary(rows, chosen)
    return build_dataset(_columns(wanted, rows, vocabulary), vocabulary, split, f"Videos in {data_dir}.")


def folder_splits(data_dir: Path | None, **options: Any) -> tuple[str, ...]:
    """The splits that a folder has, in their usual order."""
    return _ordered_splits(_find_rows(data_dir, checked_options(FolderOptions, "folder", options)))


def _ordered_splits(rows: list[ClipRow]) -> tuple[str, ...]:
    found = {row.split for row in rows}
    usual = [name for name in dict.fromkeys(_SPLIT_NAMES.values()) if name in found]
    return (*usual, *sorted(found - set(usual)))


def _find_rows(data_dir: Path | None, options: FolderOptions) -> list[ClipRow]:
    if data_dir is None:
        raise ValueError("folder needs data_dir, a folder of videos or a CSV file.")
    if data_dir.is_file():
        if data_dir.suffix.lower() != ".csv":
            raise ValueError(f"data_dir={str(data_dir)!r} is neither a folder nor a .csv file.")
        return _from_csv(data_dir, None, options, complete=False)
    if (data_dir / METADATA).is_file():
        return _from_csv(data_dir / METADATA, None, options)
    folders = [path for path in sorted(data_dir.iterdir()) if path.is_dir() and path.name.lower() in _SPLIT_NAMES]
    if not folders:
        return _from_names(data_dir, "train")
    _refuse_strays(data_dir, folders)
    with_csv = [folder for folder in folders if (folder / METADATA).is_file()]
    if with_csv and len(with_csv) < len(folders):
        without = [folder.name for folder in folders if folder not in with_csv]
        raise ValueError(f"{data_dir}: the splits {', '.join(without)} have no {METADATA}; give every split one.")
    parts = [
        _from_csv(folder / METADATA, _SPLIT_NAMES[folder.name.lower()], options)
        if with_csv
        else _from_names(folder, _SPLIT_NAMES[folder.name.lower()])
        for folder in folders
    ]
    return [row for part in parts for row in part]


def _refuse_strays(root: Path, splits: list[Path]) -> None:
    """With split folders, a video beside them would be dropped silently."""
    names = {path.name for path in splits}
    strays = [name for name in find_videos(root) if name.split("/")[0] not in names]
    if strays:
        raise ValueError(
            f"{root} has the split folders {', '.join(sorted(names))} and {len(strays)} videos outside of them: "
            f"{shorten(strays)}. Move them into a split."
        )


def _from_csv(path: Path, split: str | None, options: FolderOptions, complete: bool = True) -> list[ClipRow]:
    rows = read_metadata(path, options, complete)
    return [row.with_split(split or _SPLIT_NAMES.get(row.split.lower(), row.split)) for row in rows]


def _from_names(folder: Path, split: str) -> list[ClipRow]:
    """Labels from folder names: <action>/<anything>.mp4, or no labels when the videos lie in the folder itself."""
    names = find_videos(folder)
    if not names:
        raise ValueError(f"{folder} holds no videos, nor a {METADATA} that lists them.")
    flat = [name for name in names if "/" not in name]
    if flat and len(flat) < len(names):
        raise ValueError(
            f"{folder} has {len(flat)} videos beside its folders of actions: {shorten(flat)}. Move them into a folder "
            f"named by their action, or write a {METADATA}."
        )
    return [ClipRow(folder / name, split, action=None if flat else name.split("/")[0]) for name in names]


def _vocabulary(rows: list[ClipRow], options: FolderOptions) -> Vocabulary:
    occurring = sorted({row.action for row in rows if row.action is not None})
    actions = tuple(options.actions) if options.actions is not None else tuple(occurring)
    unknown = sorted(set(occurring) - set(actions))
    if unknown:
        raise ValueError(f"actions={list(actions)} lacks {shorten(unknown)}, which occur in the data; add them.")
    return Vocabulary(
        actions,
        attributes=tuple(dict.fromkeys(name for row in rows for name in row.attributes)),
        persons=tuple(sorted({row.labels["person"] for row in rows if row.labels.get("person")})),
        subject_groups=tuple(sorted({row.labels["subject_group"] for row in rows if row.labels.get("subject_group")})),
    )


def _columns(wanted: list[ClipRow], rows: list[ClipRow], vocabulary: Vocabulary) -> dict[str, list[Any]]:
    """Columns for which any split has a value, so that all splits have the same ones."""
    columns: dict[str, list[Any]] = {"video": [row.file for row in wanted]}
    if vocabulary.actions:
        columns["action"] = [row.action for row in wanted]
    if vocabulary.attributes:
        columns["attributes"] = [
            {name: row.attributes.get(name, UNKNOWN) for name in vocabulary.attributes} for row in wanted
        ]
    for name in ("person", "subject_group", *_TEXT_COLUMNS):
        if any(row.labels.get(name) for row in rows):
            columns[name] = [row.labels.get(name) or None for row in wanted]
    if any(row.view is not None for row in rows):
        columns["view"] = [row.view for row in wanted]
    return columns
