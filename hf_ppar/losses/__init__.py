"""Losses of the methods: pure functions, one a file."""

from .confusion import CONFUSIONS, confusion
from .contrastive import contrastive
from .embedding_distance import embedding_distance
from .mask_size import mask_size
from .sparsity import sparsity
from .visual_difference import masked_difference, visual_difference

__all__ = [
    "CONFUSIONS",
    "confusion",
    "contrastive",
    "embedding_distance",
    "mask_size",
    "masked_difference",
    "sparsity",
    "visual_difference",
]
