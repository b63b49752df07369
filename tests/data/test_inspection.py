import math

import pytest

from hf_ppar.data import load_ppar_dataset
from hf_ppar.data.inspection import AttributeSummary, describe_split, load_splits, sample_sheet, summarize

from .conftest import METADATA, fake_videos


def test_counts_and_chance_levels(labelled):
    summary = summarize(labelled)
    assert summary.clips == 4 and summary.counts["action"] == {"walk": 2, "wave": 2}
    face, skin = summary.attributes
    assert (face.known, face.positive) == (3, 2) and face.positive_rate == pytest.approx(2 / 3)
    assert (skin.known, skin.positive) == (3, 2) and skin.majority_accuracy == pytest.approx(2 / 3)
    text = describe_split(summary)
    assert "train: 4 clips" in text and "missing files: none" in text
    assert "action: 2 different; chance 0.500 guessing evenly, 0.500 most frequent; 2 clips each" in text
    assert "positive = chance AP" in text and "0.667" in text


def test_rates_of_rare_and_unknown_attributes():
    assert AttributeSummary("hat", 10, 2).majority_accuracy == 0.8
    assert math.isnan(AttributeSummary("hat", 0, 0).positive_rate)


def test_missing_and_unlisted_files_are_reported(tmp_path):
    fake_videos(tmp_path, ["a.mp4", "c.mp4", "d.mp4", "e.mp4"])
    (tmp_path / "metadata.csv").write_text(METADATA)
    ((dataset, mismatch),) = load_splits("folder", tmp_path)
    text = describe_split(summarize(dataset, mismatch))
    assert "missing files: 1: b.mp4" in text and "videos not in the list: 1: e.mp4" in text and len(dataset) == 3


def test_an_unlabelled_folder_has_nothing_to_count(tmp_path):
    fake_videos(tmp_path, ["a.mp4"])
    ((dataset, _),) = load_splits("folder", tmp_path)
    assert describe_split(summarize(dataset)) == "train: 1 clips\n  missing files: none"


def test_stage_splits():
    loaded = load_splits("stage", train_clips=4, validation_clips=2, test_clips=2)
    assert [len(dataset) for dataset, _ in loaded] == [4, 2, 2]
    assert "view: " in describe_split(summarize(loaded[0][0]))


def test_the_picture_has_one_row_a_split():
    train, test = load_ppar_dataset("stage", train_clips=3), load_ppar_dataset("stage", split="test", test_clips=1)
    one, two = sample_sheet([train], columns=3), sample_sheet([train, test], columns=3)
    assert one.width == two.width > 3 * 120 and one.height < 140 < 240 < two.height
    with pytest.raises(ValueError, match="there are no clips to show"):
        sample_sheet([load_ppar_dataset("stage", train_clips=0)])
