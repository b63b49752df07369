"""Who meets in the demo: the shipped privacy classifiers of the stage and the judges that go with them."""

from __future__ import annotations

from ..models.privacy_classifier.loading import DEFAULT_CHECKPOINT
from ..shipped import ATTACKER, CLASSIFIER, RECOGNIZER, Shipped, list_shipped

STAGE, RAW = "stage", "raw"


def stage_classifiers() -> list[Shipped]:
    """Privacy classifiers of the stage, the default one first."""
    found = [shipped for shipped in list_shipped(CLASSIFIER) if shipped.data == STAGE]
    return sorted(found, key=lambda shipped: shipped.name != DEFAULT_CHECKPOINT)


def raw_recognizer() -> Shipped:
    """The recognizer of raw videos."""
    return _find(RECOGNIZER, RAW)


def attacker_of(sees: str) -> Shipped:
    """The attacker that was trained on the output of that anonymizer, "raw" for none."""
    return _find(ATTACKER, sees)


def _find(task: str, sees: str) -> Shipped:
    for shipped in list_shipped(task):
        if shipped.data == STAGE and shipped.sees == sees:
            return shipped
    raise ValueError(f"no checkpoint for {task} on {sees} videos of the stage comes with the package")
