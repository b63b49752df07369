"""Two honest baselines of every table: what the action alone, and what the length alone, say about a person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from datasets import Dataset

from ..data.clips import is_rendered
from ..data.schema import media_column
from ..data.stage import spec_from_uri
from ..video import estimate_frames, probe


def frequency_scores(
    keys: Sequence[object], labels: np.ndarray, test_keys: Sequence[object], classes: int
) -> np.ndarray:
    """Log-probabilities (N, classes) of a guesser that knows only a key: label frequencies given the key in training.

    Add-one smoothing towards the overall frequencies; an unseen key gets those alone.
    """
    overall = np.bincount(labels[labels >= 0], minlength=classes) + 1.0
    overall /= overall.sum()
    counts: dict[object, np.ndarray] = {}
    for key, label in zip(keys, labels.tolist(), strict=True):
        if label >= 0:
            counts.setdefault(key, np.zeros(classes))[label] += 1
    rows = [counts.get(key, np.zeros(classes)) + overall for key in test_keys]
    return np.log(np.stack([row / row.sum() for row in rows]))


def binary_frequency_scores(keys: Sequence[object], labels: np.ndarray, test_keys: Sequence[object]) -> np.ndarray:
    """The same for attributes: log-odds (N, A) from labels (M, A) of 0, 1 and -1."""
    columns = []
    for column in labels.T:
        scores = frequency_scores(keys, column, test_keys, 2)
        columns.append(scores[:, 1] - scores[:, 0])
    return np.stack(columns, axis=1)


def video_lengths(dataset: Dataset) -> list[tuple[int, int]]:
    """(frames, duration in hundredths of a second) of every video: all that passes beside the pixels."""
    column = media_column(dataset)
    return [_length(example[column]) for example in dataset.select_columns(column)]


def frame_count(video: dict[str, object]) -> int:
    """How many frames a video has, as decoding counts them."""
    return spec_from_uri(str(video["path"])).options.frames if is_rendered(video) else estimate_frames(video)


def _length(video: dict[str, object]) -> tuple[int, int]:
    if is_rendered(video):
        options = spec_from_uri(str(video["path"])).options
        return options.frames, round(100 * options.frames / options.fps)
    info = probe(video)
    return info.frames or 0, round(100 * float(info.duration or 0))
