"""The recognizer contract: clip in, logits and loss out.

A recognizer takes a clip (batch, frames, 3, height, width), float RGB in [0, 1], normalises it for itself, gives the
same answer in eval mode for a clip alone or in a batch, and round-trips through `save_pretrained` /
`from_pretrained` exactly. An attacker is a recognizer of private attributes or identity.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel
from transformers import initialization as init
from transformers.utils import ModelOutput

from ..base import check_clip, load_completely
from ..layers import PositionEmbedding, TubeletEmbedding, init_layer, normalize_clip
from .configuration_recognizer import RecognizerConfig
from .heads import Labels, recognition_loss, split_logits


@dataclass
class RecognizerOutput(ModelOutput):
    """What a recognizer returns: transformers' `ImageClassifierOutput` and what attackers need besides.

    Args:
        loss: scalar, if labels were given.
        logits: (batch, num_labels), before softmax or sigmoid.
        head_logits: {name: (batch, num_labels of the head)} for a model with several heads.
        features: (batch, hidden), the pooled vector that the last layer sees; None if the model does not show it.
        hidden_states: the trunk's states from first to last, if they were asked for.
    """

    loss: torch.Tensor | None = None
    logits: torch.Tensor | None = None
    head_logits: dict[str, torch.Tensor] | None = None
    features: torch.Tensor | None = None
    hidden_states: tuple[torch.Tensor, ...] | None = None


class RecognizerModel(PreTrainedModel):
    """Base of every recognizer. A kind implements `forward` with `prepare` before its trunk and `answer` after it.

    `RecognizerModel.from_pretrained` takes a directory or a Hub id and returns the right subclass.
    """

    config_class = RecognizerConfig
    base_model_prefix = "recognizer"
    main_input_name = "pixel_values"
    input_modalities = ("video",)

    def prepare(self, pixel_values: torch.Tensor) -> torch.Tensor:
        """Check a clip in [0, 1] and normalise it with the config's mean and standard deviation.

        The range is enforced for data. A clip that carries gradients, or any clip in training mode, may come from an
        anonymizer that is still learning its range.
        """
        lenient = self.training or pixel_values.requires_grad
        check_clip(pixel_values.detach().clamp(0, 1) if lenient else pixel_values)
        return normalize_clip(pixel_values.to(self.dtype), self.config.image_mean, self.config.image_std)

    def answer(
        self,
        logits: torch.Tensor,
        labels: Labels | None,
        features: torch.Tensor | None = None,
        hidden_states: tuple[torch.Tensor, ...] | None = None,
    ) -> RecognizerOutput:
        """Logits (batch, num_labels) and labels -> the output, with the loss if there are labels."""
        return RecognizerOutput(
            loss=None if labels is None else recognition_loss(logits, labels, self.config),
            logits=logits,
            head_logits=None if self.config.heads is None else split_logits(logits, self.config.heads),
            features=features,
            hidden_states=hidden_states,
        )

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Conv3d):
            init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        elif not init_layer(module, (TubeletEmbedding, PositionEmbedding)):
            super()._init_weights(module)

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: str | os.PathLike[str], *args: Any, **kwargs: Any) -> Any:
        """Load from a directory or Hub id; on the base class this finds the right subclass.

        Weights come from safetensors only, and all of them have to be there: an attacker with a layer left at random
        would report more privacy than there is.
        """
        if cls is RecognizerModel:
            from .loading import load_recognizer

            return load_recognizer(pretrained_model_name_or_path, *args, **kwargs)
        return load_completely(super().from_pretrained, pretrained_model_name_or_path, *args, **kwargs)
