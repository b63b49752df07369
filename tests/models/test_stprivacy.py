import pytest
import torch
from transformers import ViTConfig, ViTModel

from hf_ppar.models.layers import TubeletGrid, clip_to_tubelets, gather_tokens, tubelets_to_clip
from hf_ppar.models.stprivacy import STPrivacyAnonymizer, STPrivacyConfig
from hf_ppar.models.stprivacy.modeling_stprivacy import round_to_levels
from hf_ppar.models.stprivacy.predictor import (
    TokenPredictor,
    choose_kept,
    decision_map,
    draw_decisions,
    kept_per_step,
)

SMALL = {"num_frames": 4, "image_size": (24, 24), "hidden_size": 24, "intermediate_size": 48, "num_attention_heads": 2}


def build(**changes):
    torch.manual_seed(0)
    return STPrivacyAnonymizer(STPrivacyConfig.tiny(**{**SMALL, **changes})).eval()


@pytest.fixture
def model():
    return build()


@pytest.fixture
def clip():
    return torch.rand(3, 4, 3, 24, 24, generator=torch.Generator().manual_seed(1))


def kept_a_step(output, tubelet=(2, 8, 8)):
    """Tubelets that are left, (batch, steps)."""
    depth, rows, columns = tubelet
    return output.mask[:, ::depth, 0, ::rows, ::columns].sum((2, 3))


def test_paper_size_keeps_16_of_49_a_step():
    config = STPrivacyConfig()
    assert config.grid == TubeletGrid(8, 7, 7) and config.prune_before == (3, 6, 9)
    assert [kept_per_step(49, 0.7, stage) for stage in (1, 2, 3)] == [34, 24, 16]
    model = STPrivacyAnonymizer(config).eval()
    width, mlp, values = 384, 1536, 2 * 16 * 16 * 3
    block = 4 * width * width + 4 * width + 2 * width * mlp + mlp + width + 4 * width
    predictor = 2 * width + width * width + width + width * 192 + 192 + 192 * 96 + 96 + 96 * 2 + 2
    ends = values * width + width + 392 * width + 2 * width + width * values + values
    assert sum(value.numel() for value in model.parameters()) == 12 * block + 3 * predictor + ends
    with torch.inference_mode():
        output = model(torch.rand(1, 16, 3, 112, 112))
    assert torch.equal(kept_a_step(output, (2, 16, 16)), torch.full((1, 8), 16.0))


@pytest.mark.parametrize(("keep_ratio", "kept"), [(1.0, 9), (0.9, 6), (0.7, 3), (0.5, 1), (0.0, 1)])
def test_keep_ratio_at_call_time(model, clip, keep_ratio, kept):
    output = model(clip, keep_ratio=keep_ratio)
    assert torch.equal(kept_a_step(output), torch.full((3, 2), float(kept)))
    assert torch.equal(model(clip, strength=1.0 - keep_ratio).videos, output.videos)
    assert output.tokens.shape[1] == 2 * kept, "tokens must be left out, not masked"


def test_two_dials_are_refused(model, clip):
    with pytest.raises(ValueError, match=r"give strength=0\.5 or keep_ratio=0\.5, not both"):
        model(clip, strength=0.5, keep_ratio=0.5)


def test_dropped_tubelets_are_black_or_mean(clip):
    output = build()(clip)
    hidden = (output.mask == 0).expand_as(clip)
    assert hidden.any() and (output.videos[hidden] == 0).all() and (output.videos[~hidden] > 0).all()
    output = build(dropped="mean")(clip)
    mean = torch.tensor(STPrivacyConfig().image_mean).view(3, 1, 1).expand_as(clip)
    assert torch.equal(output.videos[hidden], mean[hidden])


def test_leaving_out_equals_masking(model, clip):
    """Slow reference of eval mode: all tokens, dropped ones masked."""
    config, grid = model.config, model.config.grid
    tokens = model.embedding(clip_to_tubelets(model._prepare(clip), config.tubelet_size)) + model.positions(grid)
    mask = torch.ones(3, grid.tokens)
    for number, block in enumerate(model.blocks):
        if number in config.prune_before:
            stage = config.prune_before.index(number) + 1
            keep = model.predictors[stage - 1](tokens, grid.time, mask)[..., 0].masked_fill(mask == 0, -1e9)
            chosen = choose_kept(keep.unsqueeze(-1), grid.time, kept_per_step(9, config.keep_ratio, stage))
            mask = torch.zeros_like(mask).scatter(1, chosen, 1.0)
        tokens = block(tokens, mask)
    output = model(clip)
    assert torch.equal(output.token_mask, mask)
    places = mask.nonzero()[:, 1].view(3, -1)
    assert torch.allclose(gather_tokens(model.norm(tokens), places), output.tokens, atol=1e-5)


def test_predictor_equals_a_slow_one():
    torch.manual_seed(0)
    predictor, tokens = TokenPredictor(24), torch.randn(2, 6, 24)
    mask = torch.tensor([[1.0, 0, 1, 1, 1, 0], [0, 1, 1, 0, 0, 1]])
    answers = predictor(tokens, 2, mask)
    evidence = predictor.evidence(tokens)
    for b in range(2):
        for i in range(6):
            step = range(3) if i < 3 else range(3, 6)
            frame = torch.stack([evidence[b, j, 8:16] for j in step if mask[b, j]]).mean(0)
            whole = torch.stack([evidence[b, j, 16:] for j in range(6) if mask[b, j]]).mean(0)
            expected = predictor.decide(torch.cat([evidence[b, i, :8], frame, whole])).log_softmax(-1)
            assert torch.allclose(answers[b, i], expected, atol=1e-6)
    assert torch.allclose(answers.exp().sum(-1), torch.ones(2, 6))


def test_decisions_follow_the_probabilities():
    torch.manual_seed(0)
    log_probabilities = torch.log(torch.tensor([0.8, 0.2])).expand(4, 5000, 2).clone().requires_grad_()
    decisions = draw_decisions(log_probabilities)
    assert set(decisions.unique().tolist()) == {0.0, 1.0}
    assert float(decisions.detach().mean()) == pytest.approx(0.8, abs=0.02)
    decisions.sum().backward()
    assert log_probabilities.grad.abs().min() > 0, "dropped tokens must get gradients too"


def test_choose_kept_takes_the_best_of_each_step():
    keep = torch.tensor([[0.1, 0.9, 0.5, 0.3, 0.2, 0.8]]).unsqueeze(-1)
    assert choose_kept(keep, 2, 2).tolist() == [[1, 2, 3, 5]]


def test_decision_map_has_the_order_of_tubelets():
    mask = (torch.rand(2, 18) > 0.5).float()
    pixels = decision_map(mask, TubeletGrid(2, 3, 3), (2, 8, 8))
    values = mask.unsqueeze(-1).expand(-1, -1, 2 * 8 * 8)
    assert torch.equal(pixels, tubelets_to_clip(values, TubeletGrid(2, 3, 3), (2, 8, 8)))


def test_every_part_learns(model, clip):
    model.train()
    output = model(clip)
    (output.videos.square().mean() + output.tokens.square().mean()).backward()
    without = [name for name, value in model.named_parameters() if value.grad is None or not value.grad.any()]
    assert not without


def test_progressive_decisions_only_drop(model, clip):
    model.train()
    first, second, third = model(clip).decisions.unbind(1)
    assert (second <= first).all() and (third <= second).all() and first.sum() > third.sum()


def test_capacity_limits(clip):
    grey = build(output_channels=1, output_pixels=(1, 2, 2), output_levels=2)(clip).videos
    assert set(grey.unique().tolist()) <= {0.0, 1.0}
    assert torch.equal(grey[:, :, 0], grey[:, :, 1]) and torch.equal(grey[:, 0], grey[:, 1])
    blocks = grey[:, 0, 0].unflatten(1, (6, 4)).unflatten(3, (6, 4))  # values of 4 x 4 pixels
    assert torch.equal(blocks.amin((2, 4)), blocks.amax((2, 4)))
    levels = round_to_levels(torch.linspace(0, 1, 101), 5)
    assert levels.unique().tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_difference_input_does_not_see_what_stands_still(clip):
    model = build(input="difference")
    shifted = clip * 0.5 + torch.rand(3, 1, 3, 24, 24) * 0.5
    assert torch.allclose(model(clip * 0.5).videos, model(shifted).videos, atol=1e-5)


def test_ranges(clip):
    model = build(output_activation="none")
    torch.nn.init.normal_(model.to_pixels.weight, std=3.0)
    clamped = model(clip, keep_ratio=1.0).videos
    assert clamped.min() == 0 and clamped.max() == 1
    model.config.display = "minmax"
    stretched = model(clip, keep_ratio=1.0).videos
    assert stretched.amin((1, 2, 3, 4)).tolist() == [0, 0, 0] and stretched.amax((1, 2, 3, 4)).tolist() == [1, 1, 1]
    assert len(stretched.unique()) > len(clamped.unique())
    model.train()
    assert model(clip).pixels.max() > 1, "training is not cut off"


def test_starts_from_an_image_model():
    vit = ViTModel(
        ViTConfig(
            hidden_size=24,
            num_hidden_layers=4,
            num_attention_heads=2,
            intermediate_size=48,
            image_size=24,
            patch_size=8,
        ),
        add_pooling_layer=False,
    )
    config = STPrivacyConfig.tiny(**SMALL)
    model = STPrivacyAnonymizer.from_image_model(vit, config)
    still = torch.randn(1, 1, 3, 24, 24).expand(-1, 4, -1, -1, -1)
    theirs = vit.embeddings.patch_embeddings(still[:, 0])
    ours = model.embedding(clip_to_tubelets(still, config.tubelet_size))
    assert torch.allclose(ours[:, :9], theirs, atol=1e-5) and torch.allclose(ours[:, 9:], theirs, atol=1e-5)
    filter_weight = vit.embeddings.patch_embeddings.projection.weight
    centred = STPrivacyAnonymizer.from_image_model(vit, config, centre_only=True).embedding.weight
    assert torch.equal(centred[:, :, 1], filter_weight) and not centred[:, :, 0].any()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keep_ratio": 0.0}, r"keep_ratio must be in \(0, 1\]"),
        ({"hidden_size": 32}, "must be a multiple of 12"),
        ({"prune_before": (3, 2)}, "must be increasing"),
        ({"prune_before": (4,)}, "must be increasing numbers of blocks from 1 to 3"),
        ({"prune_before": ()}, "must be increasing"),
        ({"image_size": (20, 24)}, "cannot be cut into tubelets"),
        ({"output_levels": 1}, "output_levels must be at least 2"),
        ({"output_channels": 2}, r"output_channels must be 1 \(grey\) or 3"),
        ({"output_pixels": (1, 3, 3)}, "must be three numbers that divide the sides of a tubelet"),
        ({"num_frames": None}, "STPrivacy needs num_frames"),
    ],
)
def test_wrong_configs(changes, message):
    with pytest.raises(ValueError, match=message):
        STPrivacyConfig.tiny(**{**SMALL, **changes})
