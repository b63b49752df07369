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
from .models.privrate import PrivRateAnonymizer, PrivRateConfig
from .pipelines import VideoAnonymizationPipeline
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
    "Receipt",
    "VideoAnonymizationPipeline",
    "VideoError",
    "WriteOptions",
    "anonymize",
    "anonymize_video",
    "list_anonymizers",
    "list_checkpoints",
    "load_anonymizer",
]

register()
