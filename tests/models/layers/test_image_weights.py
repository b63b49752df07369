import pytest
import torch
from transformers import DeiTConfig, DeiTModel, ViTConfig, ViTModel

from hf_ppar.models.layers import (
    PositionEmbedding,
    TransformerBlock,
    TubeletEmbedding,
    TubeletGrid,
    clip_to_tubelets,
    copy_image_weights,
)

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "image_size": 32,
}
VIDEO = (2, 16, 16)


def parts(grid):
    blocks = [TransformerBlock(32, 2, 64, layer_norm_eps=1e-12).eval() for _ in range(2)]
    return TubeletEmbedding(32, VIDEO), PositionEmbedding(grid, 32), blocks


@pytest.mark.parametrize("family", [(ViTModel, ViTConfig), (DeiTModel, DeiTConfig)], ids=["vit", "deit"])
def test_a_still_clip_is_seen_as_the_image(family):
    torch.manual_seed(0)
    model_class, config_class = family
    image_model = model_class(config_class(**SIZES)).eval()
    torch.nn.init.normal_(image_model.embeddings.position_embeddings)
    embedding, positions, blocks = parts(TubeletGrid(1, 2, 2))
    copy_image_weights(image_model, embedding, positions, blocks)
    image = torch.rand(2, 3, 32, 32)
    with torch.inference_mode():
        # The image model's blocks on its patch tokens alone: the video model has no class token.
        expected = image_model.embeddings(image)[:, -4:]
        for layer in image_model.layers:
            expected = layer(expected)
        tokens = embedding(clip_to_tubelets(image[:, None].repeat(1, 2, 1, 1, 1), VIDEO)) + positions.weight
        for block in blocks:
            tokens = block(tokens)
    assert torch.allclose(tokens, expected, atol=1e-5)


def test_positions_are_resized_and_repeated():
    image_model = ViTModel(ViTConfig(**{**SIZES, "image_size": 64}))
    torch.nn.init.normal_(image_model.embeddings.position_embeddings)
    embedding, positions, blocks = parts(TubeletGrid(3, 2, 2))
    copy_image_weights(image_model, embedding, positions, blocks)
    first, second, third = positions.weight.detach().view(3, 4, 32)
    assert torch.equal(first, second) and torch.equal(first, third) and first.std() > 0.1


def test_other_widths_are_refused():
    embedding, positions, blocks = parts(TubeletGrid(1, 2, 2))
    with pytest.raises(ValueError, match=r"= \(64, 16, 16\) and 2 blocks, the video model \(32, 16, 16\) and 2"):
        copy_image_weights(ViTModel(ViTConfig(**{**SIZES, "hidden_size": 64})), embedding, positions, blocks)
