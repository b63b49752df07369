"""Peak memory of a program of its own."""

from __future__ import annotations

import subprocess
import sys

_PEAK = "\nprint(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))\n"


def peak_megabytes(code: str, *arguments: object) -> float:
    """Peak resident memory of a fresh process that runs `code` with these arguments and prints nothing.

    Read from the process's own status: getrusage would start from the memory of this process, which starts it.
    """
    command = [sys.executable, "-c", code + _PEAK, *map(str, arguments)]
    return int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) / 1024
