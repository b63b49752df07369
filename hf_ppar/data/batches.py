"""Clips -> batches: a seeded order, collation, and a loader that does it all."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from datasets import Dataset
from torch import Tensor
from torch.utils.data import DataLoader, Sampler

from .augmentation import ClipTransform
from .cache import open_clip_cache
from .clip_dataset import ClipDataset, Example
from .clips import ClipOptions
from .readability import check_on_error


@dataclass(frozen=True)
class LoadingOptions:
    """How a training loop is fed.

    Args:
        shuffle: a new order every epoch; without it the last batch is kept even if it is smaller.
        workers: processes that read clips. With a cache 0 is usually fastest: passing a batch on costs more than
            reading it.
        cache: decode once into the clip cache, a private place on disk for raw frames.
        cache_dir: where; None is the environment variable HF_PPAR_CACHE or ~/.cache/hf_ppar/clips.
        on_error: "raise" or "skip" for videos that cannot be read, see `ClipDataset`.
        as_float: `pixel_values` as float in [0, 1]; False leaves uint8, four times smaller, for `to_unit_range`.
    """

    batch_size: int = 8
    shuffle: bool = True
    workers: int = 0
    seed: int = 0
    cache: bool = False
    cache_dir: str | os.PathLike[str] | None = None
    on_error: str = "raise"
    as_float: bool = True

    def __post_init__(self) -> None:
        if self.batch_size < 1 or self.workers < 0:
            raise ValueError(f"batch_size={self.batch_size} must be at least 1 and workers={self.workers} at least 0.")
        check_on_error(self.on_error)


class SeededSampler(Sampler[tuple[int, int]]):
    """(epoch, position) pairs in an order that depends on seed and epoch only.

    Each pass is a new epoch; `set_epoch` chooses one, such as after resuming. The epoch travels with the position,
    so that augmentations in worker processes change with it too.
    """

    def __init__(self, length: int, seed: int = 0, shuffle: bool = True) -> None:
        self.length, self.seed, self.shuffle, self.epoch = length, seed, shuffle, 0

    def __len__(self) -> int:
        return self.length

    def set_epoch(self, epoch: int) -> None:
        """Make the next pass epoch number `epoch`."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[tuple[int, int]]:
        epoch, self.epoch = self.epoch, self.epoch + 1
        order = shuffled(self.length, self.seed, epoch) if self.shuffle else range(self.length)
        return iter([(epoch, position) for position in order])


class ClipLoader(DataLoader[Any]):
    """A `DataLoader` whose sampler knows epochs."""

    def set_epoch(self, epoch: int) -> None:
        """Make the next pass epoch number `epoch`, such as after resuming."""
        sampler: Any = self.batch_sampler if hasattr(self.batch_sampler, "set_epoch") else self.sampler
        sampler.set_epoch(epoch)

    def __iter__(self) -> Any:
        # Decoders own threads, which a forked worker does not inherit: one that is freed there crashes it.
        if self.num_workers and self._iterator is None:
            gc.collect()
        return super().__iter__()


def shuffled(length: int, *seeds: int) -> list[int]:
    """A permutation of range(length) that depends on the seeds only."""
    mixed = 0
    for seed in seeds:
        mixed = (mixed * 1_000_003 + seed) % (1 << 62)
    return torch.randperm(length, generator=torch.Generator().manual_seed(mixed)).tolist()


def collate_clips(examples: Sequence[Example], as_float: bool = True) -> dict[str, Tensor]:
    """Examples -> batch: `pixel_values` (B, T, 3, H, W), the other entries as int64 tensors of their names."""
    batch = {name: _stack([example[name] for example in examples]) for name in examples[0]}
    pixels = batch["pixel_values"]
    if pixels.dtype == torch.uint8:
        pixels = pixels.permute(0, 1, 4, 2, 3)  # a view; the copy is left to whoever needs floats
    batch["pixel_values"] = to_unit_range(pixels) if as_float else pixels
    return batch


def to_unit_range(pixel_values: Tensor) -> Tensor:
    """uint8 clips (B, T, 3, H, W) -> float32 in [0, 1]; floats are returned as they are."""
    if pixel_values.is_floating_point():
        return pixel_values
    return pixel_values.to(torch.float32, memory_format=torch.contiguous_format).div_(255)


def build_loader(
    dataset: Dataset,
    options: ClipOptions | None = None,
    transform: ClipTransform | None = None,
    loading: LoadingOptions | None = None,
) -> ClipLoader:
    """A loader of batches for `dataset`; with `loading.cache` all videos are decoded here, before the first batch.

    Example:
        >>> dataset = load_ppar_dataset("stage", train_clips=64)
        >>> loader = build_loader(dataset, ClipOptions(size=(64, 64)), training_transform((56, 56)))
        >>> next(iter(loader))["pixel_values"].shape
        torch.Size([8, 16, 3, 56, 56])
    """
    loading = loading or LoadingOptions()
    return load_batches(prepare_clips(dataset, options, transform, loading), loading)


def prepare_clips(
    dataset: Dataset, options: ClipOptions | None, transform: ClipTransform | None, loading: LoadingOptions
) -> ClipDataset:
    """The clips of a data set, from the cache if it is asked for."""
    options = options or ClipOptions()
    cache = None
    if loading.cache:
        cache = open_clip_cache(dataset, options, loading.cache_dir, loading.on_error, loading.workers)
    return ClipDataset(dataset, options, transform, loading.seed, cache, loading.on_error)


def load_batches(clips: ClipDataset, loading: LoadingOptions) -> ClipLoader:
    """Batches of clips in a seeded order; an incomplete last batch is dropped when shuffling."""
    return ClipLoader(
        clips,
        batch_size=loading.batch_size,
        sampler=SeededSampler(len(clips), loading.seed, loading.shuffle),
        num_workers=loading.workers,
        collate_fn=partial(collate_clips, as_float=loading.as_float),
        drop_last=loading.shuffle and len(clips) >= loading.batch_size,
        persistent_workers=loading.workers > 0,
    )


def _stack(values: list[Any]) -> Tensor:
    return torch.stack(values) if isinstance(values[0], Tensor) else torch.tensor(values)
