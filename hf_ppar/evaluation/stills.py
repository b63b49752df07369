"""Pictures as clips that stand still, for attributes that are annotated on pictures (VISPR)."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from datasets import Dataset
from PIL import Image, UnidentifiedImageError
from tqdm import tqdm

from ..data import ClipOptions
from ..data.clips import video_name
from ..data.fingerprint import content_digest, settings_digest
from ..data.readability import iterate_videos
from ..video import resize_frames


class StillClips:
    """The pictures of a data set as clips (N, 1, T, H, W, 3) uint8 of one repeated frame, read like a `ClipCache`.

    Pictures are kept in memory at the clips' size; nothing raw is written. Grey ones become RGB, transparency is
    dropped.
    """

    def __init__(self, dataset: Dataset, options: ClipOptions) -> None:
        pictures = list(iterate_videos(dataset))
        self.failures: dict[int, str] = {}
        self.folder = f"stills-{settings_digest(pictures, options)}-{content_digest(pictures)}"
        self.shape = (len(pictures), 1, options.frames, *options.size, 3)
        shown = tqdm(pictures, "reading pictures", leave=False, disable=None)
        self._pictures = np.concatenate([resize_frames(read_picture(value)[None], options.size) for value in shown])

    def read(self, row: int, number: int = 0) -> np.ndarray:
        """One clip (T, H, W, 3)."""
        return np.repeat(self._pictures[row][None], self.shape[2], axis=0)


def read_picture(picture: dict[str, Any]) -> np.ndarray:
    """An `image` value of the schema -> (H, W, 3) uint8."""
    source = picture["path"] if picture.get("bytes") is None else io.BytesIO(picture["bytes"])
    try:
        with Image.open(source) as image:
            return np.asarray(image.convert("RGB"))
    except (OSError, UnidentifiedImageError) as error:
        raise ValueError(f"cannot read the picture {video_name(picture)}: {error}") from error
