"""Ready-made classifiers, tiny and random, saved to a directory and wrapped from there."""

import pytest
import torch
from transformers import (
    AutoConfig,
    AutoModelForVideoClassification,
    TimesformerConfig,
    VideoMAEConfig,
    VideoMAEForPreTraining,
    VivitConfig,
    VJEPA2Config,
)
from transformers.models.videomae.image_processing_pil_videomae import VideoMAEImageProcessorPil

from hf_ppar.models.recognizers import VideoClassifierRecognizer, load_recognizer

WIDTH = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "num_labels": 5}
SQUARE = {"image_size": 32, "intermediate_size": 64, "num_frames": 4}
CONFIGS = {
    "videomae": VideoMAEConfig(patch_size=16, **SQUARE, **WIDTH),
    "vivit": VivitConfig(tubelet_size=[2, 16, 16], **SQUARE, **WIDTH),
    "timesformer": TimesformerConfig(patch_size=16, **SQUARE, **WIDTH),
    "vjepa2": VJEPA2Config(
        crop_size=32, frames_per_clip=4, patch_size=16, num_pooler_layers=1, pred_num_hidden_layers=1, **WIDTH
    ),
}


@pytest.fixture(params=CONFIGS)
def family(request):
    return request.param


@pytest.fixture
def saved(family, tmp_path):
    torch.manual_seed(0)
    model = AutoModelForVideoClassification.from_config(CONFIGS[family]).eval()
    model.save_pretrained(tmp_path / family)
    return model, tmp_path / family


def test_a_fitting_clip_gives_the_answer_of_the_model(family, saved):
    model, path = saved
    recognizer = load_recognizer(path)
    clip = torch.rand(2, 4, 3, 32, 32)
    with torch.inference_mode():
        expected = model(**{model.main_input_name: recognizer.prepare(clip)}).logits
        assert torch.allclose(recognizer(clip).logits, expected, atol=1e-6)
    assert recognizer.config.id2label == model.config.id2label


def test_other_sizes_and_lengths_are_fitted(saved):
    recognizer = load_recognizer(saved[1])
    for shape in ((2, 9, 3, 40, 60), (2, 3, 3, 20, 16)):
        assert recognizer(torch.rand(shape), labels=torch.tensor([0, 4])).logits.shape == (2, 5)


def test_saved_as_one_directory(saved, tmp_path):
    recognizer = load_recognizer(saved[1])
    recognizer.save_pretrained(tmp_path / "wrapped")
    loaded = load_recognizer(tmp_path / "wrapped")
    clip = torch.rand(1, 4, 3, 32, 32)
    with torch.inference_mode():
        assert torch.allclose(loaded(clip).logits, recognizer(clip).logits, atol=1e-6)
    state = recognizer.state_dict()
    assert all(torch.equal(value, state[name]) for name, value in loaded.state_dict().items())
    assert tuple(loaded.config.image_mean) == tuple(recognizer.config.image_mean)
    assert str(tmp_path) not in (tmp_path / "wrapped" / "config.json").read_text()


def test_a_new_head_keeps_the_encoder(family, saved):
    model, path = saved
    recognizer = load_recognizer(path, num_labels=3, problem_type="multi_label_classification")
    output = recognizer(torch.rand(2, 4, 3, 32, 32), labels=torch.tensor([[1, 0, -1], [0, 0, 1]]))
    assert output.logits.shape == (2, 3) and output.loss.isfinite()
    kept, given = dict(recognizer.classifier.named_parameters()), dict(model.named_parameters())
    differing = [name for name, value in given.items() if not torch.equal(kept[name], value)]
    assert sorted(differing) == ["classifier.bias", "classifier.weight"]


def test_gradients_reach_what_is_used(saved, family):
    recognizer = load_recognizer(saved[1]).train()
    recognizer(torch.rand(2, 4, 3, 32, 32), labels=torch.tensor([0, 1])).loss.backward()
    without = {name for name, parameter in recognizer.named_parameters() if parameter.grad is None}
    # V-JEPA 2 carries the predictor of its pre-training along.
    assert all("vjepa2.predictor." in name for name in without) and bool(without) == (family == "vjepa2")


def test_the_processor_beside_the_model_is_used(tmp_path):
    model = AutoModelForVideoClassification.from_config(CONFIGS["videomae"])
    model.save_pretrained(tmp_path)
    VideoMAEImageProcessorPil(image_mean=[0.1, 0.2, 0.3], image_std=[0.4, 0.5, 0.6]).save_pretrained(tmp_path)
    config = load_recognizer(tmp_path).config
    assert config.image_mean == pytest.approx((0.1, 0.2, 0.3)) and config.image_std == pytest.approx((0.4, 0.5, 0.6))


def test_a_pretrained_encoder_gets_a_head_only_on_request(tmp_path):
    sizes = {**CONFIGS["videomae"].to_dict(), "decoder_num_hidden_layers": 1, "decoder_hidden_size": 32}
    sizes |= {"decoder_num_attention_heads": 2, "decoder_intermediate_size": 32, "num_labels": 2}
    sizes.pop("id2label"), sizes.pop("label2id")
    VideoMAEForPreTraining(VideoMAEConfig(**sizes)).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"missing keys: classifier.bias, classifier.weight"):
        load_recognizer(tmp_path)
    assert load_recognizer(tmp_path, num_labels=7)(torch.rand(1, 4, 3, 32, 32)).logits.shape == (1, 7)


def test_several_heads_on_a_ready_made_encoder(saved):
    heads = {"identity": (4, "single_label_classification"), "attributes": (2, "multi_label_classification")}
    recognizer = VideoClassifierRecognizer.from_classifier(str(saved[1]), heads=heads)
    assert recognizer(torch.rand(1, 4, 3, 32, 32)).head_logits["identity"].shape == (1, 4)


def test_the_config_of_the_model_is_left_alone():
    before = CONFIGS["videomae"].to_dict()
    VideoClassifierRecognizer.config_class(classifier=CONFIGS["videomae"], num_labels=9)
    assert CONFIGS["videomae"].to_dict() == before
    assert AutoConfig.for_model("videomae").num_labels == 2


def test_a_classifier_may_name_its_labels_one_way_only(tmp_path):
    labels = {0: "walk", 1: "wave", 2: "sit"}
    numbers = {"walk": 0, "wave": 1, "sit": 2}
    sizes = {**WIDTH, **SQUARE, "patch_size": 16}
    sizes.pop("num_labels")
    saved = VideoMAEConfig(**sizes, id2label=labels)
    assert saved.label2id is None
    AutoModelForVideoClassification.from_config(saved).save_pretrained(tmp_path)
    wrapped = load_recognizer(tmp_path).config
    given = VideoClassifierRecognizer.config_class(classifier=CONFIGS["videomae"], id2label=labels)
    for config in (wrapped, wrapped.classifier, given, given.classifier):
        assert config.id2label == labels and config.label2id == numbers
