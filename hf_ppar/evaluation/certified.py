"""The certificates of a case: one for the person and one for each attribute, on the test split."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..data import attribute_names
from ..models.privrate import PrivRateAnonymizer
from ..processing import to_clip
from .anonymized import open_raw, working_clip
from .anonymizing import read_raw
from .case import Case
from .certificate import Certificate, make_certificate, measure_rates
from .labels import read_labels
from .latent_attack import attack_latents
from .multi_clip import fit_temperature, log_softmax
from .panel import Evidence

_BATCH = 32


def certify_case(case: Case, evidence: Evidence) -> dict[str, dict[str, Any]]:
    """Private label -> its certificate as plain values; empty for an anonymizer that does not count bits."""
    anonymizer = case.anonymizer
    if not isinstance(anonymizer, PrivRateAnonymizer) or not evidence.recognized:
        return {}
    test = case.splits["test"]
    labels = read_labels(test)
    raw = open_raw(test, working_clip(case.panel.clip, anonymizer))
    clips = (
        torch.stack([to_clip(read_raw(raw, row)) for row in range(start, min(start + _BATCH, len(test)))])
        for start in range(0, len(test), _BATCH)
    )
    rates = measure_rates(anonymizer, clips, labels["action"], case.strength)
    beyond_action = anonymizer.config.prior == "action"
    losses = None if beyond_action else _action_losses(case, evidence)
    private = {"person": labels["person"]} if "person" in labels else {}
    private |= {name: labels["attributes"][:, column] for column, name in enumerate(attribute_names(test))}
    return {
        name: describe(
            make_certificate(
                rates,
                labels["action"],
                values,
                beyond_action,
                losses,
                max_bits=anonymizer.bottleneck.max_bits,
                seed=case.seed,
            )
        )
        for name, values in private.items()
    }


def describe(certificate: Certificate) -> dict[str, Any]:
    """A certificate as plain values: rate with its interval, what of it tells the action, the bound, in words."""
    rate = certificate.rate
    return {
        "rate_bits": [round(value, 4) for value in (rate.value, rate.low, rate.high)],
        "beyond_action": certificate.beyond_action,
        "utility_bits": round(certificate.utility_bits, 4),
        "action_bits": round(certificate.action_bits, 4),
        "private_bits": round(certificate.private_bits, 4),
        "bound_bits": round(certificate.bound_bits, 4),
        "is_useful": certificate.is_useful,
        "best_accuracy": round(certificate.best_accuracy, 4),
        "majority": round(certificate.majority, 4),
        "text": certificate.describe(),
    }


def _action_losses(case: Case, evidence: Evidence) -> np.ndarray:
    """Bits (N,) by which a network on the code misses the action of each test clip; it learned on the train split."""
    output = case.work / "judges" / f"latent-mlp-action-{case.seed}"
    judgement = attack_latents(case.panel, ("action",), evidence.recognized, output, case.seed)
    seen, actions = (read_labels(evidence.recognized[name].dataset)["action"] for name in ("validation", "test"))
    temperature = fit_temperature(judgement.validation_logits["action"], seen)
    scores = log_softmax(judgement.logits["action"] / temperature)
    return -scores[np.arange(len(actions)), actions] / np.log(2)
