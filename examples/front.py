"""What moves PrivRate's front: variations of the LSA64 run, each changed in one thing, trained alike and judged alike.

    HF_PPAR_DATA=/path/to/data python examples/front.py [NAME ...]

trains each variation of `VARIATIONS` (or those named) for `EPOCHS` epochs, judges it (budget quick: one recognizer,
one attacker on the video and one on the code), keeps the reports in examples/results/lsa64/front/ and prints the table
of all that have been judged.
"""

from __future__ import annotations

import shutil
import sys

from verdicts import HERE, PLACES, WORK, call

from hf_ppar.evaluation import read_report

EPOCHS = 30
VARIATIONS: dict[str, list[str]] = {
    "as-it-is": [],
    "r2plus1d-encoder": ["encoder=r2plus1d"],
    "raw-input": ["input=raw"],
    "fixed-prior": ["prior=fixed"],
    "four-tokens": ["latent_tokens=4", "latent_size=8"],
    "sixteen-numbers": ["latent_size=16"],
    "discrete-codes": ["latent=discrete", "latent_tokens=8", "codes=16"],
    "consistency": ["consistency=0.1"],
    "label-smoothing": ["label_smoothing=0.1"],
    "high-price": ["max_price=4.0"],
}
STRENGTHS = {"high-price": 1.0}  # the others are judged at their default, in the middle of the dial
KEPT = HERE / "results" / "lsa64" / "front"


def try_variation(name: str) -> None:
    """Train and judge one, unless that is done."""
    work = WORK / "lsa64-front" / name
    anonymizer = work / "training" / "modules" / "anonymizer"
    where = ["--dataset", "lsa64", *PLACES["lsa64"]]
    if not anonymizer.is_dir():
        settings = [f"epochs={EPOCHS}", "evaluate_every=10", *VARIATIONS[name]]
        call(["train", "privrate", *settings, *where, "--output", str(work / "training"), "--resume"], 1)
    if not (work / "report.json").is_file():
        dial = ["--strength", f"{STRENGTHS[name]:g}"] if name in STRENGTHS else []
        output = ["--budget", "quick", "--name", name, "--output", str(work)]
        call(["evaluate", str(anonymizer), *where, *dial, *output], 1)
    KEPT.mkdir(parents=True, exist_ok=True)
    shutil.copy(work / "report.json", KEPT / f"{name}.json")


def table() -> str:
    """A table: utility, attacks, bits beyond the action of those that have been judged."""
    lines = ["| variation | sign | person | person, 20 clips | bits beyond the sign |", "|---|---|---|---|---|"]
    for name in VARIATIONS:
        if (KEPT / f"{name}.json").is_file():
            report = read_report(KEPT / f"{name}.json")
            certificate = report.certificates["person"]
            bits = max(0.0, certificate["rate_bits"][0] - certificate["utility_bits"])
            lines.append(
                f"| {name} | {report.utility.value:.3f} | {report.privacy['person'].value:.3f} "
                f"| {report.multi_clip['20'][0]:.3f} | {bits:.1f} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Try, keep, print."""
    names = sys.argv[1:]
    for name in names or VARIATIONS:
        try_variation(name)
    print(table())


if __name__ == "__main__":
    main()
