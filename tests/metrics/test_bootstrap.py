import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import (
    UndefinedMetricError,
    bootstrap_interval,
    bootstrap_mean,
    cmap,
    group_accuracy_gap,
    roc_auc,
    top_k_accuracy,
    top_k_credit,
)


def slow_bootstrap(metric, values, groups, resamples, seed):
    """Draw groups by name and put their rows together one by one."""
    names = sorted(set(groups))
    results = []
    draws = np.random.default_rng(seed).integers(0, len(names), (resamples, len(names)))
    for draw in draws:
        rows = [value for index in draw for value, of in zip(values, groups, strict=True) if of == names[index]]
        results.append(metric(np.array(rows)))
    return np.percentile(results, [2.5, 97.5])


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 1000),
    st.lists(st.sampled_from("abcdef"), min_size=3, max_size=15).filter(lambda g: len(set(g)) > 1),
)
def test_intervals_equal_the_slow_reference(seed, groups):
    values = np.random.default_rng(seed).normal(size=len(groups))
    for metric in (np.mean, np.median):
        result = bootstrap_interval(metric, values, groups=groups, resamples=40, seed=seed)
        np.testing.assert_allclose((result.low, result.high), slow_bootstrap(metric, values, groups, 40, seed))
        assert result.groups == len(set(groups))


@given(st.integers(0, 1000), st.booleans())
@settings(max_examples=20, deadline=None)
def test_the_fast_mean_equals_the_general_way(seed, grouped):
    rng = np.random.default_rng(seed)
    values, groups = rng.normal(size=30), rng.permutation(np.arange(30) % 7) if grouped else None
    fast = bootstrap_mean(values, groups, resamples=100, seed=seed)
    general = bootstrap_interval(np.mean, values, groups=groups, resamples=100, seed=seed)
    assert (fast.value, fast.low, fast.high) == pytest.approx((general.value, general.low, general.high))


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covered = [interval.low <= 0.7 <= interval.high for interval in (
        bootstrap_mean((rng.random(200) < 0.7).astype(float), resamples=400, seed=seed) for seed in range(300)
    )]  # fmt: skip
    assert 0.91 <= np.mean(covered) <= 0.98


def test_frames_of_one_video_are_not_independent_evidence():
    rng = np.random.default_rng(0)
    values, videos = np.repeat(rng.random(20) < 0.5, 50).astype(float), np.repeat(np.arange(20), 50)
    by_video, by_frame = bootstrap_mean(values, videos), bootstrap_mean(values)
    assert by_video.high - by_video.low > 4 * (by_frame.high - by_frame.low)


def test_a_thousand_resamples_of_400_videos_take_well_under_a_second():
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(400, 101)), rng.integers(0, 101, 400)
    start = time.process_time()
    general = bootstrap_interval(top_k_accuracy, scores, labels)
    assert time.process_time() - start < 1.0  # 0.15 s on one quiet core
    start = time.process_time()
    fast = bootstrap_mean(top_k_credit(scores, labels))
    assert time.process_time() - start < 0.2  # 0.002 s on one quiet core
    assert (fast.low, fast.high) == pytest.approx((general.low, general.high))


def test_seeds_and_generators_repeat():
    values = np.random.default_rng(1).normal(size=50)
    assert bootstrap_mean(values, seed=3) == bootstrap_mean(values, seed=np.random.default_rng(3))
    assert bootstrap_mean(values, seed=3) != bootstrap_mean(values, seed=4)


def test_results_with_several_arrays_pair_their_rows():
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(60, 3)), rng.integers(0, 2, (60, 3))
    result = bootstrap_interval(cmap, scores + labels, labels, resamples=200)
    assert result.low < result.value < result.high
    paired = bootstrap_interval(
        lambda a, b, y: cmap(a, y).value - cmap(b, y).value, scores, scores, labels, resamples=20
    )
    assert (paired.low, paired.high) == (0, 0)


def test_undefined_resamples_are_counted_not_hidden():
    labels = np.array([1] * 2 + [0] * 20)
    result = bootstrap_interval(roc_auc, np.arange(22.0), labels, resamples=300)
    assert 10 < result.undefined < 70  # no positive is drawn in (20/22)^22 = 12 % of the resamples


def test_a_resample_of_unknown_labels_only_is_undefined():
    result = bootstrap_interval(top_k_accuracy, np.eye(6), [0, 1, -1, -1, -1, -1], resamples=300)
    assert 5 < result.undefined < 60  # (4/6)^6 = 9 %


def test_a_resample_that_loses_an_attribute_is_undefined():
    """Else the interval would mix means over different attributes."""
    rng = np.random.default_rng(0)
    labels = np.stack([np.arange(22) < 2, np.arange(22) % 2], axis=1).astype(int)
    assert bootstrap_interval(cmap, rng.random((22, 2)), labels, resamples=300).undefined > 10
    always_out = np.column_stack([np.arange(22) % 2, np.ones(22)])
    assert bootstrap_interval(cmap, rng.random((22, 2)), always_out, resamples=100).undefined == 0


def test_a_resample_that_loses_a_group_is_undefined():
    groups = ["a"] * 2 + ["b"] * 10 + ["c"] * 10
    result = bootstrap_interval(group_accuracy_gap, np.zeros(22, int), np.arange(22) % 2, groups, resamples=300)
    assert 10 < result.undefined < 70


def raise_value_error(values):
    raise ValueError("a bug in the metric")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap_interval(np.mean), "arrays must be at least one"),
        (lambda: bootstrap_interval(np.mean, [1.0, 2.0], [1.0]), r"same number of rows, got lengths \[2, 1\]"),
        (lambda: bootstrap_interval(np.mean, [1.0, 2.0], groups=["a", "a"]), "at least 2 videos to resample, got 1"),
        (
            lambda: bootstrap_interval(np.mean, [1.0, 2.0], groups=["a"]),
            "groups must have one entry for each of the 2",
        ),
        (lambda: bootstrap_interval(np.mean, [1.0, np.nan]), "metric must return a finite number, got nan"),
        (lambda: bootstrap_interval(raise_value_error, [1.0, 2.0]), "a bug in the metric"),
        (lambda: bootstrap_mean([1.0, np.nan]), "values must be finite"),
        (lambda: bootstrap_mean([1.0, 2.0], level=95), "level must be between 0 and 1, e.g. 0.95, got 95"),
        (lambda: bootstrap_mean([1.0, 2.0], resamples=0), "resamples must be at least 1, got 0"),
    ],
)
def test_wrong_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_too_few_videos_of_a_class_have_no_interval():
    with pytest.raises(UndefinedMetricError, match=r"undefined on \d+ of 1000 resamples of 2 videos"):
        bootstrap_interval(roc_auc, [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1], groups=[0, 0, 1, 1], seed=1)
