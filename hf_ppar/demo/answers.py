"""What models make of a video, raw and anonymized: the action, the person and the attributes that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ..data.clips import read_one_clip
from ..data.stage import StageOptions
from ..evaluation.anonymizing import fit_clip
from ..evaluation.budget import find_budget
from ..models.recognizers import RecognizerModel, load_recognizer, split_logits
from ..processing import to_clip
from ..public import PrivacyVideoClassificationPipeline, PrivacyVideoClassifier, load_privacy_classifier
from ..shipped import Shipped
from .opponents import RAW, attacker_of, raw_recognizer

_JUDGED = find_budget("small").clip  # what the shipped recognizer and attackers were trained on


@dataclass(frozen=True)
class Answers:
    """What is said about one video; `attributes` are name -> 0 or 1."""

    action: str
    person: str
    attributes: dict[str, int]


def ask_all(videos: Sequence[Path], classifiers: Sequence[Shipped]) -> dict[str, list[Answers]]:
    """ "raw" and the name of each classifier -> what is said about each video."""
    attackers = {sees: load_recognizer(attacker_of(sees).name) for sees in (RAW, *(one.sees for one in classifiers))}
    answers = {RAW: answer_raw(videos, load_recognizer(raw_recognizer().name), attackers[RAW])}
    for one in classifiers:
        answers[one.name] = answer_anonymized(videos, load_privacy_classifier(one.name), attackers[one.sees])
    return answers


def answer_raw(videos: Sequence[Path], recognizer: RecognizerModel, attacker: RecognizerModel) -> list[Answers]:
    """Answers of models that see the videos as they are."""
    found = []
    for video in videos:
        frames = read_one_clip(video, _JUDGED)
        with torch.inference_mode():
            best = int(recognizer(to_clip(frames)[None]).logits.argmax())
        found.append(Answers(recognizer.config.id2label[best], *attack(frames, attacker)))
    return found


def answer_anonymized(
    videos: Sequence[Path], classifier: PrivacyVideoClassifier, attacker: RecognizerModel
) -> list[Answers]:
    """Answers of a privacy classifier, and of an attacker that sees what its recognizer sees.

    A zero-shot classifier chooses from the actions of the stage.
    """
    pipe = PrivacyVideoClassificationPipeline(classifier, top_k=1, return_anonymized=True)
    actions = {name.replace("_", " "): name for name in StageOptions().class_names}
    labels = None if classifier.tokenizer is None else list(actions)
    found = []
    for video in videos:
        answer = pipe(video, candidate_labels=labels)
        best = answer["labels"][0]["label"]
        frames = fit_clip(answer["anonymized"][0], _JUDGED)
        found.append(Answers(actions.get(best, best), *attack(frames, attacker)))
    return found


@torch.inference_mode()
def attack(frames: np.ndarray, attacker: RecognizerModel) -> tuple[str, dict[str, int]]:
    """The person and the attributes that an attacker names in a clip (T, H, W, 3) uint8."""
    names, heads = attacker.config.id2label, attacker.config.heads
    logits = attacker(to_clip(frames)[None]).head_logits
    places = split_logits(torch.arange(len(names))[None], heads)
    person = int(places["person"][0, logits["person"][0].argmax()])
    attributes = zip(places["attributes"][0].tolist(), logits["attributes"][0].tolist(), strict=True)
    return names[person], {names[place]: int(logit > 0) for place, logit in attributes}
