"""LaF-Privacy as a model: repaint every patch, and black out those that do not matter for the action."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from ..base import AnonymizerModel, AnonymizerOutput
from ..layers import (
    DividedBlock,
    PatchDecoder,
    PositionEmbedding,
    TimeLinear,
    TubeletEmbedding,
    TubeletGrid,
    clip_to_tubelets,
    init_layer,
    normalize_clip,
    tubelets_to_clip,
)
from .configuration_lafprivacy import LaFPrivacyConfig
from .masking import MASKINGS, Masking, TokenScores, hard_mask, soft_mask, straight_through


@dataclass
class LaFPrivacyOutput(AnonymizerOutput):
    """What an anonymizer returns, and what training needs besides.

    Args:
        mask: (batch, frames, 1, height, width), what the painted clip was multiplied with.
        kept: of the same shape, 1 for a pixel of a patch that the hard mask keeps; no gradients.
    """

    kept: torch.Tensor | None = None


class LaFPrivacyAnonymizer(AnonymizerModel):
    """Divided space-time encoder, transposed-convolution decoder, Action-Aware Masking Module (section 3).

    Example:
        >>> model = LaFPrivacyAnonymizer(LaFPrivacyConfig.tiny()).eval()
        >>> output = model(torch.rand(2, 8, 3, 64, 64))
        >>> output.mask.unique()  # masked patches are black
        tensor([0., 1.])
        >>> painted = model.release(torch.rand(2, 8, 3, 64, 64), "off").videos  # before the mask
    """

    config_class = LaFPrivacyConfig
    supports_gradient_checkpointing = True
    _supports_sdpa = True

    def __init__(self, config: LaFPrivacyConfig) -> None:
        super().__init__(config)
        grid, width = config.grid, config.hidden_size
        self.embedding = TubeletEmbedding(width, config.tubelet_size)
        if config.positions == "joint":
            self.positions = nn.ModuleList([PositionEmbedding(grid, width)])
        else:
            tables = (TubeletGrid(1, grid.height, grid.width), TubeletGrid(grid.time, 1, 1))
            self.positions = nn.ModuleList(PositionEmbedding(table, width) for table in tables)
        self.blocks = nn.ModuleList(DividedBlock.of(config, number) for number in range(config.num_hidden_layers))
        self.norm = nn.LayerNorm(width, eps=config.layer_norm_eps)
        self.decoder = PatchDecoder(width, config.patch_size)
        self.scores = TokenScores(width, config.score_hidden_size, config.layer_norm_eps)
        self.post_init()

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> LaFPrivacyOutput:
        if not self.config.masked:
            return self.release(pixel_values, "off")
        return self.release(pixel_values, "straight-through" if self.training else "hard")

    def release(self, pixel_values: torch.Tensor, masking: Masking) -> LaFPrivacyOutput:
        """X' = painted clip * mask (section 3.3).

        Args:
            masking: "hard" for what is released; "off", "soft" or "straight-through" for the phases of training.
        """
        if masking not in MASKINGS:
            raise ValueError(f"masking={masking!r} is unknown; choose one of: {', '.join(MASKINGS)}")
        _, frames, _, height, width = pixel_values.shape
        grid = TubeletGrid.of(frames, height, width, self.config.tubelet_size)
        tokens = self.encode(pixel_values, grid)
        painted = self.paint(tokens, grid)
        mask, kept = self._masks(tokens, grid, masking)
        return LaFPrivacyOutput(videos=(painted * mask).to(pixel_values.dtype), mask=mask, kept=kept)

    def encode(self, pixel_values: torch.Tensor, grid: TubeletGrid) -> torch.Tensor:
        """Clip in [0, 1] -> tokens (batch, patches of all frames, hidden) after the last norm (section 3.1)."""
        config = self.config
        clip = normalize_clip(pixel_values.to(self.dtype), config.image_mean, config.image_std)
        tokens = self.embedding(clip_to_tubelets(clip, config.tubelet_size)) + self._positions(grid)
        for block in self.blocks:
            tokens = block(tokens, grid.time)
        return self.norm(tokens)

    def paint(self, tokens: torch.Tensor, grid: TubeletGrid) -> torch.Tensor:
        """Tokens -> clip (batch, frames, 3, height, width) with every patch painted."""
        clip = tubelets_to_clip(self.decoder(tokens), grid, self.config.tubelet_size)
        if self.config.output_activation == "sigmoid":
            return clip.sigmoid()
        return clip if self.training and self.config.output_activation == "none" else clip.clamp(0, 1)

    def _positions(self, grid: TubeletGrid) -> torch.Tensor:
        if self.config.positions == "joint":
            return self.positions[0](grid)
        places = self.positions[0](TubeletGrid(1, grid.height, grid.width))  # (1, places, hidden)
        times = self.positions[1](TubeletGrid(grid.time, 1, 1))  # (1, frames, hidden)
        return (times.unsqueeze(2) + places.unsqueeze(1)).flatten(1, 2)

    def _masks(self, tokens: torch.Tensor, grid: TubeletGrid, masking: Masking) -> tuple[torch.Tensor, torch.Tensor]:
        """The mask as it is applied, and the hard one, both (batch, frames, 1, height, width)."""
        if masking == "off":
            full = self._spread(tokens.new_ones(len(tokens), grid.time, grid.tokens_per_step), grid)
            return full, full
        scores = self.scores(tokens, grid.time)
        kept = self._spread(hard_mask(scores.detach(), self.config.keep_ties), grid)
        if masking == "hard":
            return kept, kept
        soft = self._spread(soft_mask(scores, self.config.temperature, self.config.soft_mask), grid)
        return (soft if masking == "soft" else straight_through(kept, soft)), kept

    def _spread(self, mask: torch.Tensor, grid: TubeletGrid) -> torch.Tensor:
        """A value a patch (batch, frames, places) -> a value a pixel (batch, frames, 1, height, width)."""
        pixels = self.config.patch_size**2
        return tubelets_to_clip(mask.flatten(1).unsqueeze(-1).expand(-1, -1, pixels), grid, self.config.tubelet_size)

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        if not init_layer(module, (TubeletEmbedding, PositionEmbedding, PatchDecoder, TimeLinear)):
            super()._init_weights(module)
