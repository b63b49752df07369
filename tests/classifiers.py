"""Privacy classifiers for the tests: tiny, with random weights."""

from __future__ import annotations

import torch
from huggingface_hub.dataclasses import strict
from transformers import AutoConfig, AutoModel

from hf_ppar import PrivacyVideoClassifier
from hf_ppar.models import AnonymizerConfig, AnonymizerModel
from hf_ppar.models.base import AnonymizerOutput
from hf_ppar.models.recognizers import TubeletRecognizer, TubeletRecognizerConfig

ACTIONS = ["walk", "wave", "sit"]


def make_recognizer(seed=0, **changes):
    """A recognizer of three actions in clips of 4 x 16 x 16, sure enough of itself to tell clips apart."""
    torch.manual_seed(seed)
    sizes = {"num_frames": 4, "image_size": (16, 16), "hidden_size": 24, "num_hidden_layers": 1}
    sizes |= {"num_attention_heads": 2, "intermediate_size": 24, "id2label": dict(enumerate(ACTIONS))}
    model = TubeletRecognizer(TubeletRecognizerConfig.tiny(**{**sizes, **changes})).eval()
    torch.nn.init.normal_(model.classifier.weight)
    return model


def make_classifier(anonymizer="blur-weak", seed=0, **settings):
    """The recognizer behind an anonymizer."""
    return PrivacyVideoClassifier.from_parts(anonymizer, make_recognizer(seed), **settings)


@strict
class InvertConfig(AnonymizerConfig):
    model_type = "test_invert"

    num_frames: int | None = 6
    image_size: tuple[int, int] | list[int] | None = (24, 32)
    frame_rate: float | None = 6.0


class InvertModel(AnonymizerModel):
    """Hides nobody, but with a length and a size of its own; notes the shapes that it was given."""

    config_class = InvertConfig

    def __init__(self, config):
        super().__init__(config)
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen = []
        self.post_init()

    def anonymize(self, pixel_values, strength, generator):
        self.seen.append(tuple(pixel_values.shape))
        return AnonymizerOutput(videos=1 - pixel_values)


def make_inverted():
    """The recognizer behind an `InvertModel`."""
    AutoConfig.register(InvertConfig.model_type, InvertConfig, exist_ok=True)
    AutoModel.register(InvertConfig, InvertModel, exist_ok=True)
    return make_classifier(InvertModel(InvertConfig()))
