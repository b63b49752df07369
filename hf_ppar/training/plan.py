"""From names and key=value pairs to a run: everything is resolved before it starts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets import Dataset

from ..data import (
    ClipOptions,
    LoadingOptions,
    build_loader,
    load_ppar_dataset,
    training_transform,
    validation_transform,
)
from ..data.lengths import clip_rate
from ..data.loading import check_data_dir, find_loader
from ..models import AnonymizerModel
from ..recipes.registry import find_recipe
from .arguments import TrainingArguments
from .loop import TrainingResult, train
from .outputs import count_outputs, label_recognizers

PRESETS = ("tiny", "paper")
_DATA_PREFIX = "data."


@dataclass(frozen=True)
class TrainingPlan:
    """A run, completely resolved.

    Args:
        options: the recipe's own.
        data_options: those of the data set.
        flip: mirror training clips at random; off for sign language, where left and right matter.
    """

    recipe: str
    preset: str
    dataset: str
    data_dir: Path | None
    data_options: dict[str, Any]
    options: Any
    clip: ClipOptions
    loading: LoadingOptions
    arguments: TrainingArguments
    flip: bool = True

    def describe(self) -> dict[str, Any]:
        """The plan as plain values, to print or keep."""
        values = dataclasses.asdict(self)
        return {key: str(value) if isinstance(value, Path) else value for key, value in values.items()}

    def run(self) -> TrainingResult:
        """Load the data, build the recipe, train; the validation split chooses the checkpoint."""
        kind = find_recipe(self.recipe)
        splits = {name: self._load(name) for name in self._splits(kind.score is not None)}
        outputs = count_outputs(splits["train"])
        recipe = kind.build(self.options, outputs, (self.clip.frames, *self.clip.size))
        label_recognizers(recipe.modules, splits["train"])
        for module in recipe.modules.values():
            if isinstance(module, AnonymizerModel):
                module.config.frame_rate = clip_rate(splits["train"], self.clip)
        held_out = dataclasses.replace(self.loading, shuffle=False)
        return train(
            recipe,
            self.arguments,
            build_loader(splits["train"], self.clip, training_transform(self.clip.size, self.flip), self.loading),
            None
            if "validation" not in splits
            else build_loader(splits["validation"], self.clip, validation_transform(self.clip.size), held_out),
            kind.score,
        )

    def _splits(self, must_choose: bool) -> tuple[str, ...]:
        """The training split, and the validation split where there is one or a checkpoint has to be chosen on it."""
        loader = find_loader(self.dataset)
        place = check_data_dir(self.dataset, loader, self.data_dir)
        there = must_choose or "validation" in loader.splits(place, **self.data_options)
        return ("train", "validation") if there else ("train",)

    def _load(self, split: str) -> Dataset:
        return load_ppar_dataset(self.dataset, self.data_dir, split, **self.data_options)


def make_plan(
    recipe: str,
    dataset: str,
    output: Path,
    data_dir: Path | None = None,
    preset: str = "tiny",
    settings: Mapping[str, Any] | None = None,
    resume: bool = False,
) -> TrainingPlan:
    """Resolve a run.

    Args:
        settings: options of the recipe, the clips, the loader and the loop by name, and of the data set with the
            prefix "data."; anything else is refused.
    """
    kind = find_recipe(recipe)
    if preset not in PRESETS:
        raise ValueError(f"preset={preset!r} is unknown; choose one of: {', '.join(PRESETS)}")
    defaults = kind.clips[preset]
    given = dict(settings or {})
    data_options = {
        key.removeprefix(_DATA_PREFIX): given.pop(key) for key in list(given) if key.startswith(_DATA_PREFIX)
    }
    flip = bool(given.pop("flip", dataset != "lsa64"))
    parts = _share_out(
        given, {"recipe": kind.options, "clip": ClipOptions, "loading": LoadingOptions, "loop": TrainingArguments}
    )
    seed = parts["loop"].get("seed", 0)
    make_options = kind.options.tiny if preset == "tiny" else kind.options
    return TrainingPlan(
        recipe,
        preset,
        dataset,
        data_dir,
        data_options,
        make_options(**_tuples(parts["recipe"])),
        ClipOptions(**{**defaults.clip, **_tuples(parts["clip"])}),
        LoadingOptions(**{"batch_size": defaults.batch_size, "cache": True, "seed": seed, **parts["loading"]}),
        TrainingArguments(output, resume=resume, **_tuples(parts["loop"])),
        flip,
    )


def _share_out(settings: dict[str, Any], owners: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give every setting to the first owner that has a field of that name."""
    fields = {name: {field.name for field in dataclasses.fields(owner)} for name, owner in owners.items()}
    fields["loop"] -= {"output", "resume"}
    unknown = sorted(key for key in settings if not any(key in names for names in fields.values()))
    if unknown:
        known = sorted(set().union(*fields.values()) | {"flip", f"{_DATA_PREFIX}..."})
        raise ValueError(f"unknown settings {', '.join(unknown)}; known are {', '.join(known)}")
    parts: dict[str, dict[str, Any]] = {name: {} for name in owners}
    for key, value in settings.items():
        parts[next(name for name, names in fields.items() if key in names)][key] = value
    if "seed" in parts["loading"]:
        parts["loop"]["seed"] = parts["loading"].pop("seed")
    return parts


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    """Lists as tuples, and one name where several may be given as a tuple of one."""
    several = {"targets", "report_to", "private", "judges", "adversaries"}
    return {
        key: (value,)
        if key in several and isinstance(value, str)
        else tuple(value)
        if isinstance(value, list)
        else value
        for key, value in values.items()
    }
