"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def align(rows: Sequence[Sequence[str]], indent: str = "  ") -> str:
    """Rows of cells -> lines with columns of even width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in rows
    )
