"""A bound on what any attacker can learn, from the bits that an anonymizer spends.

Let X be the clip, S its action, P a private attribute of the person in it, Z the code that the released clip is
painted from. Z is drawn from q(z|x) with fresh noise, so that given X it depends on neither S nor P, and the released
pixels depend on X through Z alone. For any attacker who sees only the pixels of one release of one clip:

    I(P; pixels) <= I(P; Z) <= I(P; Z, S) = I(S; P) + I(P; Z | S) <= I(S; P) + I(X; Z | S)

by the data processing inequality and the chain rule. The last term is bounded in one of two ways.

With a prior for each action ("action"): I(X; Z | S) = E KL(q(z|x) || q(z|S)) <= E KL(q(z|x) || r(z|S)), since the mean
divergence is least for the true conditional distribution q(z|s); r must be fixed before the evaluated clips are seen.

With one prior: S depends on Z through X alone, so I(X; Z | S) = I(X; Z) - I(S; Z). The rate E KL(q(z|x) || r(z))
bounds the first part from above, and I(S; Z) >= H(S) - CE, where CE is the cross-entropy of any predictor of the
action from the code. So the bound is rate - (H(S) - CE): bits that tell the action cannot tell the person beyond it.

What it says and what not:

- It is an average over the distribution that the held-out clips stand for: not a promise to each person, not
  differential privacy. An unusual person can be known better than the average.
- Rate and cross-entropy are estimated on held-out clips with sampled codes; the worst ends of their bootstrap
  intervals over videos enter the bound. I(S; P) and H(S) are those of the evaluated labels. Plugging frequencies into
  I(S; P) tends to give too much, and into H(S) too little, both on the safe side.
- Releases add up. k releases of one clip have I(X; Z_1..Z_k | S) <= k * rate, with the action's bits subtracted once;
  likewise a video of w windows that share their action: the rates of its windows are summed. k clips of one person,
  independent given the person, cost k times the whole bound.
- Frame count and duration pass beside the code, and so does anything kept on request, such as sound.
- Bits become accuracy by Fano's inequality, H(P | pixels) <= h(e) + e log2(classes - 1) for an attacker with the
  error rate e. It says nothing about other measures than accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import ArrayLike

from ..metrics import UNKNOWN, Interval, bootstrap_mean
from ..metrics.checks import as_ids, as_labels, as_scores
from ..models.privrate import PrivRateAnonymizer
from ..models.recognizers import FeatureRecognizer


@dataclass(frozen=True)
class Certificate:
    """What one or more releases can tell about a private label at most, in bits and as accuracy.

    Args:
        rate: bits of one release with its interval; beyond the action if `beyond_action`, of all it spends if not.
        utility_bits: H(S) - CE at its worst end, at least 0: what the code provably tells about the action; 0 if
            `beyond_action`, where the prior has already taken them off.
        action_bits: I(S; P), what the action itself tells.
        private_bits: H(P), all there is to know.
        classes, majority: of the private label: how many, and the share of the most frequent one.
        max_bits: what a code can carry by construction.
        releases: of the same clip.
        clips: of the same person, independent given the person.
    """

    rate: Interval
    utility_bits: float
    action_bits: float
    private_bits: float
    classes: int
    majority: float
    beyond_action: bool
    max_bits: float = math.inf
    releases: int = 1
    clips: int = 1

    @property
    def bound_bits(self) -> float:
        """I(P; pixels) is at most this."""
        beyond = max(0.0, self.releases * self.rate.high - self.utility_bits)
        return self.clips * min(self.action_bits + beyond, self.releases * self.max_bits)

    @property
    def is_useful(self) -> bool:
        """Whether the bound is below all there is to know."""
        return self.bound_bits < self.private_bits

    @property
    def best_accuracy(self) -> float:
        """No attacker can be right more often, on average; 1 where there is no useful bound."""
        return best_accuracy(self.bound_bits, self.private_bits, self.classes, self.majority)

    def for_releases(self, releases: int) -> Certificate:
        """The same for an attacker who has this many releases of the same clip."""
        return replace(self, releases=_at_least_one("releases", releases))

    def for_clips(self, clips: int) -> Certificate:
        """The same for an attacker who has this many clips of the same person."""
        return replace(self, clips=_at_least_one("clips", clips))

    def describe(self) -> str:
        """One line for a report or card."""
        kind = "beyond the action" if self.beyond_action else f"of which {self.utility_bits:.2f} tell the action"
        spent = f"{self.rate.value:.2f} bits a release ({self.rate.low:.2f} - {self.rate.high:.2f}), {kind}"
        if not self.is_useful:
            return f"{spent}: no useful bound ({self.bound_bits:.2f} bits of {self.private_bits:.2f})"
        return (
            f"{spent}: at most {self.bound_bits:.2f} bits of {self.private_bits:.2f}, so no attacker is right more "
            f"often than {self.best_accuracy:.3f} (majority {self.majority:.3f})"
        )


def make_certificate(
    rate_bits: ArrayLike,
    actions: ArrayLike,
    private: ArrayLike,
    beyond_action: bool,
    cross_entropy_bits: ArrayLike | None = None,
    videos: ArrayLike | None = None,
    max_bits: float = math.inf,
    level: float = 0.95,
    seed: int = 0,
) -> Certificate:
    """The certificate of one release, from held-out clips.

    Args:
        rate_bits: (N,) divergence of each clip's code from the prior, in bits.
        actions, private: (N,) labels; clips with a private label of -1 do not count for H(P) and I(S; P).
        beyond_action: whether the prior knew each clip's action.
        cross_entropy_bits: (N,) -log2 of the probability that a predictor gave the true action, seeing the sampled
            code; without it no bits are subtracted.
        videos: (N,) the video of each clip; a release is then the whole video, and rates of its clips are summed.
        level: of the intervals.
    """
    rates = as_scores("rate_bits", rate_bits, 1)
    named = as_labels("actions", actions, rates.shape)
    hidden = as_labels("private", private, rates.shape)
    if (named == UNKNOWN).any():
        raise ValueError(f"{int((named == UNKNOWN).sum())} actions are -1 (unknown); leave these clips out")
    if beyond_action and cross_entropy_bits is not None:
        raise ValueError("cross_entropy_bits are for one prior; a prior that knows the action has taken its bits off")
    groups = np.arange(len(rates)) if videos is None else as_ids("videos", videos, len(rates))
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    rate = bootstrap_mean(np.bincount(group, rates), level=level, seed=seed)
    named, hidden = named[first], hidden[first]
    utility = 0.0
    if cross_entropy_bits is not None:
        losses = as_scores("cross_entropy_bits", cross_entropy_bits, 1)
        if losses.shape != rates.shape:
            raise ValueError(f"cross_entropy_bits must have one value for each of {len(rates)} clips")
        mean_losses = np.bincount(group, losses) / np.bincount(group)
        utility = max(0.0, entropy_bits(named) - bootstrap_mean(mean_losses, level=level, seed=seed).high)
    known = hidden != UNKNOWN
    counts = np.bincount(hidden[known])
    return Certificate(
        rate,
        utility,
        mutual_information_bits(named[known], hidden[known]),
        entropy_bits(hidden[known]),
        int((counts > 0).sum()),
        float(counts.max() / counts.sum()),
        beyond_action,
        max_bits * float(np.bincount(group).max()),
    )


@torch.inference_mode()
def certify(
    anonymizer: PrivRateAnonymizer,
    clips: Iterable[torch.Tensor],
    actions: ArrayLike,
    private: ArrayLike,
    *,
    strength: float | None = None,
    latent_head: FeatureRecognizer | None = None,
    videos: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Certificate:
    """Run a model over held-out clips and certify its releases.

    A model with a prior for each action is given the true ones; for another, `latent_head` names actions from codes,
    so that the bits which tell the action can be subtracted.

    Args:
        clips: batches (batch, frames, 3, height, width) in [0, 1], in the order of the labels.
        actions, private, videos, level, seed: see `make_certificate`. A certificate is for one private label; a video
            with several has several.
        latent_head: codes (batch, numbers) -> logits of actions, trained on other clips.

    Example:
        >>> certify(model, clips.split(32), actions, persons).describe()
        '1.20 bits a release (1.02 - 1.41), beyond the action: at most 1.41 bits of 3.32, so no attacker is right ...'
    """
    beyond_action = anonymizer.config.prior == "action"
    losses: list[torch.Tensor] = []

    def miss(codes: torch.Tensor, named: torch.Tensor) -> None:
        logits = latent_head.eval()(codes).logits.float()  # type: ignore[union-attr]
        losses.append(F.cross_entropy(logits, named.long(), reduction="none"))

    watch = None if latent_head is None or beyond_action else miss
    rates = measure_rates(anonymizer, clips, actions, strength, watch)
    missed = torch.cat(losses).double().cpu().numpy() / math.log(2) if losses else None
    limit = anonymizer.bottleneck.max_bits
    return make_certificate(rates, actions, private, beyond_action, missed, videos, limit, level, seed)


@torch.inference_mode()
def measure_rates(
    anonymizer: PrivRateAnonymizer,
    clips: Iterable[torch.Tensor],
    actions: ArrayLike,
    strength: float | None = None,
    watch: Callable[[torch.Tensor, torch.Tensor], None] | None = None,
) -> np.ndarray:
    """Bits (N,) that each clip's code spends: beyond its action for a model whose prior knows it, else all of them.

    Args:
        clips: batches (batch, frames, 3, height, width) in [0, 1], in the order of `actions`.
        watch: called with the sampled codes and the actions of each batch.
    """
    if anonymizer.training:
        raise ValueError("the anonymizer is in training mode, where its noise is not the one it protects with: eval()")
    labels = torch.as_tensor(np.asarray(actions), device=anonymizer.device)
    bottleneck = anonymizer.bottleneck
    known_prior = anonymizer.config.prior == "action"
    rates: list[torch.Tensor] = []
    done = 0
    for batch in clips:
        named = labels[done : done + len(batch)]
        done += len(batch)
        if len(named) < len(batch):
            raise ValueError(f"there are {done} clips or more but {len(labels)} actions")
        posterior = anonymizer.encode(batch.to(anonymizer.device), anonymizer.config.resolve_strength(strength))
        rates.append(bottleneck.rate(posterior, named if known_prior else None).clamp(min=0))
        if watch is not None:
            watch(bottleneck.sample(posterior), named)
    if done != len(labels):
        raise ValueError(f"there are {done} clips but {len(labels)} actions")
    return torch.cat(rates).double().cpu().numpy() / math.log(2)


def entropy_bits(labels: np.ndarray) -> float:
    """Entropy of the frequencies of labels (N,) from 0."""
    shares = np.bincount(labels) / len(labels)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def mutual_information_bits(first: np.ndarray, second: np.ndarray) -> float:
    """Mutual information of the joint frequencies of two kinds of labels, both (N,) from 0."""
    joint = first * (int(second.max()) + 1) + second
    _, compact = np.unique(joint, return_inverse=True)
    return max(0.0, entropy_bits(first) + entropy_bits(second) - entropy_bits(compact))


def best_accuracy(bound_bits: float, private_bits: float, classes: int, majority: float) -> float:
    """The highest accuracy that Fano's inequality leaves: h(e) + e log2(classes - 1) = H(P) - bound, solved for 1 - e.

    Never below `majority`, which needs no video.
    """
    missing = private_bits - bound_bits
    if missing <= 0 or classes < 2:
        return 1.0
    low, high = 0.0, 1 - 1 / classes  # the left side grows from 0 to log2(classes) between these
    for _ in range(60):
        middle = (low + high) / 2
        if fano_bits(middle, classes) < missing:
            low = middle
        else:
            high = middle
    return max(1 - low, majority)


def fano_bits(error: float, classes: int) -> float:
    """h(e) + e log2(classes - 1): the most bits that can be missing at an error rate e."""
    spread = error * math.log2(classes - 1) if classes > 2 else 0.0
    return spread - sum(share * math.log2(share) for share in (error, 1 - error) if share > 0)


def _at_least_one(name: str, value: int) -> int:
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")
    return value
