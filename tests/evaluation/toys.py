"""Anonymizers made for the tests: small, and honest about what they leak."""

from __future__ import annotations

import torch
from huggingface_hub.dataclasses import strict

from hf_ppar.models import AnonymizerConfig, AnonymizerModel
from hf_ppar.models.base import AnonymizerOutput


class ToyModel(AnonymizerModel):
    """A model needs a weight to be on a device."""

    def __init__(self, config):
        super().__init__(config)
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.post_init()


@strict
class SizedConfig(AnonymizerConfig):
    model_type = "test_sized"

    num_frames: int | None = 6
    image_size: tuple[int, int] | list[int] | None = (24, 40)


class SizedModel(ToyModel):
    """Keeps the picture, at a size of its own; notes what it was given."""

    config_class = SizedConfig

    def __init__(self, config):
        super().__init__(config)
        self.seen = []

    def anonymize(self, pixel_values, strength, generator):
        self.seen.append(tuple(pixel_values.shape[1:]))
        return AnonymizerOutput(videos=pixel_values.clone())


class LeakyModel(ToyModel):
    """A black picture, and the colours of the raw one as latents."""

    config_class = AnonymizerConfig

    def anonymize(self, pixel_values, strength, generator):
        colours = torch.nn.functional.adaptive_avg_pool2d(pixel_values.flatten(0, 1), 8)
        latents = colours.unflatten(0, pixel_values.shape[:2]).mean(1)  # (batch, 3, 8, 8)
        bits = torch.full((len(pixel_values),), 12.0)
        return AnonymizerOutput(videos=torch.zeros_like(pixel_values), latents=latents, rate_bits=bits)


@strict
class TubeletConfig(AnonymizerConfig):
    model_type = "test_tubelet"

    num_frames: int | None = 4
    image_size: tuple[int, int] | list[int] | None = (32, 32)
    tubelet_size: tuple[int, ...] | list[int] = (2, 8, 8)
    kept: float = 0.5


class TubeletModel(ToyModel):
    """Keeps the left part of the picture; pixels of dropped tubelets are left in, so that only the mask hides them."""

    config_class = TubeletConfig

    def anonymize(self, pixel_values, strength, generator):
        mask = torch.zeros_like(pixel_values[:, :, :1])
        mask[..., : round(self.config.kept * mask.shape[-1])] = 1
        return AnonymizerOutput(videos=pixel_values.clone(), mask=mask)
