"""What was done to a video, for the record: no frames, no file names, nothing about the people in it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Receipt:
    """The account of one anonymized video.

    Args:
        model: name, directory name or Hub id of the anonymizer; `revision` is its commit on the Hub.
        dropped: what the source had and the result has not ("audio (aac)", "metadata", ...).
        rate_bits: bits about the input spent by a method that limits them, summed over windows; anonymizing the same
            video again spends them again. `mean_rate_bits` is the mean of one window.
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
