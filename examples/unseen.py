"""Actions that an anonymizer never saw: PrivRate trained on 31 signs of LSA64, judged on the 10 others.

    HF_PPAR_DATA=/path/to/data python examples/unseen.py

trains one model with one fixed prior (a prior for each action knows only the actions it was trained on), judges it at
several strengths (protocol unseen-actions, budget quick) beside raw video and the motion mask, and keeps reports in
examples/results/lsa64/unseen/.
"""

from __future__ import annotations

import os
import shutil

from verdicts import HERE, PLACES, WORK, call

from hf_ppar.evaluation import read_report

SEEN, UNSEEN = tuple(range(24, 55)), tuple(range(55, 65))
STRENGTHS = (0.0, 0.5, 1.0)
SETTINGS = [
    "epochs=40",
    "prior=fixed",
    "min_price=0.0002",
    "max_price=0.02",
    "evaluate_every=10",
    f"data.signs={SEEN}",
]


def main() -> None:
    """Train, judge, keep, print."""
    threads = len(os.sched_getaffinity(0))
    work = WORK / "lsa64-unseen"
    anonymizer = work / "training" / "modules" / "anonymizer"
    if not anonymizer.is_dir():
        training = ["--dataset", "lsa64", *PLACES["lsa64"], "--output", str(work / "training"), "--resume"]
        call(["train", "privrate", *SETTINGS, *training], threads)
    cases: list[tuple[str, str, list[str]]] = [("raw", "raw", []), ("motion-mask", "motion-mask", [])]
    cases += [(f"privrate-{s:g}", str(anonymizer), ["--strength", f"{s:g}"]) for s in STRENGTHS]
    kept = HERE / "results" / "lsa64" / "unseen"
    kept.mkdir(parents=True, exist_ok=True)
    where = ["--dataset", "lsa64", *PLACES["lsa64"], "--option", f"signs={UNSEEN}"]
    where += ["--protocol", "unseen-actions", "--budget", "quick"]
    for name, model, settings in cases:
        output = work / name
        if not (output / "report.json").is_file():
            upper = [] if model == "raw" else ["--raw", str(work / "raw" / "report.json")]
            call(["evaluate", model, *where, *settings, *upper, "--name", name, "--output", str(output)], threads)
        shutil.copy(output / "report.json", kept / f"{name}.json")
        report = read_report(kept / f"{name}.json")
        person, many = report.privacy["person"].value, report.multi_clip["5"][0]
        print(f"{name}: sign {report.utility.value:.3f}, person {person:.3f}, person of 5 clips {many:.3f}")


if __name__ == "__main__":
    main()
