import pytest
import torch

from hf_ppar.models.lafprivacy import LaFPrivacyAnonymizer, LaFPrivacyConfig
from hf_ppar.models.lafprivacy.masking import centre_scores, hard_mask, soft_mask, straight_through
from hf_ppar.models.layers import TubeletGrid

SMALL = {"num_frames": 4, "image_size": (24, 32), "hidden_size": 24, "intermediate_size": 48, "num_attention_heads": 2}


def build(**changes):
    torch.manual_seed(0)
    model = LaFPrivacyAnonymizer(LaFPrivacyConfig.tiny(**{**SMALL, **changes})).eval()
    torch.nn.init.normal_(model.scores.layers[-1].weight)  # fresh scores are all but equal
    return model


@pytest.fixture
def clip():
    return torch.rand(3, 4, 3, 24, 32, generator=torch.Generator().manual_seed(1))


def patches(pixels):
    """A value a patch out of a pixel mask, (batch, frames, rows, columns)."""
    return pixels[:, :, 0, ::8, ::8]


def test_paper_size_has_122_million_parameters():
    with torch.device("meta"):
        count = {
            (positions, linear): sum(
                value.numel()
                for value in LaFPrivacyAnonymizer(
                    LaFPrivacyConfig(positions=positions, time_linear=linear)
                ).parameters()
            )
            for positions, linear in (("separate", True), ("joint", True), ("separate", False))
        }
    width, mlp, patch = 768, 3072, 16 * 16 * 3
    attention = 4 * width * width + 4 * width + 2 * width
    linear = width * width + width
    block = 2 * attention + linear + 2 * width * mlp + mlp + width + 2 * width
    ends = patch * width + width + 2 * width + width * patch + 3
    scores = 2 * width + width * 192 + 192 + 192 + 1
    expected = 12 * block + ends + scores + (196 + 8) * width
    assert count["separate", True] == expected and expected / 122e6 == pytest.approx(1, abs=0.001)
    assert count["joint", True] == expected + (196 * 8 - 196 - 8) * width
    assert count["separate", False] == expected - 12 * linear
    config = LaFPrivacyConfig()
    assert config.grid == TubeletGrid(8, 14, 14) and config.temperature == 0.05


def test_masked_patches_are_black_and_the_rest_is_painted(clip):
    model = build()
    output = model(clip)
    kept = patches(output.mask)
    hidden = (output.mask == 0).expand_as(clip)
    assert set(kept.unique().tolist()) == {0.0, 1.0} and torch.equal(output.mask, output.kept)
    assert (output.videos[hidden] == 0).all() and (output.videos[~hidden] > 0).all()
    painted = model.release(clip, "off")
    assert torch.equal(painted.videos * output.mask, output.videos) and (painted.mask == 1).all()
    model.config.masked = False
    assert torch.equal(model(clip).videos, painted.videos)


def test_the_mask_equals_a_slow_one(clip):
    model = build()
    tokens = model.encode(clip, model.config.grid)
    mask = patches(model(clip).mask)
    raw = model.scores.layers(tokens).detach().view(3, 4, 3, 4)
    for b in range(3):
        for t in range(4):
            mean = sum(float(raw[b, t, i, j]) for i in range(3) for j in range(4)) / 12
            for i in range(3):
                for j in range(4):
                    assert mask[b, t, i, j] == float(raw[b, t, i, j] > mean)


def test_hard_is_soft_above_a_half_and_soft_spreads():
    torch.manual_seed(0)
    scores = centre_scores(torch.randn(2, 3, 50) * 0.1)
    soft, hard = soft_mask(scores, 0.05), hard_mask(scores)
    assert torch.equal(hard, (soft > 0.5).float())
    assert soft.min() < 0.1 and soft.max() > 0.9 and ((soft > 0.2) & (soft < 0.8)).any()
    assert torch.allclose(soft, torch.stack([scores / 0.05, torch.zeros_like(scores)]).softmax(0)[0])
    assert torch.allclose(scores.mean(-1), torch.zeros(2, 3), atol=1e-7)


def test_the_mask_loss_has_a_gradient_and_softmax_has_none():
    torch.manual_seed(0)
    for kind, has in (("sigmoid", True), ("softmax", False)):
        raw = (torch.randn(2, 3, 20) ** 2).requires_grad_()
        soft_mask(centre_scores(raw), 0.05, kind).mean().backward()
        assert (raw.grad.abs().max() > 1e-4) == has


def test_ties_are_kept():
    for value in (0.1, 1 / 3, -7.77e-3):
        scores = centre_scores(torch.full((1, 2, 196), value))
        assert hard_mask(scores).all() and not hard_mask(scores, keep_ties=False).any()


def test_straight_through_has_hard_values_and_soft_gradients():
    raw = torch.randn(1, 1, 12, requires_grad=True)
    soft = soft_mask(centre_scores(raw), 0.05)
    through = straight_through(hard_mask(raw.detach()), soft)
    assert torch.allclose(through, hard_mask(raw.detach()), atol=1e-6)
    weights = torch.randn(12)
    (grad,) = torch.autograd.grad((through * weights).sum(), raw, retain_graph=True)
    assert torch.allclose(grad, torch.autograd.grad((soft * weights).sum(), raw)[0])


@pytest.mark.parametrize("masking", ["soft", "straight-through"])
def test_every_part_learns(clip, masking):
    model = build(zero_time_linear=False).train()
    output = model.release(clip, masking)
    (output.videos.square().mean() + output.mask.mean()).backward()
    without = [name for name, value in model.named_parameters() if value.grad is None or not value.grad.any()]
    # Scores less their mean do not feel a constant.
    assert without in ([], ["scores.layers.3.bias"])
    assert not output.kept.requires_grad


def test_training_mode_is_straight_through(clip):
    model = build().train()
    assert torch.allclose(model(clip).videos, model.release(clip, "hard").videos, atol=1e-6)
    assert model(clip).mask.requires_grad


def test_positions_of_places_and_frames_add_up():
    model = build()
    places, times = (table.weight[0] for table in model.positions)
    table = model._positions(model.config.grid)[0].view(4, 12, 24)
    assert torch.allclose(table[2, 7], times[2] + places[7])
    joint = build(positions="joint")
    assert torch.equal(joint._positions(joint.config.grid), joint.positions[0].weight)


@pytest.mark.parametrize("activation", ["sigmoid", "clamp", "none"])
def test_ranges(clip, activation):
    model = build(output_activation=activation)
    torch.nn.init.normal_(model.decoder.weight, std=3.0)
    assert model(clip).videos.min() >= 0 and model(clip).videos.max() <= 1
    model.train()
    assert (model.release(clip, "off").videos.max() > 1) == (activation == "none")


def test_blocks_after_the_first_start_without_time():
    blocks = build().blocks
    assert [bool(block.time_linear.weight.any()) for block in blocks] == [True, False, False]
    blocks = build(zero_time_linear=False).blocks
    assert all(bool(block.time_linear.weight.any()) for block in blocks)


def test_an_unknown_masking_is_refused(clip):
    with pytest.raises(ValueError, match="masking='magic' is unknown; choose one of: off, soft, straight-through"):
        build().release(clip, "magic")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"temperature": 0.0}, "temperature must be greater than 0"),
        ({"hidden_size": 25}, "must be a multiple of num_attention_heads"),
        ({"image_size": (20, 32)}, "cannot be cut into tubelets"),
        ({"num_frames": None}, "LaF-Privacy needs num_frames and image_size"),
    ],
)
def test_wrong_configs(changes, message):
    with pytest.raises(ValueError, match=message):
        LaFPrivacyConfig.tiny(**{**SMALL, **changes})
