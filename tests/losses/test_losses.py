import math

import pytest
import torch

from hf_ppar.losses import CONFUSIONS, confusion, sparsity


def test_sparsity_equals_a_slow_one():
    torch.manual_seed(0)
    decisions = (torch.rand(2, 3, 2 * 5) > 0.4).float()
    total = 0.0
    for b in range(2):
        for m in range(3):
            for step in range(2):
                share = sum(float(value) for value in decisions[b, m, 5 * step : 5 * step + 5]) / 5
                total += (share - 0.7 ** (m + 1)) ** 2
    assert sparsity(decisions, 2, 0.7) == pytest.approx(total / (2 * 3 * 2), abs=1e-6)


def test_sparsity_is_zero_at_the_wanted_shares():
    decisions = torch.zeros(1, 2, 8)
    decisions[:, 0, [0, 1, 4, 5]] = 1
    decisions[:, 1, [0, 4]] = 1
    assert sparsity(decisions, 2, 0.5) == 0
    assert sparsity(decisions, 1, 0.5) == 0
    uneven = torch.tensor([[[1.0, 1, 1, 1, 0, 0, 0, 0]]])
    assert sparsity(uneven, 1, 0.5) == 0 and sparsity(uneven, 2, 0.5) == 0.25, "each time step counts alone"


def test_confusion_of_classes_equals_a_slow_one():
    logits, labels = torch.tensor([[2.0, -1.0, 0.5], [0.0, 3.0, 1.0], [1.0, 1.0, 1.0]]), torch.tensor([0, 2, -1])
    rows = [[math.exp(v) / sum(math.exp(w) for w in row) for v in row] for row in logits[:2].tolist()]
    expected = {
        "negated": sum(math.log(rows[i][y]) for i, y in enumerate((0, 2))) / 2,
        "uniform": -sum(math.log(p) for row in rows for p in row) / 3 / 2,
        "entropy": sum(p * math.log(p) for row in rows for p in row) / 2,
    }
    for kind in CONFUSIONS:
        assert confusion(logits, labels, kind) == pytest.approx(expected[kind], abs=1e-6)


def test_confusion_of_attributes_equals_a_slow_one():
    logits, labels = torch.tensor([[2.0, -1.0], [0.5, 3.0]]), torch.tensor([[1, 0], [-1, 1]])
    known = [(1 / (1 + math.exp(-v)), y) for v, y in ((2.0, 1), (-1.0, 0), (3.0, 1))]
    expected = {
        "negated": sum(math.log(p if y else 1 - p) for p, y in known) / 3,
        "uniform": -sum(math.log(p) + math.log(1 - p) for p, _ in known) / 2 / 3,
        "entropy": sum(p * math.log(p) + (1 - p) * math.log(1 - p) for p, _ in known) / 3,
    }
    for kind in CONFUSIONS:
        assert confusion(logits, labels, kind) == pytest.approx(expected[kind], abs=1e-6)


@pytest.mark.parametrize("kind", ["uniform", "entropy"])
def test_an_adversary_that_does_not_know_is_the_minimum(kind):
    labels = torch.tensor([1])
    lost = confusion(torch.zeros(1, 4), labels, kind)
    assert lost == pytest.approx(math.log(4) * (1 if kind == "uniform" else -1))
    assert all(confusion(torch.randn(1, 4) * 3, labels, kind) > lost for _ in range(10))


def test_unknown_labels_give_nothing_and_unknown_kinds_are_refused():
    logits = torch.randn(2, 3, requires_grad=True)
    loss = confusion(logits, torch.tensor([-1, -1]), "negated")
    loss.backward()
    assert loss == 0 and not logits.grad.any()
    with pytest.raises(ValueError, match="confusion='hope' is unknown; choose one of: negated"):
        confusion(logits, torch.tensor([0, 1]), "hope")
