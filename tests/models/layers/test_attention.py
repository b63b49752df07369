import math

import pytest
import torch

from hf_ppar.models.layers import SelfAttention, TransformerBlock, gather_tokens, masked_softmax, visible_indices

TOKENS, WIDTH = 6, 8
MASK = torch.tensor([[1.0, 0, 1, 1, 0, 1], [1, 1, 0, 1, 1, 0]])


@pytest.fixture
def block():
    torch.manual_seed(0)
    return TransformerBlock(WIDTH, 2, 16)


@pytest.fixture
def tokens():
    return torch.randn(2, TOKENS, WIDTH, generator=torch.Generator().manual_seed(1))


def slow_masked_softmax(scores, mask, eps):
    """One row at a time, straight from the formula."""
    result = torch.zeros_like(scores)
    batch, heads, count, _ = scores.shape
    for b in range(batch):
        for h in range(heads):
            for i in range(count):
                seen = [1.0 if i == j else float(mask[b, j]) for j in range(count)]
                row = [float(value) for value in scores[b, h, i]]
                top = max(value for value, see in zip(row, seen, strict=True) if see)
                weights = [math.exp(value - top) * see for value, see in zip(row, seen, strict=True)]
                result[b, h, i] = torch.tensor([(w + eps / count) / (sum(weights) + eps) for w in weights])
    return result


@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.1])
def test_masked_softmax_equals_a_slow_one(eps):
    scores = torch.randn(2, 3, TOKENS, TOKENS)
    assert torch.allclose(masked_softmax(scores, MASK, eps), slow_masked_softmax(scores, MASK, eps), atol=1e-6)


def test_masked_softmax_of_all_visible_tokens_is_softmax():
    scores = torch.randn(2, 3, TOKENS, TOKENS)
    assert torch.allclose(masked_softmax(scores, torch.ones(2, TOKENS), 0.0), scores.softmax(-1), atol=1e-6)


@pytest.mark.parametrize("magnitude", [1.0, 100.0, 1e4])
def test_a_large_score_of_a_dropped_token_drowns_nothing(magnitude):
    scores = torch.randn(2, 1, TOKENS, TOKENS)
    changed = torch.where(MASK[:, None, None, :].bool(), scores, scores + magnitude)
    visible = MASK.bool()
    rows = masked_softmax(scores, MASK, 0.0)[:, 0][visible]
    assert torch.allclose(masked_softmax(changed, MASK, 0.0)[:, 0][visible], rows, atol=1e-6)


@pytest.mark.parametrize("training", [False, True])
def test_dropped_tokens_change_nothing_elsewhere(block, tokens, training):
    block.train(training)
    dropped = MASK == 0
    other = torch.where(dropped[..., None], torch.randn_like(tokens) * 5, tokens)
    before, after = block(tokens, MASK), block(other, MASK)
    tolerance = 1e-4 if training else 1e-6  # in training the epsilon lets a millionth through
    assert torch.allclose(before[~dropped], after[~dropped], atol=tolerance)
    assert not torch.allclose(before[dropped], after[dropped], atol=0.1)


def test_masking_equals_leaving_out(block, tokens):
    block.eval()
    indices = visible_indices(MASK)
    alone = block(gather_tokens(tokens, indices))
    assert torch.allclose(gather_tokens(block(tokens, MASK), indices), alone, atol=1e-6)


def test_no_mask_equals_a_mask_of_ones(block, tokens):
    block.eval()
    assert torch.allclose(block(tokens), block(tokens, torch.ones(2, TOKENS)), atol=1e-6)


def test_gradients_reach_the_mask_also_at_dropped_tokens(block, tokens):
    mask = MASK.clone().requires_grad_()
    block(tokens, mask)[MASK.bool()].square().sum().backward()
    assert mask.grad.isfinite().all() and (mask.grad != 0).all()


def test_boolean_masks_work(block, tokens):
    block.eval()
    assert torch.equal(block(tokens, MASK.bool()), block(tokens, MASK))


def test_width_must_fit_the_heads():
    with pytest.raises(ValueError, match="hidden_size=10 must be a multiple of num_heads=4"):
        SelfAttention(10, 4)
