"""Anonymizers as transformers models."""

from .base import AnonymizerConfig, AnonymizerModel, AnonymizerOutput
from .loading import ModelError, list_anonymizers, load_anonymizer
from .shipped import list_checkpoints

__all__ = [
    "AnonymizerConfig",
    "AnonymizerModel",
    "AnonymizerOutput",
    "ModelError",
    "list_anonymizers",
    "list_checkpoints",
    "load_anonymizer",
]
