"""The public names, and the one place that registers them with transformers."""

from .models import (
    AnonymizerConfig,
    AnonymizerModel,
    AnonymizerOutput,
    ModelError,
    list_anonymizers,
    list_checkpoints,
    load_anonymizer,
)
from .models.privacy_classifier import (
    PrivacyClassifierConfig,
    PrivacyVideoClassifier,
    load_privacy_classifier,
)
from .models.privrate import PrivRateAnonymizer, PrivRateConfig
from .pipelines import PrivacyVideoClassificationPipeline, VideoAnonymizationPipeline
from .processing import AnonymizerProcessor
from .receipt import Receipt
from .registration import register
from .streaming import AnonymizeOptions, anonymize, anonymize_video
from .video import VideoError, WriteOptions

__all__ = [
    "AnonymizeOptions",
    "AnonymizerConfig",
    "AnonymizerModel",
    "AnonymizerOutput",
    "AnonymizerProcessor",
    "ModelError",
    "PrivRateAnonymizer",
    "PrivRateConfig",
    "PrivacyClassifierConfig",
    "PrivacyVideoClassificationPipeline",
    "PrivacyVideoClassifier",
    "Receipt",
    "VideoAnonymizationPipeline",
    "VideoError",
    "WriteOptions",
    "anonymize",
    "anonymize_video",
    "list_anonymizers",
    "list_checkpoints",
    "load_anonymizer",
    "load_privacy_classifier",
]

register()
