"""The classic anonymizers as models, on the whole frame; none has a weight to learn."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from ..base import AnonymizerConfig, AnonymizerModel, AnonymizerOutput
from ..layers import frame_differences
from .configuration_classic import (
    REFERENCE_SIDE,
    BlackenConfig,
    BlurConfig,
    DownsampleConfig,
    MotionConfig,
    PixelateConfig,
)


class ClassicModel(AnonymizerModel):
    """A method without weights. It carries one empty parameter, since transformers reads a model's device and dtype
    off its parameters and cannot save a model that has none."""

    def __init__(self, config: AnonymizerConfig) -> None:
        super().__init__(config)
        self.anchor = nn.Parameter(torch.empty(0), requires_grad=False)
        self.post_init()


class BlurModel(ClassicModel):
    """Gaussian blur whose kernel grows with the picture.

    Pictures of twice the reference side or more are averaged down by a whole factor first and scaled back bilinearly
    after the blur. That is faster, and more private: a kernel cut off at one sigma lets high frequencies through in
    its side lobes, averaging removes them.
    """

    config_class = BlurConfig

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> AnonymizerOutput:
        frames = pixel_values.flatten(0, 1)  # (batch * frames, 3, height, width)
        height, width = frames.shape[-2:]
        reduction = max(1, min(height, width) // REFERENCE_SIDE)
        if reduction > 1:
            frames = F.avg_pool2d(frames, reduction, ceil_mode=True)
        scale = min(frames.shape[-2:]) / REFERENCE_SIDE
        kernel = gaussian_kernel(self.config.kernel_size_at(strength) * scale, self.config.sigma * scale)
        frames = blur_separable(frames, kernel)
        if reduction > 1:
            frames = F.interpolate(frames, (height, width), mode="bilinear", align_corners=False)
        return AnonymizerOutput(videos=frames.clamp_(0, 1).view_as(pixel_values))


class DownsampleModel(ClassicModel):
    """Area average down by a factor, nearest neighbour up."""

    config_class = DownsampleConfig

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> AnonymizerOutput:
        return AnonymizerOutput(videos=mosaic(pixel_values, self.config.factor_at(strength)))


class PixelateModel(ClassicModel):
    """Blocks of one colour whose size is relative to the picture."""

    config_class = PixelateConfig

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> AnonymizerOutput:
        scale = min(pixel_values.shape[-2:]) / REFERENCE_SIDE
        return AnonymizerOutput(videos=mosaic(pixel_values, self.config.block_size_at(strength) * scale))


class BlackenModel(ClassicModel):
    """Every pixel 0."""

    config_class = BlackenConfig

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> AnonymizerOutput:
        return AnonymizerOutput(videos=torch.zeros_like(pixel_values))


class MotionModel(ClassicModel):
    """Difference to the previous frame, as grey levels or as a binary mask."""

    config_class = MotionConfig

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> AnonymizerOutput:
        difference = frame_differences(pixel_values)
        if self.config.output == "difference":
            return AnonymizerOutput(videos=difference.mul_(0.5).add_(0.5))
        moving = difference.abs_().amax(dim=2, keepdim=True) > self.config.threshold_at(strength)
        return AnonymizerOutput(videos=moving.to(pixel_values.dtype).expand_as(pixel_values).contiguous())


def gaussian_kernel(length: float, sigma: float) -> torch.Tensor:
    """Normalised Gaussian weights (taps,) over the odd number of taps nearest to `length`, at least 3."""
    radius = max(1, round((length - 1) / 2))
    taps = torch.arange(-radius, radius + 1, dtype=torch.float32)
    weights = torch.exp(-0.5 * (taps / sigma) ** 2)
    return weights / weights.sum()


def blur_matrix(side: int, kernel: torch.Tensor) -> torch.Tensor:
    """The blur of a line of `side` pixels as a matrix (side, side); beyond the edge the border pixel repeats."""
    taps = torch.arange(len(kernel)) - len(kernel) // 2
    sources = (torch.arange(side)[:, None] + taps).clamp_(0, side - 1)  # (side, taps)
    return torch.zeros(side, side).scatter_add_(1, sources, kernel.expand(side, -1))


def blur_separable(frames: torch.Tensor, kernel: torch.Tensor) -> torch.Tensor:
    """Blur frames (n, channels, height, width) along both sides.

    Two matrix products: at these sizes several times faster on a CPU than a convolution with one long kernel.
    """
    rows = blur_matrix(frames.shape[-2], kernel).to(frames)
    columns = blur_matrix(frames.shape[-1], kernel).to(frames)
    return rows @ frames @ columns.T


def mosaic(clip: torch.Tensor, factor: float) -> torch.Tensor:
    """Average a clip (batch, frames, channels, height, width) over blocks of `factor` pixels and paint the blocks."""
    frames = clip.flatten(0, 1)
    height, width = frames.shape[-2:]
    small = (max(1, round(height / factor)), max(1, round(width / factor)))
    frames = F.interpolate(F.adaptive_avg_pool2d(frames, small), (height, width), mode="nearest-exact")
    return frames.view_as(clip)


# The name each method is known by, wherever a model is accepted.
CLASSIC_ANONYMIZERS: dict[str, AnonymizerConfig] = {
    "downsample-2x": DownsampleConfig(factor=2.0),
    "downsample-4x": DownsampleConfig(factor=4.0),
    "blur-weak": BlurConfig(kernel_size=13),
    "blur-strong": BlurConfig(kernel_size=21),
    "blacken": BlackenConfig(),
    "pixelate": PixelateConfig(),
    "motion-difference": MotionConfig(output="difference"),
    "motion-mask": MotionConfig(output="mask"),
}
