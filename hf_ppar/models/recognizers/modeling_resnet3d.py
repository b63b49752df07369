"""The 3D ResNet: a ResNet whose convolutions run over time as well."""

from __future__ import annotations

import torch
from torch import nn

from .configuration_resnet3d import ResNet3DRecognizerConfig
from .heads import Labels
from .modeling_recognizer import RecognizerModel, RecognizerOutput


class ResNet3DRecognizer(RecognizerModel):
    """Stem, residual stages, mean over space and time, linear. Any clip size works."""

    config_class = ResNet3DRecognizerConfig

    def __init__(self, config: ResNet3DRecognizerConfig) -> None:
        super().__init__(config)
        self.trunk = build_trunk(config)
        self.classifier = nn.Linear(config.hidden_sizes[-1], config.num_labels)
        self.post_init()

    def forward(self, pixel_values: torch.Tensor, labels: Labels | None = None) -> RecognizerOutput:
        """Clip (batch, frames, 3, height, width) in [0, 1] -> logits (batch, num_labels)."""
        volume = self.prepare(pixel_values).transpose(1, 2)  # (batch, 3, frames, height, width)
        features = self.trunk(volume).mean(dim=(2, 3, 4))  # (batch, channels)
        return self.answer(self.classifier(features), labels, features)


def build_trunk(config: ResNet3DRecognizerConfig) -> nn.Sequential:
    """(batch, 3, frames, height, width) -> (batch, channels, frames / 16, height / 32, width / 32)."""
    trunk = nn.Sequential()
    trunk.add_module("stem", build_stem(config))
    channels = config.embedding_size
    for index, (width, depth) in enumerate(zip(config.hidden_sizes, config.depths, strict=True)):
        strides = [1 if index == 0 else 2] + [1] * (depth - 1)
        stage = nn.Sequential()
        for stride in strides:
            stage.append(ResidualBlock(channels, width, stride, config.layer_type))
            channels = width
        trunk.add_module(f"stage{index + 1}", stage)
    return trunk


def build_stem(config: ResNet3DRecognizerConfig) -> nn.Sequential:
    """A convolution over 7 x 7 pixels and `stem_frames` frames that halves the picture, then max pooling."""
    frames, channels = config.stem_frames, config.embedding_size
    stem = nn.Sequential(
        nn.Conv3d(3, channels, (frames, 7, 7), stride=(1, 2, 2), padding=(frames // 2, 3, 3), bias=False),
        nn.BatchNorm3d(channels),
        nn.ReLU(),
    )
    if config.stem_pooling:
        stem.append(nn.MaxPool3d(kernel_size=3, stride=2, padding=1))
    return stem


class ResidualBlock(nn.Module):
    """Convolutions ("bottleneck": 1, 3, 1 at a quarter of the width; "basic": 3, 3) and a shortcut."""

    def __init__(self, channels_in: int, channels_out: int, stride: int, layer_type: str) -> None:
        super().__init__()
        if layer_type == "bottleneck":
            inner = channels_out // 4
            self.convolutions = nn.Sequential(
                *conv_norm(channels_in, inner, 1),
                nn.ReLU(),
                *conv_norm(inner, inner, 3, stride),
                nn.ReLU(),
                *conv_norm(inner, channels_out, 1),
            )
        else:
            self.convolutions = nn.Sequential(
                *conv_norm(channels_in, channels_out, 3, stride), nn.ReLU(), *conv_norm(channels_out, channels_out, 3)
            )
        same = stride == 1 and channels_in == channels_out
        self.shortcut = nn.Identity() if same else nn.Sequential(*conv_norm(channels_in, channels_out, 1, stride))
        self.activation = nn.ReLU()

    def forward(self, volume: torch.Tensor) -> torch.Tensor:
        return self.activation(self.convolutions(volume) + self.shortcut(volume))


def conv_norm(channels_in: int, channels_out: int, kernel: int, stride: int = 1) -> tuple[nn.Module, nn.Module]:
    """A cubic convolution and its batch norm."""
    convolution = nn.Conv3d(channels_in, channels_out, kernel, stride=stride, padding=kernel // 2, bias=False)
    return convolution, nn.BatchNorm3d(channels_out)
