"""The picture of the demo: a row for each video, some frames before and the same ones after."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ..preview import contact_sheet
from ..video import read_even_frames
from .samples import Sample

_TILE = (160, 160)
_HEADING = 30


def draw_before_after(samples: Sequence[Sample], model: str, count: int = 3) -> Image.Image:
    """Raw frames on the left, the same frames anonymized on the right."""
    sheet = contact_sheet(
        {
            sample.spec.action.replace("_", " "): np.concatenate(
                [read_even_frames(video, count, _TILE) for video in (sample.video, sample.anonymized(model))]
            )
            for sample in samples
        }
    )
    picture = Image.new("RGB", (sheet.width, _HEADING + sheet.height), "white")
    picture.paste(sheet, (0, _HEADING))
    draw = ImageDraw.Draw(picture)
    half = count * _TILE[1]
    for title, middle in (("before", sheet.width - 3 * half // 2), (f"after {model}", sheet.width - half // 2)):
        draw.text((middle, _HEADING // 2), title, fill="black", font=ImageFont.load_default(16), anchor="mm")
    return picture
