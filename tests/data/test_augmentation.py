import pytest
import torch

from hf_ppar.data import (
    HorizontalFlip,
    InOrder,
    RandomResizedCrop,
    ResizeAndCenterCrop,
    training_transform,
    validation_transform,
)

TRANSFORMS = [
    RandomResizedCrop((16, 20)),
    HorizontalFlip(1.0),
    ResizeAndCenterCrop((16, 20), 24),
    training_transform((16, 20)),
    training_transform((16, 20), flip=False),
    validation_transform((16, 16)),
]


def still(dtype):
    """Six times the same noisy frame."""
    frame = torch.randint(0, 256, (1, 30, 40, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    frames = frame.repeat(6, 1, 1, 1)
    return frames if dtype == torch.uint8 else frames.permute(0, 3, 1, 2).float() / 255


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_all_frames_get_the_same(transform, dtype):
    for seed in range(5):
        result = transform(still(dtype), seed)
        assert result.dtype == dtype and result.is_contiguous()
        assert all(torch.equal(result[0], frame) for frame in result)


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_seed_and_generator_decide(transform):
    clip = still(torch.uint8)
    assert torch.equal(transform(clip, 3), transform(clip, torch.Generator().manual_seed(3)))


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_both_layouts_agree(transform):
    frames, clip = transform(still(torch.uint8), 7), transform(still(torch.float32), 7)
    assert clip.shape[1] == 3 and frames.shape[-1] == 3
    assert (frames.permute(0, 3, 1, 2) / 255 - clip).abs().max() < 1.5 / 255
    assert clip.min() >= 0 and clip.max() <= 1


def test_crops_vary_and_stay_in_range():
    crop = RandomResizedCrop((8, 8), scale=(0.2, 0.5))
    boxes = {crop._box(30, 40, torch.Generator().manual_seed(seed)) for seed in range(50)}
    assert len(boxes) > 40
    for top, left, height, width in boxes:
        assert 0 <= top <= 30 - height and 0 <= left <= 40 - width
        assert 0.15 < height * width / 1200 < 0.55


def test_flip_mirrors_width():
    clip = still(torch.uint8)
    assert torch.equal(HorizontalFlip(1.0)(clip, 0), clip.flip(2))
    assert torch.equal(HorizontalFlip(0.0)(clip, 0), clip)
    flips = [not torch.equal(HorizontalFlip()(clip, seed), clip) for seed in range(60)]
    assert 15 < sum(flips) < 45


def test_validation_view_is_the_centre():
    clip = torch.zeros(1, 3, 20, 40)
    clip[..., 10:30] = 1
    assert torch.equal(ResizeAndCenterCrop((20, 20))(clip), torch.ones(1, 3, 20, 20))


def test_steps_share_one_generator():
    crop, flip = RandomResizedCrop((16, 16)), HorizontalFlip()
    generator = torch.Generator().manual_seed(5)
    expected = flip(crop(still(torch.uint8), generator), generator)
    assert torch.equal(InOrder([crop, flip])(still(torch.uint8), 5), expected)


def test_errors():
    with pytest.raises(ValueError, match=r"got torch.uint8 of shape \(6, 3, 30, 40\)"):
        HorizontalFlip(1.0)(torch.zeros(6, 3, 30, 40, dtype=torch.uint8), 0)
    with pytest.raises(ValueError, match=r"probability=2 must be from 0 to 1"):
        HorizontalFlip(2)
    with pytest.raises(ValueError, match=r"scale=\(0.5, 1.5\) must be a range above 0 up to 1"):
        RandomResizedCrop((8, 8), scale=(0.5, 1.5))
    with pytest.raises(ValueError, match="short_side=8 must be at least the larger side"):
        ResizeAndCenterCrop((16, 16), 8)
    with pytest.raises(ValueError, match=r"size=\(0, 4\) must be \(height, width\)"):
        RandomResizedCrop((0, 4))
