"""A data set in the schema -> a torch data set of clips with their labels as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from datasets import Dataset
from torch.utils.data import Dataset as TorchDataset

from .augmentation import ClipTransform
from .cache import ClipCache
from .clips import ClipOptions, read_one_clip
from .readability import check_on_error, find_unreadable, settle_unreadable
from .schema import UNKNOWN, attribute_names, class_names, media_column

Example = dict[str, Any]


class ClipDataset(TorchDataset[Example]):
    """Clips with labels.

    An example has `pixel_values` (uint8 (T, H, W, 3), or what the transform makes of it), `index` (row in `dataset`),
    and where the data set has them `labels` (action), `attributes` (tensor in the order of `attribute_names`) and
    `person`; -1 is unknown. It is asked for by position, or by (epoch, position), and depends on nothing but the two
    and the seed, whatever the number of workers. A video of several clips gives one of them at random.

    Args:
        transform: an augmentation; None keeps the clip.
        cache: clips decoded before, from `open_clip_cache` for the same data set and options.
        on_error: "raise" stops now if a video cannot be read, "skip" leaves it out with a warning. Without a cache
            "raise" opens every video, and stops later where one proves damaged further on; "skip" reads them all.
        every_clip: give each clip of each video in order, for evaluation over several views.
    """

    def __init__(
        self,
        dataset: Dataset,
        options: ClipOptions | None = None,
        transform: ClipTransform | None = None,
        seed: int = 0,
        cache: ClipCache | None = None,
        on_error: str = "raise",
        every_clip: bool = False,
    ) -> None:
        check_on_error(on_error)
        self.options = options or ClipOptions()
        self.transform, self.seed, self.cache, self.every_clip = transform, seed, cache, every_clip
        if cache is not None:
            _check_cache(cache, dataset, self.options)
            unreadable = cache.failures
        else:
            unreadable = find_unreadable(dataset, self.options if on_error == "skip" else None)
        self.rows = settle_unreadable(unreadable, len(dataset), on_error)
        self.skipped = len(unreadable)
        self.column = media_column(dataset)
        self.videos = dataset.select_columns(self.column)
        self.action_names, self.attribute_names = class_names(dataset, "action"), attribute_names(dataset)
        self.labels = _numbers(dataset, "action")
        self.persons = _numbers(dataset, "person")
        self.attributes = _attributes(dataset)

    def __len__(self) -> int:
        return len(self.rows) * (self.options.clips if self.every_clip else 1)

    def __getitem__(self, key: int | tuple[int, int]) -> Example:
        epoch, position = key if isinstance(key, tuple) else (0, key)
        if not 0 <= position < len(self):
            raise IndexError(f"position {position} is outside of the {len(self)} clips")
        generator = self._generator(epoch, position)
        if self.every_clip:
            row, number = self.rows[position // self.options.clips], position % self.options.clips
        else:
            row = self.rows[position]
            number = int(torch.randint(self.options.clips, (), generator=generator)) if self.options.clips > 1 else 0
        clip = torch.from_numpy(self._read(row, number))
        if self.transform is not None:
            clip = self.transform(clip, generator)
        return {"pixel_values": clip, "index": row, **self._labels(row)}

    def _generator(self, epoch: int, position: int) -> torch.Generator:
        state = np.random.SeedSequence([self.seed, epoch, position]).generate_state(1, np.uint64)[0]
        return torch.Generator().manual_seed(int(state >> np.uint64(1)))

    def _read(self, row: int, number: int) -> np.ndarray:
        stored = self.cache.read(row, number) if self.cache is not None else None
        return read_one_clip(self.videos[row][self.column], self.options, number) if stored is None else stored

    def _labels(self, row: int) -> Example:
        labels: Example = {}
        if self.labels is not None:
            labels["labels"] = int(self.labels[row])
        if self.attributes is not None:
            labels["attributes"] = self.attributes[row]
        if self.persons is not None:
            labels["person"] = int(self.persons[row])
        return labels


def _check_cache(cache: ClipCache, dataset: Dataset, options: ClipOptions) -> None:
    shape = (len(dataset), options.clips, options.frames, *options.size, 3)
    if cache.shape != shape:
        raise ValueError(
            f"cache holds clips of shape {cache.shape}, but the data set and options ask for {shape}; "
            "open it with the same ones: open_clip_cache(dataset, options)."
        )


def _numbers(dataset: Dataset, column: str) -> np.ndarray | None:
    if column not in dataset.features:
        return None
    return np.array([UNKNOWN if value is None else value for value in dataset[column]], dtype=np.int64)


def _attributes(dataset: Dataset) -> torch.Tensor | None:
    names = attribute_names(dataset)
    if not names:
        return None
    table = [[UNKNOWN if row[name] is None else row[name] for name in names] for row in dataset["attributes"]]
    return torch.tensor(table, dtype=torch.int64)
