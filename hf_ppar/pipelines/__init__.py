"""Pipelines: what people call."""

from .privacy_video_classification import PrivacyVideoClassificationPipeline
from .video_anonymization import VideoAnonymizationPipeline

__all__ = ["PrivacyVideoClassificationPipeline", "VideoAnonymizationPipeline"]
