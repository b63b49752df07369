"""Make the checkpoints that ship with the package out of what examples/verdicts.py trained and judged.

    HF_PPAR_DATA=/path/to/data python examples/ship.py stage privrate-tiny

joins the anonymizer with the recognizer that its report chose to a privacy classifier,
hf_ppar/checkpoints/DATASET-MODEL, and writes model_cards/DATASET-MODEL.md from the report. On the stage, where nobody
is real, the strongest attacker on persons that sees videos ships too; for the model `raw` it is the attacker and the
bare recognizer. What has been written is loaded again and run over the test split, and the card says what it reached.
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import yaml
from torch.utils.data import DataLoader
from transformers import PreTrainedModel
from verdicts import HERE, PLACES, WORK

from hf_ppar import PrivacyVideoClassifier, load_anonymizer, load_privacy_classifier
from hf_ppar.data import ClipOptions, LoadingOptions, build_loader, load_ppar_dataset
from hf_ppar.evaluation import Report, read_report
from hf_ppar.evaluation.budget import find_budget
from hf_ppar.evaluation.measure import Number
from hf_ppar.models.recognizers import RecognizerModel, load_recognizer
from hf_ppar.shipped import ABOUT, ATTACKER, CLASSIFIER, RECOGNIZER, Shipped
from hf_ppar.training.outputs import label_recognizers

CARDS = HERE.parent / "model_cards"
DATA = {
    "lsa64": (
        "cc-by-nc-sa-4.0",
        "LSA64, recording session 2 (41 signs, 10 persons; Ronchetti et al., 2016; CC BY-NC-SA 4.0), repetitions 1-2 "
        "for training and 3 for choosing. Real people.",
    ),
    "stage": (
        "apache-2.0",
        "the stage of hf_ppar: rendered people, no real person, Apache-2.0, as the weights.",
    ),
}
WHAT = {
    CLASSIFIER: "An anonymizer and a recognizer of what it lets through, as one model: `hf-ppar classify video.mp4 "
    "--model {name}` or `hf-ppar anonymize video.mp4 --model {name}`.",
    RECOGNIZER: "Names actions in raw clips; what `hf-ppar demo` shows as the upper bound.",
    ATTACKER: "Tries to name the person and attributes, for `hf-ppar demo`; trained on the output of {sees}.",
}


@dataclass(frozen=True)
class Source:
    """A model of examples/verdicts.py: where its parts lie and what its report says."""

    dataset: str
    model: str

    @property
    def report(self) -> Report:
        """The headline report."""
        return read_report(HERE / "results" / self.dataset / f"{self.model}.json")

    @property
    def command(self) -> str:
        """What trains the anonymizer, and what judges it."""
        place = "".join(f" {part}" for part in PLACES[self.dataset]).replace(PLACES["lsa64"][1], "DATA/lsa64")
        train = f"`hf-ppar train examples/runs/{self.dataset}/{self.model}.yaml{place} --output OUT`, then "
        return ("" if self.model == "raw" else train) + f"`python examples/verdicts.py {self.dataset}`"

    def judge(self, kind: str, targets: str) -> RecognizerModel:
        """A judge of the panel, with names for its answers."""
        folder = WORK / self.dataset / self.model / "work" / "judges" / f"{kind}-{targets}-{self.report.seed}"
        judge = load_recognizer(folder / "modules" / "recognizer")
        label_recognizers({"judge": judge}, self.test)
        return judge

    @property
    def test(self) -> Any:
        """The test split."""
        place = PLACES[self.dataset][1] if PLACES[self.dataset] else None
        return load_ppar_dataset(self.dataset, place, "test")

    @property
    def strongest(self) -> str:
        """The kind of the attacker on persons that knows most of those that see videos."""
        on_video = [number for number in self.report.attackers["person"] if number.judge in self.kinds]
        return max(on_video, key=lambda number: number.value).judge

    @property
    def kinds(self) -> tuple[str, ...]:
        """The judges of the panel that see videos."""
        return find_budget(self.report.budget).kinds

    def classifier(self) -> PrivacyVideoClassifier:
        """The anonymizer and the recognizer of the report, which sees one clip of a video as judges do."""
        panel = find_budget(self.report.budget)
        anonymizer = load_anonymizer(WORK / self.dataset / self.model / "training" / "modules" / "anonymizer")
        if self.report.certificates:
            anonymizer.config.certificates = self.report.certificates
        return PrivacyVideoClassifier.from_parts(
            anonymizer,
            self.judge(self.report.utility.judge, "action"),
            num_frames=panel.frames,
            image_size=panel.size,
            num_clips=1,
        )

    def loader(self, frames: int, size: tuple[int, int]) -> DataLoader[Any]:
        """Clips of the test split."""
        options = ClipOptions(frames=frames, size=size, fit="stretch")
        return build_loader(self.test, options, loading=LoadingOptions(batch_size=50, shuffle=False))


def figures(numbers: dict[str, Number], raw: Report) -> dict[str, dict[str, Any]]:
    """What about.json keeps of a report's numbers, with those of raw videos beside them."""
    bounds = {"action": raw.utility, **raw.privacy}
    kept = ("metric", "value", "low", "high", "chance", "judge")
    return {
        target: {**{name: getattr(number, name) for name in kept}, "raw": bounds[target].value}
        for target, number in numbers.items()
    }


def write(model: PreTrainedModel, shipped: Shipped) -> None:
    """The model in half precision, to be loaded in single, and about.json."""
    shutil.rmtree(shipped.place, ignore_errors=True)
    model.half().save_pretrained(shipped.place)
    config = json.loads((shipped.place / "config.json").read_text(encoding="utf-8"))
    (shipped.place / "config.json").write_text(json.dumps(tidy(config), indent=2) + "\n", encoding="utf-8")
    about = {name: value for name, value in asdict(shipped).items() if name != "name"}
    (shipped.place / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    for path in shipped.place.iterdir():
        path.chmod(0o644)


def tidy(values: dict[str, Any]) -> dict[str, Any]:
    """A config, and those within it, that asks for single precision and names no folder that it came from."""
    return {
        key: "float32" if key == "dtype" else tidy(value) if isinstance(value, dict) else value
        for key, value in values.items()
        if key != "_name_or_path"
    }


def card(shipped: Shipped, source: Source, checked: str) -> str:
    """What it is, how it was trained, what attackers trained afresh get out of it."""
    plan = HERE / "runs" / source.dataset / f"{source.model}.yaml"
    recipe = yaml.safe_load(plan.read_text(encoding="utf-8"))["recipe"] if plan.is_file() else "recognizer"
    report = source.report
    table = report.as_markdown().split("\n\n", 1)[1]
    named = " / ".join(f"{target} {figure['value']:.3f}" for target, figure in shipped.figures.items())
    return f"""---
license: {shipped.license}
library_name: hf_ppar
pipeline_tag: video-classification
tags: [privacy, {shipped.task}, {recipe}]
---

# {shipped.name}

{WHAT[shipped.task].format(name=shipped.name, sees=shipped.sees)}

Trained on {DATA[source.dataset][1]}
Command: {source.command}, then `python examples/ship.py {source.dataset} {source.model}`.
Licence of the weights: {shipped.license}.

It knows the actions and the people of its training data. On other footage neither its utility nor its privacy has been
measured.

Of the report: {named}. {checked}

## Report

Model `{source.model}`, protocol `{report.protocol}`, budget `{report.budget}`, seed {report.seed}, on the test split.

{table}"""


@torch.inference_mode()
def check(shipped: Shipped, source: Source) -> str:
    """Load what was written, run it over the test split, say what it reached."""
    target = "person" if shipped.task == ATTACKER else "action"
    panel = find_budget(source.report.budget)
    if source.model == "raw":
        judge, whole, clip = load_recognizer(shipped.name), None, (panel.frames, panel.size)
    else:
        whole = load_privacy_classifier(f"{source.dataset}-{source.model}")
        judge = load_recognizer(shipped.name) if target == "person" else None
        clip = whole.config.anonymizer_clip
    right: list[torch.Tensor] = []
    for batch in source.loader(*clip):
        output = None if whole is None else whole(batch["pixel_values"])
        if judge is None:
            logits = output.logits
        else:
            clips = batch["pixel_values"] if output is None else output.anonymized
            logits = judge(clips).head_logits[target]
        right.append(logits.argmax(-1) == batch["labels" if target == "action" else "person"])
    value = torch.cat(right).float().mean().item()
    return f"The shipped files, whose weights are stored in half precision, name the {target} in {value:.3f} of them."


def ship(model: PreTrainedModel, shipped: Shipped, source: Source) -> None:
    """Write, check, describe."""
    write(model, shipped)
    text = check(shipped, source)
    CARDS.mkdir(exist_ok=True)
    Path(CARDS / f"{shipped.name}.md").write_text(card(shipped, source, text), encoding="utf-8")
    print(f"{shipped.name}: {shipped.bytes / 1e6:.1f} MB. {text}")


def main() -> None:
    """Ship what belongs to a model."""
    source = Source(*sys.argv[1:])
    report, license = source.report, DATA[source.dataset][0]
    raw = Source(source.dataset, "raw").report
    suffix = "raw-tiny" if source.model == "raw" else source.model

    def about(name: str, task: str, numbers: dict[str, Number]) -> Shipped:
        return Shipped(name, task, source.model, source.dataset, license, figures(numbers, raw))

    if source.model == "raw":
        recognizer = source.judge(report.utility.judge, "action")
        name = f"{source.dataset}-recognizer-{suffix}"
        ship(recognizer, about(name, RECOGNIZER, {"action": report.utility}), source)
    else:
        numbers = {"action": report.utility, **report.privacy}
        ship(source.classifier(), about(f"{source.dataset}-{suffix}", CLASSIFIER, numbers), source)
    if source.dataset == "stage":
        kind = source.strongest
        numbers = {
            target: next(number for number in found if number.judge == kind)
            for target, found in report.attackers.items()
        }
        attacker = source.judge(kind, "-".join(report.attackers))
        ship(attacker, about(f"{source.dataset}-attacker-{suffix}", ATTACKER, numbers), source)


if __name__ == "__main__":
    main()
