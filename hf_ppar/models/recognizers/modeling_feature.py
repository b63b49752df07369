"""Linear and MLP heads on feature vectors."""

from __future__ import annotations

import torch
from torch import nn

from .configuration_feature import FeatureRecognizerConfig
from .heads import Labels
from .modeling_recognizer import RecognizerModel, RecognizerOutput


class FeatureRecognizer(RecognizerModel):
    """Names what is in a clip from its features rather than its pixels.

    Example:
        >>> model = FeatureRecognizer(FeatureRecognizerConfig(input_size=768, num_labels=7,
        ...     problem_type="multi_label_classification"))
        >>> model(torch.randn(4, 768)).logits.shape
        torch.Size([4, 7])
    """

    config_class = FeatureRecognizerConfig
    main_input_name = "features"

    def __init__(self, config: FeatureRecognizerConfig) -> None:
        super().__init__(config)
        width = config.hidden_size or config.input_size
        self.layers = nn.ModuleList(
            nn.Linear(config.input_size if index == 0 else width, width) for index in range(config.num_layers - 1)
        )
        self.classifier = nn.Linear(width if config.num_layers > 1 else config.input_size, config.num_labels)
        self.post_init()

    def forward(self, features: torch.Tensor, labels: Labels | None = None) -> RecognizerOutput:
        """Features (batch, d), or (batch, tokens, d) which are averaged over tokens -> logits (batch, num_labels)."""
        if features.ndim not in (2, 3) or features.shape[-1] != self.config.input_size:
            raise ValueError(
                f"features must have the shape (batch, {self.config.input_size}) or "
                f"(batch, tokens, {self.config.input_size}), got {tuple(features.shape)}"
            )
        hidden = features.to(self.dtype)
        hidden = hidden.mean(dim=1) if hidden.ndim == 3 else hidden
        for layer in self.layers:
            hidden = layer(hidden).relu()
        return self.answer(self.classifier(hidden), labels, hidden)
