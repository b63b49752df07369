import pytest
import torch
import torch.nn.functional as F

from hf_ppar.models.layers import (
    PositionEmbedding,
    TubeletEmbedding,
    TubeletGrid,
    clip_to_tubelets,
    denormalize_clip,
    gather_tokens,
    inflate_patch_filter,
    masked_mean,
    normalize_clip,
    positions_from_image,
    resize_positions,
    scatter_tokens,
    tubelets_to_clip,
    visible_indices,
)

SIZE = (2, 4, 8)


def test_cutting_and_putting_together_are_inverse():
    clip = torch.rand(2, 6, 3, 8, 24)
    tubelets = clip_to_tubelets(clip, SIZE)
    assert tubelets.shape == (2, 3 * 2 * 3, 3 * 2 * 4 * 8)
    assert torch.equal(tubelets_to_clip(tubelets, TubeletGrid(3, 2, 3), SIZE), clip)


def test_tokens_are_ordered_by_time_then_row_then_column():
    clip = torch.zeros(1, 6, 3, 8, 24)
    clip[0, 2:4, :, 4:8, 8:16] = 1  # time 1, row 1, column 1
    tubelets = clip_to_tubelets(clip, SIZE)
    assert tubelets[0].sum(-1).nonzero().flatten().tolist() == [1 * 6 + 1 * 3 + 1]


def test_embedding_equals_the_strided_convolution():
    embedding = TubeletEmbedding(5, SIZE)
    torch.nn.init.normal_(embedding.bias)
    clip = torch.rand(2, 4, 3, 8, 16)
    expected = F.conv3d(clip.transpose(1, 2), embedding.weight, embedding.bias, stride=SIZE).flatten(2).transpose(1, 2)
    assert torch.allclose(embedding(clip_to_tubelets(clip, SIZE)), expected, atol=1e-6)


@pytest.mark.parametrize("centre_only", [False, True])
def test_inflated_filter_sees_a_still_clip_as_the_image(centre_only):
    patch = torch.randn(5, 3, 4, 8)
    embedding = TubeletEmbedding(5, SIZE)
    embedding.weight.data = inflate_patch_filter(patch, frames=2, centre_only=centre_only)
    image = torch.rand(1, 3, 8, 16)
    expected = F.conv2d(image, patch, stride=(4, 8)).flatten(2).transpose(1, 2)
    still = image[:, None].repeat(1, 2, 1, 1, 1)
    assert torch.allclose(embedding(clip_to_tubelets(still, SIZE)), expected, atol=1e-5)


@pytest.mark.parametrize("shape", [(5, 8, 16), (4, 9, 16), (4, 8, 4)])
def test_clips_that_tubelets_do_not_fill_are_refused(shape):
    frames, height, width = shape
    with pytest.raises(ValueError, match=r"cannot be cut into tubelets of \(2, 4, 8\)"):
        clip_to_tubelets(torch.rand(1, frames, 3, height, width), SIZE)


def test_positions_of_the_same_grid_are_the_parameters_and_others_are_interpolated():
    grid = TubeletGrid(2, 3, 3)
    positions = PositionEmbedding(grid, 4)
    assert positions(grid) is positions.weight
    assert positions(TubeletGrid(4, 6, 5)).shape == (1, 120, 4)
    constant = torch.ones(1, grid.tokens, 4) * torch.arange(4)
    assert torch.allclose(resize_positions(constant, grid, TubeletGrid(4, 6, 5)), torch.arange(4.0).expand(1, 120, 4))


def test_interpolation_keeps_time_and_space_apart():
    ramp = torch.arange(4.0).repeat_interleave(9).view(1, 36, 1)  # the value is the time step
    resized = resize_positions(ramp, TubeletGrid(4, 3, 3), TubeletGrid(2, 5, 5)).view(2, 25)
    assert torch.allclose(resized, torch.tensor([0.5, 2.5])[:, None].expand(2, 25), atol=1e-5)


def test_image_positions_lose_the_class_slot_and_repeat_over_time():
    image = torch.randn(1, 1 + 9, 4)
    video = positions_from_image(image, side=3, grid=TubeletGrid(2, 3, 3))
    assert torch.equal(video, image[:, 1:].repeat(1, 2, 1))


def test_gathering_and_scattering_visible_tokens():
    tokens = torch.rand(2, 4, 3)
    mask = torch.tensor([[1, 0, 1, 0], [0, 1, 1, 0]])
    indices = visible_indices(mask)
    assert indices.tolist() == [[0, 2], [1, 2]]
    kept = gather_tokens(tokens, indices)
    assert torch.equal(scatter_tokens(kept, indices, 4), tokens * mask[..., None])
    assert torch.allclose(masked_mean(tokens, mask), kept.mean(dim=1))
    assert visible_indices(torch.tensor([[1, 0], [1, 1]])) is None
    assert visible_indices(torch.zeros(2, 3)) is None


def test_mean_of_no_visible_token_is_finite():
    assert torch.equal(masked_mean(torch.rand(1, 4, 3), torch.zeros(1, 4)), torch.zeros(1, 3))


def test_normalization_and_its_inverse():
    clip = torch.rand(1, 2, 3, 4, 4)
    normalized = normalize_clip(clip, (0.1, 0.2, 0.3), (0.5, 0.6, 0.7))
    assert torch.allclose(normalized[:, :, 1], (clip[:, :, 1] - 0.2) / 0.6)
    assert torch.allclose(denormalize_clip(normalized, (0.1, 0.2, 0.3), (0.5, 0.6, 0.7)), clip, atol=1e-6)
