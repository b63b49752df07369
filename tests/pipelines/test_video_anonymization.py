import numpy as np
import pytest
from transformers import VideoMAEConfig, VideoMAEForVideoClassification, pipeline

import hf_ppar
from hf_ppar.video import read_video

from ..conftest import moving_square, write_with_av


@pytest.fixture
def paths(tmp_path):
    return [str(write_with_av(tmp_path / f"{name}.mp4", moving_square(6, seed=i))) for i, name in enumerate("abc")]


def test_one_path(paths):
    answer = pipeline("video-anonymization", model="blur-weak")(paths[0])
    assert answer["fps"] == 25
    assert np.array_equal(answer["frames"], hf_ppar.anonymize(paths[0], "blur-weak"))


def test_default_model_without_the_hub(paths):
    anonymizer = pipeline("video-anonymization")
    assert anonymizer.model.config.kernel_size == 21
    assert anonymizer(paths[0])["frames"].shape == (6, 48, 64, 3)


def test_list_generator_batch_and_workers_agree(paths):
    anonymizer = pipeline("video-anonymization", model="pixelate")
    one_by_one = [anonymizer(path)["frames"] for path in paths]
    ways = [
        anonymizer(paths),
        list(anonymizer(path for path in paths)),
        anonymizer(paths, batch_size=2),
        anonymizer(paths, num_workers=1),
        anonymizer([read_video(path) for path in paths]),
    ]
    for answers in ways:
        assert all(np.array_equal(a["frames"], b) for a, b in zip(answers, one_by_one, strict=True))


def test_writes_files(paths, tmp_path):
    anonymizer = pipeline("video-anonymization", model="blacken")
    answers = anonymizer(paths, output_dir=tmp_path / "safe", size=96)
    assert [answer["path"] for answer in answers] == [str(tmp_path / "safe" / f"{n}_anonymized.mp4") for n in "abc"]
    assert read_video(answers[0]["path"]).shape == (6, 96, 128, 3)
    with pytest.raises(hf_ppar.VideoError, match="it exists already"):
        anonymizer(paths[0], output_dir=tmp_path / "safe")
    assert anonymizer(paths[0], output_dir=tmp_path / "safe", overwrite=True)["receipt"].frames == 6


def test_parameters_at_construction_and_at_call(paths):
    strong = pipeline("video-anonymization", model="pixelate", strength=1.0)
    assert np.array_equal(strong(paths[0])["frames"], hf_ppar.anonymize(paths[0], "pixelate", 1.0))
    assert np.array_equal(strong(paths[0], strength=0.0)["frames"], hf_ppar.anonymize(paths[0], "pixelate", 0.0))


def test_directory_and_save(paths, tmp_path):
    pipeline("video-anonymization", model="motion-mask").save_pretrained(tmp_path / "model")
    again = pipeline("video-anonymization", model=str(tmp_path / "model"))
    assert np.array_equal(again(paths[0])["frames"], hf_ppar.anonymize(paths[0], "motion-mask"))


def test_refusals(paths, tmp_path):
    with pytest.raises(hf_ppar.ModelError, match="unknown model 'nope'"):
        pipeline("video-anonymization", model="nope")
    config = VideoMAEConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, image_size=32, num_frames=4
    )
    with pytest.raises(ValueError, match="needs an anonymizer, got VideoMAEForVideoClassification"):
        pipeline("video-anonymization", model=VideoMAEForVideoClassification(config))
    anonymizer = pipeline("video-anonymization", model="blacken")
    with pytest.raises(ValueError, match="size apply to files; give output_dir as well"):
        anonymizer(paths[0], size=96)
    with pytest.raises(TypeError, match=r"unknown arguments \['colour'\]"):
        anonymizer(paths[0], colour="red")
    with pytest.raises(hf_ppar.VideoError, match="a video without a path has no name"):
        anonymizer(read_video(paths[0]), output_dir=tmp_path)


def test_other_tasks_are_untouched():
    with pytest.raises(KeyError, match="Unknown task"):
        pipeline("no-such-task", model=hf_ppar.load_anonymizer("blacken"))
