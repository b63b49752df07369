"""Pictures for people who would rather look than read. They show raw frames: made only when asked for."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFont

from .models import AnonymizerModel
from .processing import to_clip
from .video import VideoSource, even_indices, fit_short_side, play_backwards, probe, read_even_frames, resize_frames
from .video.picking import read_chosen
from .windows import WindowPlan

_TILE = 160  # short side of one frame in the sheet
_GAP = 6


def write_preview(
    source: VideoSource,
    anonymized: VideoSource,
    target: str | os.PathLike[str],
    count: int = 6,
    model: AnonymizerModel | None = None,
    strength: float | None = None,
) -> None:
    """Write a PNG of `count` even frames before (top) and after (bottom).

    Given the model that did it, and one that decides which parts of a picture to keep, a row between shows what it
    kept; the rest of the raw frame is dimmed.
    """
    info = probe(source)
    size = fit_short_side(info.height, info.width, _TILE)
    rows = {
        "before": read_even_frames(source, count, size),
        "after": read_even_frames(anonymized, count, size),
    }
    mask = None if model is None else kept_parts(source, count, model, strength)
    if mask is not None:
        whole = resize_frames(mask.repeat(3, axis=-1), size).astype(np.float32) / 255
        kept = (rows["before"] * (0.2 + 0.8 * whole)).astype(np.uint8)
        rows = {"before": rows["before"], "kept": kept, "after": rows["after"]}
    contact_sheet(rows).save(Path(target), format="PNG")


def kept_parts(source: VideoSource, count: int, model: AnonymizerModel, strength: float | None) -> np.ndarray | None:
    """The mask (count, H, W, 1) uint8 of `count` even frames, each in the window of the video it belongs to; None for
    a model that works without windows or does not say what it keeps."""
    config, info = model.config, probe(source)
    if config.num_frames is None:
        return None
    height, width = config.image_size or (info.height, info.width)
    plan = WindowPlan.for_model(config, height, width, info.fps)
    places: list[int] = []

    def windows(length: int) -> np.ndarray:
        """Frame numbers (count, frames of a window); a short last window is played backwards, as in streaming."""
        chosen = even_indices(length, count)
        starts = chosen // plan.length * plan.length
        places.extend((chosen - starts) // plan.stride)
        seen = np.arange(0, plan.length, plan.stride)
        return starts[:, None] + np.stack([play_backwards(seen, min(plan.length, length - s)) for s in starts])

    frames = read_chosen(source, windows, None if config.image_size is None else tuple(config.image_size))
    masks = []
    with torch.inference_mode():
        for clip, place in zip(frames, places, strict=True):
            mask = model(to_clip(clip)[None].to(model.device), strength=strength).mask
            if mask is None:
                return None
            masks.append(mask[0, place, 0].float().mul(255).round().to(torch.uint8).cpu().numpy())
    return np.stack(masks)[..., None]


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
