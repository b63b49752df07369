import pytest
import torch

from hf_ppar.models.layers import clip_to_tubelets, tubelets_to_clip
from hf_ppar.models.recognizers import TubeletRecognizer, TubeletRecognizerConfig

TOKENS = 4 * 6 * 6


@pytest.fixture
def model(build):
    return build(TubeletRecognizer)


@pytest.fixture
def clip(model, inputs_for):
    return inputs_for(model)


def mask_of(*kept, seed=0):
    """A mask (clips, tokens) that keeps that many tokens of each clip."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.zeros(len(kept), TOKENS)
    for row, count in zip(mask, kept, strict=True):
        row[torch.randperm(TOKENS, generator=generator)[:count]] = 1
    return mask


def with_other_dropped_pixels(model, clip, mask):
    size = model.config.tubelet_size
    tubelets = clip_to_tubelets(clip, size)
    noise = torch.rand(tubelets.shape, generator=torch.Generator().manual_seed(5))
    return tubelets_to_clip(torch.where(mask[..., None].bool(), tubelets, noise), model.config.grid, size)


@pytest.mark.parametrize("kept", [(50, 50), (50, 20)], ids=["gathered", "masked"])
def test_dropped_pixels_have_no_influence(model, clip, kept):
    mask = mask_of(*kept)
    other = with_other_dropped_pixels(model, clip, mask)
    with torch.inference_mode():
        before, after = model(clip, token_mask=mask).logits, model(other, token_mask=mask).logits
        assert torch.allclose(before, after, atol=1e-6)
        assert not torch.allclose(model(clip).logits, model(other).logits, atol=1e-3)


def test_dropped_pixels_have_no_influence_in_training(build, clip):
    model = build(TubeletRecognizer, mask_eps=0.0).train()
    mask = mask_of(50, 20)
    other = with_other_dropped_pixels(model, clip, mask)
    assert torch.allclose(model(clip, token_mask=mask).logits, model(other, token_mask=mask).logits, atol=1e-5)


def test_gathering_equals_masking(model, clip):
    mask = mask_of(50, 50)
    with torch.inference_mode():
        gathered = model(clip, token_mask=mask, output_hidden_states=True)
        model.config.gather_visible = False
        masked = model(clip, token_mask=mask, output_hidden_states=True)
    assert gathered.hidden_states[0].shape[1] == 50 and masked.hidden_states[0].shape[1] == TOKENS
    assert torch.allclose(gathered.logits, masked.logits, atol=1e-5)


def test_the_epsilon_of_training_hardly_matters(model, clip):
    mask = mask_of(50, 50)
    with torch.inference_mode():
        evaluated = model(clip, token_mask=mask).logits
        assert torch.allclose(model.train()(clip, token_mask=mask).logits, evaluated, atol=1e-4)


def test_a_mask_of_ones_is_no_mask(model, clip):
    with torch.inference_mode():
        assert torch.allclose(model(clip, token_mask=torch.ones(2, TOKENS)).logits, model(clip).logits, atol=1e-5)


def test_gradients_reach_the_mask(model, clip):
    mask = mask_of(50, 50).requires_grad_()
    model(clip, labels=torch.tensor([0, 1]), token_mask=mask).loss.backward()
    assert mask.grad.isfinite().all() and (mask.grad != 0).float().mean() > 0.99


def test_gathering_computes_only_the_visible_tokens(model):
    seen = []
    handles = [
        block.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0].shape[1])) for block in model.blocks
    ]
    with torch.inference_mode():
        model(torch.rand(8, 8, 3, 48, 48), token_mask=mask_of(*[TOKENS // 6] * 8))
    for handle in handles:
        handle.remove()
    assert seen == [TOKENS // 6] * len(model.blocks)


def test_a_mask_of_another_shape_is_refused(model, clip):
    with pytest.raises(
        ValueError, match=r"token_mask must have the shape \(batch, tokens\) = \(2, 144\), got \(2, 5\)"
    ):
        model(clip, token_mask=torch.ones(2, 5))


def test_other_clip_sizes_get_interpolated_positions(model):
    assert model(torch.rand(1, 16, 3, 64, 48)).logits.shape == (1, 3)
    with pytest.raises(ValueError, match="cannot be cut into tubelets"):
        model(torch.rand(1, 8, 3, 50, 48))


@pytest.mark.filterwarnings("ignore:.*checkpointing:FutureWarning")
def test_gradient_checkpointing_changes_nothing(model, clip):
    model.train()
    labels = torch.tensor([0, 1])
    model(clip, labels=labels).loss.backward()
    plain = model.embedding.weight.grad.clone()
    model.zero_grad()
    model.gradient_checkpointing_enable()
    model(clip, labels=labels).loss.backward()
    assert torch.allclose(model.embedding.weight.grad, plain, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"image_size": (50, 48)}, "cannot be cut into tubelets"),
        ({"hidden_size": 100}, "hidden_size=100 must be a multiple of num_attention_heads=3"),
        ({"tubelet_size": (2, 8)}, r"tubelet_size \(frames, height, width\), got \(48, 48\) and \(2, 8\)"),
    ],
)
def test_configs_that_cannot_work_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        TubeletRecognizerConfig.tiny(**changes)


def test_half_precision_weights_work_with_masks(model, clip):
    exact = model(clip, token_mask=mask_of(50, 20)).logits
    half = model.to(torch.bfloat16)(clip, token_mask=mask_of(50, 20)).logits
    assert half.dtype == torch.bfloat16 and torch.allclose(half.float(), exact, atol=0.05)
