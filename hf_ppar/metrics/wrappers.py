"""The metrics as `evaluate.Metric`s: thin, offline, computed by the pure functions.

    from hf_ppar.metrics.wrappers import TopKAccuracy
    metric = TopKAccuracy()
    metric.add_batch(predictions=scores, references=labels)
    metric.compute(k=5)

`predictions` are scores, `references` labels with -1 for unknown. Everything stays on this machine; `evaluate` keeps
the scores in its cache folder until `compute`, or in memory with `keep_in_memory=True`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import datasets
import evaluate

from .accuracy import top_k_accuracy
from .attributes import AttributeScores
from .average_precision import cmap
from .chance import Scored
from .f1 import f1_macro, f1_positive
from .groups import group_accuracy_gap
from .identity import mean_rank, verification_eer
from .registry import METRICS
from .roc import roc_auc

CITATION = "hf_ppar: privacy-preserving action recognition on the Hugging Face stack"
NUMBER = datasets.Value("float64")
LABEL = datasets.Value("int64")


class PureMetric(evaluate.Metric):
    """An `evaluate.Metric` that is named, described and typed by class attributes."""

    metric: ClassVar[str]
    inputs: ClassVar[dict[str, Any]]

    def _info(self) -> evaluate.MetricInfo:
        info = METRICS[self.metric]
        direction = "higher" if info.higher_is_better else "lower"
        return evaluate.MetricInfo(
            description=f"{info.meaning} (in [{info.minimum:g}, {info.maximum:g}], {direction} is better at the task)",
            citation=CITATION,
            inputs_description=" ".join((type(self).__doc__ or "").split()),
            features=datasets.Features(self.inputs),
        )


class TopKAccuracy(PureMetric):
    """`predictions` (N, classes) scores and `references` (N,); `compute(k=5)` for top-5."""

    metric = "top_1"
    inputs: ClassVar = {"predictions": datasets.Sequence(NUMBER), "references": LABEL}

    def _compute(self, predictions: Any, references: Any, k: int = 1) -> dict[str, Any]:
        return flatten(f"top_{k}", top_k_accuracy(predictions, references, k))


class MeanRank(PureMetric):
    """`predictions` (N, persons) scores and `references` (N,)."""

    metric = "mean_rank"
    inputs: ClassVar = {"predictions": datasets.Sequence(NUMBER), "references": LABEL}

    def _compute(self, predictions: Any, references: Any) -> dict[str, Any]:
        return flatten(self.metric, mean_rank(predictions, references))


class CMAP(PureMetric):
    """`predictions` (N, attributes) scores and `references` (N, attributes); `compute(names=[...])` names them."""

    metric = "cmap"
    inputs: ClassVar = {"predictions": datasets.Sequence(NUMBER), "references": datasets.Sequence(LABEL)}

    def _compute(self, predictions: Any, references: Any, names: Any = None) -> dict[str, Any]:
        return flatten(self.metric, cmap(predictions, references, names))


class F1Positive(PureMetric):
    """`predictions` (N, attributes) probabilities and `references` (N, attributes); `compute(names=[...])`."""

    metric = "f1_positive"
    inputs: ClassVar = {"predictions": datasets.Sequence(NUMBER), "references": datasets.Sequence(LABEL)}

    def _compute(self, predictions: Any, references: Any, names: Any = None) -> dict[str, Any]:
        return flatten(self.metric, f1_positive(predictions, references, names))


class F1Macro(PureMetric):
    """`predictions` (N, attributes) probabilities and `references` (N, attributes); `compute(names=[...])`."""

    metric = "f1_macro"
    inputs: ClassVar = {"predictions": datasets.Sequence(NUMBER), "references": datasets.Sequence(LABEL)}

    def _compute(self, predictions: Any, references: Any, names: Any = None) -> dict[str, Any]:
        return flatten(self.metric, f1_macro(predictions, references, names))


class RocAuc(PureMetric):
    """`predictions` (N,) scores and `references` (N,) 0/1."""

    metric = "roc_auc"
    inputs: ClassVar = {"predictions": NUMBER, "references": LABEL}

    def _compute(self, predictions: Any, references: Any) -> dict[str, Any]:
        return flatten(self.metric, roc_auc(predictions, references))


class VerificationEER(PureMetric):
    """`predictions` (pairs,) similarities and `references` (pairs,) 1 same person, 0 different."""

    metric = "verification_eer"
    inputs: ClassVar = {"predictions": NUMBER, "references": LABEL}

    def _compute(self, predictions: Any, references: Any) -> dict[str, Any]:
        return flatten(self.metric, verification_eer(predictions, references))


class GroupAccuracyGap(PureMetric):
    """`predictions` (N,) class numbers, `references` (N,) labels and `groups` (N,) names."""

    metric = "group_accuracy_gap"
    inputs: ClassVar = {"predictions": LABEL, "references": LABEL, "groups": datasets.Value("string")}

    def _compute(self, predictions: Any, references: Any, groups: Any) -> dict[str, Any]:
        gap = group_accuracy_gap(predictions, references, groups)
        return {self.metric: gap.value, "accuracies": gap.accuracies, "counts": gap.counts, "unknown": gap.unknown}


def flatten(name: str, result: Scored) -> dict[str, Any]:
    """A result as the flat dict that trainers log: the value under its name, its levels and gain beside it."""
    flat: dict[str, Any] = {name: result.value, f"{name}_chance": result.levels.chance, f"{name}_gain": result.gain}
    if result.levels.majority is not None:
        flat[f"{name}_majority"] = result.levels.majority
    if result.levels.all_positive is not None:
        flat[f"{name}_all_positive"] = result.levels.all_positive
    flat |= {"count": result.count, "unknown": result.unknown}
    if isinstance(result, AttributeScores):
        flat |= {"per_attribute": result.per_attribute(), "left_out": result.left_out}
    return flat
