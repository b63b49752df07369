"""The one schema of every data set: which columns there are, and of what type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from datasets import ClassLabel, Dataset, DatasetInfo, Features, Image, List, Value, Video

UNKNOWN = -1
"""Value of an attribute, or of a label in a batch, that nobody has annotated."""


@dataclass(frozen=True)
class Vocabulary:
    """The names behind a data set's numbers, the same for all of its splits, in label order."""

    actions: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    subject_groups: tuple[str, ...] = ()


def all_features(vocabulary: Vocabulary) -> Features:
    """Every column that a data set may have. A data set leaves out those it knows nothing about.

    `video` or `image` is {"path", "bytes"} and never decoded by `datasets`. `segments` are in seconds;
    `frame_labels` count frames from 0, `last` included. `view` is a direction in degrees or a camera number.
    """
    return Features(
        {
            "video": Video(decode=False),
            "image": Image(decode=False),
            "action": ClassLabel(names=list(vocabulary.actions)),
            "attributes": {name: Value("int8") for name in vocabulary.attributes},
            "person": ClassLabel(names=list(vocabulary.persons)),
            "subject_group": ClassLabel(names=list(vocabulary.subject_groups)),
            "domain": Value("string"),
            "view": Value("int32"),
            "condition": Value("string"),
            "segments": List({"start": Value("float32"), "end": Value("float32"), "label": Value("string")}),
            "frame_labels": List(
                {"name": Value("string"), "first": Value("int32"), "last": Value("int32"), "value": Value("int8")}
            ),
            "text": Value("string"),
        }
    )


def build_dataset(
    columns: Mapping[str, Sequence[Any]], vocabulary: Vocabulary, split: str, description: str = "", terms: str = ""
) -> Dataset:
    """A data set with these columns of the schema, in the schema's order.

    Args:
        columns: values by column; ClassLabel columns may hold names or numbers. `video` holds paths.
        terms: the licence of the videos, kept in `dataset.info.license`.
    """
    every = all_features(vocabulary)
    unknown = sorted(set(columns) - set(every))
    if unknown:
        raise ValueError(f"columns {', '.join(unknown)} are not in the schema; it has {', '.join(every)}")
    features = Features({name: feature for name, feature in every.items() if name in columns})
    values = {name: list(columns[name]) for name in features}
    for name in ("video", "image"):
        if name in values:
            values[name] = [{"path": str(path), "bytes": None} for path in values[name]]
    info = DatasetInfo(description=description, license=terms, features=features)
    return Dataset.from_dict(values, features=features, info=info, split=split)


def media_column(dataset: Dataset) -> str:
    """The name of the column that holds the pixels: "video" or "image"."""
    for name in ("video", "image"):
        if name in dataset.features:
            return name
    raise ValueError(f'the data set has neither a "video" nor an "image" column; it has {dataset.column_names}')


def class_names(dataset: Dataset, column: str) -> tuple[str, ...]:
    """Names of a label column ("action", "person" or "subject_group") in label order; empty when it is not there."""
    feature = dataset.features.get(column)
    return tuple(feature.names) if isinstance(feature, ClassLabel) else ()


def attribute_names(dataset: Dataset) -> tuple[str, ...]:
    """Names of the private attributes, in the order of a batch's `attributes`."""
    return tuple(dataset.features.get("attributes", {}))
