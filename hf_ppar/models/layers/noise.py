"""Noise that protects: drawn from the operating system, so that no seed can be guessed to take it off again.

A seeded torch generator will not do: its seed on the CPU has 32 effective bits and could be tried out.
"""

from __future__ import annotations

import os

import numpy as np
import torch

_BITS = 52  # half a step more than this many bits is still exact in float64


def uniform_noise(
    batch: int, size: int, seeded: bool = False, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Numbers (batch, size) strictly between 0 and 1, float64, on the CPU.

    Args:
        seeded: draw from torch's global generator, for training; otherwise from `os.urandom`, which leaves torch's
            untouched.
        generator: for tests; every clip of the batch then gets the same numbers, so that a clip alone and in a batch
            come out alike.
    """
    smallest = 2.0 ** -(_BITS + 1)
    if generator is not None:
        numbers = torch.rand(1, size, generator=generator, dtype=torch.float64, device=generator.device).cpu()
        return numbers.clamp(smallest, 1 - smallest).expand(batch, -1)
    if seeded:
        return torch.rand(batch, size, dtype=torch.float64).clamp(smallest, 1 - smallest)
    integers = np.frombuffer(os.urandom(8 * batch * size), dtype=np.uint64) >> np.uint64(64 - _BITS)
    return torch.from_numpy((integers.astype(np.float64) + 0.5) * 2.0**-_BITS).view(batch, size)


def normal_noise(
    batch: int, size: int, seeded: bool = False, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Standard normal numbers (batch, size), float32: the inverse distribution function of `uniform_noise`."""
    return torch.special.ndtri(uniform_noise(batch, size, seeded, generator)).float()


def gumbel_noise(
    batch: int, size: int, seeded: bool = False, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Gumbel numbers (batch, size), float32; the argmax of log-probabilities plus these is a true sample."""
    return -(-uniform_noise(batch, size, seeded, generator).log()).log().float()
