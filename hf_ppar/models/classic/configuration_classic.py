"""Configurations of the classic anonymizers: blur, downsampling, pixelation, blackening, motion.

Defaults are those the papers compare with (kernel 21 / sigma 10 for the strong blur, 13 / 10 for the weak one).
Lengths in pixels refer to a picture whose short side is 112 pixels and grow with the picture.
"""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Literal

from huggingface_hub.dataclasses import strict

from ..base import AnonymizerConfig

REFERENCE_SIDE = 112


@strict
class BlurConfig(AnonymizerConfig):
    """Gaussian blur of the whole frame.

    `strength` sets the kernel: 5 at 0, 61 (the whole Gaussian, three sigmas each way) at 1.

    Args:
        kernel_size: odd length of the kernel, in pixels of a 112-pixel picture.
        sigma: its standard deviation, likewise.
    """

    model_type = "ppar_blur"
    has_strength = True

    kernel_size: int = 21
    sigma: float = 10.0

    def __post_init__(self, **kwargs: object) -> None:
        if self.kernel_size < 3 or self.kernel_size % 2 == 0:
            raise ValueError(f"kernel_size must be odd and at least 3, got {self.kernel_size}")
        if self.sigma <= 0:
            raise ValueError(f"sigma must be positive, got {self.sigma}")
        super().__post_init__(**kwargs)

    def kernel_size_at(self, strength: float | None) -> int:
        """Kernel length, in pixels of a 112-pixel picture."""
        return self.kernel_size if strength is None else 1 + 2 * round(2 + 28 * strength)


@strict
class DownsampleConfig(AnonymizerConfig):
    """Fewer pixels: area average down by `factor`, nearest neighbour back up to the input size.

    `strength` sets the factor: 2 at 0, 16 at 1, in equal ratios between.

    Args:
        factor: how many times fewer pixels along each side.
    """

    model_type = "ppar_downsample"
    has_strength = True

    factor: float = 2.0

    def __post_init__(self, **kwargs: object) -> None:
        if self.factor <= 1:
            raise ValueError(f"factor must be greater than 1, got {self.factor}")
        super().__post_init__(**kwargs)

    def factor_at(self, strength: float | None) -> float:
        """How many times fewer pixels along each side."""
        return self.factor if strength is None else 2.0 * 8.0**strength


@strict
class PixelateConfig(AnonymizerConfig):
    """Square blocks of one colour, of the same size relative to the picture at any resolution.

    `strength` sets the block: 4 pixels at 0, 56 (two blocks along the short side) at 1, in equal ratios between.

    Args:
        block_size: side of a block, in pixels of a 112-pixel picture.
    """

    model_type = "ppar_pixelate"
    has_strength = True

    block_size: float = 16.0

    def __post_init__(self, **kwargs: object) -> None:
        if self.block_size <= 1:
            raise ValueError(f"block_size must be greater than 1, got {self.block_size}")
        super().__post_init__(**kwargs)

    def block_size_at(self, strength: float | None) -> float:
        """Side of a block, in pixels of a 112-pixel picture."""
        return self.block_size if strength is None else 4.0 * 14.0**strength


@strict
class BlackenConfig(AnonymizerConfig):
    """Every pixel 0: all privacy, no utility. The lower end of every comparison; it has no dial."""

    model_type = "ppar_blacken"


@strict
class MotionConfig(AnonymizerConfig):
    """What changed since the previous frame; static appearance is gone.

    "difference": 0.5 + (x_t - x_(t-1)) / 2, grey where nothing moves; no dial.
    "mask": 1 where the largest channel difference exceeds `threshold`, else 0. `strength` sets the threshold: 0.02
    at 0, 0.5 at 1, in equal ratios between.
    The first frame of a video has no predecessor and counts as motionless.

    Args:
        output: "difference" or "mask".
        threshold: difference, of 1, from which a pixel counts as moving.
    """

    model_type = "ppar_motion"

    output: Literal["difference", "mask"] = "mask"
    threshold: float = 0.1
    context_frames: int = 1

    def __post_init__(self, **kwargs: object) -> None:
        if not 0 < self.threshold < 1:
            raise ValueError(f"threshold must be between 0 and 1, got {self.threshold}")
        super().__post_init__(**kwargs)

    @property
    def has_strength(self) -> bool:  # type: ignore[override]
        """Only the mask has a threshold to move."""
        return self.output == "mask"

    def threshold_at(self, strength: float | None) -> float:
        """Difference from which a pixel counts as moving."""
        return self.threshold if strength is None else 0.02 * 25.0**strength
