"""How much is spent on judging: which judges, at what size, for how long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..data import ClipOptions
from ..recipes.recognizer import RecognizerOptions


@dataclass(frozen=True)
class Budget:
    """The panel of judges.

    Args:
        kinds: recognizers of `hf_ppar.recipes.recognizer.KINDS`; each is trained once on the action and once on
            identity and attributes.
        frames, size: of the clips that judges see.
        settings: changes to the recipe's options.
    """

    name: str
    kinds: tuple[str, ...]
    frames: int
    size: tuple[int, int]
    epochs: int
    batch_size: int
    settings: dict[str, Any]

    @property
    def clip(self) -> ClipOptions:
        """The clips that judges see: frames spread over the whole video, the whole picture."""
        return ClipOptions(frames=self.frames, size=self.size, fit="stretch")

    def judge(self, kind: str, targets: tuple[str, ...]) -> RecognizerOptions:
        """The options of one judge."""
        make = RecognizerOptions if self.name == "paper" else RecognizerOptions.tiny
        return make(kind=kind, targets=targets, epochs=self.epochs, **self.settings)

    def shortened(self, epochs: int) -> Budget:
        """The same with fewer epochs."""
        return replace(self, epochs=epochs)


_FAST: dict[str, Any] = {"lr": 3e-3, "weight_decay": 0.05, "warmup_epochs": 3.0}

BUDGETS: dict[str, Budget] = {
    "quick": Budget("quick", ("resnet3d",), 8, (48, 48), 30, 32, _FAST),
    "small": Budget("small", ("tubelet", "resnet3d", "frame-resnet"), 8, (48, 48), 30, 32, _FAST),
    "paper": Budget("paper", ("tubelet", "resnet3d", "frame-resnet"), 16, (112, 112), 80, 64, {}),
}


def find_budget(name: str) -> Budget:
    """The budget of that name; an unknown one is refused with the list of names."""
    if name not in BUDGETS:
        raise ValueError(f"budget={name!r} is unknown; choose one of: {', '.join(BUDGETS)}")
    return BUDGETS[name]
