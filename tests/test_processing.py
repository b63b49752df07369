import numpy as np
import pytest
import torch

from hf_ppar import AnonymizerProcessor
from hf_ppar.models.base import AnonymizerConfig

from .conftest import moving_square


def test_frames_to_clip_and_back_is_exact(square):
    processor = AnonymizerProcessor()
    clip = processor(square)["pixel_values"]
    assert clip.shape == (1, 20, 3, 48, 64) and clip.min() >= 0 and clip.max() <= 1
    assert torch.equal(clip[0, 3, 1], torch.from_numpy(square[3, :, :, 1]) / 255)
    assert np.array_equal(processor.postprocess(clip)[0], square)


def test_working_size_and_a_batch(square):
    processor = AnonymizerProcessor.for_model(AnonymizerConfig(image_size=(24, 32)))
    clip = processor([square, moving_square(seed=1)])["pixel_values"]
    assert clip.shape == (2, 20, 3, 24, 32)
    back = processor.postprocess(clip, size=(48, 64))
    assert len(back) == 2 and back[0].shape == square.shape
    assert np.abs(back[0].astype(int) - square).mean() < 5


def test_round_trip_of_the_settings(tmp_path):
    AnonymizerProcessor(size={"height": 24, "width": 32}).save_pretrained(tmp_path)
    assert AnonymizerProcessor.from_pretrained(tmp_path).size == {"height": 24, "width": 32}


def test_wrong_input(square):
    with pytest.raises(ValueError, match="a video must be an array"):
        AnonymizerProcessor()(["frames"])
    with pytest.raises(TypeError, match="unknown arguments"):
        AnonymizerProcessor()(square, do_fly=True)
