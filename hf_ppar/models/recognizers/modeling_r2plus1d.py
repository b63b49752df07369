"""R(2+1)D: a residual network whose 3D convolutions are factored into space and time.

Modules below `trunk` are named and shaped as in torchvision's `r2plus1d_18` (`stem`, `layer1` .. `layer4`), so that
its public weights fit after `fc` is renamed.
"""

from __future__ import annotations

import torch
from torch import nn

from .configuration_r2plus1d import R2Plus1DRecognizerConfig
from .heads import Labels
from .modeling_recognizer import RecognizerModel, RecognizerOutput


class R2Plus1DRecognizer(RecognizerModel):
    """Stem, residual stages, mean over space and time, linear.

    Any clip size works; below 8 frames or 32 pixels the last stages see a single position.
    """

    config_class = R2Plus1DRecognizerConfig

    def __init__(self, config: R2Plus1DRecognizerConfig) -> None:
        super().__init__(config)
        self.trunk = build_trunk(config)
        self.classifier = nn.Linear(config.hidden_sizes[-1], config.num_labels)
        self.post_init()

    def forward(self, pixel_values: torch.Tensor, labels: Labels | None = None) -> RecognizerOutput:
        """Clip (batch, frames, 3, height, width) in [0, 1] -> logits (batch, num_labels)."""
        volume = self.prepare(pixel_values).transpose(1, 2)  # (batch, 3, frames, height, width)
        features = self.trunk(volume).mean(dim=(2, 3, 4))  # (batch, channels)
        return self.answer(self.classifier(features), labels, features)


def build_trunk(config: R2Plus1DRecognizerConfig) -> nn.Sequential:
    """(batch, 3, frames, height, width) -> (batch, channels, frames / 8, height / 16, width / 16)."""
    trunk = nn.Sequential()
    trunk.add_module("stem", build_stem(*config.stem_sizes))
    channels = config.stem_sizes[1]
    for index, (width, depth) in enumerate(zip(config.hidden_sizes, config.depths, strict=True)):
        stride = 1 if index == 0 else 2
        blocks = [FactoredBlock(channels, width, stride)]
        blocks += [FactoredBlock(width, width) for _ in range(depth - 1)]
        trunk.add_module(f"layer{index + 1}", nn.Sequential(*blocks))
        channels = width
    return trunk


def build_stem(middle: int, channels: int) -> nn.Sequential:
    """A 1 x 7 x 7 convolution that halves the picture, then a 3 x 1 x 1 one."""
    return nn.Sequential(
        nn.Conv3d(3, middle, (1, 7, 7), stride=(1, 2, 2), padding=(0, 3, 3), bias=False),
        nn.BatchNorm3d(middle),
        nn.ReLU(),
        nn.Conv3d(middle, channels, (3, 1, 1), padding=(1, 0, 0), bias=False),
        nn.BatchNorm3d(channels),
        nn.ReLU(),
    )


class FactoredBlock(nn.Module):
    """Two factored convolutions and a shortcut."""

    def __init__(self, channels_in: int, channels_out: int, stride: int = 1) -> None:
        super().__init__()
        # So wide that the pair has as many weights as one 3 x 3 x 3 convolution (section 3.5 of the paper).
        middle = (channels_in * channels_out * 27) // (channels_in * 9 + 3 * channels_out)
        self.conv1 = nn.Sequential(
            factored_conv(channels_in, middle, channels_out, stride), nn.BatchNorm3d(channels_out), nn.ReLU()
        )
        self.conv2 = nn.Sequential(factored_conv(channels_out, middle, channels_out), nn.BatchNorm3d(channels_out))
        self.relu = nn.ReLU()
        self.downsample = None
        if stride != 1 or channels_in != channels_out:
            shortcut = nn.Conv3d(channels_in, channels_out, 1, stride=stride, bias=False)
            self.downsample = nn.Sequential(shortcut, nn.BatchNorm3d(channels_out))

    def forward(self, volume: torch.Tensor) -> torch.Tensor:
        shortcut = volume if self.downsample is None else self.downsample(volume)
        return self.relu(self.conv2(self.conv1(volume)) + shortcut)


def factored_conv(channels_in: int, middle: int, channels_out: int, stride: int = 1) -> nn.Sequential:
    """A 1 x 3 x 3 convolution in space, then a 3 x 1 x 1 convolution in time."""
    return nn.Sequential(
        nn.Conv3d(channels_in, middle, (1, 3, 3), stride=(1, stride, stride), padding=(0, 1, 1), bias=False),
        nn.BatchNorm3d(middle),
        nn.ReLU(),
        nn.Conv3d(middle, channels_out, (3, 1, 1), stride=(stride, 1, 1), padding=(1, 0, 0), bias=False),
    )
