"""Configuration of the heads on feature vectors."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any

from huggingface_hub.dataclasses import strict

from .configuration_recognizer import RecognizerConfig


@strict
class FeatureRecognizerConfig(RecognizerConfig):
    """A small network on the features of a frozen encoder, as SPLAVU judges latents (appendix, implementation).

    With one layer it is the linear action classifier, with two the private-attribute predictor Linear(d, d), ReLU,
    Linear(d, A).

    Args:
        input_size: width d of a feature vector.
        num_layers: linear layers; 1 is a linear probe.
        hidden_size: width between layers; None is `input_size`.
    """

    model_type = "ppar_feature_recognizer"

    input_size: int = 768
    num_layers: int = 2
    hidden_size: int | None = None

    def __post_init__(self, **kwargs: Any) -> None:
        if self.num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {self.num_layers}")
        super().__post_init__(**kwargs)

    @classmethod
    def tiny(cls, **changes: Any) -> "FeatureRecognizerConfig":
        """For features of width 96, such as those of the tiny tubelet transformer."""
        return cls(**{"input_size": 96, **changes})
