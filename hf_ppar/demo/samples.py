"""Which videos the demo shows: the first clips of the stage's test split, whatever comes out for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..data.stage import ClipSpec, StageOptions, clip_specs, render_clip
from ..data.stage_clips import person_name
from ..public import AnonymizeOptions, Receipt, WriteOptions, anonymize_video
from ..video import write_clip

SIDE = 320
_QUALITY = 15  # as `write_stage`, so that files differ little from the clips that models were trained on


@dataclass(frozen=True)
class Sample:
    """A clip of the test split as a video file."""

    spec: ClipSpec
    number: int
    folder: Path

    @property
    def name(self) -> str:
        """What its files begin with."""
        return f"{self.number}-{self.spec.action}"

    @property
    def video(self) -> Path:
        """The raw video; nobody in it is real."""
        return self.folder / f"{self.name}.mp4"

    @property
    def person(self) -> str:
        """Who it shows, by the name that attackers know."""
        return person_name(self.spec.person, self.spec.options)

    def anonymized(self, model: str) -> Path:
        """The video that a model leaves of it."""
        return self.folder / f"{self.name}-{model}.mp4"


def choose_samples(folder: Path, count: int = 3) -> list[Sample]:
    """The first test clips of which no two share an action or a person; nothing is rendered yet."""
    chosen: list[ClipSpec] = []
    for spec in clip_specs(StageOptions(), "test"):
        if len(chosen) < count and all(
            spec.action != other.action and spec.person != other.person for other in chosen
        ):
            chosen.append(spec)
    return [Sample(spec, number, folder) for number, spec in enumerate(chosen, start=1)]


def write_sample(sample: Sample) -> None:
    """Render the whole clip to its file."""
    clip = render_clip(sample.spec, height=SIDE, width=SIDE)
    write_clip(sample.video, clip.rgb, clip.fps, WriteOptions(quality=_QUALITY, overwrite=True))


def anonymize_sample(sample: Sample, model: str) -> Receipt:
    """Write the video that a model leaves of the raw one."""
    options = AnonymizeOptions(write=WriteOptions(overwrite=True))
    return anonymize_video(sample.video, sample.anonymized(model), model, options)
