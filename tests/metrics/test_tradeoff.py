import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar.metrics import Anchors, normalized_hypervolume, pareto_front

UNIT = Anchors(0.0, 1.0, 0.0, 1.0)
grid = st.integers(0, 10).map(lambda tenth: tenth / 10)
points = st.lists(st.tuples(grid, grid), min_size=1, max_size=8)


@settings(deadline=None)
@given(points)
def test_the_front_equals_pairwise_comparison(pairs):
    leakage, utility = zip(*pairs, strict=True)

    def beaten(point):
        return any(q != point and q[0] <= point[0] and q[1] >= point[1] for q in pairs)

    front = [pairs[index] for index in pareto_front(leakage, utility)]
    assert front == sorted(front)
    assert front == sorted({point for point in pairs if not beaten(point)})


@settings(deadline=None)
@given(points)
def test_the_area_equals_counting_cells(pairs):
    leakage, utility = zip(*pairs, strict=True)
    cells = (np.arange(10) + 0.5) / 10
    dominated = [any(leak < x and gain > y for leak, gain in pairs) for x in cells for y in cells]
    assert normalized_hypervolume(leakage, utility, UNIT).value == pytest.approx(np.mean(dominated))


def test_corners():
    assert normalized_hypervolume([0.0], [1.0], UNIT).value == 1.0
    assert normalized_hypervolume([1.0], [1.0], UNIT).value == 0.0  # raw video
    assert normalized_hypervolume([0.0], [0.0], UNIT).value == 0.0  # noise


def test_a_staircase_by_hand():
    result = normalized_hypervolume([0.2, 0.5, 0.6], [0.4, 0.9, 0.8], UNIT)
    assert result.value == pytest.approx(0.3 * 0.4 + 0.5 * 0.9)
    assert result.front == (0, 1)


def test_anchors_rescale_and_come_with_the_value():
    anchors = Anchors(leakage_chance=0.58, leakage_raw=0.78, utility_chance=0.02, utility_raw=0.62)
    result = normalized_hypervolume([0.68, 0.50, 0.90], [0.32, 0.01, 0.70], anchors)
    assert result.value == pytest.approx(0.25)
    assert result.anchors is anchors
    assert result.clipped == (1, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Anchors(0.5, 0.5, 0, 1), "leakage_raw must be above leakage_chance, got 0.5 and 0.5"),
        (lambda: Anchors(0, 1, 0.9, 0.2), "utility_raw must be above utility_chance, got 0.2 and 0.9"),
        (lambda: Anchors(0, np.nan, 0, 1), "leakage_raw must be above leakage_chance, got nan"),
        (lambda: normalized_hypervolume([], [], UNIT), "leakage is empty"),
        (lambda: normalized_hypervolume([0.1], [0.1, 0.2], UNIT), "one entry a point, got 1 and 2"),
        (lambda: pareto_front([np.nan], [0.1]), "leakage must be finite"),
    ],
)
def test_wrong_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
