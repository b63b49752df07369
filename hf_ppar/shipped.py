"""What comes trained with the package: privacy classifiers, and the judges that the demo lets loose on them.

Each is a directory of hf_ppar/checkpoints, made by examples/ship.py: a model as `save_pretrained` leaves it, with
about.json beside it. Weights are stored in half precision and loaded in single.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKPOINTS = Path(__file__).parent / "checkpoints"
ABOUT = "about.json"
CLASSIFIER, RECOGNIZER, ATTACKER = "privacy-video-classification", "video-classification", "attack"


@dataclass(frozen=True)
class Shipped:
    """A shipped checkpoint.

    Args:
        task: `CLASSIFIER`, `RECOGNIZER` of raw clips, or `ATTACKER` on persons and attributes.
        sees: the anonymizer whose output it was trained on; "raw" for none.
        figures: target -> {"metric", "value", "low", "high", "chance", "raw", "judge"} of its report, or of its row
            there for a judge.
    """

    name: str
    task: str
    sees: str
    data: str
    license: str
    figures: dict[str, dict[str, Any]]

    @property
    def place(self) -> Path:
        """Its directory."""
        return CHECKPOINTS / self.name

    @property
    def bytes(self) -> int:
        """Size of its files."""
        return sum(path.stat().st_size for path in self.place.iterdir())


def list_shipped(task: str | None = None) -> list[Shipped]:
    """All shipped checkpoints, or those of a task, by name."""
    found = [
        Shipped(path.parent.name, **json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(CHECKPOINTS.glob(f"*/{ABOUT}"))
    ]
    return [shipped for shipped in found if task in (None, shipped.task)]


def list_checkpoints() -> list[str]:
    """Names of the trained privacy classifiers that come with the package; they also serve as anonymizers."""
    return [shipped.name for shipped in list_shipped(CLASSIFIER)]


def find_shipped(name: str) -> str:
    """The directory of a shipped checkpoint, any other name as it is."""
    return str(CHECKPOINTS / name) if (CHECKPOINTS / name / ABOUT).is_file() else name
