from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from hf_ppar.data import ClipOptions
from hf_ppar.data.schema import Vocabulary, build_dataset
from hf_ppar.evaluation import evaluate, read_report
from hf_ppar.evaluation.stills import StillClips

from .conftest import case, stage
from .toys import SizedConfig, SizedModel


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Pictures with or without a white corner; the other attribute cannot be seen."""
    folder, number, splits = tmp_path_factory.mktemp("pictures"), 0, {}
    for split, count in (("train", 40), ("validation", 12), ("test", 24)):
        paths, rows = [], []
        for _ in range(count):
            pixels = np.random.default_rng(number).integers(0, 120, (20, 30, 3), dtype=np.uint8)
            marked = number % 2
            pixels[:8, :8] = 255 if marked else 60
            paths.append(str(folder / f"{number}.png"))
            Image.fromarray(pixels).save(paths[-1])
            rows.append({"marked": marked, "hidden": number // 2 % 2})
            number += 1
        splits[split] = build_dataset(
            {"image": paths, "attributes": rows}, Vocabulary((), ("marked", "hidden")), split
        )
    return splits


def picture_case(tmp_path, model, splits, epochs=2):
    made = case(tmp_path, model, splits, protocol="vispr")
    return replace(made, budget=replace(made.budget, epochs=epochs))


def precision(report):
    rows = report.privacy["attributes"].details["per_attribute"]
    return {row["attribute"]: row["average_precision"] for row in rows}


def test_what_is_visible_in_a_picture_is_found(pictures, tmp_path):
    report = evaluate(picture_case(tmp_path, "raw", pictures, epochs=12))
    assert precision(report)["marked"] > 0.9 and report.privacy["attributes"].chance == pytest.approx(0.5)
    assert report.utility is None and report.recognizers == [] and report.baselines == {}
    report.compare_with_raw(report)
    report.write(tmp_path / "out")
    assert read_report(tmp_path / "out" / "report.json") == report
    assert "| utility |" not in (tmp_path / "out" / "report.md").read_text()


def test_black_pictures_say_nothing(pictures, tmp_path):
    number = evaluate(picture_case(tmp_path, "blacken", pictures)).privacy["attributes"]
    assert number.value == pytest.approx(number.chance, abs=1e-6)


def test_pictures_stand_still_for_as_long_as_the_anonymizer_wants(pictures, tmp_path):
    model = SizedModel(SizedConfig()).eval()
    evaluate(picture_case(tmp_path, model, pictures, epochs=1))
    assert set(model.seen) == {(6, 3, 24, 40)}


def test_any_picture_becomes_a_clip_of_three_channels(tmp_path):
    paths = [str(tmp_path / name) for name in ("grey.png", "transparent.png")]
    Image.new("L", (10, 8), 200).save(paths[0])
    Image.new("RGBA", (10, 8), (1, 2, 3, 0)).save(paths[1])
    dataset = build_dataset({"image": paths}, Vocabulary(), "test")
    clips = StillClips(dataset, ClipOptions(frames=3, size=(8, 10)))
    assert clips.shape == (2, 1, 3, 8, 10, 3)
    assert (clips.read(0) == 200).all() and clips.read(1)[2, 0, 0].tolist() == [1, 2, 3]


def test_a_damaged_picture_is_named(tmp_path):
    (tmp_path / "bad.png").write_text("no picture")
    dataset = build_dataset({"image": [str(tmp_path / "bad.png")]}, Vocabulary(), "test")
    with pytest.raises(ValueError, match=r"cannot read the picture .*bad\.png"):
        StillClips(dataset, ClipOptions(frames=3, size=(8, 10)))


def test_videos_and_pictures_are_not_confused(pictures, tmp_path):
    with pytest.raises(ValueError, match="the train split needs the columns image and attributes, but it has video"):
        evaluate(picture_case(tmp_path, "blacken", stage()))
    with pytest.raises(ValueError, match="same-dataset judges videos, but the train split has pictures; use vispr"):
        evaluate(replace(picture_case(tmp_path, "blacken", pictures), protocol="same-dataset"))
