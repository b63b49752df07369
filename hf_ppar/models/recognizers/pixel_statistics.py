"""The mean and standard deviation that a public checkpoint expects, as values for pixels in [0, 1]."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from transformers.utils import cached_file

from ..layers.normalization import IMAGENET_MEAN, IMAGENET_STD


class PixelStatistics(NamedTuple):
    """(pixel in [0, 1] - mean) / std is what the model takes; one value a channel."""

    mean: tuple[float, ...]
    std: tuple[float, ...]


# What the published checkpoints of a family were trained with, for directories without a processor.
FAMILY_STATISTICS = {
    "videomae": PixelStatistics(IMAGENET_MEAN, IMAGENET_STD),
    "timesformer": PixelStatistics((0.45, 0.45, 0.45), (0.225, 0.225, 0.225)),
    # The processor maps pixels to [-1, 1] first and then subtracts and divides by 0.5.
    "vivit": PixelStatistics((0.75, 0.75, 0.75), (0.25, 0.25, 0.25)),
    "vjepa2": PixelStatistics(IMAGENET_MEAN, IMAGENET_STD),
    "xclip": PixelStatistics(IMAGENET_MEAN, IMAGENET_STD),
}
_FILES = ("preprocessor_config.json", "video_preprocessor_config.json", "processor_config.json")


def read_pixel_statistics(name: str, model_type: str, revision: str | None = None) -> PixelStatistics:
    """Those in the processor file next to a model (directory or Hub id), else those of its family.

    A processor written by a class without its own values in the file falls back to the family as well.
    """
    for file in _FILES:
        path = cached_file(
            name,
            file,
            revision=revision,
            _raise_exceptions_for_missing_entries=False,
            _raise_exceptions_for_connection_errors=False,
        )
        found = None if path is None else parse_processor(json.loads(Path(path).read_text()))
        if found is not None:
            return found
    if model_type not in FAMILY_STATISTICS:
        raise ValueError(
            f"{name} has no processor file with image_mean and image_std, and the values of {model_type!r} models are "
            f"not known (known: {', '.join(sorted(FAMILY_STATISTICS))}); save its image processor beside it"
        )
    return FAMILY_STATISTICS[model_type]


def parse_processor(settings: dict[str, Any]) -> PixelStatistics | None:
    """The statistics in a processor's JSON, or None if it does not give them.

    A processor computes (255 * pixel * rescale_factor - offset - image_mean) / image_std.
    """
    settings = settings.get("image_processor") or settings.get("video_processor") or settings
    if "image_mean" not in settings or "image_std" not in settings:
        return None
    scale = 255 * settings.get("rescale_factor", 1 / 255) if settings.get("do_rescale", True) else 255.0
    # ViViT's offset: pixels run from -1 to 1 before the mean is subtracted.
    offset = 1.0 if settings.get("offset") else 0.0
    mean, std = (_three(settings[key]) for key in ("image_mean", "image_std"))
    if not settings.get("do_normalize", True):
        mean, std = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    return PixelStatistics(tuple((m + offset) / scale for m in mean), tuple(s / scale for s in std))


def _three(value: float | list[float]) -> tuple[float, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (float(value),) * 3
