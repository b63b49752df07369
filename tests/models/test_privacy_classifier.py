import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, VideoMAEConfig, VideoMAEForVideoClassification
from transformers.models.videomae.image_processing_pil_videomae import VideoMAEImageProcessorPil

from hf_ppar import ModelError, PrivacyClassifierConfig, PrivacyVideoClassifier, load_privacy_classifier
from hf_ppar.models.base import AnonymizerOutput
from hf_ppar.models.lafprivacy import LaFPrivacyAnonymizer, LaFPrivacyConfig
from hf_ppar.models.privrate import PrivRateAnonymizer, PrivRateConfig
from hf_ppar.models.recognizers import FeatureRecognizer, FeatureRecognizerConfig
from hf_ppar.models.stprivacy import STPrivacyAnonymizer, STPrivacyConfig

from ..classifiers import ACTIONS, make_classifier, make_recognizer
from ..vlms import save_xclip

TEXTS = ["a person walks", "waving both hands"]


def clip(batch=2, frames=4, side=16, seed=0):
    return torch.rand(batch, frames, 3, side, side, generator=torch.Generator().manual_seed(seed))


def record(module):
    """The tensors that a module is called with."""
    seen = []
    module.register_forward_pre_hook(lambda _, args, kwargs: seen.append(args[0]), with_kwargs=True)
    return seen


@pytest.fixture(scope="module")
def xclip_directory(tmp_path_factory):
    return save_xclip(tmp_path_factory.mktemp("xclip"))


@pytest.fixture
def videomae_directory(tmp_path):
    sizes = {"image_size": 16, "patch_size": 8, "num_frames": 4, "hidden_size": 16, "num_hidden_layers": 1}
    names = {"id2label": dict(enumerate(ACTIONS)), "label2id": {name: i for i, name in enumerate(ACTIONS)}}
    config = VideoMAEConfig(**sizes, num_attention_heads=2, intermediate_size=16, **names)
    VideoMAEForVideoClassification(config).save_pretrained(tmp_path / "videomae")
    VideoMAEImageProcessorPil().save_pretrained(tmp_path / "videomae")
    return tmp_path / "videomae"


def paint_squares(clip, strength=None, generator=None):
    return AnonymizerOutput(videos=torch.full_like(clip, 0.25))


@pytest.mark.parametrize("anonymizer", ["blur-weak", "motion-mask", "pixelate"])
def test_the_recognizer_sees_the_output_of_the_anonymizer_bit_for_bit(anonymizer):
    model = make_classifier(anonymizer)
    seen = record(model.recognizer)
    raw = clip()
    output = model(raw)
    assert len(seen) == 1
    assert torch.equal(seen[0], model.anonymizer(raw).videos) and torch.equal(seen[0], output.anonymized)
    assert not torch.equal(seen[0], raw)
    assert torch.equal(output.logits, model.recognizer(seen[0]).logits)


def test_logits_do_not_move_with_the_clip_when_the_output_is_held_fixed(monkeypatch):
    model = make_classifier()
    assert not torch.equal(model(clip(seed=1)).logits, model(clip(seed=2)).logits)
    monkeypatch.setattr(model.anonymizer, "anonymize", paint_squares)
    assert torch.equal(model(clip(seed=1)).logits, model(clip(seed=2)).logits)


def test_no_gradient_goes_around_the_anonymizer(monkeypatch):
    model = make_classifier()
    monkeypatch.setattr(model.anonymizer, "anonymize", lambda c, *rest: AnonymizerOutput(videos=c.detach() * 0.5))
    raw = clip().requires_grad_()
    assert torch.autograd.grad(model(raw).logits.sum(), raw, allow_unused=True) == (None,)


@pytest.mark.parametrize(
    "anonymizer",
    [
        PrivRateAnonymizer(PrivRateConfig.tiny()),
        STPrivacyAnonymizer(STPrivacyConfig.tiny()),
        LaFPrivacyAnonymizer(LaFPrivacyConfig.tiny()),
    ],
    ids=["privrate", "stprivacy", "lafprivacy"],
)
def test_trained_methods_work_on_their_own_clip_and_come_back_exactly(anonymizer, tmp_path):
    model = make_classifier(anonymizer)
    frames, size = model.config.anonymizer_clip
    assert (frames, size) == (anonymizer.config.num_frames, tuple(anonymizer.config.image_size))
    raw = torch.rand(1, frames, 3, *size)
    seen = record(model.recognizer)
    first = model(raw, generator=torch.Generator().manual_seed(1))
    assert seen[0].shape == (1, 4, 3, 16, 16) and torch.equal(seen[0], first.anonymized)
    assert (first.rate_bits is None) == (anonymizer.config.model_type != "ppar_privrate")
    model.save_pretrained(tmp_path)
    loaded = AutoModel.from_pretrained(tmp_path)
    assert type(loaded.anonymizer) is type(anonymizer)
    again = loaded(raw, generator=torch.Generator().manual_seed(1))
    assert torch.equal(first.logits, again.logits)


def test_one_directory_holds_everything(tmp_path):
    model = make_classifier()
    model.save_pretrained(tmp_path / "saved")
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == ["config.json", "model.safetensors"]
    text = (tmp_path / "saved" / "config.json").read_text()
    assert str(tmp_path) not in text and "auto_map" not in text and "custom_pipelines" not in text
    for loaded in (load_privacy_classifier(tmp_path / "saved"), AutoModel.from_pretrained(tmp_path / "saved")):
        assert torch.equal(loaded(clip()).logits, model(clip()).logits)
        assert loaded.config.id2label == dict(enumerate(ACTIONS)) and loaded.label_names == ACTIONS
        assert loaded.config.label2id == {label: number for number, label in enumerate(ACTIONS)}
        assert not loaded.training
    assert load_privacy_classifier(model) is model


def test_the_loss_reaches_the_recognizer():
    model = make_classifier()
    model(clip(), labels=torch.tensor([0, 2])).loss.backward()
    assert model.recognizer.classifier.weight.grad.abs().sum() > 0


def test_a_video_classifier_of_transformers(videomae_directory, tmp_path):
    model = PrivacyVideoClassifier.from_parts("blacken", videomae_directory)
    assert model.label_names == ACTIONS and model.config.anonymizer_clip == (4, (16, 16))
    assert torch.equal(model(clip(seed=1)).logits, model(clip(seed=2)).logits)  # a black clip tells nothing
    model.save_pretrained(tmp_path / "saved")
    loaded = load_privacy_classifier(tmp_path / "saved")
    assert torch.allclose(loaded(clip()).logits, model(clip()).logits, atol=1e-6)
    assert str(tmp_path) not in (tmp_path / "saved" / "config.json").read_text()


def test_zero_shot_labels_are_saved_and_can_be_changed(xclip_directory, tmp_path):
    model = PrivacyVideoClassifier.from_parts("blur-weak", xclip_directory, candidate_labels=TEXTS)
    raw = clip(side=24)
    seen = record(model.recognizer)
    before = model(raw).logits
    assert before.shape == (2, 2) and torch.equal(seen[0], model.anonymizer(raw).videos)
    model.save_pretrained(tmp_path)
    loaded = load_privacy_classifier(tmp_path)
    assert loaded.label_names == TEXTS and torch.allclose(loaded(raw).logits, before, atol=1e-5)
    with loaded.choosing_from(["clapping", " running ", "a person walks"], "a video of {}"):
        assert loaded(raw).logits.shape == (2, 3) and loaded.label_names[1] == "running"
    assert loaded.label_names == TEXTS and torch.allclose(loaded(raw).logits, before, atol=1e-5)
    loaded.set_labels(["clapping", "running"])
    loaded.save_pretrained(tmp_path)
    assert load_privacy_classifier(tmp_path).label_names == ["clapping", "running"]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "must hold at least two labels to choose from, got \\[\\]"),
        (["walk"], "must hold at least two labels to choose from, got \\['walk'\\]"),
        (["walk", "run", "walk "], "must differ from each other, but walk is there twice"),
        (["walk", 3], "must be texts that are not empty, got 3 among them"),
        (["walk", " "], "must be texts that are not empty, got ' ' among them"),
        ("walk, run", "must be a list of texts such as .*, got 'walk, run'"),
        (7, "must be a list of texts"),
    ],
)
def test_labels_that_cannot_be_chosen_from(xclip_directory, labels, message):
    with pytest.raises(ValueError, match=f"candidate_labels {message}"):
        PrivacyVideoClassifier.from_parts("blur-weak", xclip_directory, candidate_labels=labels)


def test_labels_where_they_are_fixed(xclip_directory, videomae_directory, tmp_path):
    with pytest.raises(ModelError, match=r"candidate_labels are for a zero-shot recognizer; .* knows walk, wave, sit"):
        make_classifier().set_labels(["a", "b"])
    with pytest.raises(ModelError, match=r"candidate_labels are for an X-CLIP; .* holds a 'videomae' model"):
        PrivacyVideoClassifier.from_parts("blur-weak", videomae_directory, candidate_labels=["a", "b"])
    with pytest.raises(ModelError, match="is an X-CLIP, which chooses between texts: give candidate_labels"):
        PrivacyVideoClassifier.from_parts("blur-weak", xclip_directory)
    with pytest.raises(ValueError, match=r"hypothesis_template must be a text with one \{\} for the label"):
        PrivacyVideoClassifier.from_parts(
            "blur-weak", xclip_directory, candidate_labels=TEXTS, hypothesis_template="a video"
        )
    model = PrivacyVideoClassifier.from_parts("blur-weak", xclip_directory, candidate_labels=TEXTS)
    again = PrivacyVideoClassifier.from_parts("blur-weak", model.recognizer)
    assert again.label_names == TEXTS
    with pytest.raises(ModelError, match="candidate_labels need the X-CLIP's tokenizer"):
        again.set_labels(["a", "b"])


def test_wrong_frame_counts_for_xclip(xclip_directory):
    with pytest.raises(ValueError, match="num_frames=8: this X-CLIP takes clips of exactly 4 frames"):
        PrivacyVideoClassifier.from_parts("blur-weak", xclip_directory, candidate_labels=TEXTS, num_frames=8)


def test_parts_that_are_no_parts(videomae_directory):
    recognizer = make_recognizer()
    with pytest.raises(ModelError, match="anonymizer is missing; give a model, a directory or a Hub id"):
        PrivacyVideoClassifier.from_parts(None, recognizer)
    with pytest.raises(ModelError, match="anonymizer: a TubeletRecognizer is not an anonymizer"):
        PrivacyVideoClassifier.from_parts(recognizer, recognizer)
    with pytest.raises(ModelError, match=r"recognizer: a VideoMAEForVideoClassification .*; save it, with its image"):
        PrivacyVideoClassifier.from_parts(
            "blur-weak", VideoMAEForVideoClassification.from_pretrained(videomae_directory)
        )
    with pytest.raises(ValueError, match="'ppar_feature_recognizer' takes features; give one that takes clips"):
        PrivacyVideoClassifier.from_parts("blur-weak", FeatureRecognizer(FeatureRecognizerConfig(input_size=4)))
    heads = {"identity": (3, "single_label_classification"), "age": (2, "single_label_classification")}
    with pytest.raises(ValueError, match=r"it answers several questions \(age, identity\)"):
        PrivacyVideoClassifier.from_parts("blur-weak", make_recognizer(id2label=None, heads=heads))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"anonymizer": "blur-weak", "recognizer": "x/y", "token": "t"}, "token='t' belongs to model="),
        ({"recognizer": "x/y"}, "without anonymizer=, and raw frames are never classified; add anonymizer=, one of"),
        ({"anonymizer": "blur-weak"}, "anonymizer= is given without recognizer="),
        ({"model": "x/y", "anonymizer": "blur-weak", "recognizer": "x/y"}, "but not both"),
        ({"anonymizer": "blur-weak", "recognizer": "x/y", "revision": "v1"}, "revision='v1' belongs to model="),
        ({"model": "stage-nothing"}, "unknown model 'stage-nothing'"),
    ],
)
def test_what_does_not_lead_to_a_model(given, message):
    with pytest.raises(ModelError, match=message):
        load_privacy_classifier(**given)


def test_plain_recognizers_and_anonymizers_are_refused(videomae_directory, tmp_path):
    with pytest.raises(ModelError, match=r"'videomae' model without an anonymizer, and raw frames are never classif"):
        load_privacy_classifier(videomae_directory)
    with pytest.raises(ModelError, match=r"TubeletRecognizer is a .* as recognizer= and add anonymizer=, one of down"):
        load_privacy_classifier(make_recognizer())
    make_classifier().anonymizer.save_pretrained(tmp_path / "blur")
    with pytest.raises(ModelError, match=r"is an anonymizer .*, which names nothing; .* add recognizer="):
        load_privacy_classifier(tmp_path / "blur")


@pytest.fixture
def saved(tmp_path):
    make_classifier(PrivRateAnonymizer(PrivRateConfig.tiny())).save_pretrained(tmp_path)
    return tmp_path


def change_config(path, change):
    config = json.loads((path / "config.json").read_text())
    change(config)
    (path / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda config: config.pop("anonymizer"), "anonymizer is missing: a privacy classifier holds an anonymizer"),
        (lambda config: config.update(anonymizer=None), "anonymizer is missing"),
        (lambda config: config.update(anonymizer={}), "anonymizer is missing"),
        (lambda config: config.pop("recognizer"), "recognizer is missing"),
        (lambda config: config.update(anonymizer=config["recognizer"]), "'ppar_tubelet_recognizer' is not an anonym"),
        (lambda config: config["anonymizer"].update(latent_size=8), "cannot load .*"),
        (lambda config: config.update(anonymizer={"model_type": "ppar_blur"}), "do not fit its config .*unexpected"),
    ],
)
def test_a_missing_or_misshaped_anonymizer_is_an_error_at_load_time(saved, change, message):
    change_config(saved, change)
    with pytest.raises(ModelError, match=message):
        load_privacy_classifier(saved)


def test_missing_and_unexpected_weights_are_refused(saved):
    weights = load_file(saved / "model.safetensors")
    without = {name: value for name, value in weights.items() if not name.startswith("anonymizer.")}
    assert len(without) < len(weights)
    save_file(without, saved / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"do not fit its config \(missing keys: anonymizer\."):
        load_privacy_classifier(saved)
    save_file({**weights, "stranger": torch.zeros(1)}, saved / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ValueError, match="unexpected keys: stranger"):
        AutoModel.from_pretrained(saved)
    (saved / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=f"cannot load {saved}"):
        load_privacy_classifier(saved)


def test_an_anonymizer_that_breaks_its_contract_stops_everything(monkeypatch):
    model = make_classifier()
    seen = record(model.recognizer)
    monkeypatch.setattr(model.anonymizer, "anonymize", lambda *_: AnonymizerOutput(videos=None))
    with pytest.raises(RuntimeError, match="broke the anonymizer contract"):
        model(clip())
    assert seen == []


def test_clip_settings():
    model = make_classifier(num_frames=2, image_size=(8, 8))
    assert model(clip()).anonymized.shape == (2, 2, 3, 8, 8)
    for settings, message in [
        ({"num_clips": 0}, "num_clips must be at least 1, got 0"),
        ({"image_size": (8,)}, "image_size"),
        ({"num_frames": "x"}, "num_frames"),
    ]:
        with pytest.raises(Exception, match=message):
            make_classifier(**settings)
    with pytest.raises(ValueError, match="anonymizer is missing"):
        PrivacyClassifierConfig()
