"""The numbered examples run, with tiny models and settings."""

import csv
import importlib.util
from pathlib import Path

import pytest
import torch
from transformers import VideoMAEConfig, VideoMAEForVideoClassification

from hf_ppar import load_privacy_classifier
from hf_ppar.video import probe

from .classifiers import ACTIONS, make_classifier, make_recognizer
from .vlms import save_xclip

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def example(tmp_path, monkeypatch):
    """An example by its number, to be run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))

    def load(number):
        (path,) = EXAMPLES.glob(f"{number:02d}_*.py")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def model(tmp_path):
    make_classifier().save_pretrained(tmp_path / "model")
    return str(tmp_path / "model")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("0*.py")), ids=lambda path: path.stem)
def test_each_says_how_it_is_called(path):
    text = path.read_text(encoding="utf-8")
    assert f"\n    python examples/{path.name} [" in text.split('"""')[1]
    assert len(text.splitlines()) <= 120


def test_classify_a_video(example, model, capsys):
    example(1).main(["--model", model, "--save", "seen"])
    printed = capsys.readouterr().out
    for action in ("walk", "clap", "squat"):
        assert probe(f"samples/{action}.mp4").frames == 16 and probe(f"seen/{action}_anonymized.mp4").frames == 4
        assert f"samples/{action}.mp4\n" in printed
    assert printed.count("%") == 9
    example(1).main(["samples/walk.mp4", "none.mp4", "--model", model, "--top-k", "1"])
    printed = capsys.readouterr().out
    assert "none.mp4: cannot read none.mp4: there is no such file" in printed and printed.count("%") == 1


def test_zero_shot_with_your_labels(example, tmp_path, capsys):
    save_xclip(tmp_path / "xclip")
    parts = ["--anonymizer", "blur-strong", "--recognizer", "xclip"]
    example(2).main(parts)
    printed = capsys.readouterr().out
    assert printed.count("%") == 9 and printed.count("a person claps") >= 3 and "nobody is there" in printed
    example(2).main(["samples/walk.mp4", "--labels", "running", "waving", "--template", "a person {}", *parts])
    printed = capsys.readouterr().out
    assert printed.count("%") == 2 and "  running\n" in printed


def test_timeline_of_a_long_video(example, model, capsys):
    three = example(3)
    three.main(["--model", model, "--csv", "rows.csv"])
    assert f"samples/long.mp4: {len(three.ACTIONS)} windows" in capsys.readouterr().out
    rows = list(csv.DictReader(Path("rows.csv").read_text().splitlines()))
    assert [float(row["start"]) for row in rows] == pytest.approx([1.28 * number for number in range(10)])
    assert all(row["label"] in ACTIONS for row in rows)


@pytest.mark.parametrize("number", [1, 4])
def test_without_arguments(example, capsys, number):
    example(number).main([])
    rows = [line.rsplit("%  ", 1)[1] for line in capsys.readouterr().out.splitlines() if "%" in line]
    assert len(rows) == 9 and set(rows) <= set(load_privacy_classifier().label_names)


def test_a_timeline_without_arguments(example, capsys):
    three = example(3)
    three.main(["--csv", "rows.csv"])
    rows = list(csv.DictReader(Path("rows.csv").read_text().splitlines()))
    right = sum(row["label"] == action for row, action in zip(rows, three.ACTIONS, strict=True))
    assert right >= 6, "the shipped model names more than nine in ten rendered clips"


def test_zero_shot_without_a_model_says_what_to_give(example, capsys):
    with pytest.raises(SystemExit):
        example(2).main([])
    assert "give --anonymizer and --recognizer, or --model" in capsys.readouterr().err


def test_fine_tuning_starts_from_what_is_shipped(example):
    shipped = load_privacy_classifier().recognizer
    started = example(5).start_recognizer(None, ["walk", "wave", "sit"])
    weights, before = started.state_dict(), shipped.state_dict()
    assert set(weights) == set(before) and started.config.id2label == {0: "walk", 1: "wave", 2: "sit"}
    differing = [name for name, value in before.items() if not torch.equal(weights[name], value)]
    assert sorted(differing) == ["classifier.bias", "classifier.weight"] and started.config.heads is None


def test_windows_are_joined(example):
    labels = "aabba"
    rows = [{"start": i, "end": i + 2, "label": label, "score": i / 10} for i, label in enumerate(labels)]
    joined = example(3).join_windows(rows)
    assert [(row["start"], row["end"], row["label"]) for row in joined] == [(0, 3, "a"), (2, 5, "b"), (4, 6, "a")]
    assert [row["score"] for row in joined] == pytest.approx([0.05, 0.25, 0.4])


def test_combine_anonymizer_and_recognizer(example, tmp_path, capsys):
    make_recognizer().save_pretrained(tmp_path / "recognizer")
    four = example(4)
    four.main(["--recognizer", "recognizer", "--output", "saved/model"])
    assert capsys.readouterr().out.count("%") == 9
    assert probe("saved/walk_anonymized.mp4").frames == 4
    drawn = load_privacy_classifier("saved/model").anonymizer
    clip = torch.zeros(1, 1, 3, 4, 4)
    clip[..., 2:] = 0.2
    assert isinstance(drawn, four.OutlineModel)
    assert drawn(clip).videos[0, 0, 0].tolist() == [[0, 1, 0, 0]] * 4
    assert drawn(clip, strength=1.0).videos.sum() == 0


def test_fine_tune_on_anonymized_clips(example, tmp_path, monkeypatch, capsys):
    sizes = {"image_size": 16, "patch_size": 8, "num_frames": 4, "hidden_size": 16, "num_hidden_layers": 1}
    config = VideoMAEConfig(**sizes, num_attention_heads=2, intermediate_size=16)
    VideoMAEForVideoClassification(config).save_pretrained(tmp_path / "videomae")
    five = example(5)
    monkeypatch.setattr(five, "SPLITS", {"train": 2, "validation": 1, "test": 1})
    settings = ["--recognizer", "videomae", "--epochs", "2", "--batch-size", "4"]
    five.main(["--output", "model", *settings])
    printed = capsys.readouterr().out
    assert "4 steps; best validation top-1: " in printed and " of 4 test videos named right (chance 1)" in printed
    saved = load_privacy_classifier("model")
    assert saved.label_names == sorted(five.ACTIONS) and saved.config.anonymizer.model_type == "ppar_motion"
    # Somebody's folder without splits.
    five.main(["samples/my_videos/train", "--anonymizer", "pixelate", "--output", "other", *settings])
    assert "best validation top-1: None" in (printed := capsys.readouterr().out) and " of 8 train videos" in printed


def test_only_the_recognizer_learns(example):
    five, model = example(5), make_classifier("blur-weak")
    recipe = five.FineTuning(model, epochs=1, lr=0.1)
    assert recipe.phases[0].updates[0].modules == ("recognizer",)
    batch = {"pixel_values": torch.rand(2, 4, 3, 16, 16), "labels": torch.tensor([0, 2])}
    expected = model.recognizer(model.anonymizer(batch["pixel_values"]).videos, labels=batch["labels"])
    assert torch.equal(recipe.loss(batch, recipe.modules)["loss"], expected.loss)
    assert recipe.score(batch, recipe.modules)["top1"].tolist() == (
        (expected.logits.argmax(-1) == batch["labels"]).float().tolist()
    )
