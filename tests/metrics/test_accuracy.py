import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import bootstrap_mean, top_k_accuracy, top_k_credit


def slow_top_k(scores, labels, k):
    """Mean over videos of the probability that the true class is among the first k in a random order of ties."""
    credits = []
    for row, label in zip(scores, labels, strict=True):
        above = sum(value > row[label] for value in row)
        equal = sum(value == row[label] for value in row)
        credits.append(min(1, max(0, k - above) / equal))
    return sum(credits) / len(credits)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(2, 8), st.booleans(), st.data())
def test_top_k_equals_the_slow_reference(seed, videos, classes, ties, data):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, (videos, classes)).astype(float) if ties else rng.normal(size=(videos, classes))
    labels = rng.integers(0, classes, videos)
    k = data.draw(st.integers(1, classes))
    result = top_k_accuracy(scores, labels, k)
    assert result.value == pytest.approx(slow_top_k(scores, labels, k))
    assert 0 <= result.value <= 1


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 8))
def test_top_k_equals_scikit_learn_without_ties(sklearn_metrics, seed, classes):
    rng = np.random.default_rng(seed)
    scores, labels = rng.normal(size=(20, classes)), rng.integers(0, classes, 20)
    for k in (1, 2):
        expected = sklearn_metrics.top_k_accuracy_score(labels, scores, k=k, labels=range(classes))
        assert top_k_accuracy(scores, labels, k).value == pytest.approx(expected)


def test_a_collapsed_model_scores_exactly_chance():
    labels = np.arange(40) % 4
    assert top_k_accuracy(np.zeros((40, 8)), labels).value == 1 / 8
    assert top_k_accuracy(np.ones((40, 8)), labels, k=5).value == 5 / 8


def test_levels_and_gains_come_from_the_labels():
    scores = np.eye(4)[[0, 0, 0, 1, 2]]
    result = top_k_accuracy(scores, [0, 0, 0, 1, 1])
    assert result.value == 0.8
    assert result.levels.chance == 0.25
    assert result.levels.majority == 0.6
    assert result.gain == pytest.approx(0.55)
    assert result.gain_over_guess == pytest.approx(0.2)
    assert top_k_accuracy(scores, [0, 0, 0, 1, 1], k=2).levels.majority == 1.0


def test_unknown_labels_are_left_out_and_counted():
    result = top_k_accuracy([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0, -1, 0])
    assert (result.value, result.count, result.unknown) == (0.5, 2, 1)


def test_tensors_on_a_graph_and_in_half_precision_are_accepted():
    scores = torch.tensor([[0.1, 0.9], [0.8, 0.2]], dtype=torch.bfloat16, requires_grad=True)
    assert top_k_accuracy(scores, torch.tensor([1, 0])).value == 1.0


def test_mean_of_credits_is_the_accuracy():
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(50, 5)), rng.integers(0, 5, 50)
    assert bootstrap_mean(top_k_credit(scores, labels)).value == pytest.approx(top_k_accuracy(scores, labels).value)


@pytest.mark.parametrize(
    ("scores", "labels", "k", "message"),
    [
        ([[0.0, np.nan]], [0], 1, r"scores must be finite, got 1 NaN .* nan at index \(0, 1\)"),
        ([[0.0, np.inf]], [0], 1, r"scores must be finite, got 1 NaN .* inf at index \(0, 1\)"),
        (np.zeros((0, 2)), [], 1, r"scores is empty \(shape \(0, 2\)\)"),
        ([[0.0, 1.0]], [0, 1], 1, r"labels must have shape \(1,\) to match the scores, got \(2,\)"),
        ([[0.0, 1.0]], [2], 1, r"labels must be in 0..1, or -1 for unknown, got 2; renumber"),
        ([[0.0, 1.0]], [-2], 1, r"labels must be in 0..1, or -1 for unknown, got -2"),
        ([[0.0, 1.0]], [-1], 1, r"labels are all -1 \(unknown\)"),
        ([[0.0, 1.0]], [0.5], 1, r"labels must be whole numbers, got 0.5"),
        ([[0.0, 1.0]], ["run"], 1, r"labels must be whole numbers, got dtype <U3; map names to class numbers"),
        ([[1.0]], [0], 1, r"scores must have a column for each of at least 2 classes, got shape \(1, 1\)"),
        ([[0.0, 1.0]], [0], 3, r"k must be in 1..2, the number of classes, got 3"),
        ([0.0, 1.0], [0], 1, r"scores must have 2 dimension\(s\), got shape \(2,\)"),
        ([[0.0, 1.0], [0.0]], [0, 1], 1, r"scores must be a regular array, got rows of different lengths"),
        ([["a", "b"]], [0], 1, r"scores must hold real numbers, got dtype <U1"),
    ],
)
def test_wrong_input_is_refused(scores, labels, k, message):
    with pytest.raises(ValueError, match=message):
        top_k_accuracy(scores, labels, k)
