from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import UndefinedMetricError, identity_top_1, retrieval


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_recall_and_map_equal_a_loop_and_scikit_learn(sklearn_metrics, seed):
    rng = np.random.default_rng(seed)
    queries, gallery = rng.normal(size=(6, 4)), rng.normal(size=(15, 4))
    asked, stock = rng.integers(0, 4, 6), np.arange(15) % 4
    hits, precisions = {1: [], 5: []}, []
    for query, label in zip(queries, asked, strict=True):
        cosines = [query @ item / np.linalg.norm(query) / np.linalg.norm(item) for item in gallery]
        ranked = [stock[index] == label for index in np.argsort(cosines)[::-1]]
        for k, found in hits.items():
            found.append(any(ranked[:k]))
        precisions.append(sklearn_metrics.average_precision_score(stock == label, cosines))
    result = retrieval(queries, asked, gallery, stock, ks=(1, 5))
    assert result.recall[1].value == pytest.approx(np.mean(hits[1]))
    assert result.recall[5].value == pytest.approx(np.mean(hits[5]))
    assert result.mean_average_precision.value == pytest.approx(np.mean(precisions))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_ties_and_chance_are_the_mean_over_all_orders(seed, k):
    rng = np.random.default_rng(seed)
    gallery = np.eye(3)[rng.integers(0, 3, 6)]
    stock = rng.integers(0, 3, 6)
    stock[0] = 0
    cosines = gallery[:, 0]
    orders = [sorted(order, key=lambda item: -cosines[item]) for order in permutations(range(6))]
    expected = np.mean([any(stock[item] == 0 for item in order[:k]) for order in orders])
    chance = np.mean([any(stock[item] == 0 for item in order[:k]) for order in permutations(range(6))])
    recall = retrieval([[1.0, 0.0, 0.0]], [0], gallery, stock, ks=[k]).recall[k]
    assert recall.value == pytest.approx(expected)
    assert recall.levels.chance == pytest.approx(chance)


def test_a_collapsed_encoder_is_at_chance():
    same = np.full((8, 3), 0.7)
    labels = np.arange(8) % 4
    result = retrieval(same, labels, same, labels, ks=(1, 3), query_videos=range(8), gallery_videos=range(8))
    for score in (*result.recall.values(), result.mean_average_precision):
        assert score.gain == pytest.approx(0)
    assert result.recall[1].value == pytest.approx(1 / 7)


def test_a_query_never_meets_its_own_video():
    embeddings, labels = np.eye(4), [0, 0, 1, 1]
    assert retrieval(embeddings, labels, embeddings, labels, ks=[1]).recall[1].value == 1.0
    apart = retrieval(embeddings, labels, embeddings, labels, [1], list("abcd"), list("abcd"))
    assert apart.recall[1].value == pytest.approx(1 / 3)


def test_unanswerable_and_unknown_are_counted():
    result = retrieval(np.eye(3), [0, 5, -1], np.eye(3), [0, -1, 1], ks=[1])
    assert result.recall[1].value == 1.0
    assert (result.recall[1].count, result.recall[1].unknown) == (1, 1)
    assert (result.unanswerable, result.unknown_gallery) == (1, 1)


def test_recall_at_1_of_person_prototypes_is_identity_top_1():
    rng = np.random.default_rng(0)
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in rng.normal(size=(2, 10, 6))]
    labels = rng.integers(0, 10, 10)
    found = retrieval(units[0], labels, units[1], np.arange(10), ks=[1]).recall[1]
    assert found.value == identity_top_1(units[0] @ units[1].T, labels).value
    assert found.levels.chance == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (np.eye(2), [0, 1], np.eye(2), [0, 1], [3]),
            r"ks must be in 1..2, the size of the labelled gallery, got \[3\]",
        ),
        ((np.eye(2), [0, 1], np.eye(3), [0, 1, 2]), "queries and gallery must be equally wide, got 2 and 3"),
        ((np.zeros((2, 2)), [0, 1], np.eye(2), [0, 1], [1]), "embedding 0 of the left set is all zeros"),
        (
            (np.eye(2), [0, 1], np.eye(2), [0, 1], [1], [0, 1]),
            "query_videos and gallery_videos must be given together",
        ),
        ((np.eye(2), [0, 1, 2], np.eye(2), [0, 1], [1]), r"labels of queries must have shape \(2,\)"),
        ((np.eye(2) * np.nan, [0, 1], np.eye(2), [0, 1], [1]), "queries must be finite"),
    ],
)
def test_wrong_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        retrieval(*arguments)


def test_no_match_at_all_is_undefined():
    with pytest.raises(UndefinedMetricError, match="no query has a match in the gallery"):
        retrieval(np.eye(2), [0, 1], np.eye(2), [2, 3], [1])
