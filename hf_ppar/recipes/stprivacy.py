"""Train STPrivacy: initialisation (Eq. 12), then adversarial learning (Eq. 13), both of section 3.4.

Defaults are the paper's: AdamW, weight decay .05, learning rate 1e-3 * batch / 512, cosine, 80 and 40 epochs, keep
ratio .7, both weights .5; the predictors learn at the full rate, the rest of the anonymizer at a tenth of it and not
at all in the first two epochs. The tiny preset trains on a CPU, against convolutional judges, which learn from few
clips where a transformer does not; in its few epochs the negated loss, which has no lower bound, drives pruning out of
its range, so that it pulls adversaries to the uniform answer and weighs sparsity more. It starts at random, so that it
learns to paint what it sees before judges look at it, and its predictors learn more slowly than the rest: at the same
rate they saturate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..losses import CONFUSIONS, confusion, sparsity
from ..models.layers import masked_mean, soft_motion_mask
from ..models.recognizers import RecognizerModel, TubeletRecognizer
from ..models.stprivacy import STPrivacyAnonymizer, STPrivacyConfig, STPrivacyOutput
from ..models.stprivacy.predictor import TokenPredictor
from .recipe import Batch, Losses, Modules, Optimization, Phase, Update
from .recognizer import BATCH_KEYS, KINDS, TARGETS, RecognizerOptions, build_recognizer, score_heads


@dataclass(frozen=True)
class STPrivacyOptions:
    """How to train STPrivacy.

    Args:
        private: what adversaries name: "attributes", "person" or both.
        image_model: ViT or DeiT of transformers to start from (id or directory); None starts at random.
        centre_only: inflate its patch filter at the central frame only.
        sparsity_weight: of Eq. 7; 1 in the paper, 2 in DynamicViT.
        reconstruction_epochs: after the initialisation, of painting the clip that was given, or its motion mask where
            the input is a difference, with decisions left alone. 0 in the paper, which starts from an image model; a
            start at random paints noise in which judges find nothing.
        judges: kinds of the action recognizers, `adversaries` of the privacy recognizers, see `hf_ppar train
            recognizer`. Tubelet ones leave dropped tokens out, others see them as they are shown.
        confusion: what the anonymizer does to adversaries, see `hf_ppar.losses.confusion`.
        against: "all" adversaries, or only the "worst" one, which knows most.
        rounds: how often adversaries start anew in the adversarial phase; 1 never restarts them.
        catch_up_epochs: of judges alone, at the beginning of each round.
        freeze_sparsification: let only the anonymization block learn in the adversarial phase.
        lr, adversarial_lr, judge_lr: of the anonymizer in the two phases, and of judges and adversaries.
        backbone_factor: of the learning rate of all but the predictors.
        keep_ratio, input, output_*: see `STPrivacyConfig`.
    """

    preset: Literal["tiny", "paper"] = "paper"
    private: tuple[str, ...] = ("attributes",)
    image_model: str | None = None
    centre_only: bool = False
    keep_ratio: float = 0.7
    input: Literal["raw", "difference"] = "raw"
    output_channels: int = 3
    output_pixels: tuple[int, ...] | None = None
    output_levels: int | None = None
    init_epochs: int = 80
    reconstruction_epochs: int = 0
    adversarial_epochs: int = 40
    sparsity_weight: float = 1.0
    action_weight: float = 0.5
    privacy_weight: float = 0.5
    judges: tuple[str, ...] = ("tubelet",)
    adversaries: tuple[str, ...] = ("tubelet",)
    confusion: str = "negated"
    against: Literal["all", "worst"] = "all"
    rounds: int = 1
    catch_up_epochs: int = 0
    freeze_sparsification: bool = False
    lr: float = 1e-3
    adversarial_lr: float = 1e-3
    judge_lr: float = 1e-3
    reference_batch: int | None = 512
    weight_decay: float = 0.05
    backbone_factor: float = 0.1
    hold_epochs: float = 2.0
    clip_norm: float | None = None

    def __post_init__(self) -> None:
        wrong = sorted(set(self.private) - set(TARGETS[1:]))
        if wrong or not self.private:
            raise ValueError(f"private={self.private!r} must be some of: {', '.join(TARGETS[1:])}")
        unknown = sorted({*self.judges, *self.adversaries} - set(KINDS))
        if unknown or not self.judges or not self.adversaries:
            raise ValueError(f"judges and adversaries must be some of: {', '.join(KINDS)}, got {unknown}")
        if self.confusion not in CONFUSIONS:
            raise ValueError(f"confusion={self.confusion!r} is unknown; choose one of: {', '.join(CONFUSIONS)}")
        if self.against not in ("all", "worst"):
            raise ValueError(f'against must be "all" or "worst", got {self.against!r}')
        if min(self.init_epochs, self.adversarial_epochs, self.rounds) < 1 or self.rounds > self.adversarial_epochs:
            raise ValueError("init_epochs, adversarial_epochs and rounds must be at least 1, and a round an epoch")

    @classmethod
    def tiny(cls, **changes: Any) -> STPrivacyOptions:
        """An anonymizer that trains in minutes on two CPU cores."""
        small = {
            "preset": "tiny",
            "init_epochs": 15,
            "adversarial_epochs": 15,
            "judges": ("resnet3d",),
            "adversaries": ("resnet3d", "frame-resnet"),
            "lr": 5e-4,
            "adversarial_lr": 5e-4,
            "backbone_factor": 1.5,
            "action_weight": 1.0,
            "privacy_weight": 0.2,
            "catch_up_epochs": 10,
            "reconstruction_epochs": 4,
            "sparsity_weight": 20.0,
            "confusion": "uniform",
            "judge_lr": 3e-3,
            "reference_batch": None,
            "hold_epochs": 0.0,
            "clip_norm": 1.0,
        }
        return cls(**{**small, **changes})


class STPrivacyRecipe:
    """The anonymizer, the head of its initialisation, and judges of two sorts.

    Args:
        outputs: target -> number of classes, or of attributes.
        clip: (frames, height, width) of the clips it will see.
    """

    name = "stprivacy"

    def __init__(self, options: STPrivacyOptions, outputs: dict[str, int], clip: tuple[int, int, int]) -> None:
        missing = sorted({"action", *options.private} - set(outputs))
        if missing:
            raise ValueError(f"the data set has no labels of {', '.join(missing)}; choose other `private` targets")
        self.options, self.outputs, self.clip = options, outputs, clip
        anonymizer = build_anonymizer(options, clip)
        self.config = anonymizer.config
        self.modules: dict[str, nn.Module] = {
            "anonymizer": anonymizer,
            "action_head": nn.Linear(self.config.hidden_size, outputs["action"]),
        }
        self.judges = [f"action_{kind}" for kind in options.judges]
        self.adversaries = [f"privacy_{kind}" for kind in options.adversaries]
        for name in (*self.judges, *self.adversaries):
            self.modules[name] = self._fresh(name)
        self.phases: Sequence[Phase] = (self._initialisation(), *self._reconstruction(), *self._adversarial())

    def _fresh(self, name: str) -> RecognizerModel:
        sort, kind = name.split("_", 1)
        targets = ("action",) if sort == "action" else self.options.private
        tubelet = {"tubelet_size": self.config.tubelet_size}
        options = RecognizerOptions(kind, targets, self.options.preset)
        return build_recognizer(options, self.outputs, self.clip, **(tubelet if kind == "tubelet" else {}))

    def _restart_adversaries(self, modules: Modules) -> None:
        for name in self.adversaries:
            modules[name].load_state_dict(self._fresh(name).state_dict())

    def _initialisation(self) -> Phase:
        options = self.options
        slow = {"anonymizer.predictors": 1.0, "anonymizer.": options.backbone_factor}
        optimization = self._optimization(options.lr, slow, options.hold_epochs)
        update = Update("anonymizer", ("anonymizer", "action_head"), self.initial_loss, optimization)
        return Phase("initialisation", options.init_epochs, (update,))

    def _reconstruction(self) -> list[Phase]:
        options = self.options
        still = {"anonymizer.predictors": 0.0, "anonymizer.": options.backbone_factor}
        painting = Update("painter", ("anonymizer",), self.reconstruction_loss, self._optimization(options.lr, still))
        epochs = options.reconstruction_epochs
        return [Phase("reconstruction", epochs, (painting,))] if epochs else []

    def _adversarial(self) -> list[Phase]:
        options = self.options
        slow = {"anonymizer.predictors": 1.0, "anonymizer.": options.backbone_factor}
        if options.freeze_sparsification:
            slow = {f"anonymizer.blocks.{number}.": 0.0 for number in range(self.config.prune_before[-1])}
            slow |= dict.fromkeys(("anonymizer.embedding", "anonymizer.positions", "anonymizer.predictors"), 0.0)
        judging = Update(
            "judges",
            (*self.judges, *self.adversaries),
            self.judging_loss,
            self._optimization(options.judge_lr),
        )
        moving = self._optimization(options.adversarial_lr, slow)
        hiding = Update("anonymizer", ("anonymizer",), self.adversarial_loss, moving)
        phases = []
        for number in range(options.rounds):
            begin = self._restart_adversaries if number else None
            if options.catch_up_epochs:
                phases.append(Phase(f"catch-up-{number + 1}", options.catch_up_epochs, (judging,), begin))
                begin = None
            epochs = options.adversarial_epochs // options.rounds
            phases.append(Phase(f"adversarial-{number + 1}", epochs, (judging, hiding), begin))
        return phases

    def _optimization(self, lr: float, slow: dict[str, float] | None = None, hold: float = 0.0) -> Optimization:
        options = self.options
        return Optimization(
            lr=lr,
            reference_batch=options.reference_batch,
            weight_decay=options.weight_decay,
            schedule="cosine",
            slow=slow or {},
            hold_epochs=hold,
            clip_norm=options.clip_norm,
        )

    def initial_loss(self, batch: Batch, modules: Modules) -> Losses:
        """Eq. 12: sparsity and the anonymizer's own naming of the action from the tokens that are left."""
        output = modules["anonymizer"](batch["pixel_values"])
        pooled = masked_mean(output.tokens, output.token_mask)
        action = F.cross_entropy(modules["action_head"](pooled), batch["labels"], ignore_index=-1)
        pruning = self._sparsity(output)
        return {
            "loss": self.options.sparsity_weight * pruning + action,
            "sparsity": pruning,
            "action": action,
            "kept": output.token_mask.mean(),
        }

    def reconstruction_loss(self, batch: Batch, modules: Modules) -> Losses:
        """Mean squared distance between all that is painted, dropped or not, and what the network sees."""
        clips = batch["pixel_values"]
        target = clips if self.config.input == "raw" else soft_motion_mask(clips).expand_as(clips)
        return {"loss": F.mse_loss(modules["anonymizer"](clips).pixels, target)}

    def judging_loss(self, batch: Batch, modules: Modules) -> Losses:
        """Judges learn from clips as the anonymizer will show them to these judges: with decisions that are drawn."""
        with torch.no_grad():
            output = modules["anonymizer"].train()(batch["pixel_values"])
        losses = {name: judged(modules[name], output, batch).loss for name in (*self.judges, *self.adversaries)}
        return {"loss": torch.stack(list(losses.values())).sum(), **losses}

    def adversarial_loss(self, batch: Batch, modules: Modules) -> Losses:
        """Eq. 13: sparsity, actions that judges still name, adversaries that do not know.

        Judges do not move, but normalise by the batch, as when they learned: running statistics lag behind an
        anonymizer that does move.
        """
        options = self.options
        output = modules["anonymizer"](batch["pixel_values"])
        answers = {name: judged(modules[name].train(), output, batch) for name in (*self.judges, *self.adversaries)}
        action = torch.stack([answers[name].loss for name in self.judges]).mean()
        hidden = torch.stack([self._confusion(answers[name], batch) for name in self.adversaries])
        privacy = hidden.max() if options.against == "worst" else hidden.mean()
        pruning = self._sparsity(output)
        return {
            "loss": options.sparsity_weight * pruning
            + options.action_weight * action
            + options.privacy_weight * privacy,
            "sparsity": pruning,
            "action": action,
            "privacy": privacy,
            "kept": output.token_mask.mean(),
        }

    def _sparsity(self, output: Any) -> Tensor:
        return sparsity(output.decisions, self.config.grid.time, self.options.keep_ratio)

    def _confusion(self, answer: Any, batch: Batch) -> Tensor:
        parts = [
            confusion(answer.head_logits[target], batch[BATCH_KEYS[target]], self.options.confusion)
            for target in self.options.private
        ]
        return torch.stack(parts).sum()

    def score(self, batch: Batch, modules: Modules) -> dict[str, Tensor]:
        """Per clip: whether the co-trained judges are right. They say how training goes, not how private it is."""
        output = modules["anonymizer"](batch["pixel_values"])
        scores: dict[str, Tensor] = {}
        for name in (*self.judges, *self.adversaries):
            logits = judged(modules[name], output, {}).head_logits
            scores |= {f"{name}.{key}": value for key, value in score_heads(logits, batch).items()}
        return scores


def judged(judge: Any, output: STPrivacyOutput, batch: Batch) -> Any:
    """A judge's answer about an anonymized clip: tubelet ones leave dropped tokens out, others see them as shown."""
    labels = {
        target: batch[BATCH_KEYS[target]] for target in judge.config.heads if BATCH_KEYS[target] in batch
    } or None
    if isinstance(judge, TubeletRecognizer):
        clip = output.videos if output.pixels is None else output.pixels
        return judge(clip, labels=labels, token_mask=output.token_mask)
    return judge(output.videos, labels=labels)


def build_anonymizer(options: STPrivacyOptions, clip: tuple[int, int, int]) -> STPrivacyAnonymizer:
    """A fresh anonymizer for clips of (frames, height, width)."""
    make = STPrivacyConfig.tiny if options.preset == "tiny" else STPrivacyConfig
    config = make(
        num_frames=clip[0],
        image_size=clip[1:],
        keep_ratio=options.keep_ratio,
        input=options.input,
        output_channels=options.output_channels,
        output_pixels=options.output_pixels,
        output_levels=options.output_levels,
    )
    if options.image_model is None:
        anonymizer = STPrivacyAnonymizer(config)
    else:
        anonymizer = STPrivacyAnonymizer.from_image_model(options.image_model, config, options.centre_only)
    for predictor in anonymizer.predictors:
        cast(TokenPredictor, predictor).begin_at(options.keep_ratio)
    return anonymizer
