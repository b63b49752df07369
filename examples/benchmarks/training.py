"""What keeping freed memory is worth: one training step of STPrivacy's tiny preset, each way in a process of its own.

python examples/benchmarks/training.py
"""

from __future__ import annotations

import subprocess
import sys
import time

import torch

from hf_ppar.recipes.stprivacy import STPrivacyOptions, STPrivacyRecipe
from hf_ppar.training.memory import keep_freed_memory

STEPS, ROUNDS = 5, 2


def seconds_a_step(keep: bool) -> float:
    """Mean time of the initialisation phase's step on 32 clips of 16 x 64 x 64."""
    if keep:
        keep_freed_memory()
    recipe = STPrivacyRecipe(STPrivacyOptions.tiny(private=("person",)), {"action": 41, "person": 10}, (16, 64, 64))
    batch = {"pixel_values": torch.rand(32, 16, 3, 64, 64), "labels": torch.zeros(32, dtype=torch.long)}
    for step in range(STEPS + 1):
        if step == 1:
            started = time.perf_counter()
        recipe.initial_loss(batch, recipe.modules)["loss"].backward()
    return (time.perf_counter() - started) / STEPS


def main() -> None:
    """Take turns and print the better of each."""
    if sys.argv[1:]:
        print(seconds_a_step(sys.argv[1] == "keep"))
        return
    best = {"as it comes": float("inf"), "keep": float("inf")}
    for _ in range(ROUNDS):
        for name in best:
            command = [sys.executable, __file__, name]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            best[name] = min(best[name], float(printed))
    ratio = best["as it comes"] / best["keep"]
    print(f"training step: {best['as it comes']:.2f} s, keeping freed memory {best['keep']:.2f} s ({ratio:.2f} x)")


if __name__ == "__main__":
    main()
