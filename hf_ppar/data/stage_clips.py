"""`stage`: the rendered world as a data set. Rows hold addresses; clips are rendered when they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from datasets import Dataset

from .options import checked_options
from .schema import Vocabulary, build_dataset
from .stage import ATTRIBUTES, ClipSpec, StageOptions, clip_specs


def load_stage(data_dir: Path | None, split: str, **options: Any) -> Dataset:
    """Rendered people with every label, made on the spot: no download and no `data_dir`.

    Options are those of `StageOptions`, such as `seed`, `persons`, `train_clips`, `domain` or `bias`.
    """
    if data_dir is not None:
        raise ValueError(
            f'data_dir={str(data_dir)!r}: the stage is rendered and has no folder; leave it out, or use "folder" '
            "for clips written by `hf-ppar data stage`."
        )
    stage = checked_options(StageOptions, "stage", options)
    specs = clip_specs(stage, split)
    return build_dataset(
        {"video": [spec.uri for spec in specs], **spec_columns(specs, stage)},
        Vocabulary(stage.class_names, ATTRIBUTES, tuple(person_name(i, stage) for i in range(stage.persons))),
        split,
        description="Rendered people in action (the stage of hf_ppar).",
    )


def spec_columns(specs: list[ClipSpec], stage: StageOptions) -> dict[str, list[Any]]:
    """The label columns of the schema for these clips."""
    return {
        "action": [spec.action for spec in specs],
        "attributes": [dict(spec.attributes) for spec in specs],
        "person": [person_name(spec.person, stage) for spec in specs],
        "domain": [spec.domain for spec in specs],
        "view": [spec.view for spec in specs],
        "condition": [spec.condition for spec in specs],
        "text": [spec.text for spec in specs],
    }


def person_name(number: int, stage: StageOptions) -> str:
    """ "person_07": sorted by name is sorted by number."""
    width = max(2, len(str(stage.persons - 1)))
    return f"person_{number:0{width}d}"
