"""Protocols: which split trains the judges, which one they are tested on, and what is measured.

`same-dataset`: the anonymizer may have been trained on these classes. `unseen-actions`: the splits hold only actions
it never saw, on which judges are trained. `cross-dataset`: it was trained on another data set. The three differ in
what the caller hands over, not in how they judge. `domain-transfer`: recognizers are trained on a source domain and
tested on the target; attackers are trained on the target, as an adversary would.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from datasets import Dataset

from ..data import attribute_names, class_names
from ..data.fingerprint import content_digest
from ..data.readability import iterate_videos
from ..models import AnonymizerModel
from .anonymized import anonymize_split
from .baselines import binary_frequency_scores, frequency_scores, video_lengths
from .budget import Budget
from .judges import JudgedSplit, Judgement, judge
from .measure import Number, measure_attributes, measure_classes
from .multi_clip import fit_temperature, multi_clip_attack
from .report import Report

PROTOCOLS = ("same-dataset", "unseen-actions", "cross-dataset", "domain-transfer")
SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class Case:
    """What is judged and where.

    Args:
        splits: "train", "validation" and "test" of one data set.
        anonymizer: None judges the raw videos.
        work: folder for anonymized clips and judges; a run that was cut off goes on from there.
        flip: mirror training clips of judges; off where left and right matter.
        source: for `domain-transfer`, the "train" and "validation" splits that recognizers learn from.
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

    @property
    def recognizer_splits(self) -> dict[str, Dataset]:
        """What recognizers are trained and tested on."""
        return {**self.splits, **(self.source or {})}


def evaluate(case: Case) -> Report:
    """Judge one anonymizer by a panel trained afresh on its output."""
    started = time.time()
    check_case(case)
    judged = {name: _anonymized(case, dataset) for name, dataset in case.splits.items()}
    learned = judged | {name: _anonymized(case, dataset) for name, dataset in (case.source or {}).items()}
    targets = private_targets(case.splits["train"])
    recognizers = [_judge(case, kind, ("action",), learned) for kind in case.budget.kinds]
    attackers = [_judge(case, kind, targets, judged) for kind in case.budget.kinds]
    labels = {name: read_labels(dataset) for name, dataset in case.splits.items()}
    names = attribute_names(case.splits["train"])
    utilities = [
        measure_classes("action_top1", j.kind, j.logits["action"], labels["test"]["action"]) for j in recognizers
    ]
    attacks = {
        target: [_measure(target, j.kind, j.logits[target], labels["test"][target], names) for j in attackers]
        for target in targets
    }
    # Chosen on validation: taking the best on test would flatter utility.
    seen = read_labels(case.recognizer_splits["validation"])["action"]
    chances = [accuracy(j.validation_logits["action"], seen) for j in recognizers]
    best = int(np.argmax(chances))
    report = Report(
        case.protocol,
        case.name,
        case.model,
        case.strength,
        case.budget.name,
        case.seed,
        utility=utilities[best],
        recognizers=utilities,
        privacy={target: max(numbers, key=lambda number: number.value) for target, numbers in attacks.items()},
        attackers=attacks,
        multi_clip=_multi_clip(attackers, attacks, labels) if "person" in targets else {},
        baselines=_baselines(case, recognizers[best], labels, targets, names),
        counts={name: len(dataset) for name, dataset in case.splits.items()},
        data_fingerprint=fingerprint(case.splits),
        attackers_trained_on="raw train split" if case.anonymizer is None else "anonymized train split",
    )
    report.seconds = round(time.time() - started, 1)
    return report


def check_case(case: Case) -> None:
    """Refuse a case that cannot give an honest number."""
    if case.protocol not in PROTOCOLS:
        raise ValueError(f"protocol={case.protocol!r} is unknown; choose one of: {', '.join(PROTOCOLS)}")
    for name in SPLITS:
        if name not in case.splits or len(case.splits[name]) == 0:
            raise ValueError(f"the {name} split is missing or empty; a protocol needs {', '.join(SPLITS)}")
        if "action" not in case.splits[name].features:
            raise ValueError(f"the {name} split has no action labels")
    if not private_targets(case.splits["train"]):
        raise ValueError("the data set has neither persons nor attributes: there is nothing to attack")
    refuse_shared_videos(case.splits)
    _check_source(case)


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


def private_targets(dataset: Dataset) -> tuple[str, ...]:
    """Which private labels there are: "person", "attributes" or both."""
    has = {"person": bool(class_names(dataset, "person")), "attributes": bool(attribute_names(dataset))}
    return tuple(target for target, there in has.items() if there)


def read_labels(dataset: Dataset) -> dict[str, np.ndarray]:
    """Labels as arrays: "action" (N,), "person" (N,), "attributes" (N, A); -1 is unknown."""
    labels = {
        column: np.array([-1 if value is None else value for value in dataset[column]])
        for column in ("action", "person")
        if class_names(dataset, column)
    }
    names = attribute_names(dataset)
    if names:
        labels["attributes"] = np.array([[row[name] for name in names] for row in dataset["attributes"]])
    return labels


def accuracy(logits: np.ndarray, labels: np.ndarray) -> float:
    """Share of known labels (N,) that the logits (N, classes) name."""
    known = labels >= 0
    return float((logits.argmax(1) == labels)[known].mean()) if known.any() else 0.0


def fingerprint(splits: dict[str, Dataset]) -> str:
    """Which videos were judged, whatever the folder they lie in is called."""
    parts = [f"{name}:{len(dataset)}:{content_digest(_nameless(dataset))}" for name, dataset in sorted(splits.items())]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def _nameless(dataset: Dataset) -> list[object]:
    return [{"path": Path(str(video["path"])).name, "bytes": None} for video in iterate_videos(dataset)]


def _video_digest(video: dict[str, object]) -> str:
    path = str(video["path"])
    if video.get("bytes") is not None:
        return hashlib.sha256(bytes(video["bytes"])).hexdigest()  # type: ignore[call-overload]
    if Path(path).is_file():
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return path


def _anonymized(case: Case, dataset: Dataset) -> JudgedSplit:
    folder = case.work / "clips"
    return JudgedSplit(dataset, anonymize_split(dataset, case.budget.clip, case.anonymizer, folder, case.strength))


def _judge(case: Case, kind: str, targets: tuple[str, ...], judged: dict[str, JudgedSplit]) -> Judgement:
    output = case.work / "judges" / f"{kind}-{'-'.join(targets)}-{case.seed}"
    return judge(case.budget, kind, targets, judged, output, case.seed, case.flip)


def _measure(target: str, kind: str, logits: np.ndarray, labels: np.ndarray, names: tuple[str, ...]) -> Number:
    if target == "attributes":
        return measure_attributes(kind, logits, labels, names)
    return measure_classes("person_top1", kind, logits, labels)


def _multi_clip(
    attackers: Sequence[Judgement], attacks: dict[str, list[Number]], labels: dict[str, dict[str, np.ndarray]]
) -> dict[str, list[float]]:
    strongest = attackers[int(np.argmax([number.value for number in attacks["person"]]))]
    temperature = fit_temperature(strongest.validation_logits["person"], labels["validation"]["person"])
    test = labels["test"]
    result = multi_clip_attack(strongest.logits["person"], test["person"], test["action"], temperature)
    return {str(size): [round(value, 4) for value in values] for size, values in result.items()}


def _baselines(
    case: Case,
    recognizer: Judgement,
    labels: dict[str, dict[str, np.ndarray]],
    targets: tuple[str, ...],
    names: tuple[str, ...],
) -> dict[str, dict[str, Number]]:
    """What the predicted action alone, and the length alone, tell about the private labels."""
    keys = {
        "label-only": (labels["train"]["action"].tolist(), recognizer.logits["action"].argmax(1).tolist()),
        "length-only": (video_lengths(case.splits["train"]), video_lengths(case.splits["test"])),
    }
    table: dict[str, dict[str, Number]] = {}
    for name, (train_keys, test_keys) in keys.items():
        table[name] = {}
        for target in targets:
            train, test = labels["train"][target], labels["test"][target]
            if target == "attributes":
                scores = binary_frequency_scores(train_keys, train, test_keys)
            else:
                scores = frequency_scores(train_keys, train, test_keys, len(class_names(case.splits["train"], target)))
            table[name][target] = _measure(target, name, scores, test, names)
    return table
