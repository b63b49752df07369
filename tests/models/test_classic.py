"""The classic methods against slow references."""

import math

import pytest
import torch

from hf_ppar import load_anonymizer
from hf_ppar.models.classic import BlurConfig, BlurModel, DownsampleConfig, MotionConfig, PixelateConfig


def slow_blur(frame, kernel_size, sigma):
    """Gaussian blur of one channel (H, W), pixel by pixel, the border repeated."""
    radius = kernel_size // 2
    weights = [math.exp(-0.5 * (offset / sigma) ** 2) for offset in range(-radius, radius + 1)]
    height, width = frame.shape
    result = torch.zeros_like(frame)
    for row in range(height):
        for column in range(width):
            total = 0.0
            for dy, wy in enumerate(weights):
                y = min(max(row + dy - radius, 0), height - 1)
                for dx, wx in enumerate(weights):
                    total += wy * wx * float(frame[y, min(max(column + dx - radius, 0), width - 1)])
            result[row, column] = total / sum(weights) ** 2
    return result


def test_blur_equals_the_definition_at_the_reference_size():
    # A 16 x 112 picture has a short side of 16, so kernel 21 becomes 3 and sigma 10 becomes 10/7.
    clip = torch.rand(1, 1, 3, 16, 20)
    model = BlurModel(BlurConfig(kernel_size=35, sigma=14.0)).eval()  # 5 taps, sigma 2
    expected = slow_blur(clip[0, 0, 1], 5, 2.0)
    assert torch.allclose(model(clip).videos[0, 0, 1], expected, atol=1e-5)


def test_blur_scales_with_the_picture():
    small = torch.rand(1, 2, 3, 28, 28)
    small = torch.nn.functional.interpolate(small[0], (112, 112), mode="bicubic").clamp(0, 1)[None]
    large = torch.nn.functional.interpolate(small[0], (448, 448), mode="bilinear")[None]
    model = load_anonymizer("blur-strong")
    back = torch.nn.functional.avg_pool2d(model(large).videos[0], 4)
    assert (back - model(small).videos[0]).abs().mean() < 0.01


def test_strong_blurs_more_than_weak():
    clip = torch.rand(1, 1, 3, 112, 112)
    assert load_anonymizer("blur-strong")(clip).videos.std() < load_anonymizer("blur-weak")(clip).videos.std()


@pytest.mark.parametrize(("name", "factor"), [("downsample-2x", 2), ("downsample-4x", 4)])
def test_downsample_paints_block_means(name, factor):
    clip = torch.rand(1, 2, 3, 16, 24)
    means = clip.reshape(1, 2, 3, 16 // factor, factor, 24 // factor, factor).mean((-3, -1))
    expected = means.repeat_interleave(factor, -2).repeat_interleave(factor, -1)
    assert torch.allclose(load_anonymizer(name)(clip).videos, expected, atol=1e-6)


def test_pixelate_has_the_same_blocks_at_every_size():
    for side in (56, 112, 224):
        video = load_anonymizer("pixelate")(torch.rand(1, 1, 3, side, side)).videos[0, 0, 0]
        assert len(video.unique()) == 49  # 112 / 16 blocks along each side


def test_blacken_is_black():
    assert load_anonymizer("blacken")(torch.rand(1, 2, 3, 8, 8)).videos.abs().max() == 0


def test_motion_difference_and_mask():
    clip = torch.full((1, 3, 3, 4, 4), 0.5)
    clip[0, 1, 2, 1, 1] = 0.9  # one channel of one pixel flashes in frame 1
    difference = load_anonymizer("motion-difference")(clip).videos
    assert torch.allclose(difference[0, 0], torch.full((3, 4, 4), 0.5))
    assert difference[0, 1, 2, 1, 1] == pytest.approx(0.7) and difference[0, 2, 2, 1, 1] == pytest.approx(0.3)
    mask = load_anonymizer("motion-mask")(clip).videos
    assert mask.unique().tolist() == [0, 1]
    assert mask[0, :, 0, 1, 1].tolist() == [0, 1, 1] and mask.sum() == 2 * 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BlurConfig(kernel_size=4), "kernel_size must be odd and at least 3, got 4"),
        (lambda: BlurConfig(sigma=0.0), "sigma must be positive, got 0.0"),
        (lambda: DownsampleConfig(factor=1.0), "factor must be greater than 1, got 1.0"),
        (lambda: PixelateConfig(block_size=1.0), "block_size must be greater than 1, got 1.0"),
        (lambda: MotionConfig(threshold=1.0), "threshold must be between 0 and 1, got 1.0"),
        (lambda: MotionConfig(output="colour"), "output"),
        (lambda: BlurConfig(kernel_size="wide"), "kernel_size"),
    ],
)
def test_wrong_configs_are_refused(make, message):
    with pytest.raises(Exception, match=message):
        make()
