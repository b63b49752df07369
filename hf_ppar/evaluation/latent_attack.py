"""The attack on latents: an attacker may invert the decoder, so that the code itself must not betray a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..data import ClipDataset, ClipOptions
from ..models.recognizers import FeatureRecognizer, FeatureRecognizerConfig
from ..recipes.recognizer import RecognizerOptions, RecognizerRecipe
from ..training.outputs import count_outputs
from .budget import Budget
from .judges import JudgedSplit, Judgement, train_judge

KIND = "latent-mlp"
_EPOCHS = 60
_WIDTH = 512  # of the hidden layer, at most


class LatentDataset(ClipDataset):
    """Latents (features,) in the place of pixels, standardised by the mean and deviation of the train split."""

    def __init__(self, split: JudgedSplit, options: ClipOptions, mean: np.ndarray, deviation: np.ndarray) -> None:
        super().__init__(split.dataset, options, cache=split.clips)
        self.latents: np.ndarray = split.clips.latents
        self.mean, self.deviation = mean, deviation

    def _read(self, row: int, number: int) -> np.ndarray:
        return (self.latents[row, number] - self.mean) / self.deviation


class LatentRecipe(RecognizerRecipe):
    """The recipe of recognizers for a network of two layers on features of `width`."""

    def __init__(self, options: RecognizerOptions, outputs: dict[str, int], width: int) -> None:
        # Any kind gives the heads; the network in its place takes features.
        super().__init__(options, outputs, (1, 1, 1))
        config: Any = self.modules["recognizer"].config
        sizes = {"input_size": width, "hidden_size": min(width, _WIDTH)}
        self.modules = {"recognizer": FeatureRecognizer(FeatureRecognizerConfig(heads=config.heads, **sizes))}


def has_latents(splits: dict[str, JudgedSplit]) -> bool:
    """Whether the anonymizer returned latents."""
    return all(getattr(split.clips, "latents", None) is not None for split in splits.values())


def attack_latents(
    budget: Budget, targets: tuple[str, ...], splits: dict[str, JudgedSplit], output: Path, seed: int = 0
) -> Judgement:
    """Train the attacker on latents from scratch and let it score: see `train_judge`."""
    torch.manual_seed(seed)
    latents = splits["train"].clips.latents
    mean, deviation = latents.mean((0, 1)), latents.std((0, 1))
    deviation[deviation == 0] = 1
    options = RecognizerOptions.tiny(kind="frame-resnet", targets=targets, epochs=_EPOCHS, warmup_epochs=3.0)
    recipe = LatentRecipe(options, count_outputs(splits["train"].dataset), latents.shape[-1])
    clips = {name: LatentDataset(split, budget.clip, mean, deviation) for name, split in splits.items()}
    return train_judge(KIND, recipe, clips, output, budget.batch_size, seed)
