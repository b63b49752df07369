import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import average_views, top_k_accuracy


def slow_softmax_mean(scores, videos):
    means = {}
    for video in dict.fromkeys(videos):
        rows = [np.exp(row) / np.exp(row).sum() for row, of in zip(scores, videos, strict=True) if of == video]
        means[video] = sum(rows) / len(rows)
    return means


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.sampled_from("dcab"), min_size=1, max_size=20))
def test_views_are_averaged_after_the_softmax(seed, videos):
    scores = np.random.default_rng(seed).normal(0, 3, (len(videos), 4))
    expected = slow_softmax_mean(scores, videos)
    result = average_views(scores, videos)
    assert result.videos.tolist() == list(expected)
    np.testing.assert_allclose(result.scores, np.stack(list(expected.values())))
    assert result.views.tolist() == [videos.count(video) for video in expected]


def test_probabilities_are_averaged_not_logits():
    """One very sure clip must not outvote two: the logit mean says class 0, the softmax mean class 1."""
    scores = [[50.0, 0.0], [0.0, 2.0], [0.0, 2.0]]
    result = average_views(scores, [7, 7, 7], [1, 1, 1])
    assert np.mean(scores, axis=0).argmax() == 0
    assert top_k_accuracy(result.scores, result.labels).value == 1.0


def test_five_clips_of_three_crops_make_one_row_a_video():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 6, 10)
    result = average_views(rng.normal(size=(150, 6)), np.repeat(np.arange(10), 15), np.repeat(labels, 15))
    assert result.scores.shape == (10, 6)
    assert result.labels.tolist() == labels.tolist()
    np.testing.assert_allclose(result.scores.sum(axis=1), 1)


def test_attributes_use_the_sigmoid_and_huge_logits_do_not_overflow():
    result = average_views([[1000.0, -1000.0], [0.0, 0.0]], [0, 0], [[1, 0], [1, 0]], activation="sigmoid")
    np.testing.assert_allclose(result.scores, [[0.75, 0.25]])
    assert result.labels.tolist() == [[1, 0]]
    np.testing.assert_allclose(average_views([[1000.0, -1000.0]], [0]).scores, [[1.0, 0.0]])


def test_probabilities_can_be_averaged_as_they_are():
    np.testing.assert_allclose(average_views([[0.2], [0.4]], ["a", "a"], activation="none").scores, [[0.3]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], [0], None, "relu"), "activation must be one of softmax, sigmoid, none, got 'relu'"),
        (([[1.0], [2.0]], ["a"]), r"videos must have one entry for each of the 2 rows, got shape \(1,\)"),
        (([[1.0], [2.0]], ["a", "a"], [0, 1]), "labels differ between views of video a"),
        (([[1.0], [2.0]], ["a", "a"], [0]), "labels must have one row for each of the 2 views, got 1"),
        (([[1.0], [2.0]], ["a", None]), "videos must not be None"),
        (([[1.0], [2.0]], [0.0, np.nan]), "videos must not be NaN or infinite"),
    ],
)
def test_wrong_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        average_views(*arguments)
