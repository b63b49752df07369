"""Configuration of STPrivacy (Li et al., ICCV 2023)."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any, Literal

from huggingface_hub.dataclasses import strict

from ..base import AnonymizerConfig
from ..layers.normalization import IMAGENET_MEAN, IMAGENET_STD
from ..layers.tubelets import TubeletGrid


@strict
class STPrivacyConfig(AnonymizerConfig):
    """The ViT-S of the paper on clips of 16 x 112 x 112 (section 4.3).

    `strength` sets the keep ratio: 1 - strength, so that 0 keeps every tubelet and 1 keeps one a time step.

    Args:
        prune_before: blocks before which tokens are dropped. Blocks up to the last of them are the privacy
            sparsification blocks, the rest is the privacy anonymization block.
        keep_ratio: alpha, the share of its tokens that each sparsification block keeps.
        gumbel_temperature: of the keep / drop decisions in training (Eq. 6).
        dropped: what a dropped tubelet looks like: "black" is pixel 0, "mean" the mean colour, which is 0 in the
            network's own space.
        display: how values outside of [0, 1] are shown: "clamp" cuts them off, "minmax" stretches each clip's range.
        input: what the network sees: the clip ("raw") or the difference of neighbouring frames ("difference").
        output_activation: "none" as in the paper, or "sigmoid", which keeps training in [0, 1] as well.
        output_channels: 3, or 1 for grey.
        output_pixels: (frames, rows, columns) of values that a tubelet is painted with; None for all its pixels.
        output_levels: how many levels of brightness there are; None for a continuum.
    """

    model_type = "ppar_stprivacy"
    has_strength = True

    num_frames: int | None = 16
    window: Literal["disjoint", "blend"] = "disjoint"
    image_size: tuple[int, int] | list[int] | None = (112, 112)
    tubelet_size: tuple[int, ...] | list[int] = (2, 16, 16)
    hidden_size: int = 384
    num_hidden_layers: int = 12
    num_attention_heads: int = 6
    intermediate_size: int = 1536
    qkv_bias: bool = True
    layer_norm_eps: float = 1e-6
    mask_eps: float = 1e-6
    prune_before: tuple[int, ...] | list[int] = (3, 6, 9)
    keep_ratio: float = 0.7
    gumbel_temperature: float = 1.0
    dropped: Literal["black", "mean"] = "black"
    display: Literal["clamp", "minmax"] = "clamp"
    input: Literal["raw", "difference"] = "raw"
    output_activation: Literal["none", "sigmoid"] = "none"
    output_channels: int = 3
    output_pixels: tuple[int, ...] | list[int] | None = None
    output_levels: int | None = None
    image_mean: tuple[float, ...] | list[float] = IMAGENET_MEAN
    image_std: tuple[float, ...] | list[float] = IMAGENET_STD

    def __post_init__(self, **kwargs: Any) -> None:
        self.tubelet_size, self.prune_before = tuple(self.tubelet_size), tuple(self.prune_before)
        if self.num_frames is None or self.image_size is None or len(self.tubelet_size) != 3:
            raise ValueError(
                "STPrivacy needs num_frames, image_size (height, width) and tubelet_size (frames, height, width), "
                f"got {self.num_frames}, {self.image_size} and {self.tubelet_size}"
            )
        if self.hidden_size % 12 or self.hidden_size % self.num_attention_heads:
            raise ValueError(
                f"hidden_size={self.hidden_size} must be a multiple of 12 (the predictor splits it in thirds and "
                f"halves it twice) and of num_attention_heads={self.num_attention_heads}"
            )
        places = self.prune_before
        if (
            sorted(set(places)) != list(places)
            or not places
            or not 0 < places[0] <= places[-1] < self.num_hidden_layers
        ):
            raise ValueError(
                f"prune_before={places} must be increasing numbers of blocks from 1 to {self.num_hidden_layers - 1}"
            )
        if not 0 < self.keep_ratio <= 1:
            raise ValueError(f"keep_ratio must be in (0, 1], got {self.keep_ratio}")
        if self.output_channels not in (1, 3):
            raise ValueError(f"output_channels must be 1 (grey) or 3, got {self.output_channels}")
        if self.output_levels is not None and self.output_levels < 2:
            raise ValueError(f"output_levels must be at least 2, got {self.output_levels}")
        self._check_output_pixels()
        _ = self.grid  # refuses a clip size that tubelets do not fill
        super().__post_init__(**kwargs)

    def _check_output_pixels(self) -> None:
        if self.output_pixels is None:
            return
        self.output_pixels = tuple(self.output_pixels)
        fits = len(self.output_pixels) == 3 and all(
            values >= 1 and side % values == 0
            for side, values in zip(self.tubelet_size, self.output_pixels, strict=True)
        )
        if not fits:
            raise ValueError(
                f"output_pixels={self.output_pixels} must be three numbers that divide the sides of a tubelet, "
                f"{self.tubelet_size}"
            )

    @property
    def grid(self) -> TubeletGrid:
        """The tubelets of a clip of the configured size."""
        height, width = self.image_size or (0, 0)
        return TubeletGrid.of(self.num_frames or 0, height, width, self.tubelet_size)

    def keep_ratio_at(self, strength: float | None) -> float:
        """Alpha for a setting of the dial."""
        return self.keep_ratio if strength is None else 1.0 - strength

    @classmethod
    def tiny(cls, **changes: Any) -> "STPrivacyConfig":
        """A size that trains in minutes on two CPU cores: 16 x 64 x 64, tubelets of 2 x 8 x 8, four blocks."""
        sizes: dict[str, Any] = {
            "image_size": (64, 64),
            "tubelet_size": (2, 8, 8),
            "hidden_size": 96,
            "num_hidden_layers": 4,
            "num_attention_heads": 3,
            "intermediate_size": 192,
            "prune_before": (1, 2, 3),
            "output_activation": "sigmoid",
        }
        return cls(**{**sizes, **changes})
