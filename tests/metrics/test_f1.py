import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import f1_macro, f1_positive


def slow_f1(predicted, actual, of):
    """F1 of class `of` by counting."""
    pairs = list(zip(predicted, actual, strict=True))
    hits = sum(p == of and a == of for p, a in pairs)
    wrong = sum((p == of) != (a == of) for p, a in pairs)
    return 2 * hits / (2 * hits + wrong)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 5))
def test_both_f1_equal_the_slow_reference_and_scikit_learn(sklearn_metrics, seed, videos, attributes):
    rng = np.random.default_rng(seed)
    probabilities, labels = rng.random((videos, attributes)).round(1), rng.integers(0, 2, (videos, attributes))
    labels[0], labels[1] = 0, 1
    positive, macro = f1_positive(probabilities, labels), f1_macro(probabilities, labels)
    for column, name in enumerate(positive.per_attribute()):
        predicted, actual = (probabilities[:, column] > 0.5).astype(int), labels[:, column]
        yes, no = slow_f1(predicted, actual, 1), slow_f1(predicted, actual, 0)
        assert positive.per_attribute()[name] == pytest.approx(yes)
        assert macro.per_attribute()[name] == pytest.approx((yes + no) / 2)
        assert macro.per_attribute()[name] == pytest.approx(
            sklearn_metrics.f1_score(actual, predicted, average="macro", labels=[0, 1], zero_division=0)
        )
    # scikit-learn reads a single column as two classes instead of one attribute
    average = "macro" if attributes > 1 else "binary"
    expected = sklearn_metrics.f1_score(labels, probabilities > 0.5, average=average, zero_division=0)
    assert positive.value == pytest.approx(expected)


def test_a_half_is_not_yet_a_yes():
    assert f1_positive([0.5, 0.5], [1, 0]).value == 0.0
    assert f1_positive([0.51, 0.51], [1, 0]).value == pytest.approx(2 / 3)


def test_saying_yes_to_everything_scores_the_all_positive_level():
    labels = np.array([1] * 9 + [0])
    positive, macro = f1_positive(np.ones(10), labels), f1_macro(np.ones(10), labels)
    assert positive.value == pytest.approx(positive.levels.all_positive) == pytest.approx(18 / 19)
    assert positive.gain_over_guess == pytest.approx(0)
    assert macro.value == pytest.approx(macro.levels.majority) == pytest.approx(9 / 19)


def test_a_constant_attribute_is_left_out_visibly():
    result = f1_macro([[0.9, 0.9], [0.1, 0.8]], [[1, 1], [0, 1]], names=["face", "skin"])
    assert (result.value, result.metric, result.left_out) == (1.0, "f1_macro", {"skin": "all 2 known labels are 1"})


@pytest.mark.parametrize("metric", [f1_positive, f1_macro])
def test_logits_are_refused(metric):
    with pytest.raises(ValueError, match=r"probabilities must be probabilities in \[0, 1\], got 3; apply a sigmoid"):
        metric([[3.0], [-2.0]], [[1], [0]])


def test_unknown_labels_do_not_count():
    assert f1_positive([0.9, 0.1, 0.9], [1, 0, -1]).value == 1.0
    assert f1_positive([0.9, 0.1, 0.9], [1, 0, -1]).unknown == 1
