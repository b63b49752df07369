import numpy as np
import pytest

from hf_ppar.metrics import (
    average_precision_levels,
    cmap,
    f1_macro,
    f1_macro_levels,
    f1_positive,
    f1_positive_levels,
    top_k_levels,
)


def test_a_fair_coin_reaches_the_coin_level():
    rng = np.random.default_rng(0)
    labels = (rng.random((200_000, 3)) < [0.9, 0.5, 0.2]).astype(int)
    coin = rng.random(labels.shape)
    for metric in (f1_positive, f1_macro):
        result = metric(coin, labels)
        assert result.value == pytest.approx(result.levels.chance, abs=0.004)
        for row in result.rows:
            assert row.value == pytest.approx(row.levels.chance, abs=0.006)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8])
def test_guessers_reach_their_levels_exactly(rate):
    positive = np.arange(100) < 100 * rate
    majority = np.full(100, float(rate >= 0.5))
    for metric, levels in ((f1_positive, f1_positive_levels), (f1_macro, f1_macro_levels)):
        assert metric(np.ones(100), positive).value == pytest.approx(levels(positive).all_positive)
        assert metric(majority, positive).value == pytest.approx(levels(positive).majority)
    assert average_precision_levels(positive).chance == pytest.approx(rate)


def test_top_k_levels():
    levels = top_k_levels(np.array([0, 0, 0, 1, 2]), classes=10, k=2)
    assert (levels.chance, levels.majority) == (0.2, 0.8)


VP = {
    "hmdb51": {
        "videos": 6766,
        "rates": [0.903, 0.620, 0.916, 0.268, 0.211],
        "cmap": 0.5836,
        "f1_positive": (0.498, 0.534, 0.688),
        "f1_macro": (0.444, 0.440),
    },
    "ucf101": {
        "videos": 13320,
        "rates": [0.912, 0.600, 0.897, 0.247, 0.253],
        "cmap": 0.5818,
        "f1_positive": (0.500, 0.530, 0.690),
        "f1_macro": (0.447, 0.436),
    },
}


@pytest.mark.parametrize("name", VP)
def test_levels_of_the_vp_labels(vp_labels, name):
    labels, known = vp_labels[name], VP[name]
    assert labels.shape == (known["videos"], 5)
    np.testing.assert_allclose(labels.mean(axis=0), known["rates"], atol=0.0006)
    yes = np.ones(labels.shape)
    positive, macro, ranked = f1_positive(yes, labels), f1_macro(yes, labels), cmap(yes, labels)
    coin, majority, all_positive = known["f1_positive"]
    assert positive.levels.chance == pytest.approx(coin, abs=0.0006)
    assert positive.levels.majority == pytest.approx(majority, abs=0.0006)
    assert positive.value == pytest.approx(all_positive, abs=0.0006)
    assert (macro.levels.chance, macro.levels.majority) == pytest.approx(known["f1_macro"], abs=0.0006)
    assert ranked.value == pytest.approx(known["cmap"], abs=0.00006)


@pytest.mark.parametrize("name", VP)
def test_a_random_ranker_approaches_the_mean_positive_rate(vp_labels, name):
    labels = vp_labels[name]
    rng = np.random.default_rng(0)
    values = [cmap(rng.random(labels.shape), labels).value for _ in range(5)]
    assert np.mean(values) == pytest.approx(VP[name]["cmap"], abs=0.004)
