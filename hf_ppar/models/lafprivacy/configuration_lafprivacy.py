"""Configuration of LaF-Privacy (label-free privacy for zero-shot action recognition)."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any, Literal

from huggingface_hub.dataclasses import strict

from ..base import AnonymizerConfig
from ..layers.normalization import IMAGENET_MEAN, IMAGENET_STD
from ..layers.tubelets import TubeletGrid


@strict
class LaFPrivacyConfig(AnonymizerConfig):
    """The ViT-B/16 of the paper on clips of 8 x 224 x 224 (section 4.3): 122 M parameters.

    Args:
        positions: "separate" adds a table of places and one of frames, "joint" has a vector for each place of each
            frame.
        time_linear: TimeSformer's Linear after the attention over time, see `DividedBlock`.
        zero_time_linear: start it at zero in all blocks but the first, as TimeSformer does.
        score_hidden_size: of the MLP that scores tokens (section 3.2).
        temperature: tau of the soft mask.
        soft_mask: "sigmoid" of score / tau for each token, as in LTP. "softmax" over a frame's tokens is what the
            paper prints; its masks add up to 1, so that pictures are nearly black and the mask loss is constant.
        keep_ties: keep tokens whose score is exactly the mean of their frame, or else a frame with equal scores would
            be masked altogether.
        masked: False releases the painted clip without the mask ("unmasked" in Table 2).
        output_activation: what bounds the decoder: "sigmoid", "clamp", or "none" in training, as printed; then the
            maximised visual loss has no bound. Released clips lie in [0, 1] in any case.
        trained_against: fingerprint of the vision-language model that it was trained with.
    """

    model_type = "ppar_lafprivacy"

    num_frames: int | None = 8
    window: Literal["disjoint", "blend"] = "disjoint"
    image_size: tuple[int, int] | list[int] | None = (224, 224)
    patch_size: int = 16
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    qkv_bias: bool = True
    layer_norm_eps: float = 1e-6
    dropout: float = 0.0
    positions: Literal["separate", "joint"] = "separate"
    time_linear: bool = True
    zero_time_linear: bool = True
    score_hidden_size: int = 192
    temperature: float = 0.05
    soft_mask: Literal["sigmoid", "softmax"] = "sigmoid"
    keep_ties: bool = True
    masked: bool = True
    output_activation: Literal["sigmoid", "clamp", "none"] = "sigmoid"
    trained_against: str | None = None
    image_mean: tuple[float, ...] | list[float] = IMAGENET_MEAN
    image_std: tuple[float, ...] | list[float] = IMAGENET_STD

    def __post_init__(self, **kwargs: Any) -> None:
        if self.num_frames is None or self.image_size is None:
            raise ValueError(
                f"LaF-Privacy needs num_frames and image_size (height, width), got {self.num_frames} and "
                f"{self.image_size}"
            )
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(
                f"hidden_size={self.hidden_size} must be a multiple of num_attention_heads={self.num_attention_heads}"
            )
        if self.temperature <= 0:
            raise ValueError(f"temperature must be greater than 0, got {self.temperature}")
        _ = self.grid  # refuses a picture that patches do not fill
        super().__post_init__(**kwargs)

    @property
    def tubelet_size(self) -> tuple[int, int, int]:
        """(frames, height, width) of what is masked as a whole: one patch of one frame."""
        return (1, self.patch_size, self.patch_size)

    @property
    def grid(self) -> TubeletGrid:
        """The patches of a clip of the configured size."""
        height, width = self.image_size or (0, 0)
        return TubeletGrid.of(self.num_frames or 0, height, width, self.tubelet_size)

    @classmethod
    def tiny(cls, **changes: Any) -> "LaFPrivacyConfig":
        """A size that trains in minutes on two CPU cores: 8 x 64 x 64, patches of 8 x 8, three blocks."""
        sizes: dict[str, Any] = {
            "image_size": (64, 64),
            "patch_size": 8,
            "hidden_size": 96,
            "num_hidden_layers": 3,
            "num_attention_heads": 3,
            "intermediate_size": 192,
            "score_hidden_size": 48,
        }
        return cls(**{**sizes, **changes})
