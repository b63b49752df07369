"""Sample videos for the examples: rendered people in action, so that each runs offline and on nobody's footage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hf_ppar.data.stage import render_clip, sample_spec
from hf_ppar.video import WriteOptions, write_clip

SAMPLES = Path("samples")
SECONDS = 1.28  # that an action lasts
SIDE = 128


def render_video(path: Path, actions: Sequence[str], person: int = 0, seed: int = 0, side: int = SIDE) -> Path:
    """Write a video in which a person does one action after the other, `SECONDS` each; `seed` varies the scene."""
    clips = [render_clip(sample_spec(action, person, seed), height=side, width=side) for action in actions]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_clip(path, np.concatenate([clip.rgb for clip in clips]), clips[0].fps, WriteOptions(overwrite=True))
    return path


def render_samples(actions: Sequence[str] = ("walk", "clap", "squat"), folder: Path = SAMPLES) -> list[str]:
    """A short video of each action, by another person each, named by the action."""
    return [
        str(render_video(folder / f"{action}.mp4", [action], person=3 * number, seed=number))
        for number, action in enumerate(actions)
    ]
