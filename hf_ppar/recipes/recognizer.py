"""Train a recognizer of actions, or an attacker on identity and private attributes.

Defaults are those of the judges in STPrivacy and RAPrivacy: AdamW, weight decay .05, learning rate 1e-3 * batch / 512,
cosine, 80 epochs. The tiny preset is the CPU-sized one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from ..models.recognizers import (
    RECOGNIZERS,
    FrameResNetRecognizerConfig,
    R2Plus1DRecognizerConfig,
    RecognizerConfig,
    RecognizerModel,
    ResNet3DRecognizerConfig,
    TubeletRecognizerConfig,
)
from .recipe import Batch, Losses, Modules, Optimization, Phase, Update

KINDS: dict[str, type[RecognizerConfig]] = {
    "tubelet": TubeletRecognizerConfig,
    "r2plus1d": R2Plus1DRecognizerConfig,
    "resnet3d": ResNet3DRecognizerConfig,
    "frame-resnet": FrameResNetRecognizerConfig,
}
TARGETS = ("action", "person", "attributes")
# Where a batch of `hf_ppar.data` holds the labels of each target.
BATCH_KEYS = {"action": "labels", "person": "person", "attributes": "attributes"}


@dataclass(frozen=True)
class RecognizerOptions:
    """What to train.

    Args:
        kind: one of `KINDS`.
        targets: what it names, a head each: "action", or "person" and "attributes" for an attacker.
        lr: learning rate; with `reference_batch` it is the one for that batch size.
    """

    kind: str = "tubelet"
    targets: tuple[str, ...] = ("action",)
    preset: Literal["tiny", "paper"] = "paper"
    epochs: int = 80
    lr: float = 1e-3
    reference_batch: int | None = 512
    weight_decay: float = 0.05
    warmup_epochs: float = 5.0
    clip_norm: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind={self.kind!r} is unknown; choose one of: {', '.join(KINDS)}")
        wrong = sorted(set(self.targets) - set(TARGETS))
        if wrong or not self.targets:
            raise ValueError(f"targets={self.targets!r} must be some of: {', '.join(TARGETS)}")
        if self.epochs < 1:
            raise ValueError(f"epochs must be at least 1, got {self.epochs}")

    @classmethod
    def tiny(cls, **changes: Any) -> RecognizerOptions:
        """A recognizer that trains in minutes on two CPU cores."""
        return cls(**{"preset": "tiny", "epochs": 30, "reference_batch": None, "clip_norm": 1.0, **changes})


class RecognizerRecipe:
    """One module, one phase, one update.

    Args:
        outputs: target -> number of classes, or of attributes.
        clip: (frames, height, width) of the clips it will see.
        changes: to the recognizer's config.
    """

    name = "recognizer"

    def __init__(
        self, options: RecognizerOptions, outputs: dict[str, int], clip: tuple[int, int, int], **changes: Any
    ) -> None:
        self.options = options
        self.modules: dict[str, torch.nn.Module] = {"recognizer": build_recognizer(options, outputs, clip, **changes)}
        optimization = Optimization(
            lr=options.lr,
            reference_batch=options.reference_batch,
            weight_decay=options.weight_decay,
            schedule="cosine",
            warmup_epochs=min(options.warmup_epochs, options.epochs / 4),
            clip_norm=options.clip_norm,
        )
        update = Update("recognizer", ("recognizer",), self.loss, optimization)
        self.phases: Sequence[Phase] = (Phase("recognizer", options.epochs, (update,)),)

    def loss(self, batch: Batch, modules: Modules) -> Losses:
        """Sum of the heads' losses; labels of -1 do not count."""
        labels = {target: batch[BATCH_KEYS[target]] for target in self.options.targets}
        return {"loss": modules["recognizer"](batch["pixel_values"], labels=labels).loss}

    def score(self, batch: Batch, modules: Modules) -> dict[str, Tensor]:
        """See `score_heads`."""
        return score_heads(modules["recognizer"](batch["pixel_values"]).head_logits, batch)


def score_heads(logits: Mapping[str, Tensor], batch: Batch) -> dict[str, Tensor]:
    """Per clip: 1 where the action or person is right, the share of attributes that are right; NaN if unknown."""
    scores = {}
    for target, answers in logits.items():
        labels = batch[BATCH_KEYS[target]]
        if target == "attributes":
            right = ((answers > 0) == (labels > 0)).float().masked_fill(labels < 0, torch.nan)
            scores["attributes_accuracy"] = right.nanmean(-1)
        else:
            right = (answers.argmax(-1) == labels).float()
            scores[f"{target}_top1"] = right.masked_fill(labels < 0, torch.nan)
    return scores


def build_recognizer(
    options: RecognizerOptions, outputs: dict[str, int], clip: tuple[int, int, int], **changes: Any
) -> RecognizerModel:
    """A fresh recognizer with one head a target, for clips of (frames, height, width); `changes` go to its config."""
    kinds = {"attributes": "multi_label_classification"}
    heads = {target: (outputs[target], kinds.get(target, "single_label_classification")) for target in options.targets}
    config_class: Any = KINDS[options.kind]
    sizes: dict[str, Any] = {}
    if options.kind == "tubelet":
        sizes = {"num_frames": clip[0], "image_size": clip[1:]}
        if options.preset == "tiny" and clip[1] % 4 == clip[2] % 4 == 0:
            # Four by four tubelets a time step: attention over more tokens is what a small machine cannot afford.
            sizes["tubelet_size"] = (2, clip[1] // 4, clip[2] // 4)
    make = config_class.tiny if options.preset == "tiny" else config_class
    config = make(heads=heads, **{**sizes, **changes})
    return RECOGNIZERS[config_class](config)
