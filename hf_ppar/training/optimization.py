"""One update's optimizer with its schedule, clipping and moving average."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ..recipes import Optimization, Update


class Optimizer:
    """Moves the parameters of one update.

    Args:
        batch_size: examples of one step over all processes, for linear scaling of the learning rate.
        epochs: length of the phase, for the schedule.
    """

    def __init__(self, update: Update, modules: Mapping[str, nn.Module], batch_size: int, epochs: int) -> None:
        self.settings: Optimization = update.optimization
        self.epochs = epochs
        self.named = {
            f"{name}.{key}": value
            for name in update.modules
            for key, value in modules[name].named_parameters()
            if value.requires_grad
        }
        if not self.named:
            raise ValueError(f"update {update.name!r} has no parameters to move in {', '.join(update.modules)}")
        scale = batch_size / self.settings.reference_batch if self.settings.reference_batch else 1.0
        self.torch = build_optimizer(self.settings, self.named, self.settings.lr * scale)
        self.base_rates = [group["lr"] for group in self.torch.param_groups]
        self.plateau = Plateau(self.settings)
        self.average = None if self.settings.ema_decay is None else MovingAverage(self.named, self.settings.ema_decay)

    def set_rate(self, epoch: float) -> None:
        """Set the learning rates for a moment of the phase, counted in epochs."""
        factor = schedule_factor(self.settings, epoch, self.epochs) * self.plateau.factor
        highest = max(self.base_rates)
        for group, rate in zip(self.torch.param_groups, self.base_rates, strict=True):
            held = rate < highest and epoch < self.settings.hold_epochs
            group["lr"] = 0.0 if held else rate * factor

    def step(self) -> None:
        """Clip, move, average, and clear the gradients."""
        if self.settings.clip_norm is not None:
            nn.utils.clip_grad_norm_(self.named.values(), self.settings.clip_norm)
        self.torch.step()
        if self.average is not None:
            self.average.update(self.named)
        self.torch.zero_grad(set_to_none=True)


def build_optimizer(settings: Optimization, named: Mapping[str, Tensor], lr: float) -> torch.optim.Optimizer:
    """The torch optimizer; biases, norms and position embeddings do not decay, slow prefixes get their own rate."""
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, parameter in named.items():
        factor = next((value for prefix, value in settings.slow.items() if name.startswith(prefix)), 1.0)
        decays = parameter.ndim > 1 and "position" not in name
        groups.setdefault((lr * factor, settings.weight_decay if decays else 0.0), []).append(parameter)
    listed: list[dict[str, Any]] = [
        {"params": parameters, "lr": rate, "weight_decay": decay} for (rate, decay), parameters in groups.items()
    ]
    if settings.optimizer == "sgd":
        return torch.optim.SGD(listed, lr=lr, momentum=settings.momentum)
    kind = torch.optim.AdamW if settings.optimizer == "adamw" else torch.optim.Adam
    return kind(listed, lr=lr, betas=settings.betas)


def schedule_factor(settings: Optimization, epoch: float, epochs: int) -> float:
    """Factor on the learning rate at `epoch` (fractional) of a phase of `epochs`."""
    if epoch < settings.warmup_epochs:
        return epoch / settings.warmup_epochs
    if settings.schedule != "cosine":
        return 1.0
    done = (epoch - settings.warmup_epochs) / max(1e-9, epochs - settings.warmup_epochs)
    return 0.5 * (1 + math.cos(math.pi * min(1.0, done)))


class Plateau:
    """Lowers a factor when a score stops rising; does nothing unless the schedule asks for it."""

    def __init__(self, settings: Optimization) -> None:
        self.settings = settings
        self.factor = 1.0
        self.best = -math.inf
        self.waited = 0

    def see(self, score: float) -> None:
        """Take note of an evaluation."""
        if self.settings.schedule != "plateau":
            return
        if score > self.best:
            self.best, self.waited = score, 0
            return
        self.waited += 1
        if self.waited > self.settings.plateau_patience:
            self.factor, self.waited = self.factor * self.settings.plateau_factor, 0


class MovingAverage:
    """Exponential moving average of parameters."""

    def __init__(self, named: Mapping[str, Tensor], decay: float) -> None:
        self.decay = decay
        self.shadow = {name: value.detach().clone() for name, value in named.items()}

    def update(self, named: Mapping[str, Tensor]) -> None:
        """Move towards the current values."""
        with torch.no_grad():
            for name, value in named.items():
                self.shadow[name].lerp_(value, 1 - self.decay)

    def swap(self, named: Mapping[str, Tensor]) -> None:
        """Exchange averages and current values."""
        with torch.no_grad():
            for name, value in named.items():
                kept = value.detach().clone()
                value.copy_(self.shadow[name])
                self.shadow[name].copy_(kept)


@contextmanager
def averaged_weights(optimizers: Iterable[Optimizer]) -> Iterator[None]:
    """Inside, parameters with a moving average have its values."""
    averaged = [optimizer for optimizer in optimizers if optimizer.average is not None]
    for optimizer in averaged:
        optimizer.average.swap(optimizer.named)  # type: ignore[union-attr]
    try:
        yield
    finally:
        for optimizer in averaged:
            optimizer.average.swap(optimizer.named)  # type: ignore[union-attr]
