"""The log of a run: one JSON object a line, always; trackers of accelerate on request."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from accelerate import Accelerator


class RunLog:
    """Writes on the main process only."""

    def __init__(self, accelerator: Accelerator, output: Path, project: str, trackers: bool) -> None:
        self.accelerator = accelerator
        self.path = output / "log.jsonl"
        self.started = time.time()
        self.trackers = trackers
        if trackers:
            accelerator.init_trackers(project)

    def write(self, kind: str, step: int, **values: Any) -> None:
        """Add a line of some kind ("train", "evaluate", "resume", ...)."""
        if not self.accelerator.is_main_process:
            return
        line = {"kind": kind, "step": step, "seconds": round(time.time() - self.started, 2), **values}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if self.trackers:
            numbers = {f"{kind}/{key}": value for key, value in values.items() if isinstance(value, int | float)}
            self.accelerator.log(numbers, step=step)

    def close(self) -> None:
        """Flush the trackers."""
        if self.trackers:
            self.accelerator.end_training()


def read_log(output: Path) -> list[dict[str, Any]]:
    """All lines of a run's log; a last line cut off by a kill is left out."""
    lines = []
    for text in (output / "log.jsonl").read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            break
    return lines
