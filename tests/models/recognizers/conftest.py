"""The recognizers in their tiny sizes."""

import pytest
import torch


def make(model_class, seed=0, **changes):
    """A tiny recognizer with random weights and, where it has batch norms, statistics that are not trivial."""
    torch.manual_seed(seed)
    model = model_class(model_class.config_class.tiny(**{"num_labels": 3, **changes}))
    model.train()
    with torch.no_grad():
        model(inputs(model, batch=4, seed=99))
    return model.eval()


def inputs(model, batch=2, seed=0):
    """What the model takes: a clip in [0, 1], or features."""
    generator = torch.Generator().manual_seed(seed)
    if model.main_input_name == "features":
        return torch.randn(batch, model.config.input_size, generator=generator)
    return torch.rand(batch, 8, 3, 48, 48, generator=generator)


@pytest.fixture
def build():
    return make


@pytest.fixture
def inputs_for():
    return inputs
