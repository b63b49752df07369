"""LaF-Privacy: anonymize without labels, for a frozen vision-language model that names actions."""

from .configuration_lafprivacy import LaFPrivacyConfig
from .modeling_lafprivacy import LaFPrivacyAnonymizer, LaFPrivacyOutput
from .vision_language import VisionLanguageModel, load_vision_language_model

__all__ = [
    "LaFPrivacyAnonymizer",
    "LaFPrivacyConfig",
    "LaFPrivacyOutput",
    "VisionLanguageModel",
    "load_vision_language_model",
]
