"""Write the stage as video files in the layout of `folder`, for programs that read files."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from ..video import WriteOptions, write_clip
from .folder import METADATA
from .stage import ATTRIBUTES, ClipSpec, StageOptions, clip_specs, render_clip
from .stage_clips import person_name

_COLUMNS = ("file_name", "action", "person", "domain", "view", "condition", "text", *ATTRIBUTES)


def write_stage(
    output: str | os.PathLike[str],
    options: StageOptions,
    splits: Sequence[str] = ("train", "validation", "test"),
    quality: int = 15,
    progress: bool = True,
) -> int:
    """Render every clip to `output`/<split>/<number>.mp4 with a metadata.csv a split; returns how many there are.

    The folder appears under its name when it is complete, and not at all after an error or Ctrl-C. Empty splits are
    left out.

    Args:
        quality: constant rate factor of H.264, 0 (best) to 51.
    """
    target = Path(output).absolute()
    _check_target(target)
    chosen = {split: specs for split in splits if (specs := clip_specs(options, split))}
    total = sum(len(specs) for specs in chosen.values())
    if not total:
        raise ValueError(f"there are no clips in the splits {', '.join(splits)}; ask for at least one.")
    partial = target.with_name(f".{target.name}.partial-{os.getpid()}")
    partial.mkdir(parents=True)
    try:
        with tqdm(total=total, desc="rendering", unit="clip", disable=None if progress else True, leave=False) as bar:
            for split, specs in chosen.items():
                _write_split(partial / split, specs, quality, bar)
        os.rename(partial, target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return total


def _check_target(target: Path) -> None:
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        raise ValueError(f"output={str(target)!r} exists already; choose a new or empty folder.")


def _write_split(folder: Path, specs: list[ClipSpec], quality: int, bar: tqdm) -> None:
    folder.mkdir()
    with (folder / METADATA).open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, _COLUMNS)
        rows.writeheader()
        for spec in specs:
            name = f"{spec.index:06d}.mp4"
            clip = render_clip(spec)
            write_clip(folder / name, clip.rgb, clip.fps, WriteOptions(quality=quality))
            rows.writerow(_row(name, spec))
            bar.update()


def _row(name: str, spec: ClipSpec) -> dict[str, object]:
    return {
        "file_name": name,
        "action": spec.action,
        "person": person_name(spec.person, spec.options),
        "domain": spec.domain,
        "view": spec.view,
        "condition": spec.condition,
        "text": spec.text,
        **spec.attributes,
    }
