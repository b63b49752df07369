"""What every recognizer's configuration has: its heads."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any, Literal, NamedTuple

from huggingface_hub.dataclasses import strict
from transformers import PreTrainedConfig

ProblemType = Literal["single_label_classification", "multi_label_classification"]
PROBLEM_TYPES = ("single_label_classification", "multi_label_classification")


class Head(NamedTuple):
    """One question that a recognizer answers: how many outputs, and whether one or several of them are right."""

    num_labels: int
    problem_type: ProblemType


@strict
class RecognizerConfig(PreTrainedConfig):
    """Base of the recognizers' configurations.

    One head is given as everywhere in transformers, by `num_labels` (or `id2label`) and `problem_type`:
    "single_label_classification" for an action or an identity (cross entropy), "multi_label_classification" for
    private attributes (binary cross entropy). Named heads on one trunk are given by `heads`; `num_labels` is then the
    sum of theirs, and the outputs are ordered by the heads' names.

    Args:
        heads: name -> (num_labels, problem_type), such as `{"identity": (20, "single_label_classification"),
            "attributes": (5, "multi_label_classification")}`; None for one head.
    """

    problem_type: ProblemType = "single_label_classification"
    heads: dict[str, Any] | None = None

    def __post_init__(self, **kwargs: Any) -> None:
        if self.heads is not None:
            # By name, because a saved config is sorted and the order decides which outputs are whose.
            self.heads = {name: Head(*_checked_head(name, self.heads[name])) for name in sorted(self.heads)}
            total = sum(head.num_labels for head in self.heads.values())
            if self.id2label is not None and len(self.id2label) != total:
                raise ValueError(f"id2label has {len(self.id2label)} labels but heads have {total} outputs in all")
            kwargs["num_labels"] = total
            if len(self.heads) == 1:
                self.problem_type = next(iter(self.heads.values())).problem_type
        super().__post_init__(**kwargs)


def _checked_head(name: str, head: Any) -> tuple[int, ProblemType]:
    if not isinstance(head, (list, tuple)) or len(head) != 2:
        raise ValueError(f"heads[{name!r}] must be (num_labels, problem_type), got {head!r}")
    num_labels, problem_type = head
    if problem_type not in PROBLEM_TYPES:
        raise ValueError(f"heads[{name!r}] has the problem type {problem_type!r}; allowed are {PROBLEM_TYPES}")
    least = 2 if problem_type == "single_label_classification" else 1
    if not isinstance(num_labels, int) or num_labels < least:
        raise ValueError(f"heads[{name!r}] must have at least {least} labels for {problem_type}, got {num_labels!r}")
    return num_labels, problem_type
