import numpy as np
import pytest

pytest.importorskip("evaluate", reason="evaluate is not installed: no wrappers to test")

from hf_ppar.metrics import (
    cmap,
    f1_macro,
    f1_positive,
    group_accuracy_gap,
    mean_rank,
    roc_auc,
    top_k_accuracy,
    verification_eer,
)
from hf_ppar.metrics import wrappers as w

rng = np.random.default_rng(0)
SCORES, CLASSES = rng.random((20, 6)), rng.integers(-1, 6, 20)
FLAGS = rng.integers(-1, 2, (20, 6))
PAIRS = np.arange(20) % 2
CASES = [
    (w.TopKAccuracy, "top_1", SCORES, CLASSES, top_k_accuracy),
    (w.MeanRank, "mean_rank", SCORES, CLASSES, mean_rank),
    (w.CMAP, "cmap", SCORES, FLAGS, cmap),
    (w.F1Positive, "f1_positive", SCORES, FLAGS, f1_positive),
    (w.F1Macro, "f1_macro", SCORES, FLAGS, f1_macro),
    (w.RocAuc, "roc_auc", SCORES[:, 0], PAIRS, roc_auc),
    (w.VerificationEER, "verification_eer", SCORES[:, 0], PAIRS, verification_eer),
]


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    import socket

    def refuse(*args, **kwargs):
        raise OSError("a metric asked for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize(("wrapper", "name", "predictions", "references", "pure"), CASES)
def test_wrappers_return_what_the_pure_function_returns(tmp_path, wrapper, name, predictions, references, pure):
    expected = pure(predictions, references)
    result = wrapper(cache_dir=str(tmp_path)).compute(predictions=predictions, references=references)
    assert result[name] == expected.value
    assert (result[f"{name}_chance"], result[f"{name}_gain"]) == (expected.levels.chance, expected.gain)
    assert (result["count"], result["unknown"]) == (expected.count, expected.unknown)
    assert not list(tmp_path.rglob("*.arrow"))


@pytest.mark.parametrize(("wrapper", "name", "predictions", "references", "pure"), CASES)
def test_batches_add_up(wrapper, name, predictions, references, pure):
    metric = wrapper(keep_in_memory=True)
    for start in range(0, 20, 8):
        metric.add_batch(predictions=predictions[start : start + 8], references=references[start : start + 8])
    assert metric.compute()[name] == pure(predictions, references).value


def test_arguments_reach_the_pure_function():
    top_5 = w.TopKAccuracy(keep_in_memory=True).compute(predictions=SCORES, references=CLASSES, k=5)
    assert top_5["top_5"] == top_k_accuracy(SCORES, CLASSES, 5).value
    flags = FLAGS.copy()
    flags[:, 5] = 1
    result = w.CMAP(keep_in_memory=True).compute(predictions=SCORES, references=flags, names=list("abcdef"))
    assert list(result["per_attribute"]) == list("abcde")
    assert result["left_out"] == {"f": "all 20 known labels are 1"}


def test_levels_are_in_the_flat_dict():
    result = w.F1Positive(keep_in_memory=True).compute(predictions=SCORES, references=FLAGS)
    levels = f1_positive(SCORES, FLAGS).levels
    assert (result["f1_positive_majority"], result["f1_positive_all_positive"]) == (
        levels.majority,
        levels.all_positive,
    )


def test_group_gap():
    predictions, groups = CLASSES.clip(0), np.where(PAIRS, "a", "b")
    result = w.GroupAccuracyGap(keep_in_memory=True).compute(
        predictions=predictions, references=np.arange(20) % 6, groups=groups
    )
    expected = group_accuracy_gap(predictions, np.arange(20) % 6, groups)
    assert result["group_accuracy_gap"] == expected.value
    assert (result["accuracies"], result["counts"]) == (expected.accuracies, expected.counts)


def test_errors_of_the_pure_functions_come_through():
    with pytest.raises(ValueError, match="scores must be finite"):
        w.RocAuc(keep_in_memory=True).compute(predictions=[0.1, np.nan], references=[0, 1])


def test_the_description_states_range_and_direction():
    description = w.VerificationEER(keep_in_memory=True).description
    assert description.endswith("(in [0, 1], lower is better at the task)")
