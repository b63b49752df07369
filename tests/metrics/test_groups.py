import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import UndefinedMetricError, group_accuracy_gap


def test_the_gap_of_two_groups_is_the_absolute_difference():
    """56.20 % and 46.78 % correct, 5,000 videos each: a gap of 9.42 points."""
    correct = np.concatenate([np.arange(5000) < 2810, np.arange(5000) < 2339])
    groups = np.repeat(["a", "b"], 5000)
    for order in (groups, groups[::-1]):
        result = group_accuracy_gap(correct.astype(int), np.ones(10_000), order)
        assert sorted(result.accuracies.values()) == pytest.approx([0.4678, 0.5620])
        assert result.value == pytest.approx(0.0942)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from("xyz")), min_size=2))
def test_the_gap_is_largest_minus_smallest(rows):
    predictions, labels, groups = zip(*rows, strict=True)
    accuracies = {g: np.mean([p == y for p, y, of in rows if of == g]) for g in set(groups)}
    if len(accuracies) < 2:
        with pytest.raises(UndefinedMetricError, match="groups must hold at least 2 known groups to compare"):
            group_accuracy_gap(predictions, labels, groups)
        return
    result = group_accuracy_gap(predictions, labels, groups)
    assert result.accuracies == pytest.approx(accuracies)
    assert result.value == pytest.approx(max(accuracies.values()) - min(accuracies.values()))
    assert result.counts == {group: groups.count(group) for group in accuracies}


@pytest.mark.parametrize("groups", [[0, 0, 1, 1, -1], ["0", "0", "1", "1", "-1"]])
def test_unknown_labels_and_groups_are_left_out_and_counted(groups):
    result = group_accuracy_gap([0, 0, 0, 0, 0], [0, 1, 0, -1, 0], groups)
    assert (result.value, result.unknown) == (0.5, 2)
    assert result.counts == {"0": 2, "1": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.1, 0.9]], [0], [0]), "predictions must be whole numbers, got 0.1"),
        (([-1, 0], [0, 0], [0, 1]), "predictions must be class numbers .* minimum -1; take the argmax"),
        (([1, 0], [0, 0], [0]), "groups must have one entry for each of the 2 rows"),
        (([1, 0], [0, 0, 1], [0, 1]), r"labels must have shape \(2,\)"),
        (([], [], []), "predictions is empty"),
    ],
)
def test_wrong_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        group_accuracy_gap(*arguments)
