"""The gallery: a few test videos before and after, for people. It shows raw frames: made only when asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..preview import contact_sheet
from ..processing import to_frames
from ..video import even_indices, fit_short_side, resize_frames
from .anonymized import open_raw, working_clip
from .anonymizing import anonymize_clips, read_raw
from .case import Case

_TILE = 96  # short side of one frame in the sheet


def write_gallery(case: Case, path: Path, videos: int = 3, frames: int = 6) -> None:
    """Write a PNG with rows of frames spread over each clip: raw, anonymized, and what was kept where there is a mask.

    The clips are those that the anonymizer works on.
    """
    if case.anonymizer is None:
        raise ValueError("a gallery shows videos before and after an anonymizer, and the model 'raw' has none")
    raw = open_raw(case.splits["test"], working_clip(case.panel.clip, case.anonymizer))
    rows: dict[str, np.ndarray] = {}
    for number, row in enumerate(even_indices(raw.shape[0], min(videos, raw.shape[0])), start=1):
        clip = read_raw(raw, int(row))
        output = anonymize_clips([clip], case.anonymizer, case.strength)
        rows[f"raw {number}"] = _tiles(clip, frames)
        rows[f"anonymized {number}"] = _tiles(to_frames(output.videos[0]), frames)
        if output.mask is not None:
            rows[f"kept {number}"] = _tiles(to_frames(output.mask[0].expand(-1, 3, -1, -1)), frames)
    contact_sheet(rows).save(path, format="PNG")


def _tiles(clip: np.ndarray, frames: int) -> np.ndarray:
    chosen = clip[even_indices(len(clip), min(frames, len(clip)))]
    return resize_frames(chosen, fit_short_side(clip.shape[1], clip.shape[2], _TILE))
