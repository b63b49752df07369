"""transformers' video classifiers as recognizers."""

from __future__ import annotations

from typing import Any

import torch
from transformers import AutoConfig, AutoModelForVideoClassification

from ..base import check_weights
from .configuration_video_classifier import VideoClassifierRecognizerConfig
from .fitting import fit_frames, fit_picture
from .heads import Labels
from .modeling_recognizer import RecognizerModel, RecognizerOutput
from .pixel_statistics import read_pixel_statistics

# Layers that a classifier adds to its encoder; they start at random when the labels are new.
_HEAD_LAYERS = ("classifier.", "fc_norm.", "pooler.")


class VideoClassifierRecognizer(RecognizerModel):
    """A video classifier of transformers that takes clips in [0, 1] of any size and length.

    Frames are scaled and cut to the model's size, sampled evenly to its number, and normalised as its processor does.

    Example:
        >>> model = VideoClassifierRecognizer.from_classifier("MCG-NJU/videomae-base-finetuned-kinetics")
        >>> model(torch.rand(1, 32, 3, 128, 171)).logits.shape
        torch.Size([1, 400])
    """

    config_class = VideoClassifierRecognizerConfig
    _supports_sdpa = True

    def __init__(self, config: VideoClassifierRecognizerConfig) -> None:
        super().__init__(config)
        self.classifier = AutoModelForVideoClassification.from_config(config.classifier)
        self.post_init()

    def forward(self, pixel_values: torch.Tensor, labels: Labels | None = None) -> RecognizerOutput:
        """Clip (batch, frames, 3, height, width) in [0, 1] -> logits (batch, num_labels)."""
        clip = fit_picture(fit_frames(self.prepare(pixel_values), self.config.num_frames), self.config.frame_size)
        # V-JEPA 2 names its input differently.
        return self.answer(self.classifier(**{self.classifier.main_input_name: clip}).logits, labels)

    @classmethod
    def from_classifier(cls, name: str, *, revision: str | None = None, **labels: Any) -> VideoClassifierRecognizer:
        """Wrap the model in a directory or under a Hub id.

        Args:
            labels: `num_labels` or `id2label`, `problem_type`, `heads` of the wrapper's config. If they ask for
                another number of outputs than the model has, its head starts at random and has to be trained.
        """
        classifier_config = AutoConfig.from_pretrained(name, revision=revision)
        mean, std = read_pixel_statistics(name, classifier_config.model_type, revision)
        config = cls.config_class(classifier=classifier_config, image_mean=mean, image_std=std, **labels)
        recognizer = cls(config)
        recognizer.classifier = load_classifier(name, config, revision, classifier_config.num_labels)
        return recognizer.eval()


def load_classifier(
    name: str, config: VideoClassifierRecognizerConfig, revision: str | None, saved_labels: int
) -> torch.nn.Module:
    """The wrapped model with its weights, all of which have to be there but those of a head that is new."""
    new_head = config.num_labels != saved_labels
    model, info = AutoModelForVideoClassification.from_pretrained(
        name,
        config=config.classifier,
        revision=revision,
        use_safetensors=True,
        ignore_mismatched_sizes=new_head,
        output_loading_info=True,
    )
    if new_head:
        kinds = ("missing_keys", "mismatched_keys")  # what a new head leaves over, such as a decoder, is no mistake
        info = {kind: [key for key in info[kind] if not _belongs_to_head(key)] for kind in kinds}
        info["unexpected_keys"] = []
    check_weights(name, info)
    return model


def _belongs_to_head(key: Any) -> bool:
    parameter = key if isinstance(key, str) else key[0]  # a mismatch comes with its two shapes
    return parameter.startswith(_HEAD_LAYERS)
