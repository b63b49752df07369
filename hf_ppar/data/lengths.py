"""How long videos are, without decoding them."""

from __future__ import annotations

from datasets import Dataset

from ..video import estimate_frames, probe
from .clips import ClipOptions, is_rendered
from .schema import media_column
from .stage import spec_from_uri

_LOOKED_AT = 64  # videos of a data set that tell its usual length


def video_lengths(dataset: Dataset) -> list[tuple[int, int]]:
    """(frames, duration in hundredths of a second) of every video: all that passes beside the pixels."""
    column = media_column(dataset)
    return [_length(example[column]) for example in dataset.select_columns(column)]


def frame_count(video: dict[str, object]) -> int:
    """How many frames a video has, as decoding counts them."""
    return spec_from_uri(str(video["path"])).options.frames if is_rendered(video) else estimate_frames(video)


def clip_rate(dataset: Dataset, clip: ClipOptions) -> float | None:
    """Frames a second of the clips that are cut from a data set, on average; None where videos do not tell."""
    step = max(1, len(dataset) // _LOOKED_AT)
    lengths = video_lengths(dataset.select(range(0, len(dataset), step)))
    known = [(frames, hundredths / 100) for frames, hundredths in lengths if frames and hundredths]
    if not known:
        return None
    seconds = sum(duration for _, duration in known)
    if clip.stride is None:
        return clip.frames * len(known) / seconds
    return sum(frames for frames, _ in known) / seconds / clip.stride


def _length(video: dict[str, object]) -> tuple[int, int]:
    if is_rendered(video):
        options = spec_from_uri(str(video["path"])).options
        return options.frames, round(100 * options.frames / options.fps)
    info = probe(video)
    return info.frames or 0, round(100 * float(info.duration or 0))
