"""How the C library hands memory back."""

from __future__ import annotations

import ctypes
import platform

_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4


def keep_freed_memory() -> bool:
    """Keep freed memory for the next allocation instead of giving it back; True if the C library could be told.

    glibc maps every block above 32 MB anew and gives it back when it is freed. A training step frees and takes such
    blocks all the time, and on a CPU much of its time goes into fresh pages; `examples/benchmarks/training.py`
    measures how much. Nothing else changes; other C libraries are left alone.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    library = ctypes.CDLL(None)
    return bool(library.mallopt(_M_MMAP_MAX, 0) and library.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1))
