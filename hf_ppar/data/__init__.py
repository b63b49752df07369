"""Datasets on disk or rendered, in one schema, and what feeds a training loop with them."""

from .augmentation import (
    HorizontalFlip,
    InOrder,
    RandomResizedCrop,
    ResizeAndCenterCrop,
    training_transform,
    validation_transform,
)
from .batches import ClipLoader, LoadingOptions, SeededSampler, build_loader, collate_clips, to_unit_range
from .cache import ClipCache, clear_cache, open_clip_cache
from .clip_dataset import ClipDataset
from .clips import ClipOptions, read_example_frames
from .listing import ListingMismatch
from .loading import LOADERS, load_ppar_dataset
from .mixing import build_mixed_loader
from .readability import UnreadableVideos, find_unreadable
from .schema import attribute_names, class_names
from .stage_export import write_stage

__all__ = [
    "LOADERS",
    "ClipCache",
    "ClipDataset",
    "ClipLoader",
    "ClipOptions",
    "HorizontalFlip",
    "InOrder",
    "ListingMismatch",
    "LoadingOptions",
    "RandomResizedCrop",
    "ResizeAndCenterCrop",
    "SeededSampler",
    "UnreadableVideos",
    "attribute_names",
    "build_loader",
    "build_mixed_loader",
    "class_names",
    "clear_cache",
    "collate_clips",
    "find_unreadable",
    "load_ppar_dataset",
    "open_clip_cache",
    "read_example_frames",
    "to_unit_range",
    "training_transform",
    "validation_transform",
    "write_stage",
]
