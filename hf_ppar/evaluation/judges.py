"""Train a judge afresh on one split and let it score another: recognizers of the action, attackers on the rest."""

from __future__ import annotations

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
from ..training.plan import count_outputs
from .budget import Budget


@dataclass(frozen=True)
class JudgedSplit:
    """A split and the clips of it that judges see (anonymized, or raw)."""

    dataset: Dataset
    clips: Any  # ClipCache or AnonymizedClips

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
    """Train one judge from scratch on "train", choose its checkpoint on "validation", score "test"."""
    options = budget.clip
    torch.manual_seed(seed)
    train_set = splits["train"].dataset
    recipe = RecognizerRecipe(budget.judge(kind, targets), count_outputs(train_set), (budget.frames, *budget.size))
    loading = LoadingOptions(batch_size=min(budget.batch_size, len(train_set)), seed=seed)
    held_out = LoadingOptions(batch_size=64, shuffle=False)
    train(
        recipe,
        TrainingArguments(output, seed=seed, evaluate_every=5, keep=1, resume=True),
        load_batches(splits["train"].as_dataset(options, flip, seed), loading),
        load_batches(splits["validation"].as_dataset(options), held_out),
        lambda metrics: sum(metrics.values()) / len(metrics),
    )
    model = recipe.modules["recognizer"].eval()
    scores = {
        name: score_split(model, load_batches(splits[name].as_dataset(options), held_out), targets)
        for name in ("validation", "test")
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
        logits = model(batch["pixel_values"].to(device)).head_logits
        for target in targets:
            parts[target].append(logits[target].float().cpu().numpy())
    return {target: np.concatenate(values) for target, values in parts.items()}
