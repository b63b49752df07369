"""Small cases on the stage, and a cache that no test leaves behind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hf_ppar import load_anonymizer
from hf_ppar.data import load_ppar_dataset
from hf_ppar.data.schema import Vocabulary, build_dataset
from hf_ppar.evaluation import Case, find_budget

from ..conftest import write_with_av

TINY = {"train_clips": 24, "validation_clips": 12, "test_clips": 24, "persons": 3}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))


def stage(**options):
    return {s: load_ppar_dataset("stage", split=s, **{**TINY, **options}) for s in ("train", "validation", "test")}


def case(tmp_path, model="blacken", splits=None, **changes):
    """Two epochs of one small judge; `model` is a name or an anonymizer."""
    budget = replace(find_budget("quick").shortened(2), kinds=("frame-resnet",), frames=4, size=(32, 32))
    anonymizer = load_anonymizer(model) if model != "raw" else None
    name = model if isinstance(model, str) else type(model).__name__
    made = Case("same-dataset", "stage", splits or stage(), anonymizer, name, budget, tmp_path / "work")
    return replace(made, **changes)


def tinted(folder, counts=(36, 12, 24), frames=8):
    """Videos whose persons differ in tint and whose actions differ in motion.

    A white corner, the attribute "marked", is there in one half of each video; `frame_labels` say in which, and if the
    tint is red.
    """
    splits, number = {}, 0
    for split, count in zip(("train", "validation", "test"), counts, strict=True):
        columns = {name: [] for name in ("video", "action", "attributes", "person", "frame_labels")}
        for _ in range(count):
            path, person, action, late = folder / f"{number}.mp4", number % 3, number // 3 % 2, number // 6 % 2
            marked = slice(frames // 2, frames) if late else slice(0, frames // 2)
            folder.mkdir(parents=True, exist_ok=True)
            write_with_av(path, _tinted_video(frames, person, action, marked, number))
            runs = [(0, frames // 2 - 1, 1 - late), (frames // 2, frames - 1, late)]
            labels = [{"name": "marked", "first": a, "last": b, "value": value} for a, b, value in runs]
            labels.append({"name": "red", "first": 0, "last": frames - 1, "value": int(person == 0)})
            values = (str(path), action, {"late": late}, person, labels)
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
            number += 1
        splits[split] = build_dataset(columns, Vocabulary(("still", "moving"), ("late",), ("a", "b", "c")), split)
    return splits


def _tinted_video(frames, person, action, marked, seed):
    rng = np.random.default_rng(seed)
    video = np.full((frames, 32, 32, 3), 60) + rng.integers(0, 20, (1, 32, 32, 1))
    video[..., person] += 70
    for time in range(frames):
        left = 2 + (2 * time if action else 0)
        video[time, 20:28, left : left + 8] = 20
    video[marked, :8, :8] = 255
    return video.clip(0, 255).astype(np.uint8)
