import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import UndefinedMetricError, average_precision, cmap


def binary(seed, size, ties):
    """Scores, with or without ties, and labels of both classes."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, size).astype(float) if ties else rng.normal(size=size)
    labels = rng.integers(0, 2, size)
    labels[:2] = 0, 1
    return scores, labels


def slow_average_precision(scores, labels):
    """Go down the distinct thresholds, adding recall gained times precision."""
    total, recall = 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        chosen = [label for score, label in zip(scores, labels, strict=True) if score >= threshold]
        new_recall = sum(chosen) / sum(labels)
        total += (new_recall - recall) * sum(chosen) / len(chosen)
        recall = new_recall
    return total


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.booleans())
def test_average_precision_equals_the_slow_reference_and_scikit_learn(sklearn_metrics, seed, size, ties):
    scores, labels = binary(seed, size, ties)
    value = average_precision(scores, labels).value
    assert value == pytest.approx(slow_average_precision(scores, labels))
    assert value == pytest.approx(sklearn_metrics.average_precision_score(labels, scores))


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_cmap_is_the_macro_average_of_scikit_learn(sklearn_metrics, seed):
    columns = [binary(seed + column, 30, column % 2 == 0) for column in range(5)]
    scores, labels = (np.stack(part, axis=1) for part in zip(*columns, strict=True))
    expected = sklearn_metrics.average_precision_score(labels, scores, average="macro")
    assert cmap(scores, labels).value == pytest.approx(expected)


def test_constant_scores_have_exactly_the_positive_rate():
    labels = np.array([1, 0, 0, 1, 0, 0, 0, 0])
    result = average_precision(np.zeros(8), labels)
    assert result.value == result.levels.chance == 0.25
    assert result.gain == 0


def test_scores_may_be_of_any_scale():
    scores, labels = binary(3, 50, False)
    assert average_precision(1000 * scores - 7, labels).value == average_precision(scores, labels).value


def test_a_constant_attribute_is_left_out_visibly():
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(20, 4)), rng.integers(0, 2, (20, 4))
    labels[:, 1], labels[:, 2], labels[:, 3] = 1, 0, -1
    result = cmap(scores, labels, names=["face", "skin", "gender", "nudity"])
    assert result.left_out == {
        "skin": "all 20 known labels are 1",
        "gender": "all 20 known labels are 0",
        "nudity": "no known label",
    }
    assert result.per_attribute() == {"face": average_precision(scores[:, 0], labels[:, 0]).value}
    assert result.value == result.per_attribute()["face"]
    assert result.levels.chance == labels[:, 0].mean()


def test_unknown_labels_are_left_out_by_attribute_and_counted():
    scores = np.array([[0.9, 0.1], [0.8, 0.7], [0.1, 0.3], [0.5, 0.6]])
    labels = np.array([[1, 0], [-1, 1], [0, -1], [1, 1]])
    result = cmap(scores, labels)
    assert (result.count, result.unknown) == (4, 2)
    assert [(row.count, row.unknown, row.positives) for row in result.rows] == [(3, 1, 2), (3, 1, 2)]
    assert result.value == 1.0


def test_nothing_but_constant_attributes_is_an_error():
    with pytest.raises(UndefinedMetricError, match="cmap is undefined: every attribute has one class only"):
        cmap(np.zeros((3, 2)), np.ones((3, 2)))
    with pytest.raises(UndefinedMetricError, match=r"labels has one class only \(all 3 known labels are positive\)"):
        average_precision(np.zeros(3), np.ones(3))


@pytest.mark.parametrize(
    ("scores", "labels", "names", "message"),
    [
        ([[0.1, 0.2]], [[0, 2]], None, "labels must be in 0..1, or -1 for unknown, got 2"),
        ([[0.1, 0.2]], [[0, 1, 1]], None, r"labels must have shape \(1, 2\) to match the scores, got \(1, 3\)"),
        ([[0.1, np.nan]], [[0, 1]], None, "scores must be finite"),
        ([[0.1, 0.2]], [[0, 1]], ["face"], r"names must be 2 different names, .* got \['face'\]"),
        ([[0.1, 0.2]], [[0, 1]], ["face", "face"], "names must be 2 different names"),
        ([], [], None, "scores is empty"),
    ],
)
def test_wrong_input_is_refused(scores, labels, names, message):
    with pytest.raises(ValueError, match=message):
        cmap(scores, labels, names)
