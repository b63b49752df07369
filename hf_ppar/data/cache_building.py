"""Decode every clip of a data set into one file, privately and all or nothing."""

from __future__ import annotations

import gc
import json
import os
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from datasets import Dataset
from torch.utils.data import DataLoader
from torch.utils.data import Dataset as TorchDataset
from tqdm import tqdm

from ..video import VideoError
from .clips import ClipOptions, read_clips_of
from .readability import explain
from .schema import media_column

CLIPS, INDEX = "clips.npy", "index.json"


def build_cache(dataset: Dataset, options: ClipOptions, folder: Path, workers: int, progress: bool) -> None:
    """Write `folder` with clips.npy (videos, clips, T, H, W, 3) uint8 and index.json; nothing stays on an error."""
    partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))  # mode 0700
    try:
        with _create_private(partial / CLIPS) as file:
            index = _write_clips(file, dataset, options, workers, progress)
        with _create_private(partial / INDEX) as file:
            file.write(json.dumps(index).encode())
        os.rename(partial, folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def make_private_folder(path: Path) -> Path:
    """Create a directory of mode 0700 with its parents; an existing one stays as it is."""
    if not path.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def _write_clips(
    file: IO[bytes], dataset: Dataset, options: ClipOptions, workers: int, progress: bool
) -> dict[str, Any]:
    """Rows one after the other, so that a full disk is an error here and not a crash in a mapped file."""
    shape = (options.clips, options.frames, *options.size, 3)
    header = {"descr": "|u1", "fortran_order": False, "shape": (len(dataset), *shape)}
    np.lib.format.write_array_header_1_0(file, header)
    failures: dict[int, str] = {}
    checksums: list[int] = []
    gc.collect()  # see ClipLoader
    loader = DataLoader(_Decoding(dataset, options), batch_size=None, num_workers=workers, collate_fn=_as_is)
    for row, (clips, reason) in enumerate(
        tqdm(loader, "decoding clips", disable=None if progress else True, leave=False)
    ):
        if clips is None:
            failures[row] = reason
            clips = np.zeros(shape, dtype=np.uint8)
        file.write(clips.data)
        checksums.append(zlib.crc32(clips))
    file.flush()
    os.fsync(file.fileno())
    return {"failures": failures, "checksums": checksums}


class _Decoding(TorchDataset[tuple[np.ndarray | None, str]]):
    """Row -> (clips, "") or (None, why not)."""

    def __init__(self, dataset: Dataset, options: ClipOptions) -> None:
        self.column = media_column(dataset)
        self.videos = dataset.select_columns(self.column)
        self.options = options

    def __len__(self) -> int:
        return len(self.videos)

    def __getitem__(self, row: int) -> tuple[np.ndarray | None, str]:
        video = self.videos[row][self.column]
        try:
            return np.ascontiguousarray(read_clips_of(video, self.options)), ""
        except (VideoError, OSError) as error:
            return None, explain(video, error)


def _as_is(item: Any) -> Any:
    return item


def _create_private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
