"""Losses of the methods: pure functions, one a file."""

from .confusion import CONFUSIONS, confusion
from .sparsity import sparsity

__all__ = ["CONFUSIONS", "confusion", "sparsity"]
