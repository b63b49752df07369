"""One contract for every registered anonymizer: those with a name, and those to be trained in their tiny size."""

import pytest
import torch
from transformers import AutoConfig, AutoImageProcessor, AutoModel

from hf_ppar import AnonymizerModel, AnonymizerProcessor, list_anonymizers, load_anonymizer
from hf_ppar.registration import ANONYMIZERS

LEARNED = {config_class.model_type: config_class for config_class in ANONYMIZERS if hasattr(config_class, "tiny")}


def build(name):
    """An anonymizer by its name, or one with random weights."""
    if name not in LEARNED:
        return load_anonymizer(name)
    torch.manual_seed(0)
    return AutoModel.from_config(LEARNED[name].tiny()).eval()


@pytest.fixture(params=[*list_anonymizers(), *LEARNED])
def model(request):
    return build(request.param)


def clip_for(model, batch=2, seed=0, dtype=torch.float32):
    frames = model.config.num_frames or 5
    height, width = model.config.image_size or (40, 56)
    values = torch.rand(batch, frames, 3, height, width, generator=torch.Generator().manual_seed(seed))
    return values.to(dtype)


def run(model, clip, strength=None):
    with torch.inference_mode():
        return model(clip, strength=strength, generator=torch.Generator().manual_seed(1))


def test_every_registered_class_is_covered():
    assert {type(build(name)) for name in (*list_anonymizers(), *LEARNED)} == set(ANONYMIZERS.values())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_same_shape_dtype_and_range(model, dtype):
    clip = clip_for(model, dtype=dtype)
    untouched = clip.clone()
    videos = run(model, clip).videos
    assert videos.shape == clip.shape and videos.dtype == dtype
    assert videos.min() >= 0 and videos.max() <= 1
    assert torch.equal(clip, untouched), "the input was changed in place"


def test_the_output_is_not_the_input(model):
    clip = clip_for(model)
    assert (run(model, clip).videos - clip).abs().mean() > 0.02


def test_deterministic_for_a_generator(model):
    clip = clip_for(model)
    assert torch.equal(run(model, clip).videos, run(model, clip).videos)


def test_alone_equals_in_a_batch(model):
    clip = clip_for(model, batch=3)
    together = run(model, clip).videos
    alone = torch.cat([run(model, part).videos for part in clip.split(1)])
    assert torch.allclose(together, alone, atol=1e-6)


def test_round_trip_is_exact(model, tmp_path):
    model.save_pretrained(tmp_path)
    AnonymizerProcessor.for_model(model.config).save_pretrained(tmp_path)
    loaded = AutoModel.from_pretrained(tmp_path).eval()
    assert type(loaded) is type(model) and isinstance(AutoConfig.from_pretrained(tmp_path), type(model.config))
    assert isinstance(AutoImageProcessor.from_pretrained(tmp_path), AnonymizerProcessor)
    assert type(AnonymizerModel.from_pretrained(tmp_path)) is type(model)
    clip = clip_for(model)
    assert torch.equal(run(model, clip).videos, run(loaded, clip).videos)
    assert loaded.config.to_diff_dict() == model.config.to_diff_dict()


def test_strength_is_a_dial_or_refused(model):
    clip = clip_for(model)
    if not model.config.has_strength:
        with pytest.raises(ValueError, match="has no strength to set; leave it out"):
            run(model, clip, strength=0.5)
        return
    least, most = run(model, clip, strength=0.0).videos, run(model, clip, strength=1.0).videos
    assert not torch.equal(least, most)
    assert not torch.allclose(least, clip, atol=1e-3), "strength 0 must still anonymize"
    for wrong in (-0.1, 1.1):
        with pytest.raises(ValueError, match=r"strength must be between 0 \(least private\) and 1"):
            run(model, clip, strength=wrong)


def test_config_strength_is_the_default(model):
    if not model.config.has_strength:
        pytest.skip("no dial")
    clip = clip_for(model)
    asked = run(model, clip, strength=0.9).videos
    model.config.strength = 0.9
    assert torch.equal(run(model, clip).videos, asked)


@pytest.mark.parametrize(
    ("clip", "message"),
    [
        (torch.rand(5, 3, 8, 8), r"must have the shape \(batch, frames, 3, height, width\), got \(5, 3, 8, 8\)"),
        (torch.rand(1, 2, 1, 8, 8), r"got \(1, 2, 1, 8, 8\)"),
        (torch.zeros(1, 0, 3, 8, 8), r"got \(1, 0, 3, 8, 8\)"),
        (torch.zeros(1, 2, 3, 8, 8, dtype=torch.uint8), "must be floating point"),
        (torch.full((1, 2, 3, 8, 8), 1.5), r"must lie in \[0, 1\], got \[1.5, 1.5\]"),
        (torch.full((1, 2, 3, 8, 8), float("nan")), r"must lie in \[0, 1\], got \[nan, nan\]"),
    ],
)
def test_wrong_clips_are_refused(model, clip, message):
    with pytest.raises(ValueError, match=message):
        model(clip)


def test_a_method_that_breaks_the_shape_is_stopped(model, monkeypatch):
    clip = clip_for(model)
    right = model.anonymize

    def cut_short(*args):
        output = right(*args)
        output.videos = output.videos[:, 1:]
        return output

    monkeypatch.setattr(model, "anonymize", cut_short)
    with pytest.raises(RuntimeError, match="broke the anonymizer contract"):
        run(model, clip)
