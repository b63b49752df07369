import json

import numpy as np
import pytest
import torch
from transformers import VivitImageProcessor
from transformers.models.videomae.image_processing_pil_videomae import VideoMAEImageProcessorPil

from hf_ppar.models.layers import normalize_clip
from hf_ppar.models.recognizers.pixel_statistics import FAMILY_STATISTICS, parse_processor, read_pixel_statistics

SIDE = 32
SIZES = {"size": {"shortest_edge": SIDE}, "crop_size": {"height": SIDE, "width": SIDE}}


def frames():
    return np.random.default_rng(0).integers(0, 256, (4, SIDE, SIDE, 3), dtype=np.uint8)


@pytest.mark.parametrize(
    "processor",
    [
        VideoMAEImageProcessorPil(**SIZES, image_mean=[0.4, 0.5, 0.6], image_std=[0.2, 0.3, 0.4]),
        VideoMAEImageProcessorPil(**SIZES, do_normalize=False),
        VivitImageProcessor(**SIZES),
        VivitImageProcessor(**SIZES, offset=False, rescale_factor=1 / 255),
    ],
    ids=["videomae", "not normalised", "vivit", "vivit without offset"],
)
def test_pixels_become_what_the_processor_makes(processor, tmp_path):
    processor.save_pretrained(tmp_path)
    mean, std = read_pixel_statistics(str(tmp_path), "videomae")
    video = frames()
    expected = torch.tensor(np.stack(processor(list(video))["pixel_values"])).reshape(1, 4, 3, SIDE, SIDE)
    clip = torch.from_numpy(video).permute(0, 3, 1, 2)[None].float() / 255
    assert torch.allclose(normalize_clip(clip, mean, std), expected.float(), atol=1e-5)


def test_vivit_default_is_that_of_its_processor():
    parsed = parse_processor(VivitImageProcessor().to_dict())
    assert np.allclose(parsed, FAMILY_STATISTICS["vivit"])


def test_without_a_processor_the_family_decides(tmp_path):
    assert read_pixel_statistics(str(tmp_path), "timesformer").mean == (0.45, 0.45, 0.45)
    with pytest.raises(ValueError, match="the values of 'unheard' models are not known"):
        read_pixel_statistics(str(tmp_path), "unheard")


def test_a_processor_nested_in_another_file_is_found(tmp_path):
    nested = {
        "image_processor": {"image_mean": 0.5, "image_std": [0.1, 0.2, 0.3]},
        "processor_class": "XCLIPProcessor",
    }
    (tmp_path / "processor_config.json").write_text(json.dumps(nested))
    assert read_pixel_statistics(str(tmp_path), "xclip") == ((0.5, 0.5, 0.5), (0.1, 0.2, 0.3))
