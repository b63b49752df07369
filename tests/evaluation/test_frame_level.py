from dataclasses import replace

import numpy as np
import pytest

from hf_ppar.data import ClipOptions
from hf_ppar.evaluation import evaluate
from hf_ppar.evaluation.frames import frame_attributes, judged_numbers

from .conftest import case, tinted
from .toys import SizedConfig, SizedModel


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    return tinted(tmp_path_factory.mktemp("tinted"))


def frame_case(tmp_path, model, splits, epochs):
    made = case(tmp_path, model, splits, protocol="frame-level")
    return replace(made, budget=replace(made.budget, epochs=epochs))


def test_what_is_visible_in_a_frame_is_found_in_that_frame(videos, tmp_path):
    report = evaluate(frame_case(tmp_path, "raw", videos, 10))
    number = report.privacy["attributes"]
    assert number.judge == "frame-resnet" and number.chance == pytest.approx((1 / 2 + 1 / 3) / 2)
    marked, red = number.details["per_attribute"]
    assert (marked["attribute"], red["attribute"]) == ("marked", "red") and marked["count"] == 24 * 4  # a row a frame
    assert marked["average_precision"] > 0.9 and red["average_precision"] > 0.9
    assert report.utility.metric == "action_top1" and report.multi_clip == {}
    assert report.baselines["label-only"]["attributes"].value < 0.7


def test_black_frames_say_nothing(videos, tmp_path):
    number = evaluate(frame_case(tmp_path, "blacken", videos, 2)).privacy["attributes"]
    assert number.value == pytest.approx(number.chance, abs=1e-6)


def test_runs_become_a_table_of_frames_and_attributes():
    runs = [
        {"name": "face", "first": 0, "last": 4, "value": 2},
        {"name": "face", "first": 5, "last": 9, "value": 0},
        {"name": "face", "first": 8, "last": 9, "value": 1},  # a second person
        {"name": "skin", "first": 0, "last": 1, "value": 0},
    ]
    table = frame_attributes(runs, ("face", "skin"), np.array([0, 3, 6, 9]))
    assert table.tolist() == [[1, 0], [1, -1], [0, -1], [1, -1]]


def test_frames_are_numbered_in_the_video():
    options = ClipOptions(frames=4, size=(32, 32))
    assert judged_numbers(10, options, None).tolist() == [0, 3, 6, 9]
    assert judged_numbers(11, options, SizedModel(SizedConfig())).tolist() == [0, 4, 6, 10]  # four of 0 2 4 6 8 10


def test_data_without_frame_labels_is_refused(videos, tmp_path):
    plain = {name: dataset.remove_columns("frame_labels") for name, dataset in videos.items()}
    with pytest.raises(ValueError, match="the train split needs the column frame_labels, but it has video, action"):
        evaluate(frame_case(tmp_path, "blacken", plain, 1))
    empty = {name: dataset.map(lambda row: {"frame_labels": []}) for name, dataset in videos.items()}
    with pytest.raises(ValueError, match="frame_labels is empty in every video: there is nothing to attack"):
        evaluate(frame_case(tmp_path, "blacken", empty, 1))
