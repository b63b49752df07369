"""Who is it: identification among known persons (top-1, mean rank) and verification of pairs (equal error rate)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .accuracy import TopK, check_classification, rivals, top_k_accuracy
from .attributes import known_binary
from .chance import Levels, Scored
from .checks import UNKNOWN, as_ids, as_labels, as_scores
from .retrieval import cosine_similarities
from .roc import roc_curve


@dataclass(frozen=True)
class LowerIsBetter(Scored):
    """A result whose value falls as its model gets better."""

    higher_is_better: ClassVar[bool] = False


def identity_top_1(scores: ArrayLike, labels: ArrayLike) -> TopK:
    """Share of videos whose person is named first, in [0, 1]: `top_k_accuracy` of person scores (N, persons).

    For embeddings of persons that the attacker has only pictures of, see `retrieval`: its R@1 is this share.
    """
    return top_k_accuracy(scores, labels, k=1)


def mean_rank(scores: ArrayLike, labels: ArrayLike) -> LowerIsBetter:
    """Mean place of the true person when all are ordered by score, in [1, persons]; 1 is always first.

    `scores` (N, persons), `labels` (N,), or -1 for unknown. Equal scores share the middle place, so constant scores
    have exactly the chance level (persons + 1) / 2; the majority guesser orders persons by how many videos they have.
    """
    array, known = check_classification(scores, labels)
    chosen = known != UNKNOWN
    better, tied = rivals(array[chosen], known[chosen])
    persons = array.shape[1]
    frequency = np.sort(np.bincount(known[chosen], minlength=persons))[::-1]
    levels = Levels((persons + 1) / 2, float(frequency @ np.arange(1, persons + 1) / frequency.sum()))
    return LowerIsBetter(float(np.mean(better + (tied + 1) / 2)), levels, int(chosen.sum()), int((~chosen).sum()))


def verification_eer(scores: ArrayLike, same: ArrayLike) -> LowerIsBetter:
    """Equal error rate of "is it the same person?", in [0, 1]; 0 tells every pair apart, 0.5 is chance.

    `scores` (pairs,) higher for more alike, `same` (pairs,) 1 same person, 0 different, -1 unknown. It is the error
    where false accepts and false rejects are equally frequent, on the ROC curve joined by straight lines.
    """
    kept, positive, unknown = known_binary(as_scores("scores", scores, 1), same, "same")
    false_accepts, true_accepts = roc_curve(kept, positive)
    return LowerIsBetter(_crossing(false_accepts, 1 - true_accepts), Levels(0.5, 0.5), positive.size, unknown)


def _crossing(false_accepts: np.ndarray, false_rejects: np.ndarray) -> float:
    gap = false_accepts - false_rejects  # rises from -1 to 1
    after = int(np.argmax(gap >= 0))
    before = after - 1
    share = -gap[before] / (gap[after] - gap[before])
    return float(false_accepts[before] + share * (false_accepts[after] - false_accepts[before]))


def embedding_pairs(
    embeddings: ArrayLike, persons: ArrayLike, videos: ArrayLike | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Cosine similarity and same-person flag, (pairs,) each, of all pairs of embeddings, for `verification_eer`.

    `embeddings` (N, d), `persons` (N,) whole numbers; pairs with an unknown person (-1) are flagged -1. With `videos`
    (N,), pairs from one video are dropped: two clips of a video are alike for reasons that have nothing to do with
    the person. Memory grows with N squared: 10,000 embeddings make 50 million pairs.
    """
    array = as_scores("embeddings", embeddings, 2)
    labels = as_labels("persons", persons, array.shape[:1])
    if len(array) < 2:
        raise ValueError("embeddings must have at least 2 rows to make a pair, got 1")
    left, right = np.triu_indices(len(array), k=1)
    if videos is not None:
        ids = as_ids("videos", videos, len(array))
        apart = ids[left] != ids[right]
        left, right = left[apart], right[apart]
    same = (labels[left] == labels[right]).astype(np.int64)
    same[(labels[left] == UNKNOWN) | (labels[right] == UNKNOWN)] = UNKNOWN
    return cosine_similarities(array, array)[left, right], same
