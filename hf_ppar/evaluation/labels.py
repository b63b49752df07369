"""The labels of a split as arrays, and which of them are private."""

from __future__ import annotations

import numpy as np
from datasets import Dataset

from ..data import attribute_names, class_names
from ..data.schema import UNKNOWN


def private_targets(dataset: Dataset) -> tuple[str, ...]:
    """Which private labels there are: "person", "attributes" or both."""
    has = {"person": bool(class_names(dataset, "person")), "attributes": bool(attribute_names(dataset))}
    return tuple(target for target, there in has.items() if there)


def read_labels(dataset: Dataset) -> dict[str, np.ndarray]:
    """Labels as arrays: "action" (N,), "person" (N,), "attributes" (N, A); -1 is unknown."""
    labels = {
        column: np.array([_known(value) for value in dataset[column]])
        for column in ("action", "person")
        if class_names(dataset, column)
    }
    names = attribute_names(dataset)
    if names:
        labels["attributes"] = np.array([[_known(row[name]) for name in names] for row in dataset["attributes"]])
    return labels


def accuracy(logits: np.ndarray, labels: np.ndarray) -> float:
    """Share of known labels (N,) that the logits (N, classes) name."""
    known = labels >= 0
    return float((logits.argmax(1) == labels)[known].mean()) if known.any() else 0.0


def is_constant(labels: np.ndarray) -> bool:
    """Whether the known labels (N,), or those of every attribute (N, A), are all alike."""
    columns = labels.T if labels.ndim == 2 else labels[None]
    return all(len(np.unique(column[column >= 0])) < 2 for column in columns)


def _known(value: int | None) -> int:
    return UNKNOWN if value is None else value
