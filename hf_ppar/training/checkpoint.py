"""Checkpoints: safetensors and JSON, written beside their place and renamed: a killed run leaves only whole ones."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from .optimization import Optimizer

_NAME = re.compile(r"checkpoint-(\d+)$")


@dataclass
class Position:
    """How far a run has come: the next batch of the current epoch of the current phase, and the best score so far."""

    recipe: str
    phase: int = 0
    epoch: int = 0
    batch: int = 0
    step: int = 0
    best_score: float | None = None


class CheckpointError(ValueError):
    """A checkpoint cannot be used; the message says why."""


def save_checkpoint(
    output: Path, position: Position, modules: Mapping[str, nn.Module], optimizers: Mapping[str, Optimizer]
) -> Path:
    """Write `output/checkpoint-STEP` in one piece. Called by the main process."""
    target = output / f"checkpoint-{position.step:08d}"
    partial = output / f".{target.name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    save_modules(partial, modules)
    tensors, settings = _pack_optimizers(optimizers)
    save_file(tensors, partial / "optimizers.safetensors")
    state = {"position": asdict(position), "optimizers": settings, "random": pack_random_state()}
    (partial / "state.json").write_text(json.dumps(state), encoding="utf-8")
    publish(partial, target)
    return target


def publish(partial: Path, target: Path) -> None:
    """Sync a finished folder and give it its name; an older one of that name goes away only then."""
    for file in partial.iterdir():
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
    if target.exists():
        shutil.rmtree(target)
    os.replace(partial, target)


def save_modules(folder: Path, modules: Mapping[str, nn.Module]) -> None:
    """Write each module's weights as `NAME.safetensors`."""
    for name, module in modules.items():
        weights = {key: value.detach().cpu().clone().contiguous() for key, value in module.state_dict().items()}
        save_file(weights, folder / f"{name}.safetensors", metadata={"format": "pt"})


def load_modules(folder: Path, modules: Mapping[str, nn.Module]) -> None:
    """Load what `save_modules` wrote; every weight has to be there."""
    for name, module in modules.items():
        path = folder / f"{name}.safetensors"
        if not path.is_file():
            raise CheckpointError(f"{folder} has no weights of the module {name!r}; is it of another recipe?")
        try:
            module.load_state_dict(load_file(path))
        except RuntimeError as error:
            raise CheckpointError(f"the weights of {name!r} in {folder} do not fit: {error}") from error


def list_checkpoints(output: Path) -> list[Path]:
    """Whole checkpoints, oldest first."""
    return sorted(path for path in output.glob("checkpoint-*") if _NAME.search(path.name))


def prune_checkpoints(output: Path, keep: int) -> None:
    """Remove all but the newest `keep`."""
    for path in list_checkpoints(output)[:-keep]:
        shutil.rmtree(path)


@dataclass
class SavedRun:
    """A checkpoint read from disk, before it is put into the optimizers of its phase."""

    folder: Path
    position: Position
    tensors: dict[str, Tensor]
    settings: dict[str, Any]
    random: dict[str, Any]

    def restore_optimizers(self, optimizers: Mapping[str, Optimizer]) -> None:
        """Put moments, averages and schedules back."""
        if set(optimizers) != set(self.settings):
            raise CheckpointError(
                f"{self.folder} has the updates {sorted(self.settings)}, the recipe has {sorted(optimizers)}"
            )
        for name, optimizer in optimizers.items():
            _unpack_optimizer(name, optimizer, self.tensors, self.settings[name])


def load_checkpoint(folder: Path, recipe: str, modules: Mapping[str, nn.Module]) -> SavedRun:
    """Read a checkpoint and put its weights into the modules."""
    try:
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        position = Position(**state["position"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{folder} is not a checkpoint that can be resumed: {error}") from error
    if position.recipe != recipe:
        raise CheckpointError(f"{folder} is a checkpoint of the recipe {position.recipe!r}, not of {recipe!r}")
    load_modules(folder, modules)
    tensors = load_file(folder / "optimizers.safetensors")
    return SavedRun(folder, position, tensors, state["optimizers"], state["random"])


def _pack_optimizers(optimizers: Mapping[str, Optimizer]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Optimizer states as tensors for safetensors and plain values for JSON."""
    tensors: dict[str, Tensor] = {}
    settings: dict[str, Any] = {}
    for name, optimizer in optimizers.items():
        for index, values in optimizer.torch.state_dict()["state"].items():
            tensors |= {f"{name}/state/{index}/{key}": torch.as_tensor(value).cpu() for key, value in values.items()}
        if optimizer.average is not None:
            tensors |= {f"{name}/average/{key}": value.cpu() for key, value in optimizer.average.shadow.items()}
        plateau = optimizer.plateau
        best = plateau.best if np.isfinite(plateau.best) else None
        settings[name] = {"factor": plateau.factor, "best": best, "waited": plateau.waited}
    return {key: value.clone().contiguous() for key, value in tensors.items()}, settings


def _unpack_optimizer(name: str, optimizer: Optimizer, tensors: dict[str, Tensor], settings: dict[str, Any]) -> None:
    states: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        owner, kind, rest = key.split("/", 2)
        if owner != name:
            continue
        if kind == "average" and optimizer.average is not None:
            optimizer.average.shadow[rest].copy_(value)
        elif kind == "state":
            index, entry = rest.split("/")
            states.setdefault(int(index), {})[entry] = value
    current = optimizer.torch.state_dict()
    optimizer.torch.load_state_dict({"state": states, "param_groups": current["param_groups"]})
    optimizer.plateau.factor, optimizer.plateau.waited = settings["factor"], settings["waited"]
    optimizer.plateau.best = -np.inf if settings["best"] is None else settings["best"]


def pack_random_state() -> dict[str, Any]:
    """The state of every random number generator the loop may use, as JSON values."""
    version, numbers, gauss = random.getstate()
    kind, keys, place, has_gauss, cached = np.random.get_state(legacy=True)
    state: dict[str, Any] = {
        "python": [version, list(numbers), gauss],
        "numpy": [kind, np.asarray(keys).tolist(), place, has_gauss, cached],
        "torch": torch.get_rng_state().tolist(),
    }
    if torch.cuda.is_available():
        state["cuda"] = [value.tolist() for value in torch.cuda.get_rng_state_all()]
    return state


def restore_random_state(state: dict[str, Any]) -> None:
    """Undo everything random since `pack_random_state`."""
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
    kind, keys, place, has_gauss, cached = state["numpy"]
    np.random.set_state((kind, np.array(keys, dtype=np.uint32), place, has_gauss, cached))
    torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state_all([torch.tensor(value, dtype=torch.uint8) for value in state["cuda"]])
