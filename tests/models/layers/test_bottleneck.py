import math

import numpy as np
import pytest
import torch

from hf_ppar.models.layers import (
    Bottleneck,
    DiscreteBottleneck,
    DiscretePosterior,
    GaussianBottleneck,
    GaussianPosterior,
)

PRIORS = ["fixed", "learned", "action"]


def gaussian(prior="fixed", numbers=3, width=5, **options):
    torch.manual_seed(0)
    layer = GaussianBottleneck(width, numbers, prior, 4 if prior == "action" else None, **options)
    if prior != "fixed":
        torch.nn.init.normal_(layer.prior_mean)
        torch.nn.init.normal_(layer.prior_log_scale, std=0.3)
    return layer.eval()


def discrete(prior="fixed", tokens=2, codes=3, width=5, **options):
    torch.manual_seed(0)
    layer = DiscreteBottleneck(width, tokens, codes, prior, 4 if prior == "action" else None, **options)
    if prior != "fixed":
        torch.nn.init.normal_(layer.prior_logits)
    return layer.eval()


def features(batch=6, width=5, seed=1):
    return torch.randn(batch, width, generator=torch.Generator().manual_seed(seed))


def slow_gaussian(mean, scale, prior_mean, prior_scale):
    total = 0.0
    for m, s, pm, ps in zip(mean, scale, prior_mean, prior_scale, strict=True):
        total += math.log(ps / s) + (s**2 + (m - pm) ** 2) / (2 * ps**2) - 0.5
    return total


@torch.no_grad()
@pytest.mark.parametrize("prior", PRIORS)
def test_gaussian_divergences_against_a_slow_reference(prior):
    layer = gaussian(prior)
    posterior = layer(features())
    means = np.zeros((1, 3)) if prior == "fixed" else layer.prior_mean.numpy()
    scales = np.ones((1, 3)) if prior == "fixed" else layer.prior_log_scale.exp().numpy()
    slow = [
        [slow_gaussian(m, s, pm, ps) for pm, ps in zip(means, scales, strict=True)]
        for m, s in zip(posterior.mean.numpy(), posterior.log_scale.exp().numpy(), strict=True)
    ]
    assert np.allclose(layer.divergences(posterior), slow, atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("prior", PRIORS)
def test_discrete_divergences_against_a_slow_reference(prior):
    layer = discrete(prior)
    posterior = layer(features())
    priors = np.full((1, 2, 3), 1 / 3) if prior == "fixed" else layer.prior_logits.softmax(-1).numpy()
    q = posterior.log_probabilities.exp().numpy()
    slow = [
        [sum(q[b, m, k] * math.log(q[b, m, k] / r[m, k]) for m in range(2) for k in range(3)) for r in priors]
        for b in range(len(q))
    ]
    assert np.allclose(layer.divergences(posterior), slow, atol=1e-5)


@torch.no_grad()
def test_gaussian_rate_is_the_mean_log_ratio_of_its_samples():
    layer = gaussian("learned")
    one = layer(features(batch=1))
    many = GaussianPosterior(one.mean.expand(200_000, -1), one.log_scale.expand(200_000, -1))
    codes = layer.sample(many)
    q = torch.distributions.Normal(one.mean, one.log_scale.exp())
    r = torch.distributions.Normal(layer.prior_mean, layer.prior_log_scale.exp())
    estimate = (q.log_prob(codes) - r.log_prob(codes)).sum(1).mean()
    assert float(estimate) == pytest.approx(float(layer.rate(one)), rel=0.02)


@torch.no_grad()
def test_discrete_samples_have_the_posteriors_frequencies():
    layer = discrete()
    one = layer(features(batch=1))
    many = DiscretePosterior(one.log_probabilities.expand(100_000, -1, -1))
    codes = layer.sample(many)
    assert torch.equal(codes.unflatten(1, (2, 3)).sum(-1), torch.ones(100_000, 2)), "not one-hot"
    assert torch.allclose(codes.mean(0), one.centre[0], atol=0.01)
    assert torch.equal(layer.from_codes(layer.read_codes(codes)), codes)


@torch.no_grad()
@pytest.mark.parametrize("make", [gaussian, discrete])
def test_rate_against_the_mixture_of_action_priors(make):
    """The bound lies above the divergence from the mixture (Monte Carlo) and below the best single component."""
    layer = make("action", hedge=0.1)
    posterior = layer(features(batch=1))
    divergences = layer.divergences(posterior)[0]
    for action in (None, 2, -1):
        weights = torch.full((4,), 0.25)
        if action == 2:
            weights = torch.full((4,), 0.025)
            weights[2] += 0.9
        actions = None if action is None else torch.tensor([action])
        rate = float(layer.rate(posterior, actions))
        assert rate <= float((divergences - weights.log()).min()) + 1e-5
        assert rate >= monte_carlo(layer, posterior, weights) - 0.06


def monte_carlo(layer, posterior, weights, draws=50_000):
    if isinstance(layer, GaussianBottleneck):
        many = GaussianPosterior(posterior.mean.expand(draws, -1), posterior.log_scale.expand(draws, -1))
        codes = layer.sample(many)
        q = torch.distributions.Normal(posterior.mean, posterior.log_scale.exp()).log_prob(codes).sum(1)
        r = torch.distributions.Normal(layer.prior_mean, layer.prior_log_scale.exp())
        parts = r.log_prob(codes[:, None]).sum(-1)  # (draws, actions)
    else:
        many = DiscretePosterior(posterior.log_probabilities.expand(draws, -1, -1))
        codes = layer.sample(many)
        q = (codes * posterior.log_probabilities.flatten(1)).sum(1)
        parts = codes @ layer.prior_logits.log_softmax(-1).flatten(1).T
    return float((q - torch.logsumexp(parts + weights.log(), dim=1)).mean())


@torch.no_grad()
def test_discrete_bits_are_exact():
    layer = discrete(tokens=5, codes=8)
    certain = DiscretePosterior(torch.tensor([100.0, *[0.0] * 7]).log_softmax(-1).expand(1, 5, 8))
    assert float(layer.rate(certain)) / math.log(2) == pytest.approx(5 * 3) == pytest.approx(layer.max_bits)
    even = DiscretePosterior(torch.zeros(1, 5, 8).log_softmax(-1))
    assert float(layer.rate(even)) == pytest.approx(0, abs=1e-6)
    assert gaussian().max_bits == math.inf


@torch.no_grad()
def test_a_clip_with_another_action_costs_no_more_than_the_hedge():
    layer = gaussian("action", hedge=0.02)
    layer.prior_mean.copy_(100 * torch.eye(4, 3))
    posterior = GaussianPosterior(layer.prior_mean[:1].clone(), layer.prior_log_scale[:1].clone())
    assert float(layer.rate(posterior, torch.tensor([0]))) == pytest.approx(-math.log(0.98 + 0.02 / 4), abs=1e-4)
    assert float(layer.rate(posterior, torch.tensor([1]))) == pytest.approx(math.log(4 / 0.02), abs=1e-4)


@pytest.mark.parametrize("make", [gaussian, discrete])
def test_gradients_reach_every_parameter(make):
    layer = make("action").train()
    inputs = features().requires_grad_()
    posterior = layer(inputs)
    codes = layer.sample(posterior)
    (codes * torch.randn_like(codes)).sum().backward(retain_graph=True)
    assert inputs.grad.abs().sum() > 0
    layer.rate(posterior, torch.tensor([0, 1, 2, 3, 0, -1])).sum().backward()
    assert all(value.grad.abs().sum() > 0 for value in layer.parameters())


@pytest.mark.parametrize("make", [gaussian, discrete])
def test_noise_protects_in_eval_mode_and_repeats_in_training(make):
    layer = make(numbers=16) if make is gaussian else make(tokens=16, codes=4)
    posterior = layer(features())
    torch.manual_seed(0)
    first = layer.sample(posterior)
    torch.manual_seed(0)
    assert not torch.equal(layer.sample(posterior), first)
    layer.train()
    torch.manual_seed(0)
    first = layer.sample(posterior)
    torch.manual_seed(0)
    assert torch.equal(layer.sample(posterior), first)


def test_released_numbers_lie_on_a_grid():
    layer = gaussian(numbers=16)
    codes = layer.sample(layer(features()))
    assert torch.equal(codes * 1024, (codes * 1024).round())
    codes.sum().backward()
    assert layer.mean_weight.grad.abs().sum() > 0


def test_wrong_options():
    with pytest.raises(ValueError, match='prior="action" needs num_actions of at least 2, got None'):
        GaussianBottleneck(4, 2, "action")
    with pytest.raises(ValueError, match="hedge must be between 0 and 1, got 0"):
        Bottleneck(hedge=0)
