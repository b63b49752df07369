"""PrivRate: clip -> encoder -> random code -> decoder -> clip.

The output depends on the input through the code alone, so that whatever an attacker computes from it, he knows no
more about the input than the bits of the code: I(X; output) <= I(X; Z) <= E KL(q(z|x) || r(z)).
`hf_ppar.evaluation.certificate` turns that into a bound on private attributes.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from ..base import AnonymizerModel, AnonymizerOutput
from ..layers import (
    Bottleneck,
    DiscreteBottleneck,
    DiscretePosterior,
    GaussianBottleneck,
    GaussianPosterior,
    PositionEmbedding,
    TubeletDecoder,
    frame_differences,
    init_layer,
)
from ..recognizers import RECOGNIZERS, RecognizerModel
from .configuration_privrate import PrivRateConfig

_DEFAULT_STRENGTH = 0.5


class PrivRateAnonymizer(AnonymizerModel):
    """Squeezes a clip through a priced, noisy code and paints a clip from it.

    In eval mode the noise comes from the operating system: two calls on one clip give two codes, and spend their bits
    twice. `latents` of the output is the code (batch, numbers), `rate_bits` what it spent on each clip. Clips have
    `num_frames` frames; pictures of another size are scaled to the model's and back.

    Example:
        >>> model = PrivRateAnonymizer(PrivRateConfig.tiny()).eval()
        >>> output = model(torch.rand(1, 16, 3, 64, 64), strength=0.8)
        >>> output.videos.shape, output.latents.shape
        (torch.Size([1, 16, 3, 64, 64]), torch.Size([1, 32]))
    """

    config_class = PrivRateConfig
    _supports_sdpa = True

    def __init__(self, config: PrivRateConfig) -> None:
        super().__init__(config)
        self.encoder, width = build_encoder(config)
        self.dial = StrengthModulation(width)
        self.bottleneck = build_bottleneck(config, width)
        self.decoder = TubeletDecoder(
            self.bottleneck.numbers + 1,  # the strength is public and comes with the code
            config.grid,
            config.tubelet_size,
            config.decoder_channels,
            config.decoder_size,
            config.decoder_layers,
            config.decoder_heads,
        )
        self.post_init()

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> AnonymizerOutput:
        posterior = self.encode(pixel_values, strength)
        latents = self.bottleneck.sample(posterior, generator)
        videos = scale_pictures(self.decode(latents, strength), pixel_values.shape[-2:])
        rate_bits = self.bottleneck.rate(posterior).clamp(min=0) / math.log(2)
        return AnonymizerOutput(videos=videos.to(pixel_values.dtype), latents=latents, rate_bits=rate_bits)

    def encode(
        self, pixel_values: torch.Tensor, strength: float | torch.Tensor | None = None
    ) -> GaussianPosterior | DiscretePosterior:
        """Clip (batch, num_frames, 3, height, width) in [0, 1] -> the distribution of its code.

        Args:
            strength: one for all clips, or one a clip (batch,), in [0, 1].
        """
        if pixel_values.shape[1] != self.config.num_frames:
            raise ValueError(
                f"this PrivRate model takes clips of {self.config.num_frames} frames, got {pixel_values.shape[1]}; "
                "sample that many frames (hf_ppar.video.even_indices), or let hf_ppar.anonymize cut the video"
            )
        clip = scale_pictures(pixel_values.to(self.dtype), self.config.image_size)
        if self.config.input == "difference":
            clip = 0.5 + 0.5 * frame_differences(clip)
        features = self.encoder(clip).features  # (batch, width)
        return self.bottleneck(self.dial(features, self._strengths(strength, features)))

    def decode(self, latents: torch.Tensor, strength: float | torch.Tensor | None = None) -> torch.Tensor:
        """Codes (batch, numbers) -> clip (batch, num_frames, 3, height, width) in [0, 1] at the model's size."""
        codes = latents.to(self.dtype)
        clip = self.decoder(torch.cat([codes, self._strengths(strength, codes)], dim=-1))
        return clip.expand(-1, -1, 3, -1, -1)

    def _strengths(self, strength: float | torch.Tensor | None, like: torch.Tensor) -> torch.Tensor:
        """(batch, 1) in [-1, 1]."""
        chosen = _DEFAULT_STRENGTH if strength is None else strength
        values = torch.as_tensor(chosen, dtype=like.dtype, device=like.device)
        return (2 * values - 1).expand(len(like)).unsqueeze(-1)

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        if not init_layer(module, (Bottleneck, PositionEmbedding)):
            super()._init_weights(module)


class StrengthModulation(nn.Module):
    """Scales and shifts features by the strength (FiLM: Perez et al., 2018), after a LayerNorm."""

    def __init__(self, width: int, hidden_size: int = 16) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.network = nn.Sequential(nn.Linear(1, hidden_size), nn.GELU(), nn.Linear(hidden_size, 2 * width))

    def forward(self, features: torch.Tensor, strengths: torch.Tensor) -> torch.Tensor:
        """Features (batch, width), strengths (batch, 1) in [-1, 1] -> (batch, width)."""
        scale, shift = self.network(strengths).chunk(2, dim=-1)
        return self.norm(features) * (1 + scale) + shift


def build_encoder(config: PrivRateConfig) -> tuple[RecognizerModel, int]:
    """A recognizer without its last layer, and the width of its features."""
    encoder_config = config.encoder_config()
    encoder = RECOGNIZERS[type(encoder_config)](encoder_config)
    width = encoder.classifier.in_features
    encoder.classifier = nn.Identity()
    return encoder, width


def build_bottleneck(config: PrivRateConfig, width: int) -> Bottleneck:
    """The configured bottleneck on features of this width."""
    if config.latent == "gaussian":
        numbers = config.latent_tokens * config.latent_size
        return GaussianBottleneck(width, numbers, config.prior, config.num_actions, config.prior_hedge)
    return DiscreteBottleneck(
        width, config.latent_tokens, config.codes, config.prior, config.num_actions, config.prior_hedge
    )


def scale_pictures(clip: torch.Tensor, size: tuple[int, int] | torch.Size) -> torch.Tensor:
    """A clip (batch, frames, channels, height, width) in [0, 1] with pictures of `size`, averaged where it shrinks."""
    if tuple(clip.shape[-2:]) == tuple(size):
        return clip
    frames = F.interpolate(clip.flatten(0, 1), tuple(size), mode="bilinear", align_corners=False, antialias=True)
    return frames.unflatten(0, clip.shape[:2]).clamp(0, 1)
