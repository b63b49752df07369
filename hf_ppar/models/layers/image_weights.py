"""Starting a video transformer from an image transformer (ViT or DeiT of transformers)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from transformers import PreTrainedModel

from .positions import PositionEmbedding, positions_from_image
from .transformer import TransformerBlock
from .tubelets import TubeletEmbedding, inflate_patch_filter

# Ours -> theirs, below one block; the attention's input projection is joined from three.
_BLOCK_LAYERS = {
    "norm_before_attention": "layernorm_before",
    "attention.projection": "attention.o_proj",
    "norm_before_mlp": "layernorm_after",
    "mlp.expand": "mlp.fc1",
    "mlp.contract": "mlp.fc2",
}


@torch.no_grad()
def copy_image_weights(
    image_model: PreTrainedModel,
    embedding: TubeletEmbedding,
    positions: PositionEmbedding,
    blocks: Sequence[TransformerBlock],
    centre_only: bool = False,
) -> None:
    """Copy the weights of a `ViTModel` or `DeiTModel` into the parts of a video transformer, as STPrivacy starts.

    The patch filter is inflated over time, the class and distillation tokens are dropped, and positions are resized
    over the picture and repeated over time.

    Args:
        centre_only: inflate the filter at the central frame instead of spreading it.
    """
    weights = image_model.state_dict()
    check_sizes(image_model, embedding, len(blocks))
    patch = weights["embeddings.patch_embeddings.projection.weight"]
    embedding.weight.copy_(inflate_patch_filter(patch, embedding.tubelet_size[0], centre_only))
    embedding.bias.copy_(weights["embeddings.patch_embeddings.projection.bias"])
    side = image_model.config.image_size // image_model.config.patch_size
    positions.weight.copy_(positions_from_image(weights["embeddings.position_embeddings"], side, positions.grid))
    for index, block in enumerate(blocks):
        block.load_state_dict(translate_block(weights, f"layers.{index}."))


def translate_block(weights: Mapping[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """The state of one `TransformerBlock` out of an image model's state."""
    state = {}
    for kind in ("weight", "bias"):
        parts = [weights[f"{prefix}attention.{part}_proj.{kind}"] for part in "qkv"]
        state[f"attention.qkv.{kind}"] = torch.cat(parts)
        state |= {f"{ours}.{kind}": weights[f"{prefix}{theirs}.{kind}"] for ours, theirs in _BLOCK_LAYERS.items()}
    return state


def check_sizes(image_model: PreTrainedModel, embedding: TubeletEmbedding, blocks: int) -> None:
    """Refuse an image model of another width or patch, or with too few blocks."""
    config = image_model.config
    theirs = (config.hidden_size, config.patch_size, config.patch_size)
    ours = (embedding.weight.shape[0], *embedding.tubelet_size[1:])
    if theirs != ours or config.num_hidden_layers < blocks:
        raise ValueError(
            f"the image model has (width, patch height, patch width) = {theirs} and {config.num_hidden_layers} "
            f"blocks, the video model {ours} and {blocks}; the first must be equal and the blocks at least as many"
        )
