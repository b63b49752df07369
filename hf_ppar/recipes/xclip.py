"""Train a small X-CLIP from scratch: clips of the stage beside descriptions of their actions.

It is there to be preserved by LaF-Privacy where no public checkpoint is at hand. Compound actions are held out: their
clips are not trained on and their descriptions not read. What the words between two actions mean is learned from
clips that show one action first and another one then, with their descriptions joined.

A small transformer does not find out from a few thousand coloured clips where the person's limbs are. So it learns
from motion masks first, over which the clips then fade in phase by phase, and a classification head beside the
contrastive loss says which clips are alike.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import XCLIPConfig

from ..data.stage import ACTIONS, COMPOUNDS, describe_action
from ..losses import contrastive
from ..models.lafprivacy.small_xclip import SmallXCLIP, build_xclip, tiny_config
from ..models.layers import IMAGENET_MEAN, IMAGENET_STD, normalize_clip, soft_motion_mask
from .recipe import Batch, Losses, Modules, Optimization, Phase, Update

JOINTS = ("{} while {}", "{} and {}", "{} and {} at the same time", "{} and {} together", "{}, {} meanwhile")

_POSITIONS, _QUERIES = 0.3, 0.15  # standard deviations at the beginning


@dataclass(frozen=True)
class XCLIPOptions:
    """What to train; no paper trains an X-CLIP from scratch, and "paper" is the size of xclip-base-patch32.

    Args:
        joined: share of a batch's clips that are made of two, half of each.
        fade: shares of all epochs at which clips begin to fade in over their motion masks and are there completely;
            None trains on the clips themselves from the first epoch on.
        fade_steps: phases in between, one brightness each.
        head_weight: of the classification head's loss.
        drop_path: rate of stochastic depth.
        hidden_size, num_layers, patch_size: of the tiny vision part.
    """

    preset: Literal["tiny", "paper"] = "paper"
    joined: float = 0.25
    fade: tuple[float, float] | None = None
    fade_steps: int = 8
    head_weight: float = 0.0
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
        if self.fade is not None and not 0 <= self.fade[0] < self.fade[1] <= 1:
            raise ValueError(f"fade must be two shares of the epochs, 0 <= begin < end <= 1, got {self.fade}")
        if self.hidden_size % 32:
            raise ValueError(f"hidden_size={self.hidden_size} must be a multiple of 32, the width of a head")

    @classmethod
    def tiny(cls, **changes: Any) -> XCLIPOptions:
        """An X-CLIP that trains in minutes on two CPU cores."""
        small = {"preset": "tiny", "epochs": 40, "lr": 2e-3, "fade": (0.25, 0.8), "head_weight": 1.0}
        return cls(**{**small, **changes})


class XCLIPRecipe:
    """The X-CLIP and a head that is thrown away; a phase for each step of the fading.

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
        self.modules: dict[str, nn.Module] = {
            "xclip": xclip,
            "head": nn.Linear(xclip.config.projection_dim, self.seen),
        }
        self.phases: Sequence[Phase] = self._phases()

    def _phases(self) -> tuple[Phase, ...]:
        options = self.options
        phases, done = [], 0
        for brightness, epochs in plan_fading(options.epochs, options.fade, options.fade_steps):
            falling = 0.5 * (1 + math.cos(math.pi * done / options.epochs))  # from one phase to the next
            last = done + epochs == options.epochs
            optimization = Optimization(
                lr=options.lr * falling,
                weight_decay=options.weight_decay,
                schedule="cosine" if last else "constant",
                warmup_epochs=0.0 if done else min(options.warmup_epochs, epochs / 2),
                clip_norm=options.clip_norm,
            )
            loss = partial(self.loss, brightness=brightness)
            update = Update("xclip", ("xclip", "head"), loss, optimization)
            phases.append(Phase(f"brightness-{brightness:.2f}", epochs, (update,)))
            done += epochs
        return tuple(phases)

    def loss(self, batch: Batch, modules: Modules, brightness: float = 1.0) -> Losses:
        """Contrastive over the batch's clips of seen actions, each beside one of its descriptions; and the head's.

        Args:
            brightness: of the clips, over their motion masks; 1 is the clips alone.
        """
        rows = ((batch["labels"] >= 0) & (batch["labels"] < self.seen)).nonzero()[:, 0]
        if len(rows) == 0:
            return {"loss": 0 * cast(SmallXCLIP, modules["xclip"]).logit_scale}
        clips, pairs = join_clips(batch["pixel_values"][rows], batch["labels"][rows], self.options.joined)
        if brightness < 1:
            clips = brightness * clips + (1 - brightness) * soft_motion_mask(clips)
        output = self.run(clips, [self.describe(*pair) for pair in pairs.tolist()], modules)
        logits = output.logits_per_video
        same = (pairs[:, None] == pairs[None]).all(-1)
        right = same.gather(1, logits.argmax(1, keepdim=True)).float()
        losses = {"loss": contrastive(logits, same), "right": right.mean()}
        if self.options.head_weight:
            one = pairs[:, 0].where(pairs[:, 0] == pairs[:, 1], -1)
            losses["head"] = F.cross_entropy(modules["head"](output.mit_output.pooler_output), one, ignore_index=-1)
            losses["loss"] = losses["loss"] + self.options.head_weight * losses["head"]
        return losses

    def describe(self, first: int, second: int) -> str:
        """A description of an action drawn at random, or those of two joined."""
        texts = [random.choice(self.phrasings[label]) for label in (first, second)]
        return texts[0] if first == second else random.choice(JOINTS).format(*random.sample(texts, 2))

    def run(self, clips: Tensor, texts: Sequence[str], modules: Modules) -> Any:
        """X-CLIP's output; `logits_per_video` are (clips, texts)."""
        tokens = self.tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt").to(clips.device)
        pixels = normalize_clip(clips, IMAGENET_MEAN, IMAGENET_STD)
        return modules["xclip"](pixel_values=pixels, **tokens)

    def score(self, batch: Batch, modules: Modules) -> dict[str, Tensor]:
        """Per clip: whether its action is named among the seen, the held-out and all actions; NaN for the others.

        An action's logit is the mean over its descriptions.
        """
        labels = batch["labels"]
        texts = [text for phrasings in self.phrasings for text in phrasings]
        logits = self.run(batch["pixel_values"], texts, modules).logits_per_video
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


def plan_fading(epochs: int, fade: tuple[float, float] | None, steps: int) -> list[tuple[float, int]]:
    """Brightness of clips over their motion masks, and for how many epochs, in order."""
    if fade is None:
        return [(1.0, epochs)]
    edges = [fade[0] + (fade[1] - fade[0]) * step / steps for step in range(steps + 1)]
    starts = [0, *(round(edge * epochs) for edge in edges), epochs]
    levels = [0.0, *((step + 1) / (steps + 1) for step in range(steps)), 1.0]
    return [(level, end - start) for level, (start, end) in zip(levels, pairwise(starts), strict=True) if end > start]


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
    xclip = build_xclip(config, [*texts, *(joint.format("", "") for joint in JOINTS)])
    if options.preset == "tiny":
        sharpen_attention(xclip)
    return xclip


@torch.no_grad()
def sharpen_attention(xclip: SmallXCLIP) -> None:
    """Begin with positions and attention that tell patches apart; CLIP's own beginning is for a long training."""
    nn.init.normal_(xclip.vision_model.embeddings.position_embedding.weight, std=_POSITIONS)
    for layer in xclip.vision_model.encoder.layers:
        for projection in (layer.self_attn.q_proj, layer.self_attn.k_proj):
            nn.init.normal_(projection.weight, std=_QUERIES)
