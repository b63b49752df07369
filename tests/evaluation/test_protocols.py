import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from hf_ppar import load_anonymizer
from hf_ppar.cli.evaluate import portable_command
from hf_ppar.cli.main import app
from hf_ppar.data import ClipOptions, load_ppar_dataset
from hf_ppar.evaluation import Case, evaluate, find_budget, read_report
from hf_ppar.evaluation.anonymized import anonymize_split
from hf_ppar.evaluation.measure import measure_attributes, measure_classes

TINY = {"train_clips": 24, "validation_clips": 12, "test_clips": 24, "persons": 3}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))


def stage(**options):
    return {s: load_ppar_dataset("stage", split=s, **{**TINY, **options}) for s in ("train", "validation", "test")}


def case(tmp_path, model="blacken", splits=None, **changes):
    budget = replace(find_budget("quick").shortened(2), kinds=("frame-resnet",), frames=4, size=(32, 32))
    anonymizer = None if model == "raw" else load_anonymizer(model)
    made = Case("same-dataset", "stage", splits or stage(), anonymizer, model, budget, tmp_path / "work")
    return replace(made, **changes)


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


def test_anonymized_clips_are_computed_once_and_by_content(tmp_path):
    splits, options = stage(), ClipOptions(frames=4, size=(32, 32))
    model = load_anonymizer("pixelate")
    clips = anonymize_split(splits["test"], options, model, tmp_path)
    assert clips.shape == (24, 1, 4, 32, 32, 3)
    assert anonymize_split(splits["test"], options, model, tmp_path).path == clips.path
    assert anonymize_split(splits["test"], options, model, tmp_path, strength=0.9).path != clips.path
    raw = anonymize_split(splits["test"], options, None, tmp_path)
    assert np.abs(raw.read(0).astype(int) - clips.read(0)).mean() > 1


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


def test_a_report_does_not_name_folders_of_a_machine(monkeypatch):
    monkeypatch.setenv("HF_PPAR_DATA", "/somewhere/data")
    arguments = [
        "evaluate",
        "raw",
        "--data-dir",
        "/somewhere/data/lsa64",
        "-o",
        "/home/someone/out",
        "--option",
        "a=b",
    ]
    expected = "hf-ppar evaluate raw --data-dir $HF_PPAR_DATA/lsa64 -o out --option a=b"
    assert portable_command(arguments) == expected


def test_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = [part for key, value in TINY.items() for part in ("--option", f"{key}={value}")]
    common = ["--dataset", "stage", "--budget", "quick", "--epochs", "1", *options]
    runner = CliRunner()
    raw = runner.invoke(app, ["evaluate", "raw", "-o", "raw", *common])
    assert raw.exit_code == 0, raw.stderr
    result = runner.invoke(
        app,
        ["evaluate", "blacken", "-o", "black", "--raw", "raw/report.json", "--compare", "raw/report.json", *common],
    )
    assert result.exit_code == 0, result.stderr
    assert "| utility | action_top1 |" in result.stdout
    values = json.loads((tmp_path / "black" / "report.json").read_text())
    assert values["privacy"]["person"]["raw"] is not None and values["command"].startswith("hf-ppar")
    for name in ("tradeoff_person.png", "tradeoff_attributes.png", "attributes.png", "report.md"):
        assert (tmp_path / "black" / name).stat().st_size > 500
    wrong = runner.invoke(app, ["evaluate", "blacken", "-o", "x", "--dataset", "stage", "--budget", "huge"])
    assert wrong.exit_code == 2 and "budget='huge' is unknown" in wrong.stderr
    wrong = runner.invoke(app, ["evaluate", "blacken", "-o", "x", "--dataset", "lsa64", "--data-dir", "nowhere"])
    assert wrong.exit_code == 2 and "does not exist" in wrong.stderr and not (tmp_path / "x").exists()
