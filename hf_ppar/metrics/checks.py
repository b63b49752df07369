"""Arrays as the metrics want them: finite scores, whole-number labels, matching lengths; anything else is refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike

UNKNOWN = -1
"""The label of what nobody annotated: left out of every metric and counted in its result."""


class UndefinedMetricError(ValueError):
    """The input is well-formed but the metric has no value on it, e.g. average precision without a positive."""


def as_array(name: str, values: ArrayLike) -> np.ndarray:
    """A non-empty numpy array of lists, arrays or tensors (any device, any float type)."""
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu()
        values = values.double().numpy() if values.is_floating_point() else values.numpy()
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a regular array, got rows of different lengths; pad or split it") from error
    if array.size == 0:
        raise ValueError(f"{name} is empty (shape {array.shape}); a metric needs at least one row")
    return array


def as_scores(name: str, values: ArrayLike, dimensions: int) -> np.ndarray:
    """Finite float64 scores with the given number of dimensions."""
    array = as_array(name, values)
    if array.ndim != dimensions:
        raise ValueError(f"{name} must have {dimensions} dimension(s), got shape {array.shape}; reshape it")
    if not (np.issubdtype(array.dtype, np.number) or array.dtype == bool) or np.iscomplexobj(array):
        raise ValueError(f"{name} must hold real numbers, got dtype {array.dtype}")
    array = array.astype(np.float64, copy=False)
    finite = np.isfinite(array)
    if not finite.all():
        first = tuple(int(index) for index in np.argwhere(~finite)[0])
        raise ValueError(
            f"{name} must be finite, got {int((~finite).sum())} NaN or infinite value(s), the first is {array[first]} "
            f"at index {first}; the model that made them diverged or divided by zero"
        )
    return array


def as_probabilities(name: str, values: ArrayLike, dimensions: int) -> np.ndarray:
    """Scores in [0, 1]."""
    array = as_scores(name, values, dimensions)
    outside = array[(array < 0) | (array > 1)]
    if outside.size:
        raise ValueError(
            f"{name} must be probabilities in [0, 1], got {outside[0]:g}; apply a sigmoid to logits first"
        )
    return array


def as_labels(name: str, values: ArrayLike, shape: Sequence[int], classes: int | None = None) -> np.ndarray:
    """Whole-number labels of the given shape in [0, classes), or -1 for unknown; at least one is known."""
    array = as_array(name, values)
    if array.shape != tuple(shape):
        raise ValueError(f"{name} must have shape {tuple(shape)} to match the scores, got {array.shape}")
    labels = as_whole_numbers(name, array)
    allowed = "0 or more" if classes is None else f"in 0..{classes - 1}"
    bad = labels[(labels < UNKNOWN) | (labels >= (np.inf if classes is None else classes))]
    if bad.size:
        raise ValueError(
            f"{name} must be {allowed}, or -1 for unknown, got {int(bad[0])}; renumber the classes from 0, one "
            f"a column of the scores"
        )
    if (labels == UNKNOWN).all():
        raise UndefinedMetricError(f"{name} are all -1 (unknown); at least one known label is needed")
    return labels


def as_whole_numbers(name: str, array: np.ndarray) -> np.ndarray:
    """int64 of an integer, boolean or whole-valued float array."""
    if array.dtype == bool or np.issubdtype(array.dtype, np.integer):
        return array.astype(np.int64, copy=False)
    if not np.issubdtype(array.dtype, np.floating):
        raise ValueError(f"{name} must be whole numbers, got dtype {array.dtype}; map names to class numbers first")
    fractional = array[~(np.isfinite(array) & (array == np.round(array)))]
    if fractional.size:
        raise ValueError(f"{name} must be whole numbers, got {fractional.flat[0]}; threshold or round them first")
    return array.astype(np.int64)


def as_ids(name: str, values: ArrayLike, count: int) -> np.ndarray:
    """One id (number or string) a row: videos, persons, groups."""
    array = as_array(name, values)
    if array.shape != (count,):
        raise ValueError(f"{name} must have one entry for each of the {count} rows, got shape {array.shape}")
    if array.dtype == object and any(entry is None for entry in array):
        raise ValueError(f"{name} must not be None; use -1 for unknown")
    if np.issubdtype(array.dtype, np.floating) and not np.isfinite(array).all():
        raise ValueError(f"{name} must not be NaN or infinite; drop these rows or give them an id")
    return array


def require_both(name: str, positive: np.ndarray) -> None:
    """Refuse labels of one class only: nothing can be ranked or told apart."""
    if positive.all() or not positive.any():
        only = "positive" if positive.any() else "negative"
        raise UndefinedMetricError(
            f"{name} has one class only (all {positive.size} known labels are {only}); both classes are needed, so "
            f"leave it out or evaluate on more videos"
        )
