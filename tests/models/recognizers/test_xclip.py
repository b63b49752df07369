import json

import pytest
import torch
from transformers import CLIPTokenizer, XCLIPModel

from hf_ppar.models.recognizers import XCLIPRecognizer, XCLIPRecognizerConfig, load_recognizer

LABELS = ["wave", "run", "sit down"]


@pytest.fixture(scope="module")
def xclip_directory(tmp_path_factory):
    """A tiny random X-CLIP with a real CLIP tokenizer of single letters."""
    path = tmp_path_factory.mktemp("xclip")
    torch.manual_seed(0)
    XCLIPModel(XCLIPRecognizerConfig.tiny().xclip).eval().save_pretrained(path)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [*letters, *(letter + "</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    (path / "vocab.json").write_text(json.dumps({word: index for index, word in enumerate(words)}))
    (path / "merges.txt").write_text("#version: 0.2\n")
    CLIPTokenizer.from_pretrained(path).save_pretrained(path)
    return path


@pytest.fixture
def recognizer(xclip_directory):
    return load_recognizer(xclip_directory, candidate_labels=LABELS)


def test_logits_are_those_of_xclip(recognizer, xclip_directory):
    model, tokenizer = (
        XCLIPModel.from_pretrained(xclip_directory).eval(),
        CLIPTokenizer.from_pretrained(xclip_directory),
    )
    clip = torch.rand(2, 8, 3, 48, 48)
    with torch.inference_mode():
        texts = tokenizer(LABELS, padding=True, return_tensors="pt")
        expected = model(pixel_values=recognizer.prepare(clip), **texts).logits_per_video
        assert torch.allclose(recognizer(clip).logits, expected, atol=1e-5)
    assert recognizer.config.id2label == dict(enumerate(LABELS))


def test_a_saved_model_needs_no_tokenizer(recognizer, tmp_path):
    recognizer.save_pretrained(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "model.safetensors"]
    loaded = load_recognizer(tmp_path)
    clip = torch.rand(1, 8, 3, 60, 50)
    with torch.inference_mode():
        assert torch.allclose(loaded(clip).logits, recognizer(clip).logits, atol=1e-6)


def test_labels_can_be_changed(recognizer, xclip_directory):
    tokenizer = CLIPTokenizer.from_pretrained(xclip_directory)
    clip = torch.rand(1, 8, 3, 48, 48)
    before = recognizer(clip).logits
    recognizer.set_labels(["run", "jump"], tokenizer)
    assert recognizer(clip).logits.shape == (1, 2) and recognizer.config.num_labels == 2
    recognizer.set_labels(LABELS, tokenizer, template="a {}")
    assert not torch.allclose(recognizer(clip).logits, before, atol=1e-6)
    with pytest.raises(ValueError, match="labels must be at least two different texts, got 'run'"):
        recognizer.set_labels("run", tokenizer)


@pytest.mark.parametrize("frames", [7, 16])
def test_other_lengths_are_refused(recognizer, frames):
    with pytest.raises(ValueError, match=f"takes clips of exactly 8 frames, got {frames}"):
        recognizer(torch.rand(1, frames, 3, 48, 48))


def test_labels_are_needed(xclip_directory):
    with pytest.raises(ValueError, match="chooses between texts: give candidate_labels"):
        load_recognizer(xclip_directory)
    with pytest.raises(ValueError, match="has no labels yet"):
        XCLIPRecognizer(XCLIPRecognizerConfig.tiny(label_token_ids=None))(torch.rand(1, 8, 3, 48, 48))
    with pytest.raises(ValueError, match="label_token_ids has 2 texts but there are 3 labels"):
        XCLIPRecognizerConfig.tiny(num_labels=2, id2label={0: "a", 1: "b", 2: "c"})
