"""Judge raw video and every classic anonymizer on a data set, and keep the reports for the README.

    HF_PPAR_DATA=/path/to/data python examples/verdicts.py lsa64 --jobs 2

runs `hf-ppar evaluate` for each (an interrupted run goes on where it was), copies each report to
examples/results/DATASET/MODEL.json, draws examples/images/tradeoff_DATASET.png and prints the table. Small judges make
poor use of several cores: two at a time, a core each, are done sooner than one after the other.
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


def run(dataset: str, model: str, threads: int) -> Path:
    """Evaluate one model with the budget of headline rows; returns its report."""
    output = WORK / dataset / model
    report = output / "report.json"
    if not report.is_file():
        command = ["hf-ppar", "evaluate", model, "--dataset", dataset, *PLACES[dataset], "--budget", "small"]
        upper = [] if model == "raw" else ["--raw", str(WORK / dataset / "raw" / "report.json")]
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        subprocess.run([*command, "--output", str(output), *upper], check=True, env=environment)
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
    classic = list_anonymizers()
    paths = [run(given.dataset, "raw", cores)]
    with ThreadPoolExecutor(given.jobs) as pool:
        paths += pool.map(partial(run, given.dataset, threads=max(1, cores // given.jobs)), classic)
    results = HERE / "results" / given.dataset
    results.mkdir(parents=True, exist_ok=True)
    for model, path in zip(["raw", *classic], paths, strict=True):
        shutil.copy(path, results / f"{model}.json")
    reports = [read_report(results / f"{model}.json") for model in ["raw", *classic]]
    plot_tradeoff(reports, "person", HERE / "images" / f"tradeoff_{given.dataset}.png")
    print(table(reports))


if __name__ == "__main__":
    main()
