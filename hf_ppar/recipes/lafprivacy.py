"""Train LaF-Privacy: reconstruction, then the three phases of appendix A, against a frozen vision-language model.

loss = action_weight * L_action - visual_weight * L_visual + mask_weight * L_mask (section 3.4.4)

Phase 1 has no mask, phase 2 no visual loss, phase 3 everything. No label is read. Defaults are the paper's for
VP-HMDB51 (for VP-UCF101: mask_weight 2, visual_weight .2 in phase 3); what it leaves open is SGD's momentum (.9), and
the reconstruction (10 epochs on the same clips, L1, Adam, 1e-4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..losses import embedding_distance, mask_size, sparsity, visual_difference
from ..models.lafprivacy import (
    LaFPrivacyAnonymizer,
    LaFPrivacyConfig,
    LaFPrivacyOutput,
    VisionLanguageModel,
    load_vision_language_model,
)
from ..models.lafprivacy.masking import MASKINGS, Masking
from ..models.lafprivacy.vision_language import Embeddings
from .recipe import Batch, Losses, Modules, Optimization, Phase, Update

_PHASES = 3
_CHOICES = {
    "pixel_loss": ("mse", "l1"),
    "mask_loss": ("l1", "ratio"),
    "optimizer": ("sgd", "adam", "adamw"),
    "schedule": ("constant", "cosine"),
}


@dataclass(frozen=True)
class LaFPrivacyOptions:
    """How to train LaF-Privacy. What has three values has one for each phase.

    Args:
        vlm: X-CLIP or CLIP of transformers, directory or Hub id; an X-CLIP says how many frames a clip has.
        epochs: of the phases; 0 leaves a phase out (Table 5).
        visual_weight: lambda_vis of the phases; the visual loss is maximised.
        masking: "off", "soft", "straight-through" (hard with the gradient of the soft mask) or "hard".
        pixel_weight, ssim_weight, pixel_loss: lambda_mse, lambda_ssim, and "l1" in place of "mse" (Table 2).
        patch_weight, class_weight, video_weight: of the three levels of the action loss (Table 2).
        mask_loss: "l1", or "ratio" for the distance of each frame's share from `keep_ratio` (Table 6).
        reconstruction_epochs, reconstruction_lr: of the phase before the three.
        positions, time_linear, temperature, soft_mask, keep_ties, masked, output_activation: see `LaFPrivacyConfig`.
    """

    vlm: str | None = None
    preset: Literal["tiny", "paper"] = "paper"
    epochs: tuple[int, ...] = (60, 20, 40)
    lr: tuple[float, ...] = (1e-3, 1e-3, 5e-4)
    visual_weight: tuple[float, ...] = (1.0, 0.0, 0.5)
    masking: tuple[Masking, ...] = ("off", "soft", "straight-through")
    action_weight: float = 1.0
    mask_weight: float = 1.0
    pixel_weight: float = 1.0
    ssim_weight: float = 1.0
    pixel_loss: Literal["mse", "l1"] = "mse"
    patch_weight: float = 1.0
    class_weight: float = 1.0
    video_weight: float = 1.0
    mask_loss: Literal["l1", "ratio"] = "l1"
    keep_ratio: float = 0.7
    reconstruction_epochs: int = 10
    reconstruction_lr: float = 1e-4
    optimizer: Literal["sgd", "adam", "adamw"] = "sgd"
    momentum: float = 0.9
    weight_decay: float = 0.0
    schedule: Literal["constant", "cosine"] = "constant"
    clip_norm: float | None = None
    positions: Literal["separate", "joint"] = "separate"
    time_linear: bool = True
    temperature: float = 0.05
    soft_mask: Literal["sigmoid", "softmax"] = "sigmoid"
    keep_ties: bool = True
    masked: bool = True
    output_activation: Literal["sigmoid", "clamp", "none"] = "sigmoid"

    def __post_init__(self) -> None:
        if self.vlm is None:
            raise ValueError(
                "vlm is missing: name the X-CLIP or CLIP that actions are preserved for, such as "
                "vlm=microsoft/xclip-base-patch32 or a directory"
            )
        for name in ("epochs", "lr", "visual_weight", "masking"):
            values = getattr(self, name)
            if not isinstance(values, tuple) or len(values) != _PHASES:
                raise ValueError(f"{name}={values!r} must be {_PHASES} values, one for each phase")
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}={getattr(self, name)!r} is unknown; choose one of: {', '.join(allowed)}")
        unknown = sorted(set(self.masking) - set(MASKINGS))
        if unknown:
            raise ValueError(f"masking={self.masking!r} must be some of: {', '.join(MASKINGS)}")
        if min(*self.epochs, self.reconstruction_epochs) < 0 or sum(self.epochs) + self.reconstruction_epochs == 0:
            raise ValueError("epochs and reconstruction_epochs must be at least 0, and one of them more")
        if self.patch_weight == self.class_weight == self.video_weight == 0:
            raise ValueError("one of patch_weight, class_weight and video_weight must be more than 0")

    @property
    def level_weights(self) -> dict[str, float]:
        """Of the action loss, by level of the embeddings."""
        return {"patch": self.patch_weight, "class": self.class_weight, "video": self.video_weight}

    @classmethod
    def tiny(cls, **changes: Any) -> LaFPrivacyOptions:
        """An anonymizer that trains in minutes on two CPU cores."""
        small: dict[str, Any] = {
            "preset": "tiny",
            "epochs": (8, 4, 6),
            "reconstruction_epochs": 6,
            "reconstruction_lr": 1e-3,
            "optimizer": "adamw",
            "clip_norm": 1.0,
        }
        return cls(**{**small, **changes})


class LaFPrivacyRecipe:
    """The anonymizer is the only module that moves; the vision-language model is not among the modules.

    Args:
        outputs: not looked at.
        clip: (frames, height, width) of the clips it will see.
    """

    name = "lafprivacy"

    def __init__(self, options: LaFPrivacyOptions, outputs: dict[str, int], clip: tuple[int, int, int]) -> None:
        self.options = options
        self.vlm: VisionLanguageModel = load_vision_language_model(str(options.vlm))
        self.vlm.check_frames(clip[0])
        self.modules: dict[str, nn.Module] = {"anonymizer": build_anonymizer(options, clip, self.vlm.fingerprint)}
        self.phases: Sequence[Phase] = self._phases()

    def _phases(self) -> tuple[Phase, ...]:
        options = self.options
        adam = Optimization("adam", options.reconstruction_lr, clip_norm=options.clip_norm)
        start = Update("anonymizer", ("anonymizer",), self.reconstruction_loss, adam)
        phases = [Phase("reconstruction", options.reconstruction_epochs, (start,))]
        for number, (epochs, lr) in enumerate(zip(options.epochs, options.lr, strict=True)):
            optimization = Optimization(
                optimizer=options.optimizer,
                lr=lr,
                weight_decay=options.weight_decay,
                momentum=options.momentum,
                schedule=options.schedule,
                clip_norm=options.clip_norm,
            )
            update = Update("anonymizer", ("anonymizer",), partial(self.loss, phase=number), optimization)
            phases.append(Phase(f"phase-{number + 1}", epochs, (update,)))
        return tuple(phase for phase in phases if phase.epochs)

    def reconstruction_loss(self, batch: Batch, modules: Modules) -> Losses:
        """Mean absolute difference between the clip and its painted copy, before any mask."""
        clips = batch["pixel_values"]
        return {"loss": F.l1_loss(_given(_anonymizer(modules).release(clips, "off").videos), clips)}

    def loss(self, batch: Batch, modules: Modules, phase: int) -> Losses:
        """The weighted sum that the module's docstring gives, and its parts; `phase` counts from 0."""
        options, clips = self.options, batch["pixel_values"]
        masking: Masking = options.masking[phase] if options.masked else "off"
        output = _anonymizer(modules).release(clips, masking)
        action = embedding_distance(*self.embed_both(clips, output), options.level_weights).mean()
        parts: Losses = {"action": action, "kept": mask_size(_given(output.kept)).mean()}
        total = options.action_weight * action
        if options.visual_weight[phase]:
            parts["visual"] = self.visual(clips, output).mean()
            total = total - options.visual_weight[phase] * parts["visual"]
        if masking != "off":
            parts["mask"] = self.mask_loss(_given(output.mask))
            total = total + options.mask_weight * parts["mask"]
        return {"loss": total, **parts}

    def embed_both(self, clips: Tensor, output: LaFPrivacyOutput) -> tuple[Embeddings, Embeddings]:
        """Embeddings of the raw and of the anonymized clips; only the latter carry gradients."""
        vlm = self.vlm.to(clips.device)
        with torch.no_grad():
            wanted = vlm.embed(clips)
        return wanted, vlm.embed(_given(output.videos))

    def visual(self, clips: Tensor, output: LaFPrivacyOutput) -> Tensor:
        """L_visual of each clip, (batch,)."""
        options = self.options
        weights = (options.pixel_weight, options.ssim_weight)
        return visual_difference(clips, _given(output.videos), _given(output.kept), *weights, options.pixel_loss)

    def mask_loss(self, mask: Tensor) -> Tensor:
        """L_mask of a batch: the share that masks keep, or its distance from a fixed one in every frame."""
        if self.options.mask_loss == "l1":
            return mask_size(mask).mean()
        return sparsity(mask.flatten(1).unsqueeze(1), mask.shape[1], self.options.keep_ratio)

    def score(self, batch: Batch, modules: Modules) -> dict[str, Tensor]:
        """Per clip, as it is released: action and visual distance, how alike video embeddings are, the share kept."""
        clips = batch["pixel_values"]
        output = modules["anonymizer"](clips)
        raw, anonymized = self.embed_both(clips, output)
        return {
            "action_distance": embedding_distance(raw, anonymized, self.options.level_weights),
            "visual_difference": self.visual(clips, output),
            "video_cosine": F.cosine_similarity(raw["video"], anonymized["video"], dim=-1),
            "kept": mask_size(output.kept),
        }


def build_anonymizer(
    options: LaFPrivacyOptions, clip: tuple[int, int, int], trained_against: str
) -> LaFPrivacyAnonymizer:
    """A fresh anonymizer for clips of (frames, height, width)."""
    make = LaFPrivacyConfig.tiny if options.preset == "tiny" else LaFPrivacyConfig
    config = make(
        num_frames=clip[0],
        image_size=clip[1:],
        positions=options.positions,
        time_linear=options.time_linear,
        temperature=options.temperature,
        soft_mask=options.soft_mask,
        keep_ties=options.keep_ties,
        masked=options.masked,
        output_activation=options.output_activation,
        trained_against=trained_against,
    )
    return LaFPrivacyAnonymizer(config)


def _anonymizer(modules: Modules) -> LaFPrivacyAnonymizer:
    return cast(LaFPrivacyAnonymizer, modules["anonymizer"])


def _given(value: Tensor | None) -> Tensor:
    return cast(Tensor, value)
