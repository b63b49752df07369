"""The report: what a protocol returns, and the only source of numbers for cards and README."""

from __future__ import annotations

import importlib.metadata
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..version import __version__
from ..whole_file import whole_file
from .measure import Number

_PACKAGES = ("torch", "transformers", "accelerate", "datasets", "numpy", "av")
# Left out of the JSON where they say nothing, so that reports of plain cases look the same in every version.
_SPECIAL: dict[str, Any] = {"view": "black", "rate_bits": None, "certificates": {}, "seeds": [], "face_reid": None}


@dataclass
class Report:
    """One anonymizer judged by one protocol.

    Args:
        model: name or id of the anonymizer, "raw" for none.
        utility: the recognizer chosen on validation, the mean over seeds; None where there are no actions.
            `recognizers` are all of the panel.
        privacy: by private target ("person", "attributes") the strongest attacker on test, the maximum over seeds;
            `attackers` are all.
        multi_clip: bag size -> [accuracy, low, high] of the strongest single-clip identity attacker.
        baselines: "label-only" and "length-only" by private target.
        view: how judges saw dropped tubelets, see `Case`.
        rate_bits: mean bits about the input that a test clip spends; None if they are not limited.
        certificates: private label -> what no attacker can exceed, for a model that counts its bits.
        seeds: the headline values of each seed, where there are several.
        face_reid: what a frozen face recognizer with raw pictures of everybody gets, where it was asked for.
    """

    protocol: str
    dataset: str
    model: str
    strength: float | None
    budget: str
    seed: int
    utility: Number | None
    recognizers: list[Number]
    privacy: dict[str, Number]
    attackers: dict[str, list[Number]]
    multi_clip: dict[str, list[float]] = field(default_factory=dict)
    baselines: dict[str, dict[str, Number]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    data_fingerprint: str = ""
    attackers_trained_on: str = "anonymized train split"
    seconds: float = 0.0
    command: str = ""
    hf_ppar_version: str = __version__
    view: str = "black"
    rate_bits: float | None = None
    certificates: dict[str, dict[str, Any]] = field(default_factory=dict)
    seeds: list[dict[str, Any]] = field(default_factory=list)
    face_reid: Number | None = None
    versions: dict[str, str] = field(default_factory=lambda: {n: importlib.metadata.version(n) for n in _PACKAGES})

    def compare_with_raw(self, raw: Report) -> None:
        """Put the un-anonymized upper bound beside every headline; refuses a report of another experiment."""
        for name in ("protocol", "dataset", "budget", "data_fingerprint"):
            if getattr(self, name) != getattr(raw, name):
                raise ValueError(
                    f"the raw report is of another {name}: {getattr(raw, name)!r}, not {getattr(self, name)!r}"
                )
        if self.utility is not None and raw.utility is not None:
            if self.utility.details.get("vlm") != raw.utility.details.get("vlm"):
                raise ValueError("the raw report is of another vlm")
            self.utility.raw = raw.utility.value
        if self.face_reid is not None and raw.face_reid is not None:
            self.face_reid.raw = raw.face_reid.value
        for target, number in self.privacy.items():
            number.raw = raw.privacy[target].value

    def write(self, folder: Path) -> None:
        """Write report.json and report.md, each in one piece."""
        folder.mkdir(parents=True, exist_ok=True)
        values = {
            name: value for name, value in asdict(self).items() if name not in _SPECIAL or value != _SPECIAL[name]
        }
        texts = {"report.json": json.dumps(values, indent=2) + "\n", "report.md": self.as_markdown()}
        for name, text in texts.items():
            with whole_file(folder / name) as path:
                path.write_text(text, encoding="utf-8")

    def as_markdown(self) -> str:
        """The table for people."""
        head = f"# {self.model} on {self.dataset}, `{self.protocol}`, budget {self.budget}, seed {self.seed}\n\n"
        rows = [
            *([] if self.utility is None else [("utility", self.utility)]),
            *((f"attack on {target}", number) for target, number in self.privacy.items()),
        ]
        rows += [
            (f"{name} on {target}", number)
            for name, numbers in self.baselines.items()
            for target, number in numbers.items()
        ]
        if self.face_reid is not None:
            rows.append(("face re-identification", self.face_reid))
        lines = [
            "| what | metric | value | 95 % interval | chance | majority | raw video | judge |",
            "|---|---|---|---|---|---|---|---|",
        ]
        lines += [_row(label, number) for label, number in rows]
        for size, (value, low, high) in self.multi_clip.items():
            lines.append(
                f"| attack on person, {size} clips | top-1 of bags | {value:.3f} | {low:.3f} - {high:.3f} | | | | |"
            )
        tail = (
            f"\nAttackers were trained afresh on the {self.attackers_trained_on}. {self._remarks()}"
            f"{self.seconds:.0f} s: `{self.command}`\n"
        )
        return head + "\n".join(lines) + "\n" + tail

    def _remarks(self) -> str:
        """What is special about this case, in sentences."""
        remarks = []
        if self.view == "missing":
            remarks.append("Judges never get the tubelets that were dropped. ")
        if self.rate_bits is not None:
            remarks.append(f"A test clip spends {self.rate_bits:.1f} bits on average. ")
        remarks += [f"Certificate for {name}: {value['text']}. " for name, value in self.certificates.items()]
        if self.seeds:
            remarks.append(f"{len(self.seeds)} seeds: utility is their mean, an attack their maximum. ")
        if self.face_reid is not None:
            remarks.append(f"A face was found in {self.face_reid.details['found']:.0%} of the probes. ")
        return "".join(remarks)


def read_report(path: Path) -> Report:
    """A report from its JSON."""
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        values["utility"] = None if values["utility"] is None else Number(**values["utility"])
        values["recognizers"] = [Number(**number) for number in values["recognizers"]]
        values["privacy"] = {target: Number(**number) for target, number in values["privacy"].items()}
        values["attackers"] = {
            t: [Number(**number) for number in numbers] for t, numbers in values["attackers"].items()
        }
        values["baselines"] = {
            name: {target: Number(**number) for target, number in numbers.items()}
            for name, numbers in values["baselines"].items()
        }
        if values.get("face_reid") is not None:
            values["face_reid"] = Number(**values["face_reid"])
        return Report(**values)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a report: {error}") from error


def _row(label: str, number: Number) -> str:
    majority, raw = ("" if value is None else f"{value:.3f}" for value in (number.majority, number.raw))
    interval = f"{number.low:.3f} - {number.high:.3f}"
    return (
        f"| {label} | {number.metric} | {number.value:.3f} | {interval} | {number.chance:.3f} | {majority} | {raw} "
        f"| {number.judge} |"
    )
