"""Parts that several models share: tubelets, positions, transformer blocks, token masks, pixel statistics."""

from .attention import SelfAttention, masked_softmax
from .image_weights import copy_image_weights
from .normalization import IMAGENET_MEAN, IMAGENET_STD, denormalize_clip, normalize_clip
from .positions import PositionEmbedding, positions_from_image, resize_positions
from .tokens import gather_tokens, masked_mean, scatter_tokens, visible_indices
from .transformer import Mlp, TransformerBlock
from .tubelets import TubeletEmbedding, TubeletGrid, clip_to_tubelets, inflate_patch_filter, tubelets_to_clip

__all__ = [
    "IMAGENET_MEAN",
    "IMAGENET_STD",
    "Mlp",
    "PositionEmbedding",
    "SelfAttention",
    "TransformerBlock",
    "TubeletEmbedding",
    "TubeletGrid",
    "clip_to_tubelets",
    "copy_image_weights",
    "denormalize_clip",
    "gather_tokens",
    "inflate_patch_filter",
    "masked_mean",
    "masked_softmax",
    "normalize_clip",
    "positions_from_image",
    "resize_positions",
    "scatter_tokens",
    "tubelets_to_clip",
    "visible_indices",
]
