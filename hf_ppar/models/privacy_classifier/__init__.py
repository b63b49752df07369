"""An anonymizer and a recognizer as one model."""

from .configuration_privacy_classifier import PrivacyClassifierConfig
from .loading import load_privacy_classifier
from .modeling_privacy_classifier import PrivacyClassifierOutput, PrivacyVideoClassifier

__all__ = [
    "PrivacyClassifierConfig",
    "PrivacyClassifierOutput",
    "PrivacyVideoClassifier",
    "load_privacy_classifier",
]
