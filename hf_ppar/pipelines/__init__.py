"""Pipelines: what people call."""

from .video_anonymization import VideoAnonymizationPipeline

__all__ = ["VideoAnonymizationPipeline"]
