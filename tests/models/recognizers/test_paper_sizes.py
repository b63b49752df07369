"""Parameter counts of the paper-sized networks; built without memory for weights."""

import pytest
import torch

from hf_ppar.models.recognizers import (
    FeatureRecognizer,
    FrameResNetRecognizer,
    R2Plus1DRecognizer,
    ResNet3DRecognizer,
    TubeletRecognizer,
)


def count(model_class, **changes):
    with torch.device("meta"):
        model = model_class(model_class.config_class(**changes))
    return sum(parameter.numel() for parameter in model.parameters())


def vit_small(labels):
    width, depth, tokens, values = 384, 12, 8 * 7 * 7, 3 * 2 * 16 * 16
    block = (
        4 * width + (width + 1) * 3 * width + (width + 1) * width + (width + 1) * 4 * width + (4 * width + 1) * width
    )
    return (values + 1) * width + tokens * width + depth * block + 2 * width + (width + 1) * labels


@pytest.mark.parametrize(
    ("model_class", "changes", "expected"),
    [
        (TubeletRecognizer, {"num_labels": 51}, 22_054_707),
        (R2Plus1DRecognizer, {"num_labels": 400}, 31_505_325),
        (ResNet3DRecognizer, {"num_labels": 400}, 47_018_576),
        # torchvision's resnet50 has 25,557,032 with a head for 1000 classes.
        (FrameResNetRecognizer, {"num_labels": 1000}, 25_557_032),
        (FeatureRecognizer, {"num_labels": 7, "input_size": 768}, 768 * 768 + 768 + 768 * 7 + 7),
        (FeatureRecognizer, {"num_labels": 7, "input_size": 768, "num_layers": 1}, 768 * 7 + 7),
    ],
)
def test_parameter_count(model_class, changes, expected):
    assert count(model_class, **changes) == expected


def test_tubelet_count_is_that_of_vit_small():
    assert count(TubeletRecognizer, num_labels=51) == vit_small(51)


def test_resnet3d_without_its_head_has_46_million():
    assert count(ResNet3DRecognizer, num_labels=400) - 2049 * 400 == 46_198_976


def test_r3d_18_is_in_the_family():
    sizes = {"layer_type": "basic", "depths": (2, 2, 2, 2), "hidden_sizes": (64, 128, 256, 512)}
    # torchvision's r3d_18, whose stem is 3 frames long.
    assert count(ResNet3DRecognizer, num_labels=400, stem_frames=3, **sizes) == 33_371_472


def test_r2plus1d_has_the_public_names():
    with torch.device("meta"):
        names = set(R2Plus1DRecognizer(R2Plus1DRecognizer.config_class(num_labels=400)).trunk.state_dict())
    for name in (
        "stem.0.weight",
        "layer1.0.conv1.0.0.weight",
        "layer2.0.downsample.0.weight",
        "layer4.1.conv2.1.bias",
    ):
        assert name in names
