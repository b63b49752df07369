"""Videos with labels frame by frame -> single frames as rows, for the frame-level protocol (PA-HMDB51)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from datasets import Dataset

from ..data import ClipOptions
from ..data.lengths import frame_count
from ..data.readability import iterate_videos
from ..data.schema import UNKNOWN, Vocabulary, build_dataset
from ..models import AnonymizerModel
from ..video import even_indices
from .anonymized import working_clip
from .anonymizing import read_raw
from .judges import JudgedSplit


class FrameClips:
    """The frames of clips (N, 1, T, H, W, 3) as clips (N * T, 1, 1, H, W, 3) of one frame each."""

    def __init__(self, clips: Any) -> None:
        self.failures: dict[int, str] = {}
        self.clips, self.frames = clips, clips.shape[2]
        self.shape = (clips.shape[0] * self.frames, 1, 1, *clips.shape[3:])

    def read(self, row: int, number: int = 0) -> np.ndarray:
        """One frame (1, H, W, 3)."""
        frame = row % self.frames
        return read_raw(self.clips, row // self.frames)[frame : frame + 1]


def split_into_frames(
    splits: dict[str, JudgedSplit], options: ClipOptions, anonymizer: AnonymizerModel | None
) -> dict[str, JudgedSplit]:
    """Splits of videos -> splits of the frames that judges see of them, each with its own attributes."""
    names = tuple(sorted({run["name"] for split in splits.values() for run in _runs(split.dataset)}))
    if not names:
        raise ValueError("frame_labels is empty in every video: there is nothing to attack")
    return {name: _frames_of(split, names, options, anonymizer) for name, split in splits.items()}


def frame_attributes(runs: Iterable[dict[str, Any]], names: tuple[str, ...], numbers: np.ndarray) -> np.ndarray:
    """Attributes (T, A) of the frames `numbers` (T,): 1 exposed (any value above 0), 0 not, -1 where no run says.

    Runs of one attribute may overlap, as those of several people do: a frame is exposed if one of them is.
    """
    table = np.full((len(numbers), len(names)), UNKNOWN, dtype=np.int64)
    for run in runs:
        inside = (numbers >= run["first"]) & (numbers <= run["last"])
        column = table[:, names.index(run["name"])]
        column[inside] = np.maximum(column[inside], np.clip(run["value"], UNKNOWN, 1))
    return table


def judged_numbers(length: int, options: ClipOptions, anonymizer: AnonymizerModel | None) -> np.ndarray:
    """Which frames (T,) of a video of `length` frames judges see."""
    worked_on = working_clip(options, anonymizer).indices(length)[0]
    return worked_on[even_indices(len(worked_on), options.frames)]


def _frames_of(
    split: JudgedSplit, names: tuple[str, ...], options: ClipOptions, anonymizer: AnonymizerModel | None
) -> JudgedSplit:
    dataset = split.dataset
    videos = list(iterate_videos(dataset))
    tables = [
        frame_attributes(runs, names, judged_numbers(frame_count(video), options, anonymizer))
        for video, runs in zip(videos, dataset["frame_labels"], strict=True)
    ]
    rows = [dict(zip(names, row, strict=True)) for table in tables for row in table.tolist()]
    owners = np.repeat(np.arange(len(videos)), options.frames)
    columns = {"video": [videos[owner]["path"] for owner in owners], "attributes": rows}
    frames = build_dataset(columns, Vocabulary(attributes=names), str(dataset.split))
    return JudgedSplit(frames, FrameClips(split.clips), owners)


def _runs(dataset: Dataset) -> Iterable[dict[str, Any]]:
    return (run for runs in dataset["frame_labels"] for run in runs)
