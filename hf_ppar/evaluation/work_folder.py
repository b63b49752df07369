"""The work folder of a case: judges that are found in it must have been trained for the same case."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ..whole_file import whole_file
from .anonymized import model_digest
from .case import Case, fingerprint

_FILE = "case.json"


def claim_work_folder(case: Case) -> None:
    """Note in the folder whose it is; refuse one of another case, whose judges would be taken for this one's.

    Judges of other seeds and of the other view have folders of their own and may lie beside each other.
    """
    path = case.work / _FILE
    described = json.loads(json.dumps(_describe(case)))  # tuples as lists, as they are read back
    if path.is_file():
        found = json.loads(path.read_text(encoding="utf-8"))
        other = [name for name, value in described.items() if found.get(name) != value]
        if other:
            raise ValueError(
                f"{case.work} holds judges of another case: its {', '.join(other)} differ from this one's; "
                "choose another output folder, or remove it"
            )
        return
    case.work.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as place:
        place.write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


def _describe(case: Case) -> dict[str, Any]:
    return {
        "protocol": case.protocol,
        "model": "raw" if case.anonymizer is None else model_digest(case.anonymizer),
        "strength": case.strength,
        "budget": asdict(case.budget),
        "flip": case.flip,
        "data": fingerprint(case.splits),
        "source": None if case.source is None else fingerprint(case.source),
    }
