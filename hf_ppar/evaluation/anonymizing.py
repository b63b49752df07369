"""Raw clips through an anonymizer into files: the clips that judges see, and what else it returns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from ..data import ClipOptions
from ..models import AnonymizerModel
from ..models.layers import clip_to_tubelets
from ..processing import to_clip, to_frames
from ..video import even_indices, resize_frames

_BATCH = 32
_CLIPS = "clips"


def write_anonymized(
    raw: Any, options: ClipOptions, anonymizer: AnonymizerModel, strength: float | None, path: Path, title: str
) -> None:
    """Write `path` with the clips (N, clips, T, H, W, 3) of `options`, and files of its stem beside it.

    All are written under temporary names. The clips are renamed last: where they are, the rest is.
    """
    videos, clips = raw.shape[:2]
    places = [(row, number) for row in range(videos) for number in range(clips)]
    arrays: dict[str, Any] = {}
    for start in tqdm(range(0, len(places), _BATCH), title, leave=False, disable=None):
        part = places[start : start + _BATCH]
        output = anonymize_clips([read_raw(raw, row, number) for row, number in part], anonymizer, strength)
        for name, batch in _parts(output, options, getattr(anonymizer.config, "tubelet_size", None)).items():
            if name not in arrays:
                partial, shape = _partial(path, name), (videos, clips, *batch.shape[1:])
                arrays[name] = np.lib.format.open_memmap(partial, "w+", batch.dtype, shape)
            for place, values in zip(part, batch, strict=True):
                arrays[name][place] = values
    for name in sorted(arrays, key=lambda name: name == _CLIPS):
        arrays[name].flush()
        os.replace(_partial(path, name), path_beside(path, name))


def path_beside(path: Path, name: str) -> Path:
    """Where the part of that name is kept: "latents", "rate_bits" or "token_mask" beside the clips at `path`."""
    return path if name == _CLIPS else path.with_suffix(f".{name}.npy")


def fit_clip(frames: np.ndarray, options: ClipOptions) -> np.ndarray:
    """Frames (T, H, W, 3) -> the clip of a judge: frames taken evenly, or repeated in order, and resized."""
    return resize_frames(frames[even_indices(len(frames), options.frames)], options.size)


def read_raw(raw: Any, row: int, number: int = 0) -> np.ndarray:
    """A clip of a cache; a damaged one is refused."""
    clip = raw.read(row, number)
    if clip is None:
        raise ValueError(f"row {row} of the clip cache {raw.folder} is damaged; run `hf-ppar data clear-cache`")
    return clip


@torch.inference_mode()
def anonymize_clips(clips: list[np.ndarray], anonymizer: AnonymizerModel, strength: float | None) -> Any:
    """Clips (T, H, W, 3) of one size as one batch through the anonymizer; what it returns."""
    stacked = torch.stack([to_clip(clip) for clip in clips]).to(anonymizer.device)
    return anonymizer(stacked, strength=strength)


def _parts(output: Any, options: ClipOptions, tubelet_size: Sequence[int] | None) -> dict[str, Any]:
    """Name -> array, a row a clip."""
    parts: dict[str, Any] = {_CLIPS: np.stack([fit_clip(to_frames(clip), options) for clip in output.videos])}
    if output.latents is not None:
        parts["latents"] = output.latents.flatten(1).float().cpu().numpy()
    if output.rate_bits is not None:
        parts["rate_bits"] = output.rate_bits.float().cpu().numpy()
    if output.mask is not None and tubelet_size is not None:
        parts["token_mask"] = (clip_to_tubelets(output.mask, tubelet_size) > 0).any(-1).byte().cpu().numpy()
    return parts


def _partial(path: Path, name: str) -> Path:
    return path_beside(path, name).with_suffix(".partial.npy")
