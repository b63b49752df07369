"""Pictures for people who would rather look than read. They show raw frames: made only when asked for."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .video import VideoSource, fit_short_side, probe, read_even_frames

_TILE = 160  # short side of one frame in the sheet
_GAP = 6


def write_preview(
    source: VideoSource, anonymized: VideoSource, target: str | os.PathLike[str], count: int = 6
) -> None:
    """Write a PNG of `count` even frames before (top) and after (bottom)."""
    info = probe(source)
    size = fit_short_side(info.height, info.width, _TILE)
    rows = {
        "before": read_even_frames(source, count, size),
        "after": read_even_frames(anonymized, count, size),
    }
    contact_sheet(rows).save(Path(target), format="PNG")


def contact_sheet(rows: dict[str, np.ndarray]) -> Image.Image:
    """One labelled row of frames (n, H, W, 3) uint8 per entry."""
    count, height, width, _ = next(iter(rows.values())).shape
    font = ImageFont.load_default(16)
    margin = 3 * _GAP + int(max(font.getlength(label) for label in rows))
    sheet = Image.new("RGB", (margin + count * (width + _GAP), len(rows) * (height + _GAP) + _GAP), "white")
    draw = ImageDraw.Draw(sheet)
    for row, (label, frames) in enumerate(rows.items()):
        top = _GAP + row * (height + _GAP)
        draw.text((_GAP, top + height // 2), label, fill="black", font=font, anchor="lm")
        for column, frame in enumerate(frames):
            sheet.paste(Image.fromarray(frame), (margin + column * (width + _GAP), top))
    return sheet
