"""videomae-base and xclip-base-patch32 with random weights, saved as the public checkpoints are: would those fit?"""

import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    CLIPTokenizer,
    VideoMAEConfig,
    VideoMAEForVideoClassification,
    VideoMAEImageProcessorPil,
    XCLIPConfig,
    XCLIPModel,
    XCLIPProcessor,
)

from hf_ppar import PrivacyVideoClassifier, load_privacy_classifier
from hf_ppar.models.lafprivacy.small_xclip import word_merges, word_tokenizer
from hf_ppar.models.recognizers import load_recognizer
from hf_ppar.processing import to_clip

pytestmark = pytest.mark.slow

TEXTS = ["a person walks", "waving both hands"]
FRAMES = {"videomae": 16, "xclip": 8}
PARAMETERS = {"videomae": 86_534_800, "xclip": 196_585_729}
# Some of the names in the public files.
NAMES = {
    "videomae": [
        "videomae.embeddings.patch_embeddings.projection.weight",
        "videomae.encoder.layer.11.attention.attention.q_bias",
        "videomae.encoder.layer.11.output.dense.weight",
        "fc_norm.weight",
        "classifier.weight",
    ],
    "xclip": [
        "text_model.encoder.layers.11.self_attn.q_proj.weight",
        "vision_model.encoder.layers.11.message_fc.weight",
        "mit.encoder.layers.0.mlp.fc1.weight",
        "prompts_generator.decoder.1.cross_attn.q_proj.weight",
        "prompts_visual_projection",
        "text_model.embeddings.position_ids",
        "logit_scale",
    ],
}


def clip_tokenizer():
    """CLIP's numbers for the ends of a text, and the few words of the texts here."""
    vocabulary = word_tokenizer(TEXTS).get_vocab() | {"<|startoftext|>": 49406, "<|endoftext|>": 49407}
    merges = word_merges(sorted({word for text in TEXTS for word in text.split()}))
    return CLIPTokenizer(vocab=vocabulary, merges=merges, model_max_length=77)


def save_public(family, place):
    """What a public checkpoint has in its directory; returns the model and its processor."""
    torch.manual_seed(0)
    pixels = VideoMAEImageProcessorPil(image_mean=[0.4, 0.45, 0.5], image_std=[0.2, 0.25, 0.3])
    if family == "videomae":
        model, processor = VideoMAEForVideoClassification(VideoMAEConfig(num_labels=400)), pixels
    else:
        model = XCLIPModel(XCLIPConfig(text_config={}, vision_config={}))
        processor = XCLIPProcessor(image_processor=pixels, tokenizer=clip_tokenizer())
    model.save_pretrained(place)
    processor.save_pretrained(place)
    if family == "xclip":  # the public files were written when position numbers were saved too
        old = {"text_model": torch.arange(77)[None], "vision_model": torch.arange(50)[None]}
        weights = load_file(place / "model.safetensors")
        weights |= {f"{part}.embeddings.position_ids": numbers for part, numbers in old.items()}
        save_file(weights, place / "model.safetensors", metadata={"format": "pt"})
    return model.eval(), pixels


@pytest.fixture(scope="module", params=["videomae", "xclip"])
def family(request):
    return request.param


@pytest.fixture(scope="module")
def public(family):
    with tempfile.TemporaryDirectory() as name:  # removed at once: a gigabyte
        model, pixels = save_public(family, Path(name) / family)
        yield model, pixels, Path(name) / family


@pytest.fixture(scope="module")
def recognizer(family, public):
    return load_recognizer(public[2], candidate_labels=TEXTS if family == "xclip" else None)


def inner(recognizer):
    return recognizer.xclip if hasattr(recognizer, "xclip") else recognizer.classifier


def same_weights(first, second):
    first, second = first.state_dict(), second.state_dict()
    return set(first) == set(second) and all(torch.equal(value, second[name]) for name, value in first.items())


def test_size_and_names_are_those_of_the_public_files(family, public):
    model, _, place = public
    assert sum(parameter.numel() for parameter in model.parameters()) == PARAMETERS[family]
    assert set(NAMES[family]) <= set(load_file(place / "model.safetensors"))


def test_every_weight_arrives(family, public, recognizer):
    assert same_weights(public[0], inner(recognizer))
    assert recognizer.config.num_frames == FRAMES[family] and recognizer.config.frame_size == (224, 224)


def test_pixels_are_prepared_as_the_processor_does(family, public, recognizer):
    model, pixels, _ = public
    frames = np.random.default_rng(0).integers(0, 256, (FRAMES[family], 224, 224, 3), dtype=np.uint8)
    assert recognizer.config.image_mean == pytest.approx((0.4, 0.45, 0.5))
    assert recognizer.config.image_std == pytest.approx((0.2, 0.25, 0.3))
    inputs = torch.as_tensor(np.stack(pixels(list(frames))["pixel_values"])).reshape(1, -1, 3, 224, 224)
    with torch.inference_mode():
        if family == "xclip":
            texts = clip_tokenizer()(TEXTS, padding=True, return_tensors="pt")
            expected = model(pixel_values=inputs, **texts).logits_per_video
        else:
            expected = model(inputs).logits
        answer = recognizer(to_clip(frames)[None]).logits
    assert answer.shape == (1, 2 if family == "xclip" else 400)
    assert torch.allclose(answer, expected, atol=1e-4)


def test_behind_an_anonymizer_in_one_directory(family, recognizer):
    model = PrivacyVideoClassifier.from_parts("blur-strong", recognizer)
    assert model.config.anonymizer_clip == (FRAMES[family], (224, 224))
    with tempfile.TemporaryDirectory() as place:
        model.save_pretrained(place)
        loaded = load_privacy_classifier(place)
    assert same_weights(model, loaded) and loaded.label_names == model.label_names
    assert loaded.config.recognizer.image_mean == pytest.approx((0.4, 0.45, 0.5))
