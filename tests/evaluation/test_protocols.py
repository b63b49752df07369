from dataclasses import replace

import numpy as np
import pytest

from hf_ppar import load_anonymizer
from hf_ppar.data import load_ppar_dataset
from hf_ppar.evaluation import evaluate, read_report
from hf_ppar.evaluation.measure import measure_attributes, measure_classes

from .conftest import TINY, case, stage


def test_a_report_has_everything_beside_every_number(tmp_path):
    report = evaluate(case(tmp_path))
    assert set(report.privacy) == {"person", "attributes"} and set(report.baselines) == {"label-only", "length-only"}
    assert set(report.multi_clip) == {"1", "5"}  # nobody has twenty clips here
    numbers = [report.utility, *report.privacy.values(), *report.baselines["label-only"].values()]
    for number in numbers:
        assert number.low <= number.value <= number.high and number.chance > 0 and number.judge
    assert report.counts == {"train": 24, "validation": 12, "test": 24}
    assert report.attackers_trained_on == "anonymized train split"
    per_attribute = report.privacy["attributes"].details["per_attribute"]
    assert [row["attribute"] for row in per_attribute] == ["face", "skin", "gender", "nudity", "relationship"]


def test_black_videos_leave_the_attacker_at_guessing(tmp_path):
    report = evaluate(case(tmp_path))
    assert report.privacy["person"].value <= report.privacy["person"].majority
    assert report.privacy["attributes"].value == pytest.approx(report.privacy["attributes"].chance, abs=1e-6)


def test_reports_round_trip_and_compare_with_raw(tmp_path):
    raw = evaluate(case(tmp_path / "raw", "raw"))
    report = evaluate(case(tmp_path / "black"))
    report.compare_with_raw(raw)
    report.write(tmp_path / "out")
    again = read_report(tmp_path / "out" / "report.json")
    assert again == report and again.privacy["person"].raw == raw.privacy["person"].value
    assert "| attack on person | person_top1 |" in (tmp_path / "out" / "report.md").read_text()
    other = evaluate(case(tmp_path / "other", "raw", stage(seed=1)))
    with pytest.raises(ValueError, match="the raw report is of another data_fingerprint"):
        report.compare_with_raw(other)
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(ValueError, match=r"broken\.json is not a report"):
        read_report(tmp_path / "broken.json")


def test_an_interrupted_run_goes_on(tmp_path):
    first = evaluate(case(tmp_path))
    again = evaluate(case(tmp_path))
    assert replace(again, seconds=0.0) == replace(first, seconds=0.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: {**s, "test": s["train"]}, "is in test and, with the same content, in train"),
        (lambda s: {name: s[name] for name in ("train", "test")}, "the validation split is missing or empty"),
        (lambda s: {n: d.remove_columns("action") for n, d in s.items()}, "the train split has no action labels"),
        (
            lambda s: {n: d.remove_columns(["person", "attributes"]) for n, d in s.items()},
            "there is nothing to attack",
        ),
        (lambda s: {**s, "test": s["test"].remove_columns("person")}, "the test split has no known person labels"),
        (
            lambda s: {**s, "train": s["train"].map(lambda row: {"person": None})},
            "the train split has no known person labels",
        ),
        (lambda s: {**s, "test": s["test"].map(lambda row: {"person": 1})}, "person: the test split has one class"),
        (
            lambda s: {**s, "test": s["test"].map(lambda row: {"attributes": dict.fromkeys(row["attributes"], 1)})},
            "attributes: the test split has one class only, so that there is nothing to tell",
        ),
    ],
)
def test_cases_that_cannot_be_honest_are_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        evaluate(case(tmp_path, splits=change(stage())))
    assert not (tmp_path / "work").exists()


def test_domain_transfer_learns_actions_on_the_source_and_attacks_on_the_target(tmp_path):
    source = stage(domain="normal")
    del source["test"]
    transfer = case(tmp_path, "pixelate", stage(domain="dark"), protocol="domain-transfer", source=source)
    report = evaluate(transfer)
    assert report.counts["test"] == 24 and report.utility.metric == "action_top1"
    recognizer_set, attacker_set = transfer.recognizer_splits["train"], transfer.splits["train"]
    assert set(recognizer_set["domain"]) == {"normal"} and set(attacker_set["domain"]) == {"dark"}
    with pytest.raises(ValueError, match="domain-transfer, and no other protocol, needs a source data set"):
        evaluate(replace(transfer, source=None))
    fewer = {name: load_ppar_dataset("stage", split=name, **TINY, compounds=False) for name in ("train", "validation")}
    with pytest.raises(ValueError, match="source and target must have the same actions"):
        evaluate(replace(transfer, source=fewer))


def test_unknown_protocol(tmp_path):
    with pytest.raises(ValueError, match="protocol='guess' is unknown; choose one of: same-dataset"):
        evaluate(case(tmp_path, protocol="guess"))


def test_labels_that_say_nothing():
    with pytest.raises(ValueError, match="the test split has one class only"):
        measure_classes("action_top1", "j", np.zeros((4, 3)), np.array([1, 1, 1, 1]))
    with pytest.raises(ValueError, match="no label of the test split is known"):
        measure_classes("action_top1", "j", np.zeros((4, 3)), np.full(4, -1))
    labels = np.array([[1, 0], [1, 1], [1, 0], [1, 1]])
    number = measure_attributes("j", np.random.default_rng(0).normal(size=(4, 2)), labels, ("always", "mixed"))
    assert list(number.details["left_out"]) == ["always"]
    with pytest.raises(ValueError, match=r"NaN|finite"):
        measure_classes("action_top1", "j", np.full((4, 3), np.nan), np.array([0, 1, 2, 0]))


def test_a_constant_attribute_is_left_out_visibly(tmp_path):
    splits = {n: d.map(lambda row: {"attributes": {**row["attributes"], "face": 1}}) for n, d in stage().items()}
    details = evaluate(case(tmp_path, splits=splits)).privacy["attributes"].details
    assert details["left_out"] == {"face": "all 24 known labels are 1"}
    face = details["per_attribute"][0]
    assert face["attribute"] == "face" and face["average_precision"] is None


def test_fewer_videos_than_the_batch(tmp_path):
    few = case(tmp_path, splits=stage(train_clips=6))
    assert few.budget.batch_size > 6 and evaluate(few).counts["train"] == 6


def test_judges_of_another_case_are_not_taken_for_this_one(tmp_path):
    made = case(tmp_path)
    evaluate(made)
    for change, name in (
        ({"anonymizer": load_anonymizer("pixelate")}, "model"),
        ({"strength": 0.5, "anonymizer": load_anonymizer("pixelate")}, "model, strength"),
        ({"budget": made.budget.shortened(1)}, "budget"),
        ({"splits": stage(seed=1)}, "data"),
    ):
        with pytest.raises(ValueError, match=f"holds judges of another case: its {name} differ from this one's; cho"):
            evaluate(replace(made, **change))
