"""Finding the same thing again: R@k and mAP of queries against a gallery, by cosine similarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from .average_precision import stepwise_precision
from .chance import Levels, Scored
from .checks import UNKNOWN, UndefinedMetricError, as_ids, as_labels, as_scores


@dataclass(frozen=True)
class Retrieval:
    """R@k for each k, and mAP, each beside the value of a random order.

    `unanswerable` queries have no match in the gallery and are left out; `unknown_gallery` items (label -1) were
    removed.
    """

    recall: dict[int, Scored]
    mean_average_precision: Scored
    unanswerable: int
    unknown_gallery: int


def cosine_similarities(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Cosines (L, R) in [-1, 1] of rows (L, d) and (R, d), to 12 decimals so that equal rows tie despite rounding."""
    for name, rows in (("left", left), ("right", right)):
        lengths = np.linalg.norm(rows, axis=1)
        if (lengths == 0).any():
            raise ValueError(
                f"embedding {int(np.argmin(lengths))} of the {name} set is all zeros and has no direction; the model "
                f"is dead there, so leave the row out or fix the model"
            )
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (left, right)]
    return np.clip(np.round(units[0] @ units[1].T, 12), -1.0, 1.0)


def retrieval(
    queries: ArrayLike,
    query_labels: ArrayLike,
    gallery: ArrayLike,
    gallery_labels: ArrayLike,
    ks: Sequence[int] = (1, 5, 10),
    query_videos: ArrayLike | None = None,
    gallery_videos: ArrayLike | None = None,
) -> Retrieval:
    """Rank the gallery (G, d) for each query (Q, d) and look for its label; all values in [0, 1], higher finds more.

    R@k is the share of queries with a match among the first k; mAP is the mean average precision of the matches. Ties
    are worth what a random order would give (R@k) or enter together (mAP). With `query_videos` and `gallery_videos`,
    a query never meets its own video: use it when both sets are the same.
    """
    looking, wanted = _rows("queries", queries, query_labels)
    stock, labels = _rows("gallery", gallery, gallery_labels)
    if looking.shape[1] != stock.shape[1]:
        raise ValueError(f"queries and gallery must be equally wide, got {looking.shape[1]} and {stock.shape[1]}")
    hidden = _same_video(query_videos, gallery_videos, len(looking), len(stock))
    asked, kept = wanted != UNKNOWN, labels != UNKNOWN
    if not ks or not all(1 <= k <= kept.sum() for k in ks):
        raise ValueError(f"ks must be in 1..{int(kept.sum())}, the size of the labelled gallery, got {list(ks)}")
    similarities = cosine_similarities(looking, stock)
    rankings = []
    for row in np.flatnonzero(asked):
        allowed = kept & ~hidden[row]
        match = labels[allowed] == wanted[row]
        if match.any():
            rankings.append((similarities[row, allowed], match))
    if not rankings:
        raise UndefinedMetricError("no query has a match in the gallery; use a gallery with the queries' labels")
    unknown = int((~asked).sum())
    recall = {k: _mean([(_hit(*r, k), _random_hit(r[1], k)) for r in rankings], unknown) for k in ks}
    precision = _mean([(stepwise_precision(*r), float(r[1].mean())) for r in rankings], unknown)
    return Retrieval(recall, precision, int(asked.sum()) - len(rankings), int((~kept).sum()))


def _hit(similarities: np.ndarray, match: np.ndarray, k: int) -> float:
    """Probability that the first k hold a match, when equal similarities are in random order."""
    best = similarities[match].max()
    above, tied = int((similarities > best).sum()), similarities == best
    return _random_hit(match[tied], k - above)


def _random_hit(match: np.ndarray, k: int) -> float:
    """Probability that k draws without replacement hold a match: 1 - C(n - m, k) / C(n, k)."""
    size, matches = match.size, int(match.sum())
    draws = min(max(k, 0), size)
    return 1.0 - comb(size - matches, draws) / comb(size, draws)


def _mean(pairs: list[tuple[float, float]], unknown: int) -> Scored:
    value, chance = np.mean(pairs, axis=0)
    return Scored(float(value), Levels(float(chance)), len(pairs), unknown)


def _rows(name: str, embeddings: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    array = as_scores(name, embeddings, 2)
    return array, as_labels(f"labels of {name}", labels, array.shape[:1])


def _same_video(
    query_videos: ArrayLike | None, gallery_videos: ArrayLike | None, queries: int, items: int
) -> np.ndarray:
    if query_videos is None and gallery_videos is None:
        return np.zeros((queries, items), dtype=bool)
    if query_videos is None or gallery_videos is None:
        raise ValueError("query_videos and gallery_videos must be given together, got only one of them")
    return as_ids("query_videos", query_videos, queries)[:, None] == as_ids("gallery_videos", gallery_videos, items)
