"""What each metric's number means: its range and its direction.

The direction is said once, for the task: `higher_is_better` holds where a model that does the task better scores
higher. Privacy reads the same number the other way round. The task of an attacker is to name attributes or persons,
the task of a reconstruction is to look like the raw video, and the better they do, the worse for the person filmed:
`higher_is_more_private` is therefore the opposite for every metric that an attacker can be scored with. An equal
error rate of 0.5 is a useless face verifier and a good anonymizer. Metrics that are no task (a gap between groups, a
trade-off) have one direction for everybody, and `higher_is_more_private` is None.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MetricInfo:
    """Range, direction and meaning of a metric; `is_task` where it can score an attacker."""

    name: str
    minimum: float
    maximum: float
    higher_is_better: bool
    meaning: str
    is_task: bool = True

    @property
    def higher_is_more_private(self) -> bool | None:
        """Whether a higher score of an attacker is good news for privacy; None for what is no attacker's score."""
        return not self.higher_is_better if self.is_task else None


_INFOS = (
    MetricInfo("top_1", 0, 1, True, "share of videos whose class is scored best"),
    MetricInfo("top_5", 0, 1, True, "share of videos whose class is among the five scored best"),
    MetricInfo(
        "average_precision", 0, 1, True, "step-wise average precision of one attribute; chance: its positive rate"
    ),
    MetricInfo("cmap", 0, 1, True, "mean of the attributes' average precision; chance: mean positive rate"),
    MetricInfo("f1_positive", 0, 1, True, "mean of the attributes' positive-class F1; saying yes to all scores high"),
    MetricInfo("f1_macro", 0, 1, True, "mean of the attributes' F1, itself the mean of both classes' F1"),
    MetricInfo("roc_auc", 0, 1, True, "probability that a positive scores above a negative; chance: 0.5"),
    MetricInfo("identity_top_1", 0, 1, True, "share of videos whose person is named first; chance: 1 / persons"),
    MetricInfo("mean_rank", 1, float("inf"), False, "mean place of the true person; chance: (persons + 1) / 2"),
    MetricInfo(
        "verification_eer", 0, 1, False, "error rate of same-person decisions at equal false accepts and rejects"
    ),
    MetricInfo("recall_at_k", 0, 1, True, "share of queries with a match among the first k of the gallery"),
    MetricInfo("retrieval_map", 0, 1, True, "mean average precision of the matches in the gallery"),
    MetricInfo("psnr", 0, 100, True, "likeness of anonymized to raw pixels in dB, 100 for equal"),
    MetricInfo("ssim", -1, 1, True, "structural likeness of anonymized to raw frames, 1 for equal"),
    MetricInfo("group_accuracy_gap", 0, 1, False, "accuracy of the best group minus that of the worst", is_task=False),
    MetricInfo("nhv", 0, 1, True, "area dominated by the leakage-utility points between the anchors", is_task=False),
)

METRICS: dict[str, MetricInfo] = {info.name: info for info in _INFOS}
