"""Anonymizers as transformers models."""

from ..shipped import list_checkpoints
from .base import AnonymizerConfig, AnonymizerModel, AnonymizerOutput
from .loading import ModelError, list_anonymizers, load_anonymizer

__all__ = [
    "AnonymizerConfig",
    "AnonymizerModel",
    "AnonymizerOutput",
    "ModelError",
    "list_anonymizers",
    "list_checkpoints",
    "load_anonymizer",
]
