"""Configuration of PrivRate."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any, Literal

from huggingface_hub.dataclasses import strict

from ..base import AnonymizerConfig
from ..layers.tubelets import TubeletGrid
from ..recognizers import (
    R2Plus1DRecognizerConfig,
    RecognizerConfig,
    ResNet3DRecognizerConfig,
    TubeletRecognizerConfig,
)

ENCODERS: dict[str, type[RecognizerConfig]] = {
    "tubelet": TubeletRecognizerConfig,
    "resnet3d": ResNet3DRecognizerConfig,
    "r2plus1d": R2Plus1DRecognizerConfig,
}
# Differences of frames as pictures, 0.5 + (x_t - x_(t-1)) / 2, are grey nearly everywhere.
_DIFFERENCE_STATISTICS = {"image_mean": (0.5, 0.5, 0.5), "image_std": (0.1, 0.1, 0.1)}


@strict
class PrivRateConfig(AnonymizerConfig):
    """Encoder, stochastic bottleneck, decoder: the clip passes as a random code whose bits are counted.

    `strength` sets the price of a nat that the model was trained to pay: `min_price` at 0, `max_price` at 1, in equal
    ratios between, 0.5 where a call gives none. A model trained at one price has no dial.

    Args:
        encoder: kind of recognizer whose trunk reads the clip.
        encoder_preset, encoder_options: its size, and changes to the fields of its config.
        input: the encoder sees the clip ("raw") or differences of neighbouring frames.
        latent: "gaussian" for latent_tokens * latent_size real numbers, "discrete" for latent_tokens choices of one
            of `codes` entries, which are at most latent_tokens * log2(codes) bits.
        prior: what bits are counted against: "fixed" and "learned" count all of them, "action" those beyond the
            action, of which there are `num_actions`; `prior_hedge` is as in `hf_ppar.models.layers.Bottleneck`.
        tubelet_size: (frames, height, width) that the decoder paints at once.
        decoder_size, decoder_layers: width and depth of the network on every tubelet.
        decoder_heads: of attention between tubelets; 0 is none.
        decoder_channels: 1 for a grey clip, 3 for colour.
        certificates: private label -> certificate of one window at the default strength, as in a report; what
            receipts sum up. None for a model without a report.
    """

    model_type = "ppar_privrate"

    num_frames: int = 16
    window: Literal["disjoint", "blend"] = "disjoint"
    image_size: tuple[int, int] | list[int] = (112, 112)
    encoder: Literal["tubelet", "resnet3d", "r2plus1d"] = "tubelet"
    encoder_preset: Literal["tiny", "paper"] = "paper"
    encoder_options: dict[str, Any] | None = None
    input: Literal["raw", "difference"] = "difference"
    latent: Literal["gaussian", "discrete"] = "gaussian"
    latent_tokens: int = 1
    latent_size: int = 32
    codes: int = 16
    prior: Literal["fixed", "learned", "action"] = "fixed"
    prior_hedge: float = 0.02
    num_actions: int | None = None
    min_price: float = 0.002
    max_price: float = 0.2
    tubelet_size: tuple[int, ...] | list[int] = (2, 8, 8)
    decoder_size: int = 128
    decoder_layers: int = 2
    decoder_heads: int = 0
    decoder_channels: Literal[1, 3] = 1
    certificates: dict[str, Any] | None = None

    def __post_init__(self, **kwargs: Any) -> None:
        if len(self.image_size) != 2:
            raise ValueError(f"image_size must be (height, width), got {self.image_size}")
        if self.window != "disjoint":
            raise ValueError('window must be "disjoint": a frame in two windows would spend its bits twice')
        if not 0 < self.min_price <= self.max_price:
            raise ValueError(f"prices must be 0 < min_price <= max_price, got {self.min_price} and {self.max_price}")
        if min(self.latent_tokens, self.latent_size) < 1 or self.codes < 2:
            raise ValueError(
                "latent_tokens and latent_size must be at least 1 and codes at least 2, "
                f"got {self.latent_tokens}, {self.latent_size} and {self.codes}"
            )
        self.image_size = (self.image_size[0], self.image_size[1])
        self.tubelet_size = tuple(self.tubelet_size)
        _ = self.grid  # refuses a clip size that tubelets do not fill
        super().__post_init__(**kwargs)

    @property
    def has_strength(self) -> bool:  # type: ignore[override]
        """Only a model trained over a range of prices has a dial."""
        return self.min_price < self.max_price

    @property
    def grid(self) -> TubeletGrid:
        """The tubelets of the decoded clip."""
        height, width = self.image_size
        return TubeletGrid.of(self.num_frames, height, width, self.tubelet_size)

    def price_at(self, strength: Any) -> Any:
        """Price of a nat at a strength in [0, 1], a number or a tensor of them."""
        return self.min_price * (self.max_price / self.min_price) ** strength

    def encoder_config(self) -> RecognizerConfig:
        """The config of the recognizer whose trunk is the encoder."""
        config_class: Any = ENCODERS[self.encoder]
        options: dict[str, Any] = {}
        if self.encoder == "tubelet":
            options |= {"num_frames": self.num_frames, "image_size": self.image_size}
        if self.input == "difference":
            options |= _DIFFERENCE_STATISTICS
        options |= self.encoder_options or {}
        return (config_class.tiny if self.encoder_preset == "tiny" else config_class)(**options)

    @classmethod
    def tiny(cls, **changes: Any) -> "PrivRateConfig":
        """A size for clips of 16 x 64 x 64 that trains in minutes on two CPU cores: 32 numbers a clip."""
        sizes: dict[str, Any] = {
            "image_size": (64, 64),
            "encoder": "resnet3d",
            "encoder_preset": "tiny",
            "decoder_size": 64,
            "decoder_layers": 1,
        }
        return cls(**{**sizes, **changes})
