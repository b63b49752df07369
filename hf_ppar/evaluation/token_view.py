"""Judges that never get the tubelets which an anonymizer dropped, as STPrivacy judges (section 4).

A saved video shows such tubelets black; here they are missing from the transformer's input, in training and in test.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..data import ClipDataset, ClipOptions
from ..data.clip_dataset import Example
from ..models.layers import TubeletGrid
from ..recipes.recipe import Batch, Losses, Modules
from ..recipes.recognizer import RecognizerOptions, RecognizerRecipe
from ..training.outputs import count_outputs
from .budget import Budget
from .judges import JudgedSplit, Judgement, train_judge

KIND = "tubelet-missing"


class VisibleClips(ClipDataset):
    """Clips with `token_mask` (tokens,), 1 for a visible tubelet.

    Training clips are mirrored together with their mask and not cut: a cut would not keep to the tubelets.
    """

    def __init__(self, split: JudgedSplit, options: ClipOptions, grid: TubeletGrid, flip: bool, seed: int) -> None:
        super().__init__(split.dataset, options, None, seed, split.clips)
        self.masks: np.ndarray = split.clips.token_mask
        self.grid, self.flip = grid, flip

    def __getitem__(self, key: int | tuple[int, int]) -> Example:
        example = super().__getitem__(key)
        mask = torch.from_numpy(self.masks[example["index"], 0].astype(np.float32))
        epoch, position = key if isinstance(key, tuple) else (0, key)
        if self.flip and torch.rand((), generator=self._generator(epoch, position)) < 0.5:
            example["pixel_values"] = example["pixel_values"].flip(2)  # (T, H, W, 3)
            mask = mask.view(tuple(self.grid)).flip(2).flatten()
        return {**example, "token_mask": mask}


class VisibleTokensRecipe(RecognizerRecipe):
    """The recipe of recognizers for a transformer over given tubelets that is told which of them it may see."""

    def __init__(
        self, options: RecognizerOptions, outputs: dict[str, int], clip: ClipOptions, tubelet_size: tuple[int, ...]
    ) -> None:
        super().__init__(options, outputs, (clip.frames, *clip.size), tubelet_size=tubelet_size)

    def loss(self, batch: Batch, modules: Modules) -> Losses:
        """As for any recognizer, of the visible tokens."""
        return super().loss(batch, _masked(batch, modules))

    def score(self, batch: Batch, modules: Modules) -> dict[str, Tensor]:
        """As for any recognizer, of the visible tokens."""
        return super().score(batch, _masked(batch, modules))


def judge_visible_tokens(
    budget: Budget,
    targets: tuple[str, ...],
    splits: dict[str, JudgedSplit],
    tubelet_size: tuple[int, ...],
    output: Path,
    seed: int = 0,
    flip: bool = True,
) -> Judgement:
    """Train a transformer on the visible tubelets from scratch and let it score: see `train_judge`."""
    if any(getattr(split.clips, "token_mask", None) is None for split in splits.values()):
        raise ValueError("view='missing' needs an anonymizer that returns a mask; this one returns none")
    torch.manual_seed(seed)
    clip = budget.clip
    grid = TubeletGrid.of(clip.frames, *clip.size, tubelet_size)
    outputs = count_outputs(splits["train"].dataset)
    recipe = VisibleTokensRecipe(budget.judge("tubelet", targets), outputs, clip, tubelet_size)
    clips = {name: VisibleClips(split, clip, grid, flip and name == "train", seed) for name, split in splits.items()}
    return train_judge(KIND, recipe, clips, output, budget.batch_size, seed)


def _masked(batch: Batch, modules: Modules) -> Any:
    return {"recognizer": partial(modules["recognizer"], token_mask=batch["token_mask"])}
