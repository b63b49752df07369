"""Stochastic bottlenecks: features become a random code, and every bit of it about the clip is counted.

A bottleneck turns features into a posterior q(z|x), draws the code z from it, and says its rate: the divergence
KL(q(z|x) || r(z)) from a prior r. The mean rate bounds the mutual information I(X; Z) from above, whatever the prior;
a method that prices the rate (a `rate_weight` of its recipe) prices what its output can tell about its input.

There is no way to have the mean of a posterior in place of a sample: without the noise the rate bounds nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import nn
from transformers import initialization as init

from .noise import gumbel_noise, normal_noise

Prior = Literal["fixed", "learned", "action"]

# Codes are rounded to this grid. The low bits of mean + scale * noise in floating point would otherwise tell which
# mean can have led there (Mironov, "On significance of the least significant bits for differential privacy", 2012).
_GRID = 2.0**-10
_LOG_SCALE_RANGE = (-7.0, 3.0)


@dataclass(frozen=True)
class GaussianPosterior:
    """Independent normal distributions: `mean` and `log_scale`, both (batch, numbers)."""

    mean: torch.Tensor
    log_scale: torch.Tensor

    @property
    def centre(self) -> torch.Tensor:
        """(batch, numbers), where the distribution lies."""
        return self.mean


@dataclass(frozen=True)
class DiscretePosterior:
    """Independent choices of one code a token: `log_probabilities` (batch, tokens, codes)."""

    log_probabilities: torch.Tensor

    @property
    def centre(self) -> torch.Tensor:
        """(batch, tokens * codes), where the distribution lies."""
        return self.log_probabilities.exp().flatten(1)


class Bottleneck(nn.Module):
    """What both kinds share: the choice of a prior.

    Args:
        prior: "fixed" knows nothing, "learned" is one fitted distribution, "action" is one fitted for each action (the
            conditional bottleneck: bits that tell the action are free, bits beyond it are counted).
        num_actions: of the prior "action".
        hedge: share of the prior "action" that goes to all actions alike, so that a clip whose code lies with another
            action costs log(actions / hedge) nats more rather than any number.
    """

    numbers: int  # of one code

    def __init__(self, prior: Prior = "fixed", num_actions: int | None = None, hedge: float = 0.02) -> None:
        super().__init__()
        if prior == "action" and (num_actions is None or num_actions < 2):
            raise ValueError(f'prior="action" needs num_actions of at least 2, got {num_actions}')
        if not 0 < hedge < 1:
            raise ValueError(f"hedge must be between 0 and 1, got {hedge}")
        self.prior, self.hedge = prior, hedge
        self.num_priors = num_actions if prior == "action" and num_actions else 1

    def rate(
        self, posterior: GaussianPosterior | DiscretePosterior, actions: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Nats (batch,) that a code spends against the prior.

        With the prior "action" r is the mixture sum_s w_s r_s, where w is 1 - hedge (+ its share) on the clip's action
        and hedge / actions on each, or the same on all where the action is not known. Its divergence is bounded by
        -log sum_s w_s exp(-KL(q || r_s)) (Hershey and Olsen, "Approximating the Kullback Leibler divergence between
        Gaussian mixture models", 2007, Eq. 20), which is at most min_s KL(q || r_s) + log(1 / w_s).

        Args:
            actions: (batch,) numbers of the clips' actions, -1 for unknown; None if all are.
        """
        divergences = self.divergences(posterior)  # (batch, priors)
        if self.prior != "action":
            return divergences[:, 0]
        return -torch.logsumexp(self._log_weights(actions, divergences) - divergences, dim=1)

    def _log_weights(self, actions: torch.Tensor | None, divergences: torch.Tensor) -> torch.Tensor:
        even = torch.full_like(divergences, 1 / self.num_priors)
        if actions is None:
            return even.log()
        own = F.one_hot(actions.clamp(min=0).long(), self.num_priors).to(even)
        weights = (1 - self.hedge) * own + self.hedge * even
        return torch.where(actions[:, None] >= 0, weights, even).log()

    @property
    def max_bits(self) -> float:
        """The most bits a code can carry, whatever the input."""
        return math.inf

    def forward(self, features: torch.Tensor) -> GaussianPosterior | DiscretePosterior:
        """Features (batch, width) -> the distribution of their code."""
        raise NotImplementedError

    def sample(
        self, posterior: GaussianPosterior | DiscretePosterior, generator: torch.Generator | None = None
    ) -> torch.Tensor:
        """Codes (batch, numbers). The noise is the operating system's in eval mode and torch's in training mode."""
        raise NotImplementedError

    def divergences(self, posterior: GaussianPosterior | DiscretePosterior) -> torch.Tensor:
        """KL(q || r_s) in nats, (batch, priors)."""
        raise NotImplementedError

    def reset_parameters(self) -> None:
        """Initialise; a model calls this from its `_init_weights`."""
        raise NotImplementedError


class GaussianBottleneck(Bottleneck):
    """A code of real numbers with independent normal noise.

    Args:
        input_size: width of the features.
        numbers: of one code.
    """

    def __init__(
        self,
        input_size: int,
        numbers: int,
        prior: Prior = "fixed",
        num_actions: int | None = None,
        hedge: float = 0.02,
    ) -> None:
        super().__init__(prior, num_actions, hedge)
        self.numbers = numbers
        self.mean_weight = nn.Parameter(torch.empty(numbers, input_size))
        self.mean_bias = nn.Parameter(torch.empty(numbers))
        self.scale_weight = nn.Parameter(torch.empty(numbers, input_size))
        self.scale_bias = nn.Parameter(torch.empty(numbers))
        if prior != "fixed":
            self.prior_mean = nn.Parameter(torch.empty(self.num_priors, numbers))
            self.prior_log_scale = nn.Parameter(torch.empty(self.num_priors, numbers))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Means of about unit size, scales of exp(-1); priors are near the standard normal distribution."""
        init.normal_(self.mean_weight, std=self.mean_weight.shape[1] ** -0.5)
        init.normal_(self.scale_weight, std=0.01)
        init.zeros_(self.mean_bias)
        init.constant_(self.scale_bias, -1.0)
        if self.prior != "fixed":
            init.normal_(self.prior_mean, std=0.1)
            init.zeros_(self.prior_log_scale)

    def forward(self, features: torch.Tensor) -> GaussianPosterior:
        mean = F.linear(features, self.mean_weight, self.mean_bias).float()
        log_scale = F.linear(features, self.scale_weight, self.scale_bias).float()
        return GaussianPosterior(mean, log_scale.clamp(*_LOG_SCALE_RANGE))

    def sample(  # type: ignore[override]
        self, posterior: GaussianPosterior, generator: torch.Generator | None = None
    ) -> torch.Tensor:
        noise = normal_noise(len(posterior.mean), self.numbers, self.training, generator).to(posterior.mean)
        codes = posterior.mean + posterior.log_scale.exp() * noise
        if self.training:
            return codes
        return codes + ((codes / _GRID).round() * _GRID - codes).detach()

    def divergences(self, posterior: GaussianPosterior) -> torch.Tensor:  # type: ignore[override]
        mean, log_scale = posterior.mean.unsqueeze(1), posterior.log_scale.unsqueeze(1)  # (batch, 1, numbers)
        if self.prior != "fixed":
            mean = mean - self.prior_mean.float()
            log_scale = log_scale - self.prior_log_scale.float()
            mean = mean * (-self.prior_log_scale.float()).exp()
        return 0.5 * (mean.square() + (2 * log_scale).exp() - 1 - 2 * log_scale).sum(dim=-1)


class DiscreteBottleneck(Bottleneck):
    """A code of `tokens` choices between `codes` entries, as one-hot numbers: at most tokens * log2(codes) bits.

    Samples carry straight-through Gumbel-softmax gradients.

    Args:
        input_size: width of the features.
        temperature: of the softmax in the gradients.
    """

    def __init__(
        self,
        input_size: int,
        tokens: int,
        codes: int,
        prior: Prior = "fixed",
        num_actions: int | None = None,
        hedge: float = 0.02,
        temperature: float = 1.0,
    ) -> None:
        super().__init__(prior, num_actions, hedge)
        self.tokens, self.codes, self.temperature = tokens, codes, temperature
        self.numbers = tokens * codes
        self.weight = nn.Parameter(torch.empty(self.numbers, input_size))
        self.bias = nn.Parameter(torch.empty(self.numbers))
        if prior != "fixed":
            self.prior_logits = nn.Parameter(torch.empty(self.num_priors, tokens, codes))
        self.reset_parameters()

    @property
    def max_bits(self) -> float:
        return self.tokens * math.log2(self.codes)

    def reset_parameters(self) -> None:
        """Logits of about unit size; priors are even."""
        init.normal_(self.weight, std=self.weight.shape[1] ** -0.5)
        init.zeros_(self.bias)
        if self.prior != "fixed":
            init.zeros_(self.prior_logits)

    def forward(self, features: torch.Tensor) -> DiscretePosterior:
        logits = F.linear(features, self.weight, self.bias).float().unflatten(-1, (self.tokens, self.codes))
        return DiscretePosterior(logits.log_softmax(dim=-1))

    def sample(  # type: ignore[override]
        self, posterior: DiscretePosterior, generator: torch.Generator | None = None
    ) -> torch.Tensor:
        logits = posterior.log_probabilities
        noise = gumbel_noise(len(logits), self.numbers, self.training, generator)
        noisy = logits + noise.view_as(logits).to(logits)
        hard = F.one_hot(noisy.argmax(dim=-1), self.codes).to(noisy)
        soft = (noisy / self.temperature).softmax(dim=-1)
        return (hard + (soft - soft.detach())).flatten(1)

    def divergences(self, posterior: DiscretePosterior) -> torch.Tensor:  # type: ignore[override]
        log_q = posterior.log_probabilities.unsqueeze(1)  # (batch, 1, tokens, codes)
        log_r: torch.Tensor | float = -math.log(self.codes)
        if self.prior != "fixed":
            log_r = self.prior_logits.float().log_softmax(dim=-1)
        return (log_q.exp() * (log_q - log_r)).sum(dim=(-2, -1))

    def read_codes(self, samples: torch.Tensor) -> torch.Tensor:
        """One-hot samples (batch, numbers) -> the chosen entries (batch, tokens), to store or send."""
        return samples.unflatten(-1, (self.tokens, self.codes)).argmax(dim=-1)

    def from_codes(self, codes: torch.Tensor) -> torch.Tensor:
        """The inverse of `read_codes`."""
        return F.one_hot(codes.long(), self.codes).to(self.weight).flatten(1)
