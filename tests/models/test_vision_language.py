import pytest
import torch
from transformers import AutoProcessor, CLIPModel, ViTConfig, XCLIPModel, XCLIPProcessor

from hf_ppar.models.lafprivacy import load_vision_language_model
from hf_ppar.models.lafprivacy.small_xclip import build_xclip, tiny_config, word_merges, word_tokenizer
from hf_ppar.models.recognizers import load_recognizer

from ..vlms import WORDS, save_clip, save_xclip

TEXTS = ["a person walks", "running", "clapping hands"]


@pytest.fixture(scope="module")
def xclip_directory(tmp_path_factory):
    return save_xclip(tmp_path_factory.mktemp("xclip"))


@pytest.fixture(scope="module")
def clip_directory(tmp_path_factory):
    return save_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture
def clip():
    return torch.rand(2, 4, 3, 24, 24, generator=torch.Generator().manual_seed(0))


@torch.no_grad()
def test_xclip_levels_are_those_of_transformers(xclip_directory, clip):
    vlm, model = load_vision_language_model(xclip_directory), XCLIPModel.from_pretrained(xclip_directory).eval()
    output = model(pixel_values=vlm.prepare(clip), **vlm.tokenize(TEXTS))
    found = vlm.embed(clip)
    hidden = output.vision_model_output.last_hidden_state
    assert torch.allclose(found["patch"].flatten(0, 1), hidden[:, 1:], atol=1e-6)
    projected = model.visual_projection(model.vision_model.post_layernorm(hidden[:, 0]))
    assert torch.allclose(found["class"].flatten(0, 1), projected, atol=1e-6)
    assert torch.allclose(found["video"], output.mit_output.pooler_output, atol=1e-6)
    assert torch.allclose(vlm.compare(clip, TEXTS), output.logits_per_video, atol=1e-5)
    assert torch.allclose(
        vlm.embed_texts(TEXTS), model.get_text_features(**vlm.tokenize(TEXTS)).pooler_output, atol=1e-6
    )
    assert vlm.num_frames == 4 and vlm.frame_size == (24, 24)


@torch.no_grad()
def test_clip_averages_its_frames(clip_directory, clip):
    vlm, model = load_vision_language_model(clip_directory), CLIPModel.from_pretrained(clip_directory).eval()
    found = vlm.embed(clip)
    for number, frames in enumerate(vlm.prepare(clip)):
        each = torch.stack([model.get_image_features(frame[None]).pooler_output[0] for frame in frames])
        assert torch.allclose(found["class"][number], each, atol=1e-5)
        assert torch.allclose(found["video"][number], each.mean(0), atol=1e-5)
    still = clip[:1, :1].expand(-1, 4, -1, -1, -1)
    expected = model(pixel_values=vlm.prepare(still)[0, :1], **vlm.tokenize(TEXTS)).logits_per_image
    assert torch.allclose(vlm.compare(still, TEXTS), expected, atol=1e-4)
    assert vlm.num_frames is None and vlm.compare(clip[:, :3], TEXTS).shape == (2, 3)


def test_an_ordinary_xclip(xclip_directory, clip):
    """What the small X-CLIP leaves is loaded by transformers, by our recognizer and by its processor."""
    vlm = load_vision_language_model(xclip_directory)
    recognizer = load_recognizer(xclip_directory, candidate_labels=TEXTS)
    with torch.inference_mode():
        assert torch.allclose(recognizer(clip).logits, vlm.compare(clip, TEXTS), atol=1e-5)
    assert recognizer.config.xclip.architectures == ["XCLIPModel"]
    processor = AutoProcessor.from_pretrained(xclip_directory)
    assert isinstance(processor, XCLIPProcessor)
    frames = [(frame.permute(1, 2, 0) * 255).byte().numpy() for frame in clip[0]]
    inputs = processor(videos=frames, text=TEXTS, padding=True, return_tensors="pt")
    assert inputs["pixel_values"].shape == (1, 4, 3, 24, 24)
    with torch.inference_mode():
        answers = XCLIPModel.from_pretrained(xclip_directory).eval()(**inputs).logits_per_video
        assert torch.allclose(answers, vlm.compare(clip[:1], TEXTS), atol=0.05)  # frames are rounded to bytes


def test_a_fresh_one_starts_as_x_clip_does():
    torch.manual_seed(0)
    config = tiny_config(4, 24)
    ours = dict(build_xclip(config, WORDS).named_parameters())
    for name, value in XCLIPModel(config).named_parameters():
        sizes = [weight.detach().square().mean().item() for weight in (ours[name], value)]
        assert sizes[0] == pytest.approx(sizes[1], rel=0.6, abs=1e-3), name


def test_every_known_word_is_one_token():
    tokenizer = word_tokenizer(WORDS)
    assert tokenizer.tokenize("Running, a person walks") == [
        f"{w}</w>" for w in ("running", ",", "a", "person", "walks")
    ]
    assert tokenizer.tokenize("zebra")[-1] == "a</w>" and len(tokenizer.tokenize("zebra")) > 1
    ids = tokenizer("a person walks")["input_ids"]
    assert ids[-1] == max(tokenizer.get_vocab().values()) == tokenizer.eos_token_id
    assert tokenizer.decode(ids, skip_special_tokens=True) == "a person walks"


def test_later_words_do_not_change_the_merges_of_earlier_ones():
    words = ["walks", "walking", "talks", "kingwal", "alk"]
    assert word_merges(words)[: len(word_merges(words[:2]))] == word_merges(words[:2])
    tokenizer = word_tokenizer(words)
    assert [len(tokenizer.tokenize(word)) for word in words] == [1] * 5


def test_it_never_changes(xclip_directory, clip):
    vlm = load_vision_language_model(xclip_directory).train()
    assert not any(module.training for module in vlm.modules())
    assert not any(value.requires_grad for value in vlm.parameters())
    raw = clip.requires_grad_()
    sum(value.sum() for value in vlm.embed(raw).values()).backward()
    assert raw.grad.abs().sum() > 0


def test_fingerprints_tell_models_apart(xclip_directory, clip_directory, tmp_path):
    first, again = (load_vision_language_model(xclip_directory).fingerprint for _ in range(2))
    other = load_vision_language_model(save_xclip(tmp_path / "other", seed=1)).fingerprint
    assert first == again != other and load_vision_language_model(clip_directory).fingerprint.startswith("clip-")


def test_wrong_models_and_clips_are_refused(xclip_directory, tmp_path, clip):
    vlm = load_vision_language_model(xclip_directory)
    with pytest.raises(ValueError, match=r"frames=3: this xclip takes clips of exactly 4 frames.*; set frames=4"):
        vlm.embed(clip[:, :3])
    ViTConfig().save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="holds a 'vit' model, which does not compare videos with texts; give one of"):
        load_vision_language_model(tmp_path)
    with pytest.raises(ValueError, match="neither a directory nor a Hub id"):
        load_vision_language_model("nowhere")
