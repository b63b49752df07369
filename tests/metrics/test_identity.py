import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import (
    UndefinedMetricError,
    embedding_pairs,
    identity_top_1,
    mean_rank,
    top_k_accuracy,
    verification_eer,
)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.booleans())
def test_mean_rank_equals_sorting(seed, persons, ties):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, (12, persons)) if ties else rng.normal(size=(12, persons))
    labels = rng.integers(0, persons, 12)
    places = []
    for row, label in zip(scores, labels, strict=True):
        ordered = sorted(row, reverse=True)
        places.append(np.mean([place for place, score in enumerate(ordered, 1) if score == row[label]]))
    result = mean_rank(scores, labels)
    assert result.value == pytest.approx(np.mean(places))
    assert 1 <= result.value <= persons


def test_mean_rank_of_a_collapsed_attacker_is_chance_and_of_a_perfect_one_gains():
    labels = np.arange(9) % 3
    assert mean_rank(np.zeros((9, 3)), labels).value == mean_rank(np.zeros((9, 3)), labels).levels.chance == 2.0
    perfect = mean_rank(np.eye(3)[labels], labels)
    assert (perfect.value, perfect.gain) == (1.0, 1.0)


def test_mean_rank_of_the_majority_guesser_orders_by_frequency():
    labels = np.array([2, 2, 2, 0])
    guesser = mean_rank(np.tile([0.5, 0.0, 1.0], (4, 1)), labels)
    assert guesser.value == guesser.levels.majority == 1.25
    assert guesser.gain_over_guess == 0


def test_identity_top_1_is_top_1_of_persons():
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(30, 10)), rng.integers(-1, 10, 30)
    assert identity_top_1(scores, labels) == top_k_accuracy(scores, labels, 1)


def slow_eer(scores, same):
    """Walk the thresholds; where false accepts overtake false rejects, go there along the straight line."""
    before = (0.0, 1.0)
    for threshold in sorted(set(scores), reverse=True):
        accepts = np.mean([s >= threshold for s, y in zip(scores, same, strict=True) if y == 0])
        rejects = np.mean([s < threshold for s, y in zip(scores, same, strict=True) if y == 1])
        if accepts >= rejects:
            for share in np.linspace(0, 1, 2_001):
                on_line = [b + share * (a - b) for a, b in zip((accepts, rejects), before, strict=True)]
                if on_line[0] >= on_line[1] - 1e-12:
                    return on_line[0]
        before = accepts, rejects
    raise AssertionError("the curve ends at one false accept a pair")


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.booleans())
def test_eer_equals_the_slow_reference(seed, size, ties):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, size).astype(float) if ties else rng.normal(size=size)
    same = rng.integers(0, 2, size)
    same[:2] = 0, 1
    assert verification_eer(scores, same).value == pytest.approx(slow_eer(scores, same), abs=1e-3)


def test_eer_of_known_cases():
    assert verification_eer([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0]).value == 0.0
    assert verification_eer([0.9, 0.8, 0.2, 0.1], [0, 0, 1, 1]).value == 1.0
    constant = verification_eer([0.3, 0.3, 0.3], [1, 0, -1])
    assert (constant.value, constant.gain, constant.unknown) == (0.5, 0.0, 1)


def test_eer_of_two_normals_is_the_normal_tail():
    """Same pairs N(1, 1), different pairs N(-1, 1): the error at the middle is Phi(-1) = .1587."""
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(1, 1, 50_000), rng.normal(-1, 1, 50_000)])
    assert verification_eer(scores, np.repeat([1, 0], 50_000)).value == pytest.approx(0.1587, abs=0.004)


def test_pairs_of_embeddings():
    embeddings = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    scores, same = embedding_pairs(embeddings, [0, 0, 1, -1])
    np.testing.assert_allclose(scores, [1, 0, np.sqrt(0.5), 0, np.sqrt(0.5), np.sqrt(0.5)])
    assert same.tolist() == [1, 0, -1, 0, -1, -1]
    assert verification_eer(scores, same).value == 0.0


def test_pairs_of_one_video_are_dropped():
    _, same = embedding_pairs(np.eye(3) + 0.1, [0, 0, 1], videos=["a", "a", "b"])
    assert same.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: verification_eer([0.1, 0.2], [1, 1]), "same has one class only"),
        (lambda: verification_eer([0.1, np.nan], [1, 0]), "scores must be finite"),
        (lambda: verification_eer([0.1], [1, 0]), r"same must have shape \(1,\)"),
        (lambda: embedding_pairs([[1.0]], [0]), "embeddings must have at least 2 rows to make a pair"),
        (lambda: embedding_pairs([[1.0], [0.0]], [0, 1]), "embedding 1 of the left set is all zeros"),
        (lambda: embedding_pairs([[1.0], [1.0]], [0, -3]), "persons must be 0 or more, or -1 for unknown, got -3"),
        (lambda: mean_rank([[0.1, 0.2]], [-1]), "labels are all -1"),
    ],
)
def test_wrong_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_kind_of_pair_is_undefined_rather_than_malformed():
    with pytest.raises(UndefinedMetricError):
        verification_eer([0.1, 0.2], [0, 0])
