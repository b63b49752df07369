"""What is in a data set: counts, positive rates, the chance level of every score, missing files, a picture."""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from datasets import Dataset
from PIL import Image

from ..preview import contact_sheet
from ..video import fit_short_side
from .clips import read_example_frames
from .listing import ListingMismatch, shorten
from .loading import check_data_dir, find_loader
from .schema import attribute_names, class_names, media_column

CLASS_COLUMNS = ("action", "person", "subject_group")
_SHORT_SIDE = 120


@dataclass(frozen=True)
class AttributeSummary:
    """How often a private attribute is 1 among the clips where it is known."""

    name: str
    known: int
    positive: int

    @property
    def positive_rate(self) -> float:
        """Share of ones: the average precision of guessing. NaN when nothing is known."""
        return self.positive / self.known if self.known else float("nan")

    @property
    def majority_accuracy(self) -> float:
        """Accuracy of always giving the more frequent answer."""
        return max(self.positive_rate, 1 - self.positive_rate)


@dataclass(frozen=True)
class SplitSummary:
    """One split: how many clips, of which classes and persons, with which attributes, and what is missing."""

    split: str
    clips: int
    counts: dict[str, dict[str, int]]  # label column -> class name -> clips
    attributes: tuple[AttributeSummary, ...]
    missing: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()


def load_splits(
    name: str, data_dir: str | os.PathLike[str] | None = None, **options: Any
) -> list[tuple[Dataset, ListingMismatch | None]]:
    """Every split of a data set; where list and folder disagree, what is there, and the disagreement."""
    loader = find_loader(name)
    folder = check_data_dir(name, loader, data_dir)

    def load(split: str) -> tuple[Dataset, ListingMismatch | None]:
        try:
            return loader.load(folder, split, **options), None
        except ListingMismatch as mismatch:
            return loader.load(folder, split, **{**options, "on_mismatch": "skip"}), mismatch

    try:
        splits = loader.splits(folder, **options)
    except ListingMismatch:
        splits = loader.splits(folder, **{**options, "on_mismatch": "skip"})
    return [load(split) for split in splits]


def summarize(dataset: Dataset, mismatch: ListingMismatch | None = None) -> SplitSummary:
    """Count what is in a split."""
    counts = {}
    for column in CLASS_COLUMNS:
        names = class_names(dataset, column)
        if names:
            found = Counter(dataset[column])
            counts[column] = {name: found[number] for number, name in enumerate(names)}
    for column in ("domain", "view", "condition"):
        if column in dataset.features:
            counts[column] = {str(key): count for key, count in sorted(Counter(dataset[column]).items(), key=str)}
    rows = dataset["attributes"] if "attributes" in dataset.features else []
    attributes = tuple(
        AttributeSummary(name, sum(row[name] in (0, 1) for row in rows), sum(row[name] == 1 for row in rows))
        for name in attribute_names(dataset)
    )
    missing, unlisted = (mismatch.missing, mismatch.unlisted) if mismatch else ([], [])
    return SplitSummary(str(dataset.split), len(dataset), counts, attributes, tuple(missing), tuple(unlisted))


def describe_split(summary: SplitSummary) -> str:
    """The summary as text to print."""
    lines = [f"{summary.split}: {summary.clips} clips"]
    for column, counts in summary.counts.items():
        lines += _describe_counts(column, {name: count for name, count in counts.items() if count}, summary.clips)
    if summary.attributes:
        width = max(len("attribute"), *(len(attribute.name) for attribute in summary.attributes))
        lines.append(f"  {'attribute':<{width}}  known  positive = chance AP  majority accuracy")
    for attribute in summary.attributes:
        rates = f"{attribute.positive_rate:>22.3f}  {attribute.majority_accuracy:>17.3f}"
        lines.append(f"  {attribute.name:<{width}}  {attribute.known:>5}{rates}")
    lines.append(f"  missing files: {_describe_names(summary.missing)}")
    if summary.unlisted:
        lines.append(f"  videos not in the list: {_describe_names(summary.unlisted)}")
    return "\n".join(lines)


def sample_sheet(datasets: Sequence[Dataset], columns: int = 8) -> Image.Image:
    """A picture of raw middle frames: one row a split, from clips spread evenly over it."""
    filled = [dataset for dataset in datasets if len(dataset)]
    if not filled:
        raise ValueError("there are no clips to show.")
    height, width = _middle_frame(filled[0], 0, None).shape[:2]
    size = fit_short_side(height, width, _SHORT_SIDE)
    rows = {}
    for dataset in filled:
        chosen = np.linspace(0, len(dataset) - 1, columns).round().astype(int).tolist()
        rows[str(dataset.split)] = np.stack([_middle_frame(dataset, row, size) for row in chosen])
    return contact_sheet(rows)


def _middle_frame(dataset: Dataset, row: int, size: tuple[int, int] | None) -> np.ndarray:
    video = dataset[row][media_column(dataset)]
    return read_example_frames(video, lambda length: [length // 2], size, "crop")[0]


def _describe_counts(column: str, counts: dict[str, int], clips: int) -> list[str]:
    line = f"  {column}: {len(counts)} different"
    if column in CLASS_COLUMNS and counts:
        line += f"; chance {1 / len(counts):.3f} guessing evenly, {max(counts.values()) / clips:.3f} most frequent"
    if column == "view":
        return [line]
    same = len(counts) > 1 and len(set(counts.values())) == 1
    if same:
        line += f"; {next(iter(counts.values()))} clips each"
    each = ", ".join(name if same else f"{name}:{count}" for name, count in counts.items())
    return [line, textwrap.fill(each, 110, initial_indent="    ", subsequent_indent="    ")]


def _describe_names(names: tuple[str, ...]) -> str:
    return f"{len(names)}: {shorten(names)}" if names else "none"
