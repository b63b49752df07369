"""Turn the dial of a trained model without training it again, and draw what each setting keeps and hides.

    HF_PPAR_DATA=/path/to/data python examples/dial.py lsa64 stprivacy-tiny 0.1 0.3 0.5 0.7

judges the model of examples/runs/DATASET/MODEL.yaml at each strength (`--budget quick`: one recognizer, one attacker),
keeps the reports in examples/results/DATASET/dials/MODEL/ and draws examples/images/dial_DATASET_MODEL.png.
"""

from __future__ import annotations

import argparse
import shutil

from verdicts import HERE, PLACES, judge

from hf_ppar.evaluation import read_report
from hf_ppar.evaluation.plots import plot_dial


def main() -> None:
    """Judge each setting, keep, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=PLACES)
    parser.add_argument("model", help="name of a file in examples/runs/DATASET")
    parser.add_argument("strengths", type=float, nargs="+")
    given = parser.parse_args()
    kept = HERE / "results" / given.dataset / "dials" / given.model
    kept.mkdir(parents=True, exist_ok=True)
    for strength in given.strengths:
        report = judge(given.dataset, given.model, budget="quick", strength=strength)
        shutil.copy(report, kept / f"{strength:g}.json")
    reports = [read_report(path) for path in sorted(kept.glob("*.json"), key=lambda path: float(path.stem))]
    plot_dial(reports, HERE / "images" / f"dial_{given.dataset}_{given.model}.png")
    for report in reports:
        attacks = ", ".join(f"{target} {number.value:.3f}" for target, number in report.privacy.items())
        print(f"strength {report.strength:g}: action {report.utility.value:.3f}, {attacks}")


if __name__ == "__main__":
    main()
