"""A case: what is judged, by which protocol, on which splits; refused where it cannot give an honest number."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from datasets import Dataset

from ..data import class_names
from ..data.fingerprint import content_digest
from ..data.readability import iterate_videos
from ..data.schema import media_column
from ..models import AnonymizerModel
from ..models.lafprivacy import VisionLanguageModel
from .anonymized import working_clip
from .budget import Budget
from .labels import is_constant, private_targets, read_labels

ZERO_SHOT = ("zero-shot", "cross-vlm")
PROTOCOLS = (
    *("same-dataset", "unseen-actions", "cross-dataset", "domain-transfer", "frame-level", "vispr"),
    *ZERO_SHOT,
)
SPLITS = ("train", "validation", "test")
VIEWS = ("black", "missing")


@dataclass(frozen=True)
class Case:
    """What is judged and where.

    Args:
        splits: "train", "validation" and "test" of one data set.
        anonymizer: None judges the raw videos.
        work: folder for anonymized clips and judges; a run that was cut off goes on from there.
        flip: mirror training clips of judges; off where left and right matter.
        source: for `domain-transfer`, the "train" and "validation" splits that recognizers learn from.
        view: how judges see tubelets that an anonymizer dropped: "black" as in a written video, "missing" as
            transformers that never get those tokens (STPrivacy section 4).
        seeds: judges are trained this many times, with `seed`, `seed` + 1, ...
        vlm: for `zero-shot` and `cross-vlm`, who names the actions.
        labels_from: where its candidate texts come from: "names" of the actions, or "descriptions" in the column text.
    """

    protocol: str
    name: str
    splits: dict[str, Dataset]
    anonymizer: AnonymizerModel | None
    model: str
    budget: Budget
    work: Path
    strength: float | None = None
    seed: int = 0
    flip: bool = True
    source: dict[str, Dataset] | None = None
    view: str = "black"
    seeds: int = 1
    vlm: VisionLanguageModel | None = None
    labels_from: str = "names"

    @property
    def recognizer_splits(self) -> dict[str, Dataset]:
        """What recognizers are trained and tested on; nothing where there are no actions."""
        return {} if self.protocol == "vispr" else {**self.splits, **(self.source or {})}

    @property
    def panel(self) -> Budget:
        """The budget as it is spent: judges of visible tokens are all transformers, at the anonymizer's own size."""
        if self.view == "black":
            return self.budget
        clip = working_clip(self.budget.clip, self.anonymizer)
        return replace(self.budget, kinds=("tubelet",), frames=clip.frames, size=clip.size)


def check_case(case: Case) -> None:
    """Refuse a case that cannot give an honest number."""
    if case.protocol not in PROTOCOLS:
        raise ValueError(f"protocol={case.protocol!r} is unknown; choose one of: {', '.join(PROTOCOLS)}")
    if case.seeds < 1:
        raise ValueError(f"seeds must be at least 1, got {case.seeds}")
    _check_view(case)
    for name in SPLITS:
        if name not in case.splits or len(case.splits[name]) == 0:
            raise ValueError(f"the {name} split is missing or empty; a protocol needs {', '.join(SPLITS)}")
        _check_columns(case, name, case.splits[name])
    if case.protocol != "frame-level" and not private_targets(case.splits["train"]):
        raise ValueError("the data set has neither persons nor attributes: there is nothing to attack")
    _check_labels(case)
    refuse_shared_videos(case.splits)
    _check_source(case)


def refuse_shared_videos(splits: dict[str, Dataset]) -> None:
    """A test video that is also trained on would flatter everything."""
    seen: dict[str, str] = {}
    for split, dataset in splits.items():
        for video in iterate_videos(dataset):
            digest = _video_digest(video)
            other = seen.setdefault(digest, split)
            if other != split:
                raise ValueError(
                    f"{video.get('path')} is in {split} and, with the same content, in {other}; remove one"
                )


def fingerprint(splits: dict[str, Dataset]) -> str:
    """Which videos were judged, whatever the folder they lie in is called."""
    parts = [f"{name}:{len(dataset)}:{content_digest(_nameless(dataset))}" for name, dataset in sorted(splits.items())]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def _check_columns(case: Case, name: str, dataset: Dataset) -> None:
    if case.protocol == "vispr":
        if media_column(dataset) != "image" or "attributes" not in private_targets(dataset):
            raise ValueError(
                f"vispr attacks attributes on pictures: the {name} split needs the columns image and attributes, but "
                f"it has {', '.join(dataset.column_names)}"
            )
        return
    if media_column(dataset) != "video":
        raise ValueError(f"{case.protocol} judges videos, but the {name} split has pictures; use vispr for them")
    if "action" not in dataset.features:
        raise ValueError(f"the {name} split has no action labels")
    if case.protocol == "frame-level" and "frame_labels" not in dataset.features:
        raise ValueError(
            f"frame-level attacks attributes frame by frame: the {name} split needs the column frame_labels, but it "
            f"has {', '.join(dataset.column_names)}"
        )


def _check_labels(case: Case) -> None:
    """Each split has the labels that judges are trained on or tested by, and these tell clips apart."""
    splits = {name: read_labels(case.splits[name]) for name in SPLITS}
    actions = () if case.protocol == "vispr" else ("action",)
    private = () if case.protocol == "frame-level" else private_targets(case.splits["train"])
    for name, labels in splits.items():
        for target in (*actions, *private):
            values = labels.get(target)
            if values is None or (values < 0).all():
                raise ValueError(f"the {name} split has no known {target} labels")
            if name != "validation" and is_constant(values):
                raise ValueError(f"{target}: the {name} split has one class only, so that there is nothing to tell")


def _check_view(case: Case) -> None:
    if case.view not in VIEWS:
        raise ValueError(f"view={case.view!r} is unknown; choose one of: {', '.join(VIEWS)}")
    if case.view == "black":
        return
    if getattr(getattr(case.anonymizer, "config", None), "tubelet_size", None) is None:
        raise ValueError(
            f"view='missing' is for anonymizers that drop tubelets; {case.model!r} has no tubelet_size, leave view out"
        )
    if case.protocol in ("frame-level", "vispr"):
        raise ValueError(f"view='missing' judges whole videos; {case.protocol} takes view='black' only")


def _check_source(case: Case) -> None:
    if (case.protocol == "domain-transfer") != (case.source is not None):
        raise ValueError("domain-transfer, and no other protocol, needs a source data set")
    if case.source is None:
        return
    if set(case.source) != {"train", "validation"}:
        raise ValueError(f"the source needs the splits train and validation, got {', '.join(sorted(case.source))}")
    source, target = (class_names(splits["train"], "action") for splits in (case.source, case.splits))
    if source != target:
        raise ValueError("source and target must have the same actions in the same order")
    refuse_shared_videos({"source": case.source["train"], "test": case.splits["test"]})


def _nameless(dataset: Dataset) -> list[object]:
    return [{"path": Path(str(video["path"])).name, "bytes": None} for video in iterate_videos(dataset)]


def _video_digest(video: dict[str, object]) -> str:
    path = str(video["path"])
    if video.get("bytes") is not None:
        return hashlib.sha256(bytes(video["bytes"])).hexdigest()  # type: ignore[call-overload]
    if Path(path).is_file():
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return path
