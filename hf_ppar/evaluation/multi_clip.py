"""The multi-clip attack: many clips of one person say more than one.

Log-likelihoods of k clips of one person are added up. A temperature fitted on the validation split keeps an
over-confident attacker from being ruled by its loudest clip. Bags hold distinct actions where there are enough, so
that a person is not recognised by repetition of one clip.
"""

from __future__ import annotations

import numpy as np

TEMPERATURES = np.geomspace(0.25, 16.0, 25)


def fit_temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    """The temperature with the smallest cross-entropy on (N, classes) and (N,)."""
    losses = [-log_softmax(logits / t)[np.arange(len(labels)), labels].mean() for t in TEMPERATURES]
    return float(TEMPERATURES[int(np.argmin(losses))])


def bag_accuracy(
    logits: np.ndarray,
    persons: np.ndarray,
    actions: np.ndarray,
    size: int,
    temperature: float = 1.0,
    bags: int = 200,
    seed: int = 0,
) -> float:
    """Share of bags of `size` clips of one person whose person is named; NaN when no person has that many clips.

    Args:
        logits: (N, persons) of single clips.
        bags: drawn for each person.
    """
    rng = np.random.default_rng(seed)
    scores = log_softmax(logits / temperature)
    right = []
    for person in np.unique(persons):
        rows = np.flatnonzero(persons == person)
        if len(rows) < size:
            continue
        for _ in range(bags):
            bag = _draw(rng, rows, actions, size)
            right.append(scores[bag].sum(axis=0).argmax() == person)
    return float(np.mean(right)) if right else float("nan")


def multi_clip_attack(
    logits: np.ndarray,
    persons: np.ndarray,
    actions: np.ndarray,
    temperature: float,
    sizes: tuple[int, ...] = (1, 5, 20),
    resamples: int = 40,
    seed: int = 0,
) -> dict[int, tuple[float, float, float]]:
    """Size -> (accuracy, low, high); the 95 % interval is by resampling clips within each person.

    Sizes for which nobody has enough clips are left out.
    """
    rng = np.random.default_rng(seed)
    result = {}
    for size in sizes:
        value = bag_accuracy(logits, persons, actions, size, temperature, seed=seed)
        if np.isnan(value):
            continue
        spread = []
        for number in range(resamples):
            rows = np.concatenate(
                [rng.choice(where := np.flatnonzero(persons == person), len(where)) for person in np.unique(persons)]
            )
            spread.append(
                bag_accuracy(
                    logits[rows], persons[rows], actions[rows], size, temperature, bags=20, seed=seed + number
                )
            )
        low, high = np.percentile(spread, [2.5, 97.5])
        result[size] = (value, float(low), float(high))
    return result


def _draw(rng: np.random.Generator, rows: np.ndarray, actions: np.ndarray, size: int) -> np.ndarray:
    """`size` clips, of distinct actions where the person has enough of them."""
    order = rng.permutation(rows)
    _, first = np.unique(actions[order], return_index=True)
    if len(first) >= size:
        return order[rng.permutation(first)[:size]]
    return order[:size]


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log-probabilities (N, classes)."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
