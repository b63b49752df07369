"""A split's clips after an anonymizer, computed once and shared by all judges."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
from datasets import Dataset

from ..data import ClipCache, ClipOptions, open_clip_cache
from ..data.schema import media_column
from ..models import AnonymizerModel
from .anonymizing import path_beside, write_anonymized
from .stills import StillClips


class AnonymizedClips:
    """Anonymized clips (N, clips, T, H, W, 3) uint8 behind the interface of `ClipCache`, for `ClipDataset`.

    Beside them is what else the anonymizer returned, None if it did not: `latents` (N, clips, features) float32,
    `rate_bits` (N, clips) float32, and `token_mask` (N, clips, tokens) uint8, 1 for a tubelet that shows anything.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failures: dict[int, str] = {}
        self._clips = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        self.shape = self._clips.shape
        self.latents, self.rate_bits, self.token_mask = (
            _load_beside(path, name) for name in ("latents", "rate_bits", "token_mask")
        )

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
) -> AnonymizedClips | ClipCache | StillClips:
    """The clips of a split as a judge sees them; without an anonymizer the raw clips of the training cache.

    The anonymizer works on the clips that judges see, the sampled frames at their size, unless it has a size of its
    own (`working_clip`): then its output is fitted to theirs. The result is kept in `folder` under a name made of the
    model, its weights, the strength and the clips, and found there again.
    """
    if anonymizer is None:
        return open_raw(dataset, options, cache_dir)
    working = working_clip(options, anonymizer)
    raw = open_raw(dataset, working, cache_dir)
    fitted = "" if working == options else f"|{options.frames}x{options.size}"
    path = folder / f"{dataset.split}-{model_digest(anonymizer, f'{raw.folder}|{strength}{fitted}')}.npy"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write_anonymized(raw, options, anonymizer, strength, path, f"anonymizing {dataset.split}")
    return AnonymizedClips(path)


def working_clip(options: ClipOptions, anonymizer: AnonymizerModel | None) -> ClipOptions:
    """The clips that an anonymizer works on: of its own length and size where it has them, else those given."""
    if anonymizer is None:
        return options
    config = anonymizer.config
    size = options.size if config.image_size is None else tuple(config.image_size)
    return replace(options, frames=config.num_frames or options.frames, size=size)


def open_raw(
    dataset: Dataset, options: ClipOptions, cache_dir: str | os.PathLike[str] | None = None
) -> ClipCache | StillClips:
    """The raw clips of a split: videos from the training cache, pictures standing still."""
    if media_column(dataset) == "image":
        return StillClips(dataset, options)
    return open_clip_cache(dataset, options, cache_dir)


def _load_beside(path: Path, name: str) -> np.ndarray | None:
    file = path_beside(path, name)
    return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False)) if file.is_file() else None


def model_digest(anonymizer: AnonymizerModel, how: str = "") -> str:
    """Which anonymizer it is, by its config and weights, and `how` it is used: 16 hexadecimal digits."""
    digest = hashlib.sha256(json.dumps(anonymizer.config.to_dict(), sort_keys=True, default=str).encode())
    for name, value in sorted(anonymizer.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().float().cpu().contiguous().numpy().tobytes())
    digest.update(how.encode())
    return digest.hexdigest()[:16]
