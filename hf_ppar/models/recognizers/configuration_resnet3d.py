"""Configuration of the 3D ResNet."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any, Literal

from huggingface_hub.dataclasses import strict

from ..layers.normalization import IMAGENET_MEAN, IMAGENET_STD
from .configuration_recognizer import RecognizerConfig


@strict
class ResNet3DRecognizerConfig(RecognizerConfig):
    """3D ResNet-50 (Hara et al., "Can Spatiotemporal 3D CNNs Retrace the History of 2D CNNs and ImageNet?", 2018).

    A ResNet whose every 3 x 3 convolution is 3 x 3 x 3, with a 7 x 7 x 7 stem, max pooling over time and space, and
    1 x 1 x 1 convolutions as shortcuts (type B): 46.2 M parameters without the head, 47,018,576 with 400 classes.
    `layer_type="basic"` with `depths=(2, 2, 2, 2)` and `hidden_sizes=(64, 128, 256, 512)` is the same family's
    R3D-18, as in SPAct's evaluation.

    Args:
        layer_type: "bottleneck" (1, 3, 1) or "basic" (3, 3).
        embedding_size: channels of the stem.
        hidden_sizes: channels that each stage puts out; every stage but the first halves time, height and width.
        depths: residual blocks of each stage.
        stem_frames: length of the stem's kernel in time.
        stem_pooling: max pooling after the stem, which halves time, height and width.
    """

    model_type = "ppar_resnet3d_recognizer"

    layer_type: Literal["bottleneck", "basic"] = "bottleneck"
    embedding_size: int = 64
    hidden_sizes: tuple[int, ...] | list[int] = (256, 512, 1024, 2048)
    depths: tuple[int, ...] | list[int] = (3, 4, 6, 3)
    stem_frames: int = 7
    stem_pooling: bool = True
    image_mean: tuple[float, ...] | list[float] = IMAGENET_MEAN
    image_std: tuple[float, ...] | list[float] = IMAGENET_STD

    def __post_init__(self, **kwargs: Any) -> None:
        if len(self.hidden_sizes) != len(self.depths):
            raise ValueError(
                f"hidden_sizes and depths must name the same stages, got {self.hidden_sizes} and {self.depths}"
            )
        if self.stem_frames < 1 or self.stem_frames % 2 == 0:
            raise ValueError(f"stem_frames must be odd, got {self.stem_frames}")
        super().__post_init__(**kwargs)

    @classmethod
    def tiny(cls, **changes: Any) -> "ResNet3DRecognizerConfig":
        """A size for clips of 8 x 48 x 48 that trains in minutes on two CPU cores: 0.5 M parameters."""
        sizes: dict[str, Any] = {
            "layer_type": "basic",
            "embedding_size": 12,
            "hidden_sizes": (24, 48, 96),
            "depths": (1, 1, 1),
            "stem_frames": 3,
        }
        return cls(**{**sizes, **changes})
