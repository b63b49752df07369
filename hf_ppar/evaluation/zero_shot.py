"""A frozen vision-language model names the actions, from candidate texts and in a single view.

It is not trained on anything, so that only attackers are. `zero-shot` tests with the model that an anonymizer was
trained against, if there was one; `cross-vlm` with another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from datasets import Dataset

from ..data import ClipOptions, LoadingOptions, class_names
from ..data.batches import load_batches
from ..models.lafprivacy import VisionLanguageModel
from .anonymized import anonymize_split
from .case import ZERO_SHOT, Case
from .judges import JudgedSplit, Judgement
from .labels import read_labels
from .measure import Number, measure_classes
from .panel import Evidence, Verdict, hear_panel

TEXTS = ("names", "descriptions")
_BATCH = 32


def check_zero_shot(case: Case) -> None:
    """Refuse a case without a model to name actions, without texts, or of the wrong one of the two protocols."""
    if (case.protocol in ZERO_SHOT) != (case.vlm is not None):
        raise ValueError(f"{' and '.join(ZERO_SHOT)}, and no other protocol, need a vlm, an X-CLIP or CLIP")
    if case.vlm is None:
        return
    if case.labels_from not in TEXTS:
        raise ValueError(f"labels_from={case.labels_from!r} is unknown; choose one of: {', '.join(TEXTS)}")
    candidate_texts(case.splits, case.labels_from)
    trained = getattr(getattr(case.anonymizer, "config", None), "trained_against", None)
    right = "cross-vlm" if trained not in (None, case.vlm.fingerprint) else "zero-shot"
    if trained is not None and case.protocol != right:
        met = "another vlm than this" if right == "cross-vlm" else "this vlm"
        raise ValueError(f"{case.model} was trained against {met}, which makes the protocol {right}")


def hear_zero_shot(case: Case, evidence: Evidence, seed: int) -> Verdict:
    """Attackers of one seed as in the panel, and the vision-language model in place of its recognizers."""
    verdict = hear_panel(case, Evidence({}, evidence.attacked), seed)
    judgement, number = name_actions(case)
    return replace(verdict, recognizers=[judgement], utilities=[number], validation=[number.value])


def name_actions(case: Case) -> tuple[Judgement, Number]:
    """What the model makes of the test split."""
    vlm = case.vlm
    if vlm is None:
        raise ValueError("there is no vlm to name actions")
    clip = ClipOptions(frames=vlm.num_frames or case.budget.frames, size=vlm.frame_size, fit="stretch")
    test = case.splits["test"]
    split = JudgedSplit(test, anonymize_split(test, clip, case.anonymizer, case.work / "clips", case.strength))
    logits = score_texts(vlm, split, clip, candidate_texts(case.splits, case.labels_from))
    judge, labels = f"{vlm.kind}, zero-shot", read_labels(test)["action"]
    number = measure_classes("action_top1", judge, logits, labels)
    groups = _measure_groups(vlm, logits, labels, class_names(test, "action"))
    number.details |= {"vlm": vlm.fingerprint, "labels_from": case.labels_from, **groups}
    return Judgement(judge, ("action",), {"action": logits}, {}), number


@torch.inference_mode()
def score_texts(
    vlm: VisionLanguageModel, split: JudgedSplit, clip: ClipOptions, texts: Sequence[Sequence[str]]
) -> np.ndarray:
    """Logits (N, labels) of a split; a label's is the mean over its texts."""
    flat, sizes = [text for several in texts for text in several], [len(several) for several in texts]
    device = next(vlm.parameters()).device
    parts = []
    for batch in load_batches(split.as_dataset(clip), LoadingOptions(batch_size=_BATCH, shuffle=False)):
        logits = vlm.compare(batch["pixel_values"].to(device), flat).float()
        parts.append(torch.stack([part.mean(1) for part in logits.split(sizes, dim=1)], dim=1).cpu())
    return torch.cat(parts).numpy()


def candidate_texts(splits: dict[str, Dataset], labels_from: str) -> list[list[str]]:
    """The texts of each action, in label order: its bare name, or all descriptions in the data set's text column."""
    names = class_names(splits["test"], "action")
    if labels_from == "names":
        return [[name.replace("_", " ")] for name in names]
    found: dict[int, set[str]] = {}
    for dataset in splits.values():
        if "text" not in dataset.features:
            raise ValueError("labels_from='descriptions' needs a column text, which the data set lacks; use names")
        for action, text in zip(dataset["action"], dataset["text"], strict=True):
            if action is not None and text:
                found.setdefault(action, set()).add(text)
    missing = [name for number, name in enumerate(names) if number not in found]
    if missing:
        raise ValueError(f"labels_from='descriptions': there is no text for {', '.join(missing)}; use names")
    return [sorted(found[number]) for number in range(len(names))]


def _measure_groups(
    vlm: VisionLanguageModel, logits: np.ndarray, labels: np.ndarray, names: tuple[str, ...]
) -> dict[str, Any]:
    """Seen and unseen actions, each among themselves, where the model says which ones it never saw."""
    unseen = set(getattr(vlm.config, "unseen_actions", None) or ())
    groups = {
        "seen": [number for number, name in enumerate(names) if name not in unseen],
        "unseen": [number for number, name in enumerate(names) if name in unseen],
    }
    measured: dict[str, Any] = {}
    for group, members in groups.items():
        rows = np.isin(labels, members)
        if not unseen or len(np.unique(labels[rows])) < 2:
            continue
        number = measure_classes(
            "action_top1", group, logits[rows][:, members], np.searchsorted(members, labels[rows])
        )
        measured[group] = {name: getattr(number, name) for name in ("value", "low", "high", "chance")}
    return measured
