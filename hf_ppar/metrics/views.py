"""From the scores of a video's clips and crops to one score of the video."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import as_array, as_ids, as_scores


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities over the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """A probability for each entry, without overflow."""
    return np.exp(-np.logaddexp(0.0, -logits))


ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "softmax": softmax,
    "sigmoid": sigmoid,
    "none": lambda scores: scores,
}


@dataclass(frozen=True)
class VideoScores:
    """One row a video, in the order in which the videos first appeared.

    `videos` (V,) ids, `scores` (V, classes), `labels` (V, ...) or None, `views` (V,) how many views were averaged.
    """

    videos: np.ndarray
    scores: np.ndarray
    labels: np.ndarray | None
    views: np.ndarray


def average_views(
    scores: ArrayLike, videos: ArrayLike, labels: ArrayLike | None = None, activation: str = "softmax"
) -> VideoScores:
    """Average the probabilities of all views (clips x crops) of a video, as the 5 x 1 and 5 x 3 protocols do.

    `scores` (views, classes) are logits, `videos` (views,) the video of each view, `labels` (views, ...) the same for
    all views of a video. `activation` is "softmax" for one action of many, "sigmoid" for attributes, "none" for
    scores that are probabilities already.

    >>> average_views([[0.0, 0.0], [9.0, -9.0], [0.0, 1.0]], ["a", "a", "b"]).scores.round(2).tolist()
    [[0.75, 0.25], [0.27, 0.73]]
    """
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {activation!r}")
    probabilities = ACTIVATIONS[activation](as_scores("scores", scores, 2))
    ids, first, inverse = np.unique(
        as_ids("videos", videos, len(probabilities)), return_index=True, return_inverse=True
    )
    totals = np.zeros((len(ids), probabilities.shape[1]))
    np.add.at(totals, inverse, probabilities)
    views = np.bincount(inverse)
    order = np.argsort(first)
    of_videos = None if labels is None else _labels_of_videos(labels, ids, first, inverse)[order]
    return VideoScores(ids[order], (totals / views[:, None])[order], of_videos, views[order])


def _labels_of_videos(labels: ArrayLike, ids: np.ndarray, first: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    array = as_array("labels", labels)
    if len(array) != len(inverse):
        raise ValueError(f"labels must have one row for each of the {len(inverse)} views, got {len(array)}")
    differs = (array != array[first][inverse]).reshape(len(array), -1).any(axis=1)
    if differs.any():
        video = ids[inverse[differs.argmax()]]
        raise ValueError(f"labels differ between views of video {video!s}; give all views of a video the same label")
    return array[first]
