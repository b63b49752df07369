import math

import numpy as np
import pytest
import torch

from hf_ppar import PrivRateAnonymizer, PrivRateConfig, anonymize, anonymize_video, load_anonymizer

from ..conftest import moving_square, write_with_av

SMALL = {"num_frames": 4, "image_size": (32, 32)}
KINDS = {
    "gaussian": {},
    "action prior": {"prior": "action", "num_actions": 3},
    "discrete": {"latent": "discrete", "latent_tokens": 4, "codes": 8, "prior": "learned"},
    "r2plus1d, colour": {"encoder": "r2plus1d", "decoder_channels": 3, "input": "raw"},
    "tubelet, attention": {"encoder": "tubelet", "decoder_heads": 2},
}


def build(**changes):
    torch.manual_seed(0)
    return PrivRateAnonymizer(PrivRateConfig.tiny(**{**SMALL, **changes})).eval()


def clips(batch=2, seed=0, size=(32, 32)):
    return torch.rand(batch, 4, 3, *size, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("kind", KINDS)
def test_output(kind, tmp_path):
    model = build(**KINDS[kind])
    generator = torch.Generator().manual_seed(1)
    with torch.inference_mode():
        output = model(clips(), generator=generator)
    assert output.latents.shape == (2, model.bottleneck.numbers) and output.rate_bits.shape == (2,)
    assert (output.rate_bits >= 0).all() and (output.rate_bits <= model.bottleneck.max_bits).all()
    is_grey = torch.equal(output.videos[:, :, 0], output.videos[:, :, 2])
    assert is_grey == (model.config.decoder_channels == 1)
    model.save_pretrained(tmp_path)
    loaded = load_anonymizer(tmp_path)
    assert torch.equal(loaded(clips(), generator=torch.Generator().manual_seed(1)).videos, output.videos)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_reach_every_parameter(kind):
    model = build(**KINDS[kind]).train()
    strength = torch.tensor([0.1, 0.9])
    posterior = model.encode(clips(), strength)
    clip = model.decode(model.bottleneck.sample(posterior), strength)
    rate = model.bottleneck.rate(posterior, torch.tensor([0, 2]))
    ((clip * torch.randn_like(clip)).sum() + rate.sum()).backward()
    silent = [name for name, value in model.named_parameters() if value.grad is None or not value.grad.any()]
    assert silent == []


def test_the_output_depends_on_the_input_through_the_code_alone():
    model = build()
    code = model(clips(1)).latents
    first = model.decode(code, 0.3)
    with torch.inference_mode():
        model(clips(1, seed=5))
    assert torch.equal(model.decode(code, 0.3), first)
    # The same within a call: whatever the clip, a code that is forced gives the same pixels to the bit.
    model.bottleneck.sample = lambda posterior, generator=None: code.expand(len(posterior.mean), -1)
    assert torch.equal(model(clips(1, seed=6), strength=0.3).videos, model(clips(1, seed=7), strength=0.3).videos)


def test_noise_is_fresh_for_every_call_and_clip():
    model = build()
    clip = clips(1).expand(2, -1, -1, -1, -1)
    torch.manual_seed(0)
    state = torch.get_rng_state()
    first = model(clip).latents
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(0)
    assert not torch.equal(model(clip).latents, first)
    assert not torch.equal(first[0], first[1])


def test_rate_is_against_the_mixture_where_the_action_is_unknown():
    model = build(prior="action", num_actions=3)
    with torch.no_grad():
        posterior = model.encode(clips())
        best = (model.bottleneck.divergences(posterior) + math.log(3)).amin(1) / math.log(2)
        assert (model(clips()).rate_bits <= best + 1e-4).all()
        torch.testing.assert_close(model(clips()).rate_bits, model.bottleneck.rate(posterior) / math.log(2))


def test_pictures_of_any_size_and_clips_of_the_right_length():
    model = build()
    assert model(clips(size=(50, 41))).videos.shape == (2, 4, 3, 50, 41)
    with pytest.raises(ValueError, match=r"takes clips of 4 frames, got 3; sample that many frames"):
        model(clips()[:, :3])


def test_dial():
    config = PrivRateConfig.tiny(min_price=0.01, max_price=1.0)
    assert [config.price_at(s) for s in (0, 0.5, 1)] == pytest.approx([0.01, 0.1, 1.0])
    one_price = PrivRateConfig.tiny(min_price=0.1, max_price=0.1)
    assert not one_price.has_strength and one_price.price_at(0.5) == pytest.approx(0.1)
    model = build()
    by_clip = model.encode(clips(), torch.tensor([0.2, 0.7])).mean
    alone = torch.cat([model.encode(clips()[:1], 0.2).mean, model.encode(clips()[1:], 0.7).mean])
    assert torch.allclose(by_clip, alone, atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"window": "blend"}, 'window must be "disjoint": a frame in two windows would spend its bits twice'),
        ({"min_price": 0.5, "max_price": 0.1}, "0 < min_price <= max_price, got 0.5 and 0.1"),
        ({"latent_tokens": 0}, "latent_tokens and latent_size must be at least 1"),
        ({"image_size": (30, 32)}, "cannot be cut into tubelets"),
        ({"latent": "fuzzy"}, "latent"),
    ],
)
def test_wrong_configs(changes, message):
    with pytest.raises(Exception, match=message):
        PrivRateConfig.tiny(**{**SMALL, **changes})
    with pytest.raises(ValueError, match='prior="action" needs num_actions'):
        build(prior="action")


def test_a_video_spends_bits_window_by_window(tmp_path):
    model = build()
    frames = moving_square(10)
    receipt = anonymize_video(write_with_av(tmp_path / "s.mp4", frames), tmp_path / "o.mp4", model)
    assert receipt.frames == 10 and receipt.rate_bits > 0
    assert receipt.mean_rate_bits == pytest.approx(receipt.rate_bits / 3)
    result = anonymize(frames, model, strength=0.9)
    assert result.shape == frames.shape and not np.array_equal(anonymize(frames, model, strength=0.9), result)


def test_paper_size():
    config = PrivRateConfig()
    assert (config.num_frames, config.image_size, config.encoder) == (16, (112, 112), "tubelet")
    with torch.device("meta"):
        model = PrivRateAnonymizer(config)
    assert model.encoder.config.hidden_size == 384 and model.bottleneck.numbers == 32
