import pytest
import torch
import torch.nn.functional as F

from hf_ppar.models.recognizers import (
    RECOGNIZERS,
    FrameResNetRecognizerConfig,
    TubeletRecognizerConfig,
    classification_loss,
    recognition_loss,
)

SINGLE, MULTI = "single_label_classification", "multi_label_classification"
LOGITS = torch.tensor([[2.0, -1.0, 0.5], [0.0, 0.3, -0.2]])


def test_single_label_loss_ignores_unknown_labels():
    loss = classification_loss(LOGITS, torch.tensor([1, -1]), SINGLE)
    assert torch.allclose(loss, F.cross_entropy(LOGITS[:1], torch.tensor([1])))


def test_single_label_loss_takes_probabilities():
    targets = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    assert torch.allclose(classification_loss(LOGITS, targets, SINGLE), F.cross_entropy(LOGITS, targets))


@pytest.mark.parametrize(("labels", "kind"), [(torch.tensor([-1, -1]), SINGLE), (torch.full((2, 3), -1), MULTI)])
def test_nothing_known_is_no_loss(labels, kind):
    logits = LOGITS.clone().requires_grad_()
    loss = classification_loss(logits, labels, kind)
    loss.backward()
    assert loss == 0 and torch.equal(logits.grad, torch.zeros_like(logits))


def test_multi_label_mean_is_over_known_labels():
    labels = torch.tensor([[1, 0, -1], [1, -1, -1]])
    by_hand = [-F.logsigmoid(LOGITS[0, 0]), -F.logsigmoid(-LOGITS[0, 1]), -F.logsigmoid(LOGITS[1, 0])]
    assert torch.allclose(classification_loss(LOGITS, labels, MULTI), torch.stack(by_hand).mean())


def test_wrong_label_shapes_are_named():
    with pytest.raises(ValueError, match=r"for multi_label_classification must have the shape \(2, 3\), got \(2,\)"):
        classification_loss(LOGITS, torch.tensor([0, 1]), MULTI)
    with pytest.raises(ValueError, match=r"must have the shape \(2,\) or \(2, 3\), got \(3,\)"):
        classification_loss(LOGITS, torch.tensor([0, 1, 2]), SINGLE)


def test_labels_must_match_the_heads():
    one = TubeletRecognizerConfig.tiny(num_labels=3)
    with pytest.raises(ValueError, match="labels must be a tensor, since the model has one head; got dict"):
        recognition_loss(LOGITS, {"a": torch.tensor([0, 1])}, one)
    two = TubeletRecognizerConfig.tiny(heads={"a": (2, SINGLE), "b": (1, MULTI)})
    with pytest.raises(ValueError, match=r"one tensor for each of \['a', 'b'\], got \['a'\]"):
        recognition_loss(LOGITS, {"a": torch.tensor([0, 1])}, two)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ({"a": 3}, r"heads\['a'\] must be \(num_labels, problem_type\), got 3"),
        ({"a": (3, "regression")}, "has the problem type 'regression'; allowed are"),
        ({"a": (1, SINGLE)}, "must have at least 2 labels for single_label_classification, got 1"),
    ],
)
def test_wrong_heads_are_refused(heads, message):
    with pytest.raises(ValueError, match=message):
        TubeletRecognizerConfig.tiny(heads=heads)


def test_the_order_of_heads_survives_saving(tmp_path):
    config = TubeletRecognizerConfig.tiny(heads={"z": (2, SINGLE), "a": (1, MULTI)})
    config.save_pretrained(tmp_path)
    assert list(TubeletRecognizerConfig.from_pretrained(tmp_path).heads.items()) == list(config.heads.items())


def test_one_attribute_alone_is_a_head():
    config = FrameResNetRecognizerConfig.tiny(heads={"attributes": (1, "multi_label_classification")})
    model = RECOGNIZERS[FrameResNetRecognizerConfig](config).eval()
    output = model(torch.rand(2, 2, 3, 32, 32), labels={"attributes": torch.tensor([[1.0], [0.0]])})
    assert output.head_logits["attributes"].shape == (2, 1) and output.loss > 0
