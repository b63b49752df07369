"""A cache of decoded clips on disk, so that a training run decodes each video once.

It holds raw frames, hence files of mode 0600 in directories of mode 0700, and nothing of it is ever uploaded. A cache
is `<root>/clips-<settings>/<content>/`: changed videos replace their old cache, other settings make another one. It is
built under a temporary name while a lock is held and renamed when complete, so several processes may ask at once.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from datasets import Dataset
from filelock import FileLock

from .cache_building import CLIPS, INDEX, build_cache, make_private_folder
from .clips import ClipOptions
from .fingerprint import content_digest, settings_digest
from .readability import check_on_error, find_unreadable, iterate_videos, settle_unreadable

logger = logging.getLogger(__name__)

CACHE_VARIABLE = "HF_PPAR_CACHE"
_FOLDER = re.compile(r"clips-[0-9a-f]{16}")


class ClipCache:
    """Decoded clips of a data set, memory-mapped.

    `shape` is (videos, clips, T, H, W, 3), uint8. `failures` maps rows whose video could not be read to the reason.
    """

    def __init__(self, folder: Path) -> None:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        self.folder = folder
        self.failures: dict[int, str] = {int(row): reason for row, reason in index["failures"].items()}
        self._checksums: list[int] = index["checksums"]
        # A plain view: the memmap class makes every slice slow.
        self._clips = np.asarray(np.load(folder / CLIPS, mmap_mode="r", allow_pickle=False))
        self._checked = np.zeros(len(self._checksums), dtype=bool)
        self.shape = self._clips.shape
        if self._clips.dtype != np.uint8 or len(self._clips) != len(self._checksums):
            raise ValueError(f"{folder}: clips and index do not belong together")

    def __reduce__(self) -> tuple[Any, ...]:
        return ClipCache, (self.folder,)  # a worker maps the file itself instead of receiving its content

    def read(self, row: int, number: int = 0) -> np.ndarray | None:
        """A copy of one clip (T, H, W, 3); None when the stored bytes are damaged, so that the caller decodes anew."""
        if not self._checked[row]:
            if zlib.crc32(self._clips[row]) != self._checksums[row]:
                logger.warning("row %d of the cache %s is damaged; decoding the video instead", row, self.folder)
                return None
            self._checked[row] = True
        return self._clips[row, number].copy()


@dataclass(frozen=True)
class ClearedCache:
    """What `clear_cache` removed."""

    root: Path
    caches: int
    size: int


def cache_root(cache_dir: str | os.PathLike[str] | None = None) -> Path:
    """Where caches are: `cache_dir`, else the environment variable HF_PPAR_CACHE, else ~/.cache/hf_ppar/clips."""
    chosen = cache_dir or os.environ.get(CACHE_VARIABLE)
    return Path(chosen).expanduser().absolute() if chosen else Path.home() / ".cache" / "hf_ppar" / "clips"


def open_clip_cache(
    dataset: Dataset,
    options: ClipOptions,
    cache_dir: str | os.PathLike[str] | None = None,
    on_error: str = "raise",
    workers: int = 0,
    progress: bool = True,
) -> ClipCache:
    """The cache of these clips, built first when there is none or the videos have changed.

    Args:
        on_error: "raise" opens every video before it decodes any, and stops at once if some cannot be; "skip" notes
            what cannot be read in `failures`, as does "raise" for damage that shows only further on.
        workers: processes that decode while it is built.
    """
    check_on_error(on_error)
    if len(dataset) == 0:
        raise ValueError("the data set has no clips to cache; check its split and options.")
    root = make_private_folder(cache_root(cache_dir))
    parent = root / f"clips-{settings_digest(iterate_videos(dataset), options)}"
    folder = parent / content_digest(iterate_videos(dataset))
    shape = (len(dataset), options.clips, options.frames, *options.size, 3)
    cache = _open(folder, shape)
    if cache is None:
        with _lock(parent):
            cache = _open(folder, shape)
            if cache is None:
                # What is left of another content, of an interrupted build or of a damaged cache.
                shutil.rmtree(parent, ignore_errors=True)
                make_private_folder(parent)
                if on_error == "raise":
                    settle_unreadable(find_unreadable(dataset, progress=progress), len(dataset), on_error)
                build_cache(dataset, options, folder, workers, progress)
                cache = ClipCache(folder)
    return cache


def clear_cache(cache_dir: str | os.PathLike[str] | None = None) -> ClearedCache:
    """Remove all caches under the root and nothing else."""
    root = cache_root(cache_dir)
    parents = sorted(path for path in root.glob("clips-*") if _FOLDER.fullmatch(path.name) and path.is_dir())
    size = 0
    for parent in parents:
        with _lock(parent):
            size += sum(path.stat().st_size for path in parent.rglob("*") if path.is_file())
            shutil.rmtree(parent)
            parent.with_suffix(".lock").unlink(missing_ok=True)
    return ClearedCache(root, len(parents), size)


def _lock(parent: Path) -> FileLock:
    return FileLock(parent.with_suffix(".lock"), mode=0o600)


def _open(folder: Path, shape: tuple[int, ...]) -> ClipCache | None:
    """The cache in a folder, or None when it is absent, cut off or not what it should be."""
    if not folder.is_dir():
        return None
    try:
        cache = ClipCache(folder)
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        logger.warning("the cache %s is damaged and will be built again (%s)", folder, error)
        return None
    return cache if cache.shape == shape else None
