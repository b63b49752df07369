import numpy as np
import pytest
import torch
from scipy import stats

from hf_ppar.models.layers import gumbel_noise, normal_noise, uniform_noise


def test_the_operating_systems_noise_has_the_right_distribution():
    assert stats.kstest(uniform_noise(100, 200).flatten().numpy(), "uniform").pvalue > 1e-6
    assert stats.kstest(normal_noise(100, 200).flatten().numpy(), "norm").pvalue > 1e-6
    assert stats.kstest(gumbel_noise(100, 200).flatten().numpy(), "gumbel_r").pvalue > 1e-6


@pytest.mark.parametrize("noise", [uniform_noise, normal_noise, gumbel_noise])
def test_a_seed_does_not_bring_it_back_and_is_not_used_up(noise):
    torch.manual_seed(0)
    state = torch.get_rng_state()
    first = noise(2, 8)
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(0)
    assert not torch.equal(noise(2, 8), first)
    assert not torch.equal(first[0], first[1]), "two clips of a batch share their noise"


@pytest.mark.parametrize("noise", [uniform_noise, normal_noise, gumbel_noise])
def test_training_is_repeatable(noise):
    torch.manual_seed(0)
    first = noise(2, 8, seeded=True)
    torch.manual_seed(0)
    assert torch.equal(noise(2, 8, seeded=True), first) and not torch.equal(first[0], first[1])


@pytest.mark.parametrize("noise", [uniform_noise, normal_noise, gumbel_noise])
def test_a_test_generator_gives_every_clip_the_same(noise):
    together = noise(3, 8, generator=torch.Generator().manual_seed(1))
    alone = noise(1, 8, generator=torch.Generator().manual_seed(1))
    assert torch.equal(together, alone.expand(3, -1))


def test_the_ends_are_finite(monkeypatch):
    for byte in (b"\x00", b"\xff"):
        monkeypatch.setattr("hf_ppar.models.layers.noise.os.urandom", lambda count, byte=byte: byte * count)
        numbers = uniform_noise(1, 2)
        assert numbers.min() > 0 and numbers.max() < 1
        assert np.isfinite(normal_noise(1, 2).numpy()).all() and np.isfinite(gumbel_noise(1, 2).numpy()).all()
