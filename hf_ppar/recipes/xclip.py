"""Train a small X-CLIP from scratch: clips of the stage beside descriptions of their actions.

It is there to be preserved by LaF-Privacy where no public checkpoint is at hand. Compound actions are held out: their
clips are not trained on and their descriptions not read. What the words between two actions mean is learned from
clips that show one action first and another one then, with their descriptions joined.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import torch
from torch import Tensor, nn
from transformers import XCLIPConfig

from ..data.stage import ACTIONS, COMPOUNDS, describe_action
from ..losses import contrastive
from ..models.lafprivacy.small_xclip import SmallXCLIP, build_xclip, tiny_config
from ..models.layers import IMAGENET_MEAN, IMAGENET_STD, normalize_clip
from .recipe import Batch, Losses, Modules, Optimization, Phase, Update

JOINTS = ("{} while {}", "{} and {}", "{} and {} at the same time", "{} and {} together", "{}, {} meanwhile")


@dataclass(frozen=True)
class XCLIPOptions:
    """What to train; no paper trains an X-CLIP from scratch, and "paper" is the size of xclip-base-patch32.

    Args:
        joined: share of a batch's clips that are made of two, half of each.
        drop_path: rate of stochastic depth.
        hidden_size, num_layers, patch_size: of the tiny vision part.
    """

    preset: Literal["tiny", "paper"] = "paper"
    joined: float = 0.25
    hidden_size: int = 96
    num_layers: int = 3
    patch_size: int = 8
    drop_path: float = 0.0
    epochs: int = 30
    lr: float = 1e-3
    weight_decay: float = 0.05
    warmup_epochs: float = 5.0
    clip_norm: float | None = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.joined <= 1:
            raise ValueError(f"joined must be from 0 to 1, got {self.joined}")
        if self.epochs < 1:
            raise ValueError(f"epochs must be at least 1, got {self.epochs}")
        if self.hidden_size % 32:
            raise ValueError(f"hidden_size={self.hidden_size} must be a multiple of 32, the width of a head")

    @classmethod
    def tiny(cls, **changes: Any) -> XCLIPOptions:
        """An X-CLIP that trains in minutes on two CPU cores."""
        return cls(**{"preset": "tiny", "epochs": 60, **changes})


class XCLIPRecipe:
    """One module, one phase, one update.

    Args:
        outputs: target -> number of classes; the actions must be those of the stage.
        clip: (frames, height, width) of the clips it will see, which are square.
    """

    name = "xclip"

    def __init__(self, options: XCLIPOptions, outputs: dict[str, int], clip: tuple[int, int, int]) -> None:
        actions = ACTIONS + COMPOUNDS
        if outputs.get("action") not in (len(ACTIONS), len(actions)):
            raise ValueError(
                f"xclip has descriptions of the stage's {len(ACTIONS)} actions and {len(COMPOUNDS)} compounds, but "
                f"the data set has {outputs.get('action', 0)} actions; use --dataset stage"
            )
        self.options, self.seen, self.actions = options, len(ACTIONS), actions[: outputs["action"]]
        self.phrasings = [phrase_action(action) for action in self.actions]
        xclip = build_stage_xclip(options, clip)
        self.tokenizer = xclip.processor.tokenizer  # type: ignore[union-attr]
        self.modules: dict[str, nn.Module] = {"xclip": xclip}
        optimization = Optimization(
            lr=options.lr,
            weight_decay=options.weight_decay,
            schedule="cosine",
            warmup_epochs=min(options.warmup_epochs, options.epochs / 4),
            clip_norm=options.clip_norm,
        )
        update = Update("xclip", ("xclip",), self.loss, optimization)
        self.phases: Sequence[Phase] = (Phase("xclip", options.epochs, (update,)),)

    def loss(self, batch: Batch, modules: Modules) -> Losses:
        """Contrastive over the batch's clips of seen actions, each beside one of its descriptions."""
        rows = ((batch["labels"] >= 0) & (batch["labels"] < self.seen)).nonzero()[:, 0]
        if len(rows) == 0:
            return {"loss": 0 * cast(SmallXCLIP, modules["xclip"]).logit_scale}
        clips, pairs = join_clips(batch["pixel_values"][rows], batch["labels"][rows], self.options.joined)
        logits = self.compare(clips, [self.describe(*pair) for pair in pairs.tolist()], modules)
        same = (pairs[:, None] == pairs[None]).all(-1)
        right = same.gather(1, logits.argmax(1, keepdim=True)).float()
        return {"loss": contrastive(logits, same), "right": right.mean()}

    def describe(self, first: int, second: int) -> str:
        """A description of an action drawn at random, or those of two joined."""
        texts = [random.choice(self.phrasings[label]) for label in (first, second)]
        return texts[0] if first == second else random.choice(JOINTS).format(*random.sample(texts, 2))

    def compare(self, clips: Tensor, texts: Sequence[str], modules: Modules) -> Tensor:
        """Logits (clips, texts)."""
        tokens = self.tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt").to(clips.device)
        pixels = normalize_clip(clips, IMAGENET_MEAN, IMAGENET_STD)
        return modules["xclip"](pixel_values=pixels, **tokens).logits_per_video

    def score(self, batch: Batch, modules: Modules) -> dict[str, Tensor]:
        """Per clip: whether its action is named among the seen, the held-out and all actions; NaN for the others.

        An action's logit is the mean over its descriptions.
        """
        labels = batch["labels"]
        texts = [text for phrasings in self.phrasings for text in phrasings]
        logits = self.compare(batch["pixel_values"], texts, modules)
        means = torch.stack([part.mean(1) for part in logits.split([len(p) for p in self.phrasings], dim=1)], dim=1)
        groups = {"seen_top1": (0, self.seen), "all_top1": (0, len(self.actions))}
        if len(self.actions) > self.seen:
            groups["unseen_top1"] = (self.seen, len(self.actions))
        return {
            name: (means[:, low:high].argmax(1) + low == labels)
            .float()
            .masked_fill((labels < low) | (labels >= high), torch.nan)
            for name, (low, high) in groups.items()
        }


def score_xclip(metrics: Mapping[str, float]) -> float:
    """Validation metrics -> what chooses the checkpoint: the mean of seen and held-out actions.

    Held-out actions of the validation split take part in the choice, those of the test split in nothing.
    """
    chosen = [metrics[name] for name in ("seen_top1", "unseen_top1") if name in metrics]
    return sum(chosen) / len(chosen)


def phrase_action(action: str) -> list[str]:
    """The bare name, X-CLIP's own template, and the stage's descriptions."""
    return [action.replace("_", " "), *describe_action(action)]


def join_clips(clips: Tensor, labels: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """Give a share of clips (batch, frames, ...) the second half of another one.

    Returns the clips and the two actions of each (batch, 2), the lower number first; mostly they are the same.
    """
    count, middle = round(share * len(clips)), clips.shape[1] // 2
    other = torch.arange(len(clips), device=clips.device)
    other[:count] = other[:count].roll(1)
    joined = torch.cat([clips[:, :middle], clips[other, middle:]], dim=1)
    return joined, torch.stack([labels, labels[other]], dim=1).sort(dim=1).values


def build_stage_xclip(options: XCLIPOptions, clip: tuple[int, int, int]) -> SmallXCLIP:
    """A fresh X-CLIP for clips of (frames, height, width) with the words of the stage's actions; no compounds."""
    frames, height, width = clip
    if height != width:
        raise ValueError(f"size={(height, width)}: X-CLIP takes square pictures; set size=({height},{height})")
    if options.preset == "tiny":
        heads = options.hidden_size // 32
        wide = {"hidden_size": options.hidden_size, "intermediate_size": 2 * options.hidden_size}
        config = tiny_config(
            frames,
            height,
            **wide,
            num_attention_heads=heads,
            num_hidden_layers=options.num_layers,
            patch_size=options.patch_size,
            drop_path_rate=options.drop_path,
        )
    else:
        vision = {"image_size": height, "num_frames": frames, "drop_path_rate": options.drop_path}
        config = XCLIPConfig(vision_config=vision)
    config.unseen_actions = list(COMPOUNDS)
    texts = [text for action in ACTIONS for text in phrase_action(action)]
    return build_xclip(config, [*texts, *(joint.format("", "") for joint in JOINTS)])
