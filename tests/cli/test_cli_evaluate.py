import json
import sys

import pytest
from typer.testing import CliRunner

from hf_ppar.cli.evaluate import portable_command
from hf_ppar.cli.main import app

TINY = {"train_clips": 24, "validation_clips": 12, "test_clips": 24, "persons": 3}


@pytest.fixture(autouse=True)
def own_place(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def run(model, output, *arguments):
    options = [part for key, value in TINY.items() for part in ("--option", f"{key}={value}")]
    common = ["--dataset", "stage", "--budget", "quick", "--epochs", "1", *options]
    return CliRunner().invoke(app, ["evaluate", model, "-o", output, *common, *arguments])


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


def test_a_raw_report_and_one_beside_it(tmp_path):
    raw = run("raw", "raw")
    assert raw.exit_code == 0, raw.stderr
    result = run("blacken", "black", "--raw", "raw/report.json", "--compare", "raw/report.json")
    assert result.exit_code == 0, result.stderr
    assert "| utility | action_top1 |" in result.stdout
    values = json.loads((tmp_path / "black" / "report.json").read_text())
    assert values["privacy"]["person"]["raw"] is not None and values["command"].startswith("hf-ppar")
    assert not {"view", "rate_bits", "seeds", "face_reid"} & set(values)  # only where they say something
    for name in ("tradeoff_person.png", "tradeoff_attributes.png", "attributes.png", "report.md"):
        assert (tmp_path / "black" / name).stat().st_size > 500
    assert not (tmp_path / "black" / "gallery.png").exists()


def test_seeds_and_a_gallery_on_request(tmp_path):
    result = run("pixelate", "out", "--seeds", "2", "--gallery")
    assert result.exit_code == 0, result.stderr
    assert "out/gallery.png shows raw frames: keep it as private as the videos" in result.stdout
    assert (tmp_path / "out" / "gallery.png").stat().st_size > 500
    values = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [entry["seed"] for entry in values["seeds"]] == [0, 1]


@pytest.mark.parametrize(
    ("model", "arguments", "code", "message"),
    [
        ("blacken", ["--budget", "huge"], 2, "budget='huge' is unknown"),
        ("blacken", ["--dataset", "lsa64", "--data-dir", "nowhere"], 2, "does not exist"),
        (
            "raw",
            ["--gallery"],
            2,
            "before and after an anonymizer, and the model 'raw' has none",
        ),
        ("blacken", ["--face-reid"], 2, "face re-identification needs dlib and its weights: pip install 'hf-ppar[att"),
        ("blacken", ["--view", "missing"], 1, "'blacken' has no tubelet_size, leave view out"),
        ("blacken", ["--protocol", "frame-level"], 1, "the train split needs the column frame_labels"),
        ("blacken", ["--protocol", "vispr"], 1, "the train split needs the columns image and attributes"),
        ("blacken", ["--seeds", "0"], 1, "seeds must be at least 1, got 0"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(tmp_path, monkeypatch, model, arguments, code, message):
    monkeypatch.setitem(sys.modules, "dlib", None)
    result = run(model, "x", *arguments)
    assert result.exit_code == code and message in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "x").exists()
