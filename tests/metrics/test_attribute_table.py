import numpy as np
import pytest

from hf_ppar.metrics import attribute_table, cmap, f1_macro, f1_positive, roc_auc


def test_the_table_holds_every_metric_with_its_levels():
    rng = np.random.default_rng(0)
    probabilities, labels = rng.random((40, 3)), rng.integers(-1, 2, (40, 3))
    labels[:, 2] = 1
    names = ["face", "skin", "gender"]
    table = attribute_table(probabilities, labels, names)
    assert [row["attribute"] for row in table] == names
    for metric, result in {
        "average_precision": cmap(probabilities, labels, names),
        "f1_positive": f1_positive(probabilities, labels, names),
        "f1_macro": f1_macro(probabilities, labels, names),
    }.items():
        for row, score in zip(table[:2], result.rows, strict=True):
            assert (row[metric], row[f"{metric}_chance"]) == (score.value, score.levels.chance)
            assert (row[f"{metric}_majority"], row[f"{metric}_gain"]) == (score.levels.majority, score.gain)
            assert (row["count"], row["unknown"]) == (score.count, score.unknown)
        assert np.mean([row[metric] for row in table[:2]]) == pytest.approx(result.value)
    assert table[0]["roc_auc"] == roc_auc(probabilities[:, 0], labels[:, 0]).value


def test_a_constant_attribute_keeps_its_row():
    row = attribute_table([[0.1, 0.2], [0.9, 0.3]], [[0, 1], [1, 1]])[1]
    assert row["positive_rate"] == 1.0
    assert row["average_precision"] is row["f1_macro_gain"] is row["roc_auc"] is None
    assert row["left_out"] == "all 2 known labels are 1"


def test_an_attribute_without_a_known_label_keeps_its_row():
    row = attribute_table([[0.1, 0.2], [0.9, 0.3]], [[0, -1], [1, -1]])[1]
    assert (row["count"], row["unknown"], row["positive_rate"]) == (0, 2, None)
