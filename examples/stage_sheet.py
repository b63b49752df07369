"""Render the picture of the stage that stands in the README.

python examples/stage_sheet.py examples/images/stage.png
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from hf_ppar.data.stage import render_clip, sample_spec

ACTIONS = ("wave_one_hand", "walk", "jumping_jack", "kick", "bend", "sit_down", "clap")
ROWS = 2
HEIGHT, WIDTH = 260, 180


def main() -> None:
    """One person and action a cell, at a telling moment of the action."""
    cells = []
    for row in range(ROWS):
        for column, action in enumerate(ACTIONS):
            person = row * len(ACTIONS) + column
            spec = sample_spec(action, person=person, seed=person, view=(-30, 20)[row], relationship=int(column == 4))
            cells.append(render_clip(spec, height=HEIGHT, width=WIDTH).rgb[6])
    rows = [
        np.concatenate(cells[start : start + len(ACTIONS)], axis=1) for start in range(0, len(cells), len(ACTIONS))
    ]
    Image.fromarray(np.concatenate(rows)).save(Path(sys.argv[1]), optimize=True)


if __name__ == "__main__":
    main()
