"""Configuration of an anonymizer and a recognizer as one model."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any, ClassVar

from huggingface_hub.dataclasses import strict
from transformers import AutoConfig, PreTrainedConfig

from ..base import AnonymizerConfig
from ..recognizers.configuration_feature import FeatureRecognizerConfig
from ..recognizers.configuration_recognizer import RecognizerConfig
from ..recognizers.configuration_video_classifier import as_config
from ..recognizers.configuration_xclip import XCLIPRecognizerConfig

_FRAMES, _SIZE = 16, (112, 112)  # where neither part has its own


@strict
class PrivacyClassifierConfig(PreTrainedConfig):
    """An anonymizer, and a recognizer that sees only what it lets through; labels are the recognizer's.

    Args:
        anonymizer, recognizer: their own configs.
        num_frames, image_size: of the clips that the recognizer is given, where they differ from what its own config
            says or where that says nothing.
        num_clips: clips of a video that the pipeline averages; None follows from the video's length.
    """

    model_type = "ppar_privacy_classifier"
    sub_configs: ClassVar[dict[str, Any]] = {"anonymizer": AutoConfig, "recognizer": AutoConfig}

    anonymizer: dict[str, Any] | PreTrainedConfig | None = None
    recognizer: dict[str, Any] | PreTrainedConfig | None = None
    num_frames: int | None = None
    image_size: tuple[int, int] | list[int] | None = None
    num_clips: int | None = None

    def __post_init__(self, **kwargs: Any) -> None:
        self.anonymizer = _read_part("anonymizer", self.anonymizer, AnonymizerConfig)
        recognizer = _read_part("recognizer", self.recognizer, RecognizerConfig)
        self.recognizer = recognizer
        check_recognizer(recognizer)
        _check_clip_settings(self, recognizer)
        self.id2label: dict[int, str] | None = dict(recognizer.id2label)
        self.label2id = {label: number for number, label in self.id2label.items()}
        self.problem_type = recognizer.problem_type
        kwargs.pop("num_labels", None)
        super().__post_init__(**kwargs)

    @property
    def recognizer_clip(self) -> tuple[int | None, tuple[int, int] | None]:
        """Frames and (height, width) of the clips that the recognizer is given; None takes any."""
        own_size = getattr(self.recognizer, "frame_size", None) or getattr(self.recognizer, "image_size", None)
        size = self.image_size or own_size
        frames = self.num_frames or getattr(self.recognizer, "num_frames", None)
        return frames, None if size is None else (size[0], size[1])

    @property
    def anonymizer_clip(self) -> tuple[int, tuple[int, int]]:
        """Those of the clips that the anonymizer works on: its own, else the recognizer's, else 16 x 112 x 112."""
        frames, size = self.recognizer_clip
        own: Any = self.anonymizer
        height, width = own.image_size or size or _SIZE
        return own.num_frames or frames or _FRAMES, (height, width)


def check_recognizer(config: RecognizerConfig) -> None:
    """Refuse a recognizer that does not name one thing from clips."""
    if isinstance(config, FeatureRecognizerConfig):
        raise ValueError(f"recognizer: a {config.model_type!r} takes features; give one that takes clips")
    if config.heads is not None and len(config.heads) > 1:
        raise ValueError(
            f"recognizer: it answers several questions ({', '.join(config.heads)}); give one with one head"
        )


def _read_part(name: str, value: Any, kind: type[PreTrainedConfig]) -> Any:
    if not value or (isinstance(value, dict) and "model_type" not in value):
        raise ValueError(
            f"{name} is missing: a privacy classifier holds an anonymizer and a recognizer; "
            "build one with PrivacyVideoClassifier.from_parts(anonymizer, recognizer)"
        )
    config = as_config(value, default="")
    if not isinstance(config, kind):
        raise ValueError(f"{name}: a {config.model_type!r} is not an {name}; give the config of one")
    return config


def _check_clip_settings(config: PrivacyClassifierConfig, recognizer: RecognizerConfig) -> None:
    for name in ("num_frames", "num_clips"):
        value = getattr(config, name)
        if value is not None and value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    if config.image_size is not None and (len(config.image_size) != 2 or min(config.image_size) < 1):
        raise ValueError(f"image_size must be (height, width), both at least 1, got {config.image_size}")
    fixed = recognizer.num_frames if isinstance(recognizer, XCLIPRecognizerConfig) else None
    if fixed is not None and config.num_frames not in (None, fixed):
        raise ValueError(
            f"num_frames={config.num_frames}: this X-CLIP takes clips of exactly {fixed} frames, which is fixed in "
            "its weights; leave num_frames out"
        )
