"""Make a checkpoint that ships with the package out of a model that examples/verdicts.py trained and judged.

    python examples/ship.py lsa64 privrate-tiny

copies the anonymizer to hf_ppar/checkpoints/DATASET-MODEL and writes model_cards/DATASET-MODEL.md from its report.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import yaml
from verdicts import HERE, WORK

from hf_ppar.evaluation import Report, read_report

ROOT = HERE.parent
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


def card(name: str, dataset: str, model: str, report: Report) -> str:
    """The card: what it is, how it was trained, what attackers trained afresh get out of it."""
    licence, source = DATA[dataset]
    plan = HERE / "runs" / dataset / f"{model}.yaml"
    recipe = yaml.safe_load(plan.read_text(encoding="utf-8"))["recipe"]
    place = f" --data-dir $HF_PPAR_DATA/{dataset}" if dataset != "stage" else ""
    table = report.as_markdown().split("\n\n", 1)[1]
    return f"""---
license: {licence}
library_name: hf_ppar
pipeline_tag: video-to-video
tags: [privacy, video-anonymization, {recipe}]
---

# {name}

A video anonymizer (`{recipe}`) of hf_ppar: `hf-ppar anonymize video.mp4 --model {name}`.

Trained on {source}
Command: `hf-ppar train examples/runs/{dataset}/{model}.yaml{place} --output OUT`. Licence of the weights: {licence}.

It knows the actions and the people of its training data. On other footage neither its utility nor its privacy has been
measured.

## Report

Protocol `{report.protocol}`, budget `{report.budget}`, seed {report.seed}, on the test split.

{table}"""


def main() -> None:
    """Copy and write."""
    dataset, model = sys.argv[1:]
    name = f"{dataset}-{model}"
    target = ROOT / "hf_ppar" / "checkpoints" / name
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(WORK / dataset / model / "training" / "modules" / "anonymizer", target)
    for path in target.iterdir():
        path.chmod(0o644)
    report = read_report(HERE / "results" / dataset / f"{model}.json")
    (ROOT / "model_cards").mkdir(exist_ok=True)
    Path(ROOT / "model_cards" / f"{name}.md").write_text(card(name, dataset, model, report), encoding="utf-8")
    print(f"{target}: {sum(path.stat().st_size for path in target.iterdir()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
