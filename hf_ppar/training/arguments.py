"""How a training run is carried out, whatever the recipe."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True)
class TrainingArguments:
    """Settings of the loop.

    Args:
        output: folder for checkpoints, the log and the trained modules.
        seed: of initialisation, data order and noise.
        precision: "no" or "bf16".
        accumulate: batches whose gradients are added up before a step.
        evaluate_every: epochs between evaluations; the last epoch of a phase is always evaluated.
        save_every: steps between checkpoints within an epoch; each epoch ends with one anyway.
        keep: how many checkpoints to keep.
        log_every: steps between lines of the log.
        report_to: trackers of accelerate besides the JSONL log: "tensorboard", "trackio".
        resume: go on from the newest checkpoint in `output`.
        progress: show a progress bar on the main process.
    """

    output: Path
    seed: int = 0
    precision: str = "no"
    accumulate: int = 1
    evaluate_every: int = 1
    save_every: int | None = None
    keep: int = 2
    log_every: int = 10
    report_to: tuple[str, ...] = ()
    resume: bool = False
    progress: bool = True

    def __post_init__(self) -> None:
        if self.precision not in ("no", "bf16"):
            raise ValueError(f'precision must be "no" or "bf16", got {self.precision!r}')
        for name in ("accumulate", "evaluate_every", "keep", "log_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.save_every is not None and self.save_every < 1:
            raise ValueError(f"save_every must be at least 1 or None, got {self.save_every}")
        unknown = sorted(set(self.report_to) - {"tensorboard", "trackio"})
        if unknown:
            raise ValueError(f"report_to knows tensorboard and trackio, got {', '.join(unknown)}")
        missing = [name for name in self.report_to if find_spec(name) is None]
        if missing:  # accelerate would go on without them, silently
            raise ValueError(f"report_to={', '.join(missing)} is not installed: pip install {' '.join(missing)}")
