"""The methods without learning that every paper compares with."""

from .configuration_classic import BlackenConfig, BlurConfig, DownsampleConfig, MotionConfig, PixelateConfig
from .modeling_classic import (
    CLASSIC_ANONYMIZERS,
    BlackenModel,
    BlurModel,
    DownsampleModel,
    MotionModel,
    PixelateModel,
)

__all__ = [
    "CLASSIC_ANONYMIZERS",
    "BlackenConfig",
    "BlackenModel",
    "BlurConfig",
    "BlurModel",
    "DownsampleConfig",
    "DownsampleModel",
    "MotionConfig",
    "MotionModel",
    "PixelateConfig",
    "PixelateModel",
]
