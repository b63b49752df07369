"""Configuration of the wrapper around transformers' video classifiers."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any, ClassVar

from huggingface_hub.dataclasses import strict
from transformers import AutoConfig, PreTrainedConfig

from ..layers.normalization import IMAGENET_MEAN, IMAGENET_STD
from .configuration_recognizer import RecognizerConfig


@strict
class VideoClassifierRecognizerConfig(RecognizerConfig):
    """A VideoMAE, ViViT, TimeSformer or V-JEPA 2 classifier, and how it wants its clips.

    Labels are those of the classifier unless others are given here.

    Args:
        classifier: the wrapped model's own config.
        num_frames: frames that the classifier is given; None is its own number. V-JEPA 2 and TimeSformer work with
            others.
        image_mean, image_std: for pixels in [0, 1].
    """

    model_type = "ppar_video_classifier_recognizer"
    sub_configs: ClassVar[dict[str, Any]] = {"classifier": AutoConfig}

    classifier: dict[str, Any] | PreTrainedConfig | None = None
    num_frames: int | None = None
    image_mean: tuple[float, ...] | list[float] = IMAGENET_MEAN
    image_std: tuple[float, ...] | list[float] = IMAGENET_STD

    def __post_init__(self, **kwargs: Any) -> None:
        classifier = as_config(self.classifier, default="videomae")
        self.classifier = classifier
        if self.num_frames is None:
            self.num_frames = classifier.frames_per_clip if hasattr(classifier, "crop_size") else classifier.num_frames
        if self.id2label is None and self.heads is None and "num_labels" not in kwargs:
            self.id2label: dict[int, str] | None = dict(classifier.id2label)
        super().__post_init__(**kwargs)
        # A config may come with one of the two only.
        self.label2id = {label: number for number, label in (self.id2label or {}).items()}
        classifier.id2label, classifier.label2id = self.id2label, self.label2id

    @property
    def frame_size(self) -> tuple[int, int]:
        """(height, width) of the frames that the classifier takes; V-JEPA 2 calls it `crop_size`."""
        size = getattr(self.classifier, "crop_size", None) or self.classifier.image_size  # type: ignore[union-attr]
        return (size, size) if isinstance(size, int) else (size[0], size[1])

    @classmethod
    def tiny(cls, **changes: Any) -> "VideoClassifierRecognizerConfig":
        """A VideoMAE for clips of 8 x 48 x 48 that trains in minutes on two CPU cores: 0.5 M parameters."""
        sizes: dict[str, Any] = {
            "model_type": "videomae",
            "image_size": 48,
            "patch_size": 8,
            "num_frames": 8,
            "hidden_size": 96,
            "num_hidden_layers": 4,
            "num_attention_heads": 3,
            "intermediate_size": 384,
        }
        return cls(**{"classifier": sizes, **changes})


def as_config(value: dict[str, Any] | PreTrainedConfig | None, default: str) -> PreTrainedConfig:
    """A nested config from what config.json holds, through a copy; None is the default config of that family."""
    settings = value.to_dict() if isinstance(value, PreTrainedConfig) else dict(value or {})
    settings.pop("_name_or_path", None)  # somebody's directory has no place in a published config
    return AutoConfig.for_model(settings.pop("model_type", default), **settings)
