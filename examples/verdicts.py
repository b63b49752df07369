"""Judge raw video, every classic anonymizer and the trained ones on a data set, and keep the reports for the README.

    HF_PPAR_DATA=/path/to/data python examples/verdicts.py lsa64 --jobs 2

trains what examples/runs/DATASET describes, runs `hf-ppar evaluate` for each model (an interrupted run goes on where
it was), copies each report to examples/results/DATASET/MODEL.json, draws examples/images/tradeoff_DATASET.png and
prints the table. Small judges make poor use of several cores: two at a time, a core each, are done sooner than one
after the other.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from hf_ppar import list_anonymizers
from hf_ppar.evaluation import Report, read_report
from hf_ppar.evaluation.plots import plot_tradeoff

HERE = Path(__file__).parent
WORK = Path("verdicts")
PLACES = {"lsa64": ["--data-dir", f"{os.environ.get('HF_PPAR_DATA', '')}/lsa64"], "stage": []}


def list_trained(dataset: str) -> list[str]:
    """Names of the models that are trained here on a data set: those that examples/runs describes."""
    return sorted(path.stem for path in (HERE / "runs" / dataset).glob("*.yaml"))


def call(arguments: list[str], threads: int) -> None:
    """Run `hf-ppar` with so many threads."""
    subprocess.run(["hf-ppar", *arguments], check=True, env={**os.environ, "OMP_NUM_THREADS": str(threads)})


def train(dataset: str, model: str, threads: int) -> Path:
    """Train a model as its YAML file says, unless that is done; returns the anonymizer's folder."""
    output = WORK / dataset / model / "training"
    anonymizer = output / "modules" / "anonymizer"
    if not anonymizer.is_dir():
        plan = str(HERE / "runs" / dataset / f"{model}.yaml")
        call(["train", plan, *PLACES[dataset], "--output", str(output), "--resume"], threads)
    return anonymizer


def judge(dataset: str, model: str, threads: int = 1, budget: str = "small", strength: float | None = None) -> Path:
    """Evaluate one model; returns its report."""
    output = WORK / dataset / (model if strength is None else f"{model}-{strength:g}")
    report = output / "report.json"
    if report.is_file():
        return report
    place = str(train(dataset, model, threads)) if model in list_trained(dataset) else model
    settings = ["--dataset", dataset, *PLACES[dataset], "--budget", budget, "--output", str(output)]
    if place != model:
        settings += ["--name", model]
    if strength is not None:
        settings += ["--strength", f"{strength:g}"]
    elif model != "raw":
        settings += ["--raw", str(WORK / dataset / "raw" / "report.json")]
    call(["evaluate", place, *settings], threads)
    return report


def table(reports: list[Report]) -> str:
    """The README's table: utility, the strongest attackers, and twenty clips of one person."""
    targets = list(reports[0].privacy)
    lines = [f"| model | action | {' | '.join(targets)} | person, 20 clips |", "|---" * (3 + len(targets)) + "|"]
    for report in reports:
        attacks = " | ".join(_cell(report.privacy[target]) for target in targets)
        many = report.multi_clip.get("20")
        lines.append(
            f"| `{report.model}` | {_cell(report.utility)} | {attacks} | {f'{many[0]:.3f}' if many else ''} |"
        )
    first = reports[0]
    chances = " | ".join(f"{first.privacy[target].chance:.3f}" for target in targets)
    return "\n".join(
        [*lines, f"| chance | {first.utility.chance:.3f} | {chances} | {first.privacy['person'].chance:.3f} |"]
    )


def _cell(number: object) -> str:
    return f"{number.value:.3f} ({number.low:.3f} - {number.high:.3f})"  # type: ignore[attr-defined]


def main() -> None:
    """Judge, keep, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=PLACES)
    parser.add_argument("--jobs", type=int, default=1, help="how many are judged at a time, after the raw videos")
    given = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    models = [*list_anonymizers(), *list_trained(given.dataset)]
    paths = [judge(given.dataset, "raw", cores)]
    with ThreadPoolExecutor(given.jobs) as pool:
        paths += pool.map(partial(judge, given.dataset, threads=max(1, cores // given.jobs)), models)
    results = HERE / "results" / given.dataset
    results.mkdir(parents=True, exist_ok=True)
    for model, path in zip(["raw", *models], paths, strict=True):
        shutil.copy(path, results / f"{model}.json")
    reports = [read_report(results / f"{model}.json") for model in ["raw", *models]]
    plot_tradeoff(reports, "person", HERE / "images" / f"tradeoff_{given.dataset}.png")
    print(table(reports))


if __name__ == "__main__":
    main()
