"""The frame-by-frame ResNet."""

from __future__ import annotations

import torch
from torch import nn
from transformers import ResNetConfig, ResNetModel

from .configuration_frame_resnet import FrameResNetRecognizerConfig
from .heads import Labels
from .modeling_recognizer import RecognizerModel, RecognizerOutput


class FrameResNetRecognizer(RecognizerModel):
    """transformers' ResNet on every frame, mean over frames, linear. The order of frames does not matter to it.

    `backbone` is a plain `ResNetModel`; ImageNet weights are put in with
    `model.backbone = ResNetModel.from_pretrained("microsoft/resnet-50")`.
    """

    config_class = FrameResNetRecognizerConfig

    def __init__(self, config: FrameResNetRecognizerConfig) -> None:
        super().__init__(config)
        self.backbone = ResNetModel(
            ResNetConfig(
                embedding_size=config.embedding_size,
                hidden_sizes=list(config.hidden_sizes),
                depths=list(config.depths),
                layer_type=config.layer_type,
            )
        )
        self.classifier = nn.Linear(config.hidden_sizes[-1], config.num_labels)
        self.post_init()

    def forward(self, pixel_values: torch.Tensor, labels: Labels | None = None) -> RecognizerOutput:
        """Clip (batch, frames, 3, height, width) in [0, 1] -> logits (batch, num_labels)."""
        clip = self.prepare(pixel_values)
        pooled = self.backbone(clip.flatten(0, 1)).pooler_output  # (batch * frames, channels, 1, 1)
        features = pooled.flatten(1).unflatten(0, clip.shape[:2]).mean(dim=1)  # (batch, channels)
        return self.answer(self.classifier(features), labels, features)
