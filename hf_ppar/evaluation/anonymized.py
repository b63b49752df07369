"""A split's clips after an anonymizer, computed once and shared by all judges."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import torch
from datasets import Dataset
from tqdm import tqdm

from ..data import ClipCache, ClipOptions, open_clip_cache
from ..models import AnonymizerModel
from ..processing import to_clip, to_frames

_BATCH = 32


class AnonymizedClips:
    """Anonymized clips (N, clips, T, H, W, 3) uint8 behind the interface of `ClipCache`, for `ClipDataset`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failures: dict[int, str] = {}
        self._clips = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        self.shape = self._clips.shape

    def read(self, row: int, number: int = 0) -> np.ndarray:
        """A copy of one clip (T, H, W, 3)."""
        return self._clips[row, number].copy()


def anonymize_split(
    dataset: Dataset,
    options: ClipOptions,
    anonymizer: AnonymizerModel | None,
    folder: Path,
    strength: float | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
) -> AnonymizedClips | ClipCache:
    """The clips of a split as a judge sees them; without an anonymizer the raw clips of the training cache.

    The anonymizer works on the clips that judges see: the sampled frames at their size. The result is kept in
    `folder` under a name made of the model, its weights, the strength and the clips, and found there again.
    """
    raw = open_clip_cache(dataset, options, cache_dir)
    if anonymizer is None:
        return raw
    path = folder / f"{dataset.split}-{_fingerprint(raw, anonymizer, strength)}.npy"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial.npy")
        _write(raw, anonymizer, strength, partial, f"anonymizing {dataset.split}")
        os.replace(partial, path)
    return AnonymizedClips(path)


def _write(raw: ClipCache, anonymizer: AnonymizerModel, strength: float | None, path: Path, title: str) -> None:
    result = np.lib.format.open_memmap(path, "w+", np.uint8, raw.shape)
    videos, clips = raw.shape[:2]
    places = [(row, number) for row in range(videos) for number in range(clips)]
    for start in tqdm(range(0, len(places), _BATCH), title, leave=False, disable=None):
        part = places[start : start + _BATCH]
        stacked = torch.stack([to_clip(_read(raw, row, number)) for row, number in part]).to(anonymizer.device)
        with torch.inference_mode():
            output = anonymizer(stacked, strength=strength).videos
        for (row, number), clip in zip(part, output, strict=True):
            result[row, number] = to_frames(clip)
    result.flush()


def _read(raw: ClipCache, row: int, number: int) -> np.ndarray:
    clip = raw.read(row, number)
    if clip is None:
        raise ValueError(f"row {row} of the clip cache {raw.folder} is damaged; run `hf-ppar data clear-cache`")
    return clip


def _fingerprint(raw: ClipCache, anonymizer: AnonymizerModel, strength: float | None) -> str:
    digest = hashlib.sha256(json.dumps(anonymizer.config.to_dict(), sort_keys=True, default=str).encode())
    for name, value in sorted(anonymizer.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().float().cpu().contiguous().numpy().tobytes())
    digest.update(f"{raw.folder}|{strength}".encode())
    return digest.hexdigest()[:16]
