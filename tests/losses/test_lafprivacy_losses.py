import math

import pytest
import torch
import torch.nn.functional as F

from hf_ppar.losses import contrastive, embedding_distance, mask_size, masked_difference, visual_difference
from hf_ppar.metrics import ssim


@pytest.fixture
def clips():
    return torch.rand(2, 2, 2, 3, 12, 12, generator=torch.Generator().manual_seed(0)).unbind()


@pytest.fixture
def kept():
    return (torch.rand(2, 2, 1, 12, 12, generator=torch.Generator().manual_seed(1)) > 0.6).float()


@pytest.mark.parametrize("kind", ["mse", "l1"])
def test_masked_difference_equals_a_slow_one(clips, kept, kind):
    raw, anonymized = clips
    for b in range(2):
        total = count = 0.0
        for t in range(2):
            for c in range(3):
                for i in range(12):
                    for j in range(12):
                        gap = float(raw[b, t, c, i, j] - anonymized[b, t, c, i, j])
                        total += float(kept[b, t, 0, i, j]) * (gap**2 if kind == "mse" else abs(gap))
                        count += float(kept[b, t, 0, i, j])
        assert masked_difference(raw, anonymized, kept, kind)[b] == pytest.approx(total / count, abs=1e-6)


def test_visual_difference_is_section_3_4_1(clips, kept):
    raw, anonymized = clips
    both = visual_difference(raw, anonymized, kept, 0.5, 2.0)
    expected = 0.5 * masked_difference(raw, anonymized, kept) + 2.0 * (1 - ssim(raw, anonymized))
    assert torch.allclose(both, expected)
    assert torch.equal(visual_difference(raw, anonymized, kept, 1.0, 0.0), masked_difference(raw, anonymized, kept))
    assert torch.allclose(visual_difference(raw, raw, kept), torch.zeros(2), atol=1e-6)
    assert visual_difference(raw, anonymized * 3, kept).isfinite().all(), "an unbounded decoder is shown within [0, 1]"


def test_the_mask_gets_no_gradient_from_what_it_hides(clips, kept):
    raw, anonymized = clips
    mask = kept.clone().requires_grad_()
    loss = masked_difference(raw, anonymized.requires_grad_(), mask).sum()
    loss.backward()
    assert mask.grad is None and not anonymized.grad[(kept == 0).expand_as(raw)].any()
    assert masked_difference(raw, anonymized, torch.zeros_like(kept)).tolist() == [0, 0]


def test_embedding_distance_equals_a_slow_one():
    torch.manual_seed(0)
    shapes = {"patch": (2, 3, 4, 5), "class": (2, 3, 6), "video": (2, 6)}
    raw, anonymized = ({name: torch.randn(shape) for name, shape in shapes.items()} for _ in range(2))
    weights = {"patch": 1.0, "class": 0.5, "video": 2.0}
    for b in range(2):
        total = 0.0
        for name, weight in weights.items():
            gaps = [
                (float(x) - float(y)) ** 2
                for x, y in zip(raw[name][b].flatten(), anonymized[name][b].flatten(), strict=True)
            ]
            total += weight * sum(gaps) / len(gaps)
        assert embedding_distance(raw, anonymized, weights)[b] == pytest.approx(total, abs=1e-5)
    only = embedding_distance(raw, anonymized, {"patch": 0.0, "class": 0.0, "video": 1.0})
    assert torch.allclose(only, (raw["video"] - anonymized["video"]).square().mean(1))
    assert embedding_distance(raw, raw, weights).tolist() == [0, 0]


def test_mask_size_is_the_mean(kept):
    slow = [sum(abs(float(v)) for v in kept[b].flatten()) / kept[b].numel() for b in range(2)]
    assert mask_size(kept).tolist() == pytest.approx(slow)
    assert mask_size(torch.ones(1, 2, 1, 4, 4)) == 1 and mask_size(torch.zeros(1, 2, 1, 4, 4)) == 0


def test_contrastive_equals_a_slow_one():
    torch.manual_seed(0)
    logits, labels = torch.randn(4, 4), [0, 1, 0, 2]
    same = torch.tensor([[a == b for b in labels] for a in labels])
    total = 0.0
    for table in (logits, logits.T):
        for i in range(4):
            normal = sum(math.exp(float(v)) for v in table[i])
            matches = [j for j in range(4) if labels[j] == labels[i]]
            total -= sum(math.log(math.exp(float(table[i, j])) / normal) for j in matches) / len(matches) / 4
    assert contrastive(logits, same) == pytest.approx(total / 2, abs=1e-5)


def test_contrastive_is_clips_where_every_clip_has_one_text():
    logits = torch.randn(5, 5)
    expected = (F.cross_entropy(logits, torch.arange(5)) + F.cross_entropy(logits.T, torch.arange(5))) / 2
    assert torch.allclose(contrastive(logits, torch.eye(5, dtype=torch.bool)), expected)
