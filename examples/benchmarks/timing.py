"""Timing of programs that are compared with each other."""

from __future__ import annotations

import time
from collections.abc import Callable


def best_seconds(contenders: dict[str, Callable[[], object]], rounds: int = 3) -> dict[str, float]:
    """Best wall time of each contender; they take turns."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            started = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - started)
    return best
