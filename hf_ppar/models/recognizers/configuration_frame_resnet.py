"""Configuration of the frame-by-frame ResNet."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any, Literal

from huggingface_hub.dataclasses import strict

from ..layers.normalization import IMAGENET_MEAN, IMAGENET_STD
from .configuration_recognizer import RecognizerConfig


@strict
class FrameResNetRecognizerConfig(RecognizerConfig):
    """ResNet-50 on every frame, features averaged over time: the frame-level privacy judge of GenPriv and SPAct.

    Args:
        embedding_size, hidden_sizes, depths, layer_type: as in transformers' `ResNetConfig`.
    """

    model_type = "ppar_frame_resnet_recognizer"

    embedding_size: int = 64
    hidden_sizes: tuple[int, ...] | list[int] = (256, 512, 1024, 2048)
    depths: tuple[int, ...] | list[int] = (3, 4, 6, 3)
    layer_type: Literal["bottleneck", "basic"] = "bottleneck"
    image_mean: tuple[float, ...] | list[float] = IMAGENET_MEAN
    image_std: tuple[float, ...] | list[float] = IMAGENET_STD

    @classmethod
    def tiny(cls, **changes: Any) -> "FrameResNetRecognizerConfig":
        """A size for clips of 8 x 48 x 48 that trains in minutes on two CPU cores: 0.3 M parameters."""
        sizes: dict[str, Any] = {
            "layer_type": "basic",
            "embedding_size": 16,
            "hidden_sizes": (16, 32, 64, 128),
            "depths": (1, 1, 1, 1),
        }
        return cls(**{**sizes, **changes})
