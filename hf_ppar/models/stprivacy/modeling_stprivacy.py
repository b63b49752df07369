"""STPrivacy as a model: drop the tubelets that do not matter for the action, repaint those that do."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
from torch import nn
from transformers import AutoModel, PreTrainedModel

from ..base import AnonymizerModel, AnonymizerOutput
from ..layers import (
    PositionEmbedding,
    TransformerBlock,
    TubeletEmbedding,
    TubeletGrid,
    clip_to_tubelets,
    copy_image_weights,
    denormalize_clip,
    frame_differences,
    gather_tokens,
    init_layer,
    normalize_clip,
    scatter_tokens,
    tubelets_to_clip,
)
from .configuration_stprivacy import STPrivacyConfig
from .predictor import TokenPredictor, choose_kept, decision_map, draw_decisions, kept_per_step


@dataclass
class STPrivacyOutput(AnonymizerOutput):
    """What an anonymizer returns, and what training needs besides.

    Args:
        pixels: (batch, frames, 3, height, width), training mode only: the clip with all tubelets painted, also those
            that `videos` shows as dropped. Recognizers that leave tokens out take it together with the last decision.
        decisions: (batch, sparsification blocks, tokens), training mode only: which tokens are left after each.
        token_mask: (batch, tokens), 1 for a tubelet that is left.
        tokens: (batch, kept or all tokens, hidden) after the last norm.
    """

    pixels: torch.Tensor | None = None
    decisions: torch.Tensor | None = None
    token_mask: torch.Tensor | None = None
    tokens: torch.Tensor | None = None


class STPrivacyAnonymizer(AnonymizerModel):
    """Three privacy sparsification blocks, one privacy anonymization block, a linear layer back to pixels.

    In training mode all tokens are computed, dropped ones masked out of the attention, and decisions are drawn
    (section 3.2). In eval mode the most important tokens of each time step are kept, and only they are computed.

    Example:
        >>> model = STPrivacyAnonymizer(STPrivacyConfig.tiny()).eval()
        >>> output = model(torch.rand(2, 16, 3, 64, 64), strength=0.3)  # or keep_ratio=0.7
        >>> output.mask[:, ::2, 0, ::8, ::8].sum((2, 3))[0, 0]  # tubelets of 64 that a time step keeps
        tensor(21.)
    """

    config_class = STPrivacyConfig
    supports_gradient_checkpointing = True
    _supports_sdpa = True

    def __init__(self, config: STPrivacyConfig) -> None:
        super().__init__(config)
        values = config.output_pixels or config.tubelet_size
        self.embedding = TubeletEmbedding(config.hidden_size, config.tubelet_size)
        self.positions = PositionEmbedding(config.grid, config.hidden_size)
        self.blocks = nn.ModuleList(TransformerBlock.of(config) for _ in range(config.num_hidden_layers))
        self.predictors = nn.ModuleList(
            TokenPredictor(config.hidden_size, config.layer_norm_eps) for _ in config.prune_before
        )
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.to_pixels = nn.Linear(config.hidden_size, config.output_channels * values[0] * values[1] * values[2])
        self.post_init()

    @classmethod
    def from_image_model(
        cls, image_model: str | os.PathLike[str] | PreTrainedModel, config: STPrivacyConfig, centre_only: bool = False
    ) -> STPrivacyAnonymizer:
        """Start from a ViT or DeiT of transformers, as the paper does from DeiT-S.

        Args:
            image_model: Hub id, directory or model.
            centre_only: inflate the patch filter at the central frame instead of spreading it over the tubelet.
        """
        if not isinstance(image_model, PreTrainedModel):
            image_model = AutoModel.from_pretrained(image_model)
        model = cls(config)
        blocks = [block for block in model.blocks if isinstance(block, TransformerBlock)]
        copy_image_weights(image_model, model.embedding, model.positions, blocks, centre_only)
        return model

    def forward(
        self,
        pixel_values: torch.Tensor,
        strength: float | None = None,
        generator: torch.Generator | None = None,
        keep_ratio: float | None = None,
    ) -> AnonymizerOutput:
        """Anonymize a clip (batch, frames, 3, height, width) in [0, 1].

        Args:
            strength: 1 - keep ratio; None is the config's keep ratio.
            keep_ratio: alpha; give it or the strength. 1 keeps every tubelet.
        """
        if keep_ratio is not None:
            if strength is not None:
                raise ValueError(f"give strength={strength} or keep_ratio={keep_ratio}, not both")
            strength = 1.0 - keep_ratio
        return super().forward(pixel_values, strength, generator)

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> STPrivacyOutput:
        _, frames, _, height, width = pixel_values.shape
        grid = TubeletGrid.of(frames, height, width, self.config.tubelet_size)
        tubelets = clip_to_tubelets(self._prepare(pixel_values), self.config.tubelet_size)
        tokens = self.embedding(tubelets) + self.positions(grid)
        if self.training:
            tokens, decisions = self._mask_dropped(tokens, grid)
            pixels, token_mask = self._paint(tokens, grid), decisions[:, -1]
        else:
            tokens, kept = self._leave_out_dropped(tokens, grid, self.config.keep_ratio_at(strength))
            pixels, decisions = self._display(self._paint(tokens, grid, kept)), None
            token_mask = tokens.new_zeros(len(tokens), grid.tokens).scatter(1, kept, 1.0)
        mask = decision_map(token_mask, grid, self.config.tubelet_size)
        videos = self._show_dropped(pixels, mask)
        return STPrivacyOutput(
            videos=videos.to(pixel_values.dtype),
            mask=mask,
            pixels=pixels if self.training else None,
            decisions=decisions,
            token_mask=token_mask,
            tokens=tokens,
        )

    def _prepare(self, clip: torch.Tensor) -> torch.Tensor:
        clip = clip.to(self.dtype)
        if self.config.input == "difference":
            return frame_differences(clip) / clip.new_tensor(self.config.image_std).view(-1, 1, 1)
        return normalize_clip(clip, self.config.image_mean, self.config.image_std)

    def _mask_dropped(self, tokens: torch.Tensor, grid: TubeletGrid) -> tuple[torch.Tensor, torch.Tensor]:
        """All tokens (batch, tokens, hidden) and the decisions (batch, stages, tokens)."""
        decisions: list[torch.Tensor] = []
        for number, block in enumerate(self.blocks):
            if number in self.config.prune_before:
                before = decisions[-1] if decisions else None
                probabilities = self.predictors[len(decisions)](tokens, grid.time, before)
                decision = draw_decisions(probabilities, self.config.gumbel_temperature)
                decisions.append(decision if before is None else before * decision)
            tokens = block(tokens, decisions[-1] if decisions else None)
        return self.norm(tokens), torch.stack(decisions, dim=1)

    def _leave_out_dropped(
        self, tokens: torch.Tensor, grid: TubeletGrid, keep_ratio: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The kept tokens (batch, kept, hidden) and their places among all (batch, kept)."""
        kept = torch.arange(grid.tokens, device=tokens.device).expand(len(tokens), -1)
        stage = 0
        for number, block in enumerate(self.blocks):
            if number in self.config.prune_before:
                stage += 1
                count = kept_per_step(grid.tokens_per_step, keep_ratio, stage)
                if count * grid.time < tokens.shape[1]:
                    chosen = choose_kept(self.predictors[stage - 1](tokens, grid.time), grid.time, count)
                    tokens, kept = gather_tokens(tokens, chosen), kept.gather(1, chosen)
            tokens = block(tokens)
        return self.norm(tokens), kept

    def _paint(self, tokens: torch.Tensor, grid: TubeletGrid, kept: torch.Tensor | None = None) -> torch.Tensor:
        """Tokens -> clip (batch, frames, 3, height, width) (Eq. 11); with `kept`, tokens stand at those places."""
        config = self.config
        values = self.to_pixels(tokens)
        if kept is not None:
            values = scatter_tokens(values, kept, grid.tokens)
        clip = tubelets_to_clip(values, grid, config.output_pixels or config.tubelet_size)
        clip = clip.expand(-1, -1, 3, -1, -1)
        if config.output_activation == "sigmoid":
            clip = clip.sigmoid()
        else:
            clip = denormalize_clip(clip, config.image_mean, config.image_std)
        if config.output_levels is not None:
            clip = round_to_levels(clip, config.output_levels)
        for axis, (side, painted) in enumerate(zip(config.tubelet_size, config.output_pixels or (), strict=False)):
            clip = clip.repeat_interleave(side // painted, dim=(1, 3, 4)[axis])
        return clip

    def _display(self, clip: torch.Tensor) -> torch.Tensor:
        """Into [0, 1]."""
        if self.config.display == "minmax":
            low, high = clip.amin(dim=(1, 2, 3, 4), keepdim=True), clip.amax(dim=(1, 2, 3, 4), keepdim=True)
            clip = (clip - low) / (high - low).clamp(min=1e-6)
        return clip.clamp(0, 1)

    def _show_dropped(self, clip: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.config.dropped == "black":
            return clip * mask
        mean = clip.new_tensor(self.config.image_mean).view(-1, 1, 1)
        return clip * mask + mean * (1 - mask)

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        if not init_layer(module, (TubeletEmbedding, PositionEmbedding)):
            super()._init_weights(module)


def round_to_levels(clip: torch.Tensor, levels: int) -> torch.Tensor:
    """The nearest of `levels` values from 0 to 1; gradients pass as if nothing had been rounded."""
    rounded = (clip.clamp(0, 1) * (levels - 1)).round() / (levels - 1)
    return clip + (rounded - clip).detach()
