"""Train a judge afresh on one split and let it score another: recognizers of the action, attackers on the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset

from ..data import ClipDataset, ClipOptions, LoadingOptions, training_transform
from ..data.batches import load_batches
from ..models.recognizers import RecognizerModel
from ..recipes.recognizer import RecognizerRecipe
from ..training import TrainingArguments, train
from ..training.outputs import count_outputs, label_recognizers
from .budget import Budget


@dataclass(frozen=True)
class JudgedSplit:
    """A split and the clips of it that judges see (anonymized, or raw).

    Args:
        videos: the video (N,) that each row is of, where a row is not a video of its own.
    """

    dataset: Dataset
    clips: Any  # ClipCache, or anything that reads like it
    videos: np.ndarray | None = None

    def rows_of(self, values: list[Any]) -> list[Any]:
        """A value a video -> a value a row."""
        return values if self.videos is None else [values[video] for video in self.videos]

    def as_dataset(self, options: ClipOptions, flip: bool | None = None, seed: int = 0) -> ClipDataset:
        """Clips with labels; with `flip` given they are augmented for training."""
        transform = None if flip is None else training_transform(options.size, flip, scale=(0.7, 1.0))
        return ClipDataset(self.dataset, options, transform, seed, self.clips)


@dataclass(frozen=True)
class Judgement:
    """What a judge says about a split.

    Args:
        logits: target -> (N, classes or attributes) on the test split; `validation_logits` on the validation split.
    """

    kind: str
    targets: tuple[str, ...]
    logits: dict[str, np.ndarray]
    validation_logits: dict[str, np.ndarray]


def judge(
    budget: Budget,
    kind: str,
    targets: tuple[str, ...],
    splits: dict[str, JudgedSplit],
    output: Path,
    seed: int = 0,
    flip: bool = True,
) -> Judgement:
    """Train one judge of the panel from scratch and let it score: see `train_judge`."""
    torch.manual_seed(seed)
    outputs = count_outputs(splits["train"].dataset)
    recipe = RecognizerRecipe(budget.judge(kind, targets), outputs, (budget.frames, *budget.size))
    label_recognizers(recipe.modules, splits["train"].dataset)
    clips = {
        name: split.as_dataset(budget.clip, flip if name == "train" else None, seed) for name, split in splits.items()
    }
    return train_judge(kind, recipe, clips, output, budget.batch_size, seed)


def train_judge(
    kind: str,
    recipe: RecognizerRecipe,
    clips: Mapping[str, ClipDataset],
    output: Path,
    batch_size: int,
    seed: int,
) -> Judgement:
    """Train on "train", choose the checkpoint on "validation", score "test"."""
    loading = LoadingOptions(batch_size=min(batch_size, len(clips["train"])), seed=seed)
    held_out = LoadingOptions(batch_size=64, shuffle=False)
    train(
        recipe,
        TrainingArguments(output, seed=seed, evaluate_every=5, keep=1, resume=True),
        load_batches(clips["train"], loading),
        load_batches(clips["validation"], held_out),
        lambda metrics: sum(metrics.values()) / len(metrics),
    )
    model, targets = recipe.modules["recognizer"].eval(), recipe.options.targets
    scores = {
        name: score_split(model, load_batches(clips[name], held_out), targets) for name in ("validation", "test")
    }
    return Judgement(kind, targets, scores["test"], scores["validation"])


@torch.inference_mode()
def score_split(
    model: RecognizerModel | torch.nn.Module, loader: Any, targets: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Logits by target for every clip of a split, in its order."""
    device = next(model.parameters()).device
    parts: dict[str, list[np.ndarray]] = {target: [] for target in targets}
    for batch in loader:
        masks = {name: batch[name].to(device) for name in ("token_mask",) if name in batch}
        logits = model(batch["pixel_values"].to(device), **masks).head_logits
        for target in targets:
            parts[target].append(logits[target].float().cpu().numpy())
    return {target: np.concatenate(values) for target, values in parts.items()}
