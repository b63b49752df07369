"""Configuration of the video transformer over tubelets."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any

from huggingface_hub.dataclasses import strict

from ..layers.normalization import IMAGENET_MEAN, IMAGENET_STD
from ..layers.tubelets import TubeletGrid
from .configuration_recognizer import RecognizerConfig


@strict
class TubeletRecognizerConfig(RecognizerConfig):
    """The video ViT-S that STPrivacy and RAPrivacy judge with (STPrivacy section 4.2): 16 x 112 x 112, no class token.

    Args:
        num_frames: frames of the clips that positions are learned for; other sizes get interpolated positions.
        image_size: (height, width), likewise.
        tubelet_size: (frames, height, width) of one token.
        mask_eps: the epsilon of masked attention in training; in eval mode it is 0.
        gather_visible: in eval mode, compute only the visible tokens when every clip of a batch keeps the same number.
    """

    model_type = "ppar_tubelet_recognizer"

    num_frames: int = 16
    image_size: tuple[int, ...] | list[int] = (112, 112)
    tubelet_size: tuple[int, ...] | list[int] = (2, 16, 16)
    hidden_size: int = 384
    num_hidden_layers: int = 12
    num_attention_heads: int = 6
    intermediate_size: int = 1536
    qkv_bias: bool = True
    layer_norm_eps: float = 1e-6
    mask_eps: float = 1e-6
    gather_visible: bool = True
    image_mean: tuple[float, ...] | list[float] = IMAGENET_MEAN
    image_std: tuple[float, ...] | list[float] = IMAGENET_STD

    def __post_init__(self, **kwargs: Any) -> None:
        self.image_size, self.tubelet_size = tuple(self.image_size), tuple(self.tubelet_size)
        if len(self.image_size) != 2 or len(self.tubelet_size) != 3:
            raise ValueError(
                "image_size must be (height, width) and tubelet_size (frames, height, width), "
                f"got {self.image_size} and {self.tubelet_size}"
            )
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(
                f"hidden_size={self.hidden_size} must be a multiple of num_attention_heads={self.num_attention_heads}"
            )
        _ = self.grid  # refuses a clip size that tubelets do not fill
        super().__post_init__(**kwargs)

    @property
    def grid(self) -> TubeletGrid:
        """The tubelets of a clip of the configured size."""
        height, width = self.image_size
        return TubeletGrid.of(self.num_frames, height, width, self.tubelet_size)

    @classmethod
    def tiny(cls, **changes: Any) -> "TubeletRecognizerConfig":
        """A size that trains in minutes on two CPU cores: 8 x 48 x 48, tubelets of 2 x 8 x 8, 0.5 M parameters."""
        sizes: dict[str, Any] = {
            "num_frames": 8,
            "image_size": (48, 48),
            "tubelet_size": (2, 8, 8),
            "hidden_size": 96,
            "num_hidden_layers": 4,
            "num_attention_heads": 3,
            "intermediate_size": 384,
        }
        return cls(**{**sizes, **changes})
