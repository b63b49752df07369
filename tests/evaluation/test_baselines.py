import numpy as np
import pytest

from hf_ppar.data import ClipOptions, load_ppar_dataset
from hf_ppar.data.lengths import clip_rate, video_lengths
from hf_ppar.evaluation.baselines import binary_frequency_scores, frequency_scores


def test_frequencies_given_the_key():
    scores = frequency_scores(["a", "a", "b", "b"], np.array([0, 0, 1, 1]), ["a", "b", "c"], 2)
    assert scores.argmax(1).tolist()[:2] == [0, 1]
    assert np.allclose(np.exp(scores).sum(1), 1)
    assert np.allclose(scores[2], np.log(0.5))  # an unseen key knows nothing


def test_unknown_labels_do_not_count():
    scores = frequency_scores(["a", "a"], np.array([-1, 1]), ["a"], 2)
    assert scores[0, 1] > scores[0, 0]


def test_attributes():
    odds = binary_frequency_scores(["a", "b"], np.array([[1, 0], [0, 1]]), ["a", "b"])
    assert odds.shape == (2, 2) and odds[0, 0] > 0 > odds[0, 1] and odds[1, 0] < 0 < odds[1, 1]


def test_lengths_of_the_stage_are_all_equal():
    lengths = video_lengths(load_ppar_dataset("stage", split="test", test_clips=5))
    assert set(lengths) == {(16, 128)}


def test_rate_of_clips():
    dataset = load_ppar_dataset("stage", split="test", test_clips=5)
    assert clip_rate(dataset, ClipOptions(frames=8)) == pytest.approx(8 / 1.28)
    assert clip_rate(dataset, ClipOptions(frames=4, stride=2)) == pytest.approx(12.5 / 2)
