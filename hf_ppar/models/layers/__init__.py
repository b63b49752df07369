"""Parts that several models share: tubelets, positions, transformer blocks, token masks, pixel statistics."""

from .attention import SelfAttention, masked_softmax
from .bottleneck import (
    Bottleneck,
    DiscreteBottleneck,
    DiscretePosterior,
    GaussianBottleneck,
    GaussianPosterior,
)
from .differences import frame_differences
from .divided_attention import DividedBlock, TimeLinear
from .image_weights import copy_image_weights
from .initialization import init_layer
from .motion import soft_motion_mask
from .noise import gumbel_noise, normal_noise, uniform_noise
from .normalization import IMAGENET_MEAN, IMAGENET_STD, denormalize_clip, normalize_clip
from .patch_decoder import PatchDecoder
from .positions import PositionEmbedding, positions_from_image, resize_positions
from .tokens import gather_tokens, masked_mean, scatter_tokens, visible_indices
from .transformer import Mlp, TransformerBlock
from .tubelet_decoder import TubeletDecoder
from .tubelets import TubeletEmbedding, TubeletGrid, clip_to_tubelets, inflate_patch_filter, tubelets_to_clip

__all__ = [
    "IMAGENET_MEAN",
    "IMAGENET_STD",
    "Bottleneck",
    "DiscreteBottleneck",
    "DiscretePosterior",
    "DividedBlock",
    "GaussianBottleneck",
    "GaussianPosterior",
    "Mlp",
    "PatchDecoder",
    "PositionEmbedding",
    "SelfAttention",
    "TimeLinear",
    "TransformerBlock",
    "TubeletDecoder",
    "TubeletEmbedding",
    "TubeletGrid",
    "clip_to_tubelets",
    "copy_image_weights",
    "denormalize_clip",
    "frame_differences",
    "gather_tokens",
    "gumbel_noise",
    "inflate_patch_filter",
    "init_layer",
    "masked_mean",
    "masked_softmax",
    "normal_noise",
    "normalize_clip",
    "positions_from_image",
    "resize_positions",
    "scatter_tokens",
    "soft_motion_mask",
    "tubelets_to_clip",
    "uniform_noise",
    "visible_indices",
]
