"""What a data set can be asked: the targets that it has labels of, and the names of their answers."""

from __future__ import annotations

from collections.abc import Mapping

from datasets import Dataset
from torch import nn

from ..data import attribute_names, class_names
from ..models.recognizers import RecognizerModel


def name_outputs(dataset: Dataset) -> dict[str, list[str]]:
    """Target -> its classes, or the attributes; targets without labels are left out."""
    names = {
        "action": class_names(dataset, "action"),
        "person": class_names(dataset, "person"),
        "attributes": attribute_names(dataset),
    }
    return {target: list(answers) for target, answers in names.items() if answers}


def count_outputs(dataset: Dataset) -> dict[str, int]:
    """Target -> how many classes or attributes there are."""
    return {target: len(names) for target, names in name_outputs(dataset).items()}


def label_recognizers(modules: Mapping[str, nn.Module], dataset: Dataset) -> None:
    """Write the names of their answers into the configs of recognizers that are about to be trained on a data set."""
    names = name_outputs(dataset)
    for module in modules.values():
        if not isinstance(module, RecognizerModel):
            continue
        heads = module.config.heads
        if heads is None or not set(heads) <= set(names):
            continue
        answers = [answer for target in heads for answer in names[target]]
        module.config.id2label = dict(enumerate(answers))
        module.config.label2id = {answer: number for number, answer in enumerate(answers)}
