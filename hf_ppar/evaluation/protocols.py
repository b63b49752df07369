"""Protocols: which split trains the judges, which one they are tested on, and what is measured.

`same-dataset`: the anonymizer may have been trained on these classes. `unseen-actions`: the splits hold only actions
it never saw, on which judges are trained. `cross-dataset`: it was trained on another data set. The three differ in
what the caller hands over, not in how they judge. `domain-transfer`: recognizers are trained on a source domain and
tested on the target; attackers are trained on the target, as an adversary would. `frame-level`: attributes change
within a video (PA-HMDB51); a frame network attacks the frames that judges see one by one. `vispr`: attributes of
pictures, which pass through the anonymizer as clips that stand still; there are no actions, hence no utility.
`zero-shot`: a frozen vision-language model names actions from texts, attackers are trained as ever. `cross-vlm`: the
same with another model than the anonymizer was trained against.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from datasets import Dataset

from ..data import class_names
from ..data.lengths import video_lengths
from .anonymized import anonymize_split
from .baselines import binary_frequency_scores, frequency_scores
from .case import Case, check_case, fingerprint
from .certified import certify_case
from .frames import split_into_frames
from .judges import JudgedSplit
from .labels import read_labels
from .measure import Number, average_number
from .multi_clip import fit_temperature, multi_clip_attack
from .panel import Evidence, Verdict, hear_panel, measure_target
from .report import Report
from .work_folder import claim_work_folder
from .zero_shot import check_zero_shot, hear_zero_shot


def evaluate(case: Case) -> Report:
    """Judge one anonymizer by a panel trained afresh on its output."""
    started = time.time()
    check_case(case)
    check_zero_shot(case)
    claim_work_folder(case)
    evidence = gather_evidence(case)
    hear = hear_panel if case.vlm is None else hear_zero_shot
    verdicts = [hear(case, evidence, case.seed + number) for number in range(case.seeds)]
    report = Report(
        case.protocol,
        case.name,
        case.model,
        case.strength,
        case.budget.name,
        case.seed,
        utility=average_number([verdict.utility for verdict in verdicts if verdict.utility is not None]),
        recognizers=_tagged([(verdict.seed, verdict.utilities) for verdict in verdicts]),
        privacy={target: _strongest(verdicts, target).privacy[target] for target in evidence.targets},
        attackers={
            target: _tagged([(verdict.seed, verdict.attacks[target]) for verdict in verdicts])
            for target in evidence.targets
        },
        multi_clip=_multi_clip(verdicts, evidence),
        baselines=_baselines(case, verdicts, evidence) if evidence.recognized else {},
        counts={name: len(dataset) for name, dataset in case.splits.items()},
        data_fingerprint=fingerprint(case.splits),
        attackers_trained_on="raw train split" if case.anonymizer is None else "anonymized train split",
        view=case.view,
        rate_bits=_mean_rate((evidence.recognized or evidence.attacked)["test"]),
        certificates=certify_case(case, evidence),
        seeds=[_headline(verdict) for verdict in verdicts] if case.seeds > 1 else [],
    )
    report.seconds = round(time.time() - started, 1)
    return report


def gather_evidence(case: Case) -> Evidence:
    """Anonymize the splits, each once, and share them out to recognizers and attackers."""
    judged = {name: _anonymized(case, dataset) for name, dataset in case.splits.items()}
    learned = judged | {name: _anonymized(case, dataset) for name, dataset in (case.source or {}).items()}
    if case.protocol == "vispr":
        return Evidence({}, judged)
    if case.protocol == "frame-level":
        return Evidence(learned, split_into_frames(judged, case.panel.clip, case.anonymizer))
    return Evidence(learned, judged)


def _anonymized(case: Case, dataset: Dataset) -> JudgedSplit:
    folder = case.work / "clips"
    return JudgedSplit(dataset, anonymize_split(dataset, case.panel.clip, case.anonymizer, folder, case.strength))


def _strongest(verdicts: Sequence[Verdict], target: str) -> Verdict:
    return max(verdicts, key=lambda verdict: verdict.privacy[target].value)


def _tagged(by_seed: Sequence[tuple[int, list[Number]]]) -> list[Number]:
    """The numbers of every seed, each with its seed where there are several."""
    if len(by_seed) == 1:
        return by_seed[0][1]
    return [
        replace(number, details={**number.details, "seed": seed}) for seed, numbers in by_seed for number in numbers
    ]


def _headline(verdict: Verdict) -> dict[str, object]:
    utility = None if verdict.utility is None else verdict.utility.value
    privacy = {target: number.value for target, number in verdict.privacy.items()}
    return {"seed": verdict.seed, "utility": utility, "privacy": privacy}


def _mean_rate(split: JudgedSplit) -> float | None:
    bits = getattr(split.clips, "rate_bits", None)
    return None if bits is None else float(bits.mean())


def _multi_clip(verdicts: Sequence[Verdict], evidence: Evidence) -> dict[str, list[float]]:
    """The attack with the strongest judge of persons, on clips whose person is known."""
    if "person" not in evidence.targets or not evidence.recognized:
        return {}
    verdict = _strongest(verdicts, "person")
    strongest = verdict.attackers[int(np.argmax([number.value for number in verdict.attacks["person"]]))]
    validation, test = (read_labels(evidence.attacked[name].dataset) for name in ("validation", "test"))
    seen, known = validation["person"] >= 0, test["person"] >= 0
    temperature = fit_temperature(strongest.validation_logits["person"][seen], validation["person"][seen])
    logits = strongest.logits["person"][known]
    result = multi_clip_attack(logits, test["person"][known], test["action"][known], temperature)
    return {str(size): [round(value, 4) for value in values] for size, values in result.items()}


def _baselines(case: Case, verdicts: Sequence[Verdict], evidence: Evidence) -> dict[str, dict[str, Number]]:
    """What the predicted action alone, and the length alone, tell about the private labels."""
    train, test = evidence.attacked["train"], evidence.attacked["test"]
    table: dict[str, dict[str, Number]] = {}
    for name, (train_keys, test_keys) in _keys(case, verdicts).items():
        seen, asked = train.rows_of(train_keys), test.rows_of(test_keys)
        table[name] = {}
        for target in evidence.targets:
            labels = read_labels(train.dataset)[target]
            if target == "attributes":
                scores = binary_frequency_scores(seen, labels, asked)
            else:
                scores = frequency_scores(seen, labels, asked, len(class_names(train.dataset, target)))
            table[name][target] = measure_target(target, name, scores, test)
    return table


def _keys(case: Case, verdicts: Sequence[Verdict]) -> dict[str, tuple[list[Any], list[Any]]]:
    """All that each baseline knows of the train and the test videos."""
    best = max(verdicts, key=lambda verdict: max(verdict.validation))
    predicted = best.recognizers[best.chosen].logits["action"].argmax(1)
    return {
        "label-only": (read_labels(case.splits["train"])["action"].tolist(), predicted.tolist()),
        "length-only": (video_lengths(case.splits["train"]), video_lengths(case.splits["test"])),
    }
