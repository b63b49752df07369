"""What was done to a video, for the record: no frames, no file names, nothing about the people in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Receipt:
    """The account of one anonymized video.

    Args:
        model: name, directory name or Hub id of the anonymizer; `revision` is its commit on the Hub.
        dropped: what the source had and the result has not ("audio (aac)", "metadata", ...).
        rate_bits: bits about the input spent by a method that limits them, summed over windows; anonymizing the same
            video again spends them again. `mean_rate_bits` is the mean of one window.
        bounds: private label -> what its windows can tell about it at most, in bits, see `sum_certificates`; empty
            without a certificate for this strength.
        output_sha256: of the written file, so that a receipt can be matched to it; None in memory.
    """

    model: str
    revision: str | None
    strength: float | None
    device: str
    frames: int = 0
    width: int = 0
    height: int = 0
    duration_seconds: float | None = None
    kept_audio: bool = False
    kept_metadata: bool = False
    dropped: list[str] = field(default_factory=list)
    rate_bits: float | None = None
    mean_rate_bits: float | None = None
    bounds: dict[str, dict[str, Any]] = field(default_factory=dict)
    elapsed_seconds: float = 0.0
    hf_ppar_version: str = ""
    output_sha256: str | None = None

    @property
    def frames_per_second(self) -> float:
        """Speed of the whole job."""
        return self.frames / self.elapsed_seconds if self.elapsed_seconds > 0 else 0.0

    def write(self, path: Path) -> None:
        """Write as JSON."""
        values = asdict(self) | {"frames_per_second": round(self.frames_per_second, 2)}
        path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def sum_certificates(certificates: Mapping[str, Mapping[str, Any]] | None, windows: int) -> dict[str, dict[str, Any]]:
    """Certificates of one window -> those of a video of so many windows that share their action.

    Rates add up at the upper end of their intervals, and what tells the action is taken off once: see
    `hf_ppar.evaluation.certificate`. A bound that is not below `private_bits`, all there is to know, says nothing.
    """
    bounds = {}
    for label, one in (certificates or {}).items():
        beyond = max(0.0, windows * one["rate_bits"][2] - one["utility_bits"])
        bits = round(one["action_bits"] + beyond, 2)
        bounds[label] = {
            "rate_bits": round(windows * one["rate_bits"][2], 2),
            "utility_bits": one["utility_bits"],
            "bound_bits": bits,
            "private_bits": one["private_bits"],
            "is_useful": bits < one["private_bits"],
        }
    return bounds
