import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import UndefinedMetricError, roc_auc


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.booleans())
def test_auc_equals_pair_counting_and_scikit_learn(sklearn_metrics, seed, size, ties):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, size).astype(float) if ties else rng.normal(size=size)
    labels = rng.integers(0, 2, size)
    labels[:2] = 0, 1
    pairs = [(p > n) + (p == n) / 2 for p in scores[labels == 1] for n in scores[labels == 0]]
    assert roc_auc(scores, labels).value == pytest.approx(np.mean(pairs))
    assert roc_auc(scores, labels).value == pytest.approx(sklearn_metrics.roc_auc_score(labels, scores))


def test_constant_scores_are_at_chance_and_unknown_is_counted():
    result = roc_auc(np.zeros(4), [0, 1, 1, -1])
    assert (result.value, result.gain, result.count, result.unknown) == (0.5, 0.0, 3, 1)


def test_one_class_is_refused():
    with pytest.raises(UndefinedMetricError, match=r"labels has one class only \(all 2 known labels are negative\)"):
        roc_auc([0.1, 0.2, 0.3], [0, 0, -1])
