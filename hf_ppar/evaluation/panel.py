"""The panel of one seed: its recognizers and attackers, and what they reach."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..data import attribute_names
from .budget import Budget
from .case import Case
from .judges import JudgedSplit, Judgement, judge
from .labels import accuracy, private_targets, read_labels
from .latent_attack import KIND as LATENT_MLP
from .latent_attack import attack_latents, has_latents
from .measure import Number, measure_attributes, measure_classes
from .token_view import KIND as VISIBLE_TOKENS
from .token_view import judge_visible_tokens


@dataclass(frozen=True)
class Evidence:
    """The clips that judges see: `recognized` for actions (empty where there are none), `attacked` for the rest."""

    recognized: dict[str, JudgedSplit]
    attacked: dict[str, JudgedSplit]

    @property
    def targets(self) -> tuple[str, ...]:
        """What attackers are after."""
        return private_targets(self.attacked["train"].dataset)


@dataclass(frozen=True)
class Verdict:
    """What the panel of one seed reaches on test.

    Args:
        utilities: of `recognizers`, in their order; `chosen` is the one that validation prefers.
        attacks: target -> those of `attackers`, in their order.
    """

    seed: int
    recognizers: list[Judgement]
    attackers: list[Judgement]
    utilities: list[Number]
    attacks: dict[str, list[Number]]
    validation: list[float]

    @property
    def chosen(self) -> int:
        """Chosen on validation: taking the best on test would flatter utility."""
        return int(np.argmax(self.validation))

    @property
    def utility(self) -> Number | None:
        """The headline; None where there is no action to recognize."""
        return self.utilities[self.chosen] if self.utilities else None

    @property
    def privacy(self) -> dict[str, Number]:
        """The strongest attacker on test by target."""
        return {target: max(numbers, key=lambda number: number.value) for target, numbers in self.attacks.items()}


def hear_panel(case: Case, evidence: Evidence, seed: int) -> Verdict:
    """Train all judges of one seed and measure them."""
    budget, spent = case.panel, _attack_budget(case)
    targets = evidence.targets
    recognizers = [
        _judge(case, budget, kind, ("action",), evidence.recognized, seed)
        for kind in budget.kinds
        if evidence.recognized
    ]
    attackers = [_judge(case, spent, kind, targets, evidence.attacked, seed) for kind in spent.kinds]
    if has_latents(evidence.attacked):
        folder = case.work / "judges" / _folder_name(LATENT_MLP, targets, seed)
        attackers.append(attack_latents(spent, targets, evidence.attacked, folder, seed))
    labels = {name: read_labels(split.dataset) for name, split in evidence.recognized.items()}
    return Verdict(
        seed,
        recognizers,
        attackers,
        [measure_classes("action_top1", j.kind, j.logits["action"], labels["test"]["action"]) for j in recognizers],
        {
            target: [measure_target(target, j.kind, j.logits[target], evidence.attacked["test"]) for j in attackers]
            for target in targets
        },
        [accuracy(j.validation_logits["action"], labels["validation"]["action"]) for j in recognizers],
    )


def measure_target(target: str, judge: str, logits: np.ndarray, split: JudgedSplit) -> Number:
    """An attacker's logits on a split as a number."""
    labels = read_labels(split.dataset)[target]
    if target == "attributes":
        return measure_attributes(judge, logits, labels, attribute_names(split.dataset), videos=split.videos)
    return measure_classes("person_top1", judge, logits, labels)


def _attack_budget(case: Case) -> Budget:
    """Single frames are attacked by the frame network alone."""
    return replace(case.panel, kinds=("frame-resnet",), frames=1) if case.protocol == "frame-level" else case.panel


def _judge(
    case: Case, budget: Budget, kind: str, targets: tuple[str, ...], splits: dict[str, JudgedSplit], seed: int
) -> Judgement:
    judges = case.work / "judges"
    if case.view == "missing":
        tubelet_size = tuple(case.anonymizer.config.tubelet_size)  # type: ignore[union-attr]
        folder = judges / _folder_name(VISIBLE_TOKENS, targets, seed)
        return judge_visible_tokens(budget, targets, splits, tubelet_size, folder, seed, case.flip)
    return judge(budget, kind, targets, splits, judges / _folder_name(kind, targets, seed), seed, case.flip)


def _folder_name(kind: str, targets: tuple[str, ...], seed: int) -> str:
    return f"{kind}-{'-'.join(targets)}-{seed}"
