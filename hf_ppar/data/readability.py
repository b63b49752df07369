"""Find videos that cannot be read before a training run meets them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from datasets import Dataset
from tqdm import tqdm

from ..video import VideoError, probe
from .clips import ClipOptions, is_rendered, read_clips_of, video_name
from .listing import shorten
from .schema import media_column

logger = logging.getLogger(__name__)

ON_ERROR = ("raise", "skip")


class UnreadableVideos(ValueError):
    """Some videos of a data set cannot be read; `reasons` maps row numbers to what is wrong with them."""

    def __init__(self, reasons: dict[int, str], total: int) -> None:
        self.reasons = reasons
        super().__init__(
            f"{len(reasons)} of {total} videos cannot be read: {shorten(list(reasons.values()))}. "
            'Repair or remove them, or pass on_error="skip" to train without them.'
        )


def check_on_error(on_error: str) -> None:
    """Refuse anything but "raise" and "skip"."""
    if on_error not in ON_ERROR:
        raise ValueError(f"on_error={on_error!r} is unknown; choose one of: {', '.join(ON_ERROR)}.")


def find_unreadable(dataset: Dataset, options: ClipOptions | None = None, progress: bool = True) -> dict[int, str]:
    """Rows whose video cannot be read, with the reason.

    Args:
        options: read these clips of every video, as slow as an epoch without a cache; None only opens each video and
            decodes its first frame, which misses damage further on.
    """
    reasons: dict[int, str] = {}
    for row, video in tqdm(
        enumerate(iterate_videos(dataset)),
        "checking videos",
        len(dataset),
        disable=None if progress else True,
        leave=False,
    ):
        try:
            if options is not None:
                read_clips_of(video, options)
            elif not is_rendered(video):
                probe(video)
        except (VideoError, OSError) as error:
            reasons[row] = explain(video, error)
    return reasons


def settle_unreadable(reasons: dict[int, str], total: int, on_error: str) -> list[int]:
    """Rows to use: raises `UnreadableVideos`, or with "skip" warns and leaves the unreadable ones out."""
    if total == 0:
        raise ValueError("the data set has no clips; check its split and options.")
    if reasons and on_error == "raise":
        raise UnreadableVideos(reasons, total)
    if reasons:
        logger.warning("skipping %d of %d videos: %s", len(reasons), total, shorten(list(reasons.values())))
    if len(reasons) == total:
        raise UnreadableVideos(reasons, total)
    return [row for row in range(total) if row not in reasons]


def iterate_videos(dataset: Dataset) -> Iterator[Any]:
    """The `video` values in order."""
    column = media_column(dataset)
    for example in dataset.select_columns(column):
        yield example[column]


def explain(video: Any, error: Exception) -> str:
    """The error, with the video's name in front where it does not say it."""
    name, text = video_name(video), str(error)
    return text if name in text else f"{name}: {text}"
