"""One call for every data set: a name, a folder and a split in, a lazy `datasets.Dataset` out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets import Dataset

from .folder import folder_splits, load_folder
from .lsa64 import load_lsa64
from .stage_clips import load_stage


@dataclass(frozen=True)
class DatasetLoader:
    """How a data set is loaded: `load(data_dir, split, **options)`, and its splits, given its folder and options."""

    load: Callable[..., Dataset]
    splits: Callable[..., tuple[str, ...]]
    needs_data_dir: bool = True

    @property
    def description(self) -> str:
        """The first line of the loader's docstring."""
        return (self.load.__doc__ or "").strip().splitlines()[0]


def _usual_splits(data_dir: Path | None, **options: Any) -> tuple[str, ...]:
    return ("train", "validation", "test")


LOADERS: dict[str, DatasetLoader] = {
    "stage": DatasetLoader(load_stage, _usual_splits, needs_data_dir=False),
    "lsa64": DatasetLoader(load_lsa64, _usual_splits),
    "folder": DatasetLoader(load_folder, folder_splits),
}


def load_ppar_dataset(
    name: str, data_dir: str | os.PathLike[str] | None = None, split: str = "train", **options: Any
) -> Dataset:
    """Load a data set in the one schema (`hf_ppar.data.schema`). Nothing is decoded, rendered or copied.

    Args:
        name: one of `LOADERS`.
        data_dir: where the videos are; the stage needs none.
        options: what the data set offers, see its loader.

    Example:
        >>> dataset = load_ppar_dataset("stage", split="test", test_clips=8)
        >>> dataset[0]["video"]["path"]
        'stage://normal/test/0?test_clips=8'
    """
    loader = find_loader(name)
    return loader.load(check_data_dir(name, loader, data_dir), split, **options)


def find_loader(name: str) -> DatasetLoader:
    """The loader of that name; an unknown one is refused with the list of names."""
    if name not in LOADERS:
        raise ValueError(f"name={name!r} is not a known data set; choose one of: {', '.join(LOADERS)}.")
    return LOADERS[name]


def check_data_dir(name: str, loader: DatasetLoader, data_dir: str | os.PathLike[str] | None) -> Path | None:
    """The folder as an absolute path, after checking that it is given where it is needed and exists."""
    if data_dir is None:
        if loader.needs_data_dir:
            raise ValueError(f"data_dir is missing: {name!r} reads videos from a folder; pass data_dir=<folder>.")
        return None
    path = Path(data_dir).expanduser().absolute()
    if loader.needs_data_dir and not path.exists():
        raise ValueError(f"data_dir={str(data_dir)!r} does not exist; pass the folder that holds {name!r}.")
    return path
