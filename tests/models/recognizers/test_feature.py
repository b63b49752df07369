import pytest
import torch

from hf_ppar.models.recognizers import FeatureRecognizer, FeatureRecognizerConfig


def test_tokens_are_averaged(build):
    model = build(FeatureRecognizer)
    tokens = torch.randn(2, 5, 96)
    assert torch.allclose(model(tokens).logits, model(tokens.mean(dim=1)).logits, atol=1e-6)


def test_one_layer_is_linear(build):
    model = build(FeatureRecognizer, num_layers=1)
    first, second = torch.randn(2, 1, 96)
    both = model(first + second).logits + model.classifier.bias
    assert torch.allclose(both, model(first).logits + model(second).logits, atol=1e-5)


def test_other_widths_are_refused(build):
    with pytest.raises(ValueError, match=r"\(batch, 96\) or \(batch, tokens, 96\), got \(2, 95\)"):
        build(FeatureRecognizer)(torch.randn(2, 95))
    with pytest.raises(ValueError, match="num_layers must be at least 1, got 0"):
        FeatureRecognizerConfig(num_layers=0)
