"""One training loop for all recipes, on Accelerate."""

from .arguments import TrainingArguments
from .checkpoint import CheckpointError
from .loop import TrainingResult, train

__all__ = ["CheckpointError", "TrainingArguments", "TrainingResult", "train"]
