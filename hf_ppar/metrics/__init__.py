"""How well an action is recognised and how much an attacker still learns; every value beside what guessing scores.

Pure functions on arrays or tensors; `hf_ppar.metrics.wrappers` has them as `evaluate.Metric`s (needs `evaluate`).
`METRICS` says each one's range and direction.
"""

from .accuracy import TopK, top_k_accuracy, top_k_credit
from .attribute_table import attribute_table
from .attributes import AttributeScore, AttributeScores
from .average_precision import average_precision, cmap
from .bootstrap import Interval, bootstrap_interval, bootstrap_mean
from .chance import (
    Levels,
    Scored,
    average_precision_levels,
    f1_macro_levels,
    f1_positive_levels,
    top_k_levels,
)
from .checks import UNKNOWN, UndefinedMetricError
from .f1 import f1_macro, f1_positive
from .groups import GroupGap, group_accuracy_gap
from .identity import LowerIsBetter, embedding_pairs, identity_top_1, mean_rank, verification_eer
from .registry import METRICS, MetricInfo
from .retrieval import Retrieval, retrieval
from .roc import roc_auc
from .similarity import psnr, ssim
from .tradeoff import Anchors, Hypervolume, normalized_hypervolume, pareto_front
from .views import VideoScores, average_views

__all__ = [
    "METRICS",
    "UNKNOWN",
    "Anchors",
    "AttributeScore",
    "AttributeScores",
    "GroupGap",
    "Hypervolume",
    "Interval",
    "Levels",
    "LowerIsBetter",
    "MetricInfo",
    "Retrieval",
    "Scored",
    "TopK",
    "UndefinedMetricError",
    "VideoScores",
    "attribute_table",
    "average_precision",
    "average_precision_levels",
    "average_views",
    "bootstrap_interval",
    "bootstrap_mean",
    "cmap",
    "embedding_pairs",
    "f1_macro",
    "f1_macro_levels",
    "f1_positive",
    "f1_positive_levels",
    "group_accuracy_gap",
    "identity_top_1",
    "mean_rank",
    "normalized_hypervolume",
    "pareto_front",
    "psnr",
    "retrieval",
    "roc_auc",
    "ssim",
    "top_k_accuracy",
    "top_k_credit",
    "top_k_levels",
    "verification_eer",
]
