"""The training loop of every recipe, to be read from top to bottom.

A recipe says which modules there are and which update moves which of them by which loss; this file only carries it
out: phases, epochs, batches, turns, evaluation, selection, checkpoints. `select` chooses the weights to keep by the
validation metrics alone.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator, DataLoaderConfiguration
from accelerate.state import AcceleratorState
from accelerate.utils import set_seed
from torch import Tensor, nn
from torch.utils.data import DataLoader
from tqdm import tqdm
from transformers import PreTrainedModel

from ..recipes import Batch, Phase, Recipe, Update
from ..recipes.recipe import check_recipe, mean_losses
from .arguments import TrainingArguments
from .checkpoint import (
    Position,
    SavedRun,
    list_checkpoints,
    load_checkpoint,
    load_modules,
    prune_checkpoints,
    publish,
    restore_random_state,
    save_checkpoint,
    save_modules,
)
from .distributed import average_gradients, share_weights
from .log import RunLog
from .memory import keep_freed_memory
from .optimization import Optimizer, averaged_weights

# Validation metrics -> a score, higher is better.
Select = Callable[[dict[str, float]], float]


@dataclass(frozen=True)
class TrainingResult:
    """What a run leaves: the folder of trained modules, the last validation metrics, and the score they won by."""

    modules: Path
    metrics: dict[str, float]
    best_score: float | None
    steps: int


def train(
    recipe: Recipe,
    arguments: TrainingArguments,
    loader: DataLoader[Any],
    validation: DataLoader[Any] | None = None,
    select: Select | None = None,
) -> TrainingResult:
    """Carry out a recipe.

    Args:
        loader: training batches; `batch_size` counts all processes together. It has `set_epoch`.
        validation: batches for `recipe.score`; None skips evaluation.
        select: turns validation metrics into a score; the weights with the best one are kept. None keeps the last.
    """
    check_recipe(recipe)
    if validation is None or select is None:
        refuse_plateaus(recipe)
    if len(loader) == 0:
        raise ValueError(f"there are fewer training examples than the batch size of {loader.batch_size}; lower it")
    accelerator = start_accelerator(arguments)
    set_seed(arguments.seed)
    run = Run(recipe, arguments, accelerator, select)
    saved = run.resume() if arguments.resume else None
    batches = accelerator.prepare(loader)
    held_out = None if validation is None else accelerator.prepare(validation)
    share_weights(accelerator, run.modules)

    position = run.position
    for phase in recipe.phases[position.phase :]:
        if phase.begin is not None and position.epoch == position.batch == 0:
            phase.begin(run.modules)
            share_weights(accelerator, run.modules)
        optimizers = {
            update.name: Optimizer(update, run.modules, (loader.batch_size or 1) * arguments.accumulate, phase.epochs)
            for update in phase.updates
        }
        if saved is not None:
            saved.restore_optimizers(optimizers)
        for epoch in range(position.epoch, phase.epochs):
            set_epoch(run.epochs_before(position.phase) + epoch, loader, batches)
            for number, batch in run.batches_of_epoch(batches, saved, phase, epoch):
                losses = run.take_turns(phase, optimizers, batch, number, epoch, len(batches))
                position.batch, position.step = number + 1, position.step + 1
                run.log_losses(losses, phase, epoch, last=number + 1 == len(batches))
                if run.is_checkpoint_due():
                    run.save(optimizers)
            saved = None
            position.epoch, position.batch = epoch + 1, 0
            if held_out is not None and run.is_evaluation_due(phase):
                run.evaluate(held_out, optimizers, phase)
            run.save(optimizers)
        if saved is not None:  # resumed at the very end of a phase
            restore_random_state(saved.random)
            saved = None
        position.phase, position.epoch = position.phase + 1, 0
    return run.finish(optimizers)


def refuse_plateaus(recipe: Recipe) -> None:
    """A plateau schedule without a score would fall on a timer."""
    for phase in recipe.phases:
        for update in phase.updates:
            if update.optimization.schedule == "plateau":
                raise ValueError(
                    f'update {update.name!r} has the schedule "plateau", which needs validation and select'
                )


def set_epoch(epoch: int, *loaders: Any) -> None:
    """Choose the order of an epoch: accelerate keeps a count of its own beside the sampler's."""
    for loader in loaders:
        loader.set_epoch(epoch)


def start_accelerator(arguments: TrainingArguments) -> Accelerator:
    """An accelerator that splits each batch over the processes, so that results do not depend on their number."""
    keep_freed_memory()
    AcceleratorState._reset_state()  # an earlier run in this process may have had another precision
    return Accelerator(
        mixed_precision=arguments.precision,
        log_with=list(arguments.report_to) or None,
        project_dir=str(arguments.output) if arguments.report_to else None,
        dataloader_config=DataLoaderConfiguration(split_batches=True),
    )


class Run:
    """The state of a run and the steps of the loop that need it."""

    def __init__(
        self, recipe: Recipe, arguments: TrainingArguments, accelerator: Accelerator, select: Select | None
    ) -> None:
        self.recipe, self.arguments, self.accelerator, self.select = recipe, arguments, accelerator, select
        self.modules = {name: module.to(accelerator.device) for name, module in recipe.modules.items()}
        self.trainable = {
            name: [value for value in module.parameters() if value.requires_grad]
            for name, module in self.modules.items()
        }
        self.position = Position(recipe.name)
        self.metrics: dict[str, float] = {}
        self.pending: set[str] = set()  # updates with gradients that have not moved anything yet
        self.saved_step = 0
        if accelerator.is_main_process:
            arguments.output.mkdir(parents=True, exist_ok=True)
            if not arguments.resume and list_checkpoints(arguments.output):
                raise ValueError(f"{arguments.output} holds checkpoints already; resume, or choose another folder")
        accelerator.wait_for_everyone()
        self.log = RunLog(accelerator, arguments.output, recipe.name, bool(arguments.report_to))

    def resume(self) -> SavedRun | None:
        """Go back to the newest checkpoint; None when there is none yet."""
        found = list_checkpoints(self.arguments.output)
        if not found:
            return None
        saved = load_checkpoint(found[-1], self.recipe.name, self.modules)
        self.position = saved.position
        self.saved_step = self.position.step
        self.log.write("resume", self.position.step, checkpoint=found[-1].name)
        return saved

    def epochs_before(self, phase: int) -> int:
        """Epochs of the phases before this one."""
        return sum(earlier.epochs for earlier in self.recipe.phases[:phase])

    def batches_of_epoch(
        self, batches: DataLoader[Any], saved: SavedRun | None, phase: Phase, epoch: int
    ) -> Iterator[tuple[int, Batch]]:
        """Numbered batches of an epoch; a resumed one goes on after its last batch, with its random numbers."""
        skipped = self.position.batch
        if saved is not None and skipped == 0:
            restore_random_state(saved.random)
        source = self.accelerator.skip_first_batches(batches, skipped) if skipped else batches
        shown = tqdm(
            source,
            desc=f"{phase.name} {epoch + 1}/{phase.epochs}",
            initial=skipped,
            total=len(batches),
            leave=False,
            disable=None if self.arguments.progress and self.accelerator.is_main_process else True,
        )
        for number, batch in enumerate(shown, start=skipped):
            if saved is not None and skipped and number == skipped:
                restore_random_state(saved.random)
            yield number, batch

    def take_turns(
        self, phase: Phase, optimizers: Mapping[str, Optimizer], batch: Batch, number: int, epoch: int, length: int
    ) -> dict[str, float]:
        """Let every update of the phase that is due move on this batch; returns its losses as `update.name`."""
        seen: dict[str, float] = {}
        for update in phase.updates:
            if not update.takes(number):
                continue
            with self.only_training(update), self.accelerator.autocast():
                losses = update.loss(batch, self.modules)
            (losses["loss"] / self.arguments.accumulate).backward()
            self.pending.add(update.name)
            turn = (number - update.offset) // update.every + 1
            # An epoch ends with a step, so that no gradient is carried over what a checkpoint holds.
            if turn % self.arguments.accumulate == 0 or number + update.every >= length:
                optimizer = optimizers[update.name]
                average_gradients(self.accelerator, optimizer.named.values())
                optimizer.set_rate(epoch + number / length)
                optimizer.step()
                self.pending.remove(update.name)
            seen |= {f"{update.name}.{name}": value for name, value in mean_losses(losses).items()}
        self._refuse_nan(seen)
        return seen

    @contextmanager
    def only_training(self, update: Update) -> Iterator[None]:
        """Inside, the update's modules train; all others are in eval mode and collect no gradients."""
        for name, module in self.modules.items():
            moves = name in update.modules
            module.train(moves)
            for parameter in self.trainable[name]:
                parameter.requires_grad_(moves)
        try:
            yield
        finally:
            for parameters in self.trainable.values():
                for parameter in parameters:
                    parameter.requires_grad_(True)

    def _refuse_nan(self, losses: dict[str, float]) -> None:
        wrong = [name for name, value in losses.items() if not math.isfinite(value)]
        if wrong:
            raise FloatingPointError(
                f"{', '.join(wrong)} is not finite at step {self.position.step}; lower the learning rate or clip, and "
                "resume from the last checkpoint"
            )

    def log_losses(self, losses: dict[str, float], phase: Phase, epoch: int, last: bool) -> None:
        """A line of the log now and then."""
        if last or self.position.step % self.arguments.log_every == 0:
            self.log.write("train", self.position.step, phase=phase.name, epoch=epoch, **losses)

    def is_evaluation_due(self, phase: Phase) -> bool:
        """Every so many epochs, and at the end of a phase."""
        return self.position.epoch % self.arguments.evaluate_every == 0 or self.position.epoch == phase.epochs

    def evaluate(self, batches: DataLoader[Any], optimizers: Mapping[str, Optimizer], phase: Phase) -> None:
        """Mean scores over the validation split; keeps the weights if they are the best so far."""
        share_weights(self.accelerator, self.modules)  # running statistics of normalisation differ between processes
        with averaged_weights(optimizers.values()):
            self.metrics = self._mean_scores(batches)
            score = None if self.select is None else float(self.select(self.metrics))
            best = self.position.best_score
            if score is not None and (best is None or score > best):
                self.position.best_score = score
                self._keep_as("best")
        for optimizer in optimizers.values():
            optimizer.plateau.see(-math.inf if score is None else score)
        self.log.write("evaluate", self.position.step, phase=phase.name, score=score, **self.metrics)

    @torch.no_grad()
    def _mean_scores(self, batches: DataLoader[Any]) -> dict[str, float]:
        for module in self.modules.values():
            module.eval()
        collected: dict[str, list[Tensor]] = {}
        for batch in batches:
            with self.accelerator.autocast():
                scores = self.recipe.score(batch, self.modules)
            gathered = self.accelerator.gather_for_metrics({name: value.float() for name, value in scores.items()})
            for name, value in gathered.items():
                collected.setdefault(name, []).append(value.cpu())
        return {name: float(torch.cat(values).nanmean()) for name, values in collected.items()}

    def is_checkpoint_due(self) -> bool:
        """Every so many steps, put off while gradients are being accumulated: a checkpoint does not hold them."""
        every = self.arguments.save_every
        return every is not None and not self.pending and self.position.step - self.saved_step >= every

    def save(self, optimizers: Mapping[str, Optimizer]) -> None:
        """A checkpoint of this moment."""
        self.saved_step = self.position.step
        if self.accelerator.is_main_process:
            save_checkpoint(self.arguments.output, self.position, self.modules, optimizers)
            prune_checkpoints(self.arguments.output, self.arguments.keep)
        self.accelerator.wait_for_everyone()

    def _keep_as(self, name: str) -> None:
        if not self.accelerator.is_main_process:
            return
        partial = self.arguments.output / f".{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        save_modules(partial, self.modules)
        publish(partial, self.arguments.output / name)

    def finish(self, optimizers: Mapping[str, Optimizer]) -> TrainingResult:
        """Leave the chosen weights as `output/NAME` for models, loadable with from_pretrained."""
        output = self.arguments.output
        with averaged_weights(optimizers.values()):
            if (output / "best").is_dir():
                load_modules(output / "best", self.modules)
            if self.accelerator.is_main_process:
                export_modules(output / "modules", self.modules)
        self.log.close()
        self.accelerator.wait_for_everyone()
        return TrainingResult(output / "modules", self.metrics, self.position.best_score, self.position.step)


def export_modules(folder: Path, modules: Mapping[str, nn.Module]) -> None:
    """Save models as directories and other modules as safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    models = {name: module for name, module in modules.items() if isinstance(module, PreTrainedModel)}
    for name, model in models.items():
        model.save_pretrained(folder / name)
    save_modules(folder, {name: module for name, module in modules.items() if name not in models})
