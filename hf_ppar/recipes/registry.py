"""The recipes by name, and what the command line has to know about each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .lafprivacy import LaFPrivacyOptions, LaFPrivacyRecipe
from .privrate import PrivRateOptions, PrivRateRecipe, score_privrate
from .recipe import Recipe
from .recognizer import RecognizerOptions, RecognizerRecipe
from .stprivacy import STPrivacyOptions, STPrivacyRecipe
from .xclip import XCLIPOptions, XCLIPRecipe, score_xclip


@dataclass(frozen=True)
class ClipDefaults:
    """The clips and batches a preset trains with.

    Args:
        fit: an anonymizer is trained on whole pictures ("stretch"), since it has to release whole pictures.
    """

    frames: int
    size: tuple[int, int]
    batch_size: int
    fit: str = "stretch"

    @property
    def clip(self) -> dict[str, Any]:
        """As options of a clip."""
        return {"frames": self.frames, "size": self.size, "fit": self.fit}


@dataclass(frozen=True)
class RecipeKind:
    """How a recipe is built.

    Args:
        options: its dataclass of options; `tiny` gives the CPU-sized ones, the defaults are the paper's.
        build: options, number of outputs by target ("action", "person", "attributes") and clip (frames, height,
            width) -> recipe.
        score: validation metrics -> the number that chooses the checkpoint, higher is better; None keeps the last,
            where judges learn along and their scores say nothing about privacy.
        clips: defaults by preset.
    """

    options: Any
    build: Callable[[Any, dict[str, int], tuple[int, int, int]], Recipe]
    score: Callable[[Mapping[str, float]], float] | None
    clips: Mapping[str, ClipDefaults]


def _mean_score(metrics: Mapping[str, float]) -> float:
    return sum(metrics.values()) / len(metrics)


RECIPES: dict[str, RecipeKind] = {
    RecognizerRecipe.name: RecipeKind(
        RecognizerOptions,
        RecognizerRecipe,
        _mean_score,
        {"paper": ClipDefaults(16, (112, 112), 64, "crop"), "tiny": ClipDefaults(8, (48, 48), 32, "crop")},
    ),
    STPrivacyRecipe.name: RecipeKind(
        STPrivacyOptions,
        STPrivacyRecipe,
        None,
        {"paper": ClipDefaults(16, (112, 112), 64), "tiny": ClipDefaults(16, (64, 64), 32)},
    ),
    PrivRateRecipe.name: RecipeKind(
        PrivRateOptions,
        PrivRateRecipe,
        score_privrate,
        {"paper": ClipDefaults(16, (112, 112), 64), "tiny": ClipDefaults(16, (64, 64), 32)},
    ),
    LaFPrivacyRecipe.name: RecipeKind(
        LaFPrivacyOptions,
        LaFPrivacyRecipe,
        None,
        {"paper": ClipDefaults(8, (224, 224), 8), "tiny": ClipDefaults(8, (64, 64), 16)},
    ),
    XCLIPRecipe.name: RecipeKind(
        XCLIPOptions,
        XCLIPRecipe,
        score_xclip,
        {"paper": ClipDefaults(8, (224, 224), 64), "tiny": ClipDefaults(8, (64, 64), 32)},
    ),
}


def find_recipe(name: str) -> RecipeKind:
    """The recipe of that name; an unknown one is refused with the list of names."""
    if name not in RECIPES:
        raise ValueError(f"unknown recipe {name!r}; choose one of: {', '.join(RECIPES)}")
    return RECIPES[name]
