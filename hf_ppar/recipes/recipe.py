"""What a recipe is: which modules there are, and which phase updates which of them by which loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import torch
from torch import Tensor, nn

Batch = Mapping[str, Tensor]
Modules = Mapping[str, nn.Module]
# Named losses of one batch; "loss" is the one that is minimised, the others are logged.
Losses = dict[str, Tensor]
LossFunction = Callable[[Batch, Modules], Losses]


@dataclass(frozen=True)
class Optimization:
    """How the modules of one update are optimised.

    Args:
        lr: learning rate; with `reference_batch` it is the rate for that batch size and scaled linearly to the actual
            one, as the papers do (1e-3 * batch / 512).
        momentum: for "sgd".
        schedule: "cosine" falls to 0 over the phase, "plateau" multiplies by `plateau_factor` after
            `plateau_patience` evaluations without a better score, "constant" stays.
        warmup_epochs: epochs of linear increase before the schedule.
        slow: name prefixes of parameters ("module.parameter") -> factor on the learning rate; 0 freezes them. The
            first prefix that fits counts.
        hold_epochs: epochs in which those of `slow` with a factor below 1 do not move at all.
        clip_norm: largest norm of the gradients of this update; None does not clip.
        ema_decay: keep an exponential moving average of the weights and evaluate with it; None does not.
    """

    optimizer: Literal["adamw", "adam", "sgd"] = "adamw"
    lr: float = 1e-3
    reference_batch: int | None = None
    weight_decay: float = 0.0
    betas: tuple[float, float] = (0.9, 0.999)
    momentum: float = 0.9
    schedule: Literal["cosine", "constant", "plateau"] = "constant"
    warmup_epochs: float = 0.0
    plateau_factor: float = 0.2
    plateau_patience: int = 5
    slow: Mapping[str, float] = field(default_factory=dict)
    hold_epochs: float = 0.0
    clip_norm: float | None = None
    ema_decay: float | None = None


@dataclass(frozen=True)
class Update:
    """One optimizer's turn.

    While it computes its loss, only `modules` are in training mode and collect gradients; all others are frozen, in
    eval mode. Gradients still pass through them.

    Args:
        modules: names of the modules that move.
        loss: batch and all modules -> named losses.
        every, offset: it takes its turn on batches number offset, offset + every, ...; two updates with every=2 and
            offsets 0 and 1 alternate batch by batch.
    """

    name: str
    modules: tuple[str, ...]
    loss: LossFunction
    optimization: Optimization = field(default_factory=Optimization)
    every: int = 1
    offset: int = 0

    def takes(self, batch_number: int) -> bool:
        """Whether this update moves on a batch."""
        return batch_number % self.every == self.offset


@dataclass(frozen=True)
class Phase:
    """Some epochs of the same updates, each taken in order on every batch.

    Args:
        begin: called with all modules when the phase starts, for adversaries that start anew; not when it is resumed.
    """

    name: str
    epochs: int
    updates: tuple[Update, ...]
    begin: Callable[[Modules], None] | None = None


class Recipe(Protocol):
    """How a method is trained."""

    name: str
    modules: dict[str, nn.Module]
    phases: Sequence[Phase]

    def score(self, batch: Batch, modules: Modules) -> dict[str, Tensor]:
        """Per-example quantities (batch,) for evaluation; their means over the validation split are the metrics."""
        ...


def check_recipe(recipe: Recipe) -> None:
    """Refuse a recipe that names modules it does not have, or two updates alike."""
    for phase in recipe.phases:
        names = [update.name for update in phase.updates]
        if len(set(names)) < len(names):
            raise ValueError(f"phase {phase.name!r} has two updates of one name: {names}")
        for update in phase.updates:
            unknown = sorted(set(update.modules) - set(recipe.modules))
            if unknown:
                raise ValueError(
                    f"update {update.name!r} moves {', '.join(unknown)}, but the recipe has {sorted(recipe.modules)}"
                )
            if not 0 <= update.offset < update.every:
                raise ValueError(
                    f"update {update.name!r}: offset must be from 0 to every - 1 = {update.every - 1}, "
                    f"got {update.offset}"
                )


def mean_losses(losses: Losses) -> dict[str, float]:
    """Losses as plain numbers, for the log."""
    return {name: float(value.detach()) for name, value in losses.items() if torch.is_tensor(value)}
