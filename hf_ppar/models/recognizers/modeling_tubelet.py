"""The video transformer over tubelets, with token-masked input."""

from __future__ import annotations

import torch
from torch import nn

from ..layers import (
    PositionEmbedding,
    TransformerBlock,
    TubeletEmbedding,
    TubeletGrid,
    clip_to_tubelets,
    gather_tokens,
    masked_mean,
    visible_indices,
)
from .configuration_tubelet import TubeletRecognizerConfig
from .heads import Labels
from .modeling_recognizer import RecognizerModel, RecognizerOutput


class TubeletRecognizer(RecognizerModel):
    """Tubelet embedding, transformer blocks, mean over tokens, LayerNorm, linear (STPrivacy section 4.2).

    `token_mask` says which tubelets are visible. Training masks the attention and averages the visible tokens, so
    that gradients reach the mask; evaluation leaves dropped tokens out of the computation where it can. Both give
    the same answer.

    Example:
        >>> model = TubeletRecognizer(TubeletRecognizerConfig.tiny(num_labels=6))
        >>> model(torch.rand(2, 8, 3, 48, 48)).logits.shape
        torch.Size([2, 6])
    """

    config_class = TubeletRecognizerConfig
    supports_gradient_checkpointing = True
    _supports_sdpa = True

    def __init__(self, config: TubeletRecognizerConfig) -> None:
        super().__init__(config)
        self.embedding = TubeletEmbedding(config.hidden_size, config.tubelet_size)
        self.positions = PositionEmbedding(config.grid, config.hidden_size)
        self.blocks = nn.ModuleList(TransformerBlock.of(config) for _ in range(config.num_hidden_layers))
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def forward(
        self,
        pixel_values: torch.Tensor,
        labels: Labels | None = None,
        token_mask: torch.Tensor | None = None,
        output_hidden_states: bool = False,
    ) -> RecognizerOutput:
        """Clip (batch, frames, 3, height, width) in [0, 1] -> logits (batch, num_labels).

        Args:
            token_mask: (batch, tokens), 1 for a visible tubelet; None if all are.
        """
        clip = self.prepare(pixel_values)
        grid = TubeletGrid.of(clip.shape[1], clip.shape[3], clip.shape[4], self.config.tubelet_size)
        tubelets = clip_to_tubelets(clip, self.config.tubelet_size)  # (batch, tokens, values)
        positions = self.positions(grid)  # (1, tokens, hidden)
        if token_mask is not None:
            check_token_mask(token_mask, tubelets)
            tubelets, positions, token_mask = self._leave_out(tubelets, positions, token_mask)
        states = [self.embedding(tubelets) + positions]
        for block in self.blocks:
            states.append(block(states[-1], token_mask))
        features = self.norm(masked_mean(states[-1], token_mask))
        return self.answer(
            self.classifier(features), labels, features, tuple(states) if output_hidden_states else None
        )

    def _leave_out(
        self, tubelets: torch.Tensor, positions: torch.Tensor, token_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Only the visible tokens, and no mask, if that is allowed and possible; otherwise everything as it is."""
        allowed = self.config.gather_visible and not self.training and not token_mask.requires_grad
        indices = visible_indices(token_mask) if allowed else None
        if indices is None:
            return tubelets, positions, token_mask
        positions = gather_tokens(positions.expand(len(tubelets), -1, -1), indices)
        return gather_tokens(tubelets, indices), positions, None


def check_token_mask(token_mask: torch.Tensor, tubelets: torch.Tensor) -> None:
    """Refuse a mask that does not have one value for each tubelet of each clip."""
    if token_mask.shape != tubelets.shape[:2]:
        raise ValueError(
            f"token_mask must have the shape (batch, tokens) = {tuple(tubelets.shape[:2])}, "
            f"got {tuple(token_mask.shape)}"
        )
