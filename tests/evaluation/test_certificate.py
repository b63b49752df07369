import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from hf_ppar import PrivRateAnonymizer, PrivRateConfig
from hf_ppar.evaluation.certificate import (
    best_accuracy,
    certify,
    entropy_bits,
    fano_bits,
    make_certificate,
    mutual_information_bits,
)
from hf_ppar.models.layers import DiscreteBottleneck
from hf_ppar.models.recognizers import FeatureRecognizer, FeatureRecognizerConfig

ACTIONS, FLIP = 4, 0.2


def binary_entropy(share):
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)


@pytest.mark.parametrize(("bits", "accuracy"), [(2, 0.81), (1, 0.58), (0.5, 0.42), (0.1, 0.23), (0, 0.1)])
def test_fano_for_ten_persons(bits, accuracy):
    assert best_accuracy(bits, math.log2(10), 10, 0.1) == pytest.approx(accuracy, abs=0.005)


def test_fano_at_the_ends():
    assert best_accuracy(3.4, math.log2(10), 10, 0.1) == 1.0
    assert best_accuracy(0.1, math.log2(10), 10, 0.5) == 0.5, "never below the majority rate"
    assert best_accuracy(1 - binary_entropy(0.2), 1.0, 2, 0.5) == pytest.approx(0.8)
    assert fano_bits(0.0, 10) == 0 and fano_bits(0.9, 10) == pytest.approx(math.log2(10))
    assert best_accuracy(0.0, 0.0, 1, 1.0) == 1.0, "one person only: nothing to hide"


def test_label_entropies():
    balanced = np.arange(12)
    assert entropy_bits(balanced % 4) == pytest.approx(2) and entropy_bits(np.zeros(3, int)) == 0
    assert mutual_information_bits(balanced % 3, balanced % 4) == pytest.approx(0, abs=1e-12)
    assert mutual_information_bits(balanced % 4, balanced % 4) == pytest.approx(2)
    # The person decides the action for half of the clips: a slow sum over the joint table.
    first, second = np.array([0, 0, 1, 1, 0, 1]), np.array([0, 0, 1, 1, 1, 0])
    table = np.array([[2, 1], [1, 2]]) / 6
    slow = sum(table[i, j] * math.log2(table[i, j] / 0.25) for i in range(2) for j in range(2))
    assert mutual_information_bits(first, second) == pytest.approx(slow)


def toy_channel(prior):
    """A code of two tokens: the action, exactly, and one of two persons, wrong one time in five.

    Everything is known in closed form: H(S) + 1 - h(.2) bits in all, 1 - h(.2) beyond the action.
    """
    torch.manual_seed(0)
    layer = DiscreteBottleneck(ACTIONS + 2, 2, ACTIONS, prior, ACTIONS if prior == "action" else None, hedge=1e-6)
    never = -60.0
    with torch.no_grad():
        layer.weight.zero_()
        layer.bias.fill_(never)
        layer.weight[:ACTIONS, :ACTIONS] = -never * torch.eye(ACTIONS)  # token 0
        noisy = torch.tensor([[1 - FLIP, FLIP], [FLIP, 1 - FLIP]]).log()
        layer.weight[ACTIONS : ACTIONS + 2, ACTIONS:] = noisy - never  # token 1, codes 0 and 1
        if prior != "fixed":
            layer.prior_logits.fill_(never)
            layer.prior_logits[:, 1, :2] = 0
            layer.prior_logits[:, 0] = 0 if prior == "learned" else never * (1 - torch.eye(ACTIONS))
    return layer.eval()


class ToyAnonymizer:
    """The parts of an anonymizer that `certify` looks at; a "clip" is one-hot action and person."""

    training, device = False, torch.device("cpu")

    def __init__(self, prior):
        self.bottleneck = toy_channel(prior)
        self.config = SimpleNamespace(prior=prior, resolve_strength=lambda strength: strength)

    def encode(self, clips, strength=None):
        return self.bottleneck(clips)


def toy_clips(count=4000):
    actions, persons = torch.arange(count) % ACTIONS, torch.arange(count) // ACTIONS % 2
    one_hot = torch.nn.functional.one_hot
    return torch.cat([one_hot(actions, ACTIONS), one_hot(persons, 2)], dim=1).float(), actions, persons


def toy_head():
    """Names the action from the first token."""
    head = FeatureRecognizer(FeatureRecognizerConfig(input_size=2 * ACTIONS, num_layers=1, num_labels=ACTIONS))
    with torch.no_grad():
        head.classifier.weight.copy_(30 * torch.eye(ACTIONS, 2 * ACTIONS))
        head.classifier.bias.zero_()
    return head


@pytest.mark.parametrize("prior", ["action", "learned"])
def test_the_bound_is_tight_on_a_toy_channel_and_attackers_stay_below_it(prior):
    anonymizer = ToyAnonymizer(prior)
    clips, actions, persons = toy_clips()
    certificate = certify(anonymizer, clips.split(512), actions, persons, latent_head=toy_head())
    truth = 1 - binary_entropy(FLIP)  # I(P; Z)
    assert certificate.bound_bits == pytest.approx(truth, abs=1e-3) and certificate.bound_bits >= truth - 1e-4
    assert certificate.is_useful and certificate.best_accuracy == pytest.approx(1 - FLIP, abs=1e-3)
    assert certificate.action_bits == pytest.approx(0, abs=1e-9) and certificate.private_bits == pytest.approx(1)
    assert certificate.beyond_action == (prior == "action")
    assert certificate.utility_bits == pytest.approx(0 if prior == "action" else 2, abs=1e-3)
    codes = anonymizer.bottleneck.sample(anonymizer.encode(clips)).detach().numpy()
    half = len(codes) // 2
    attacker = LogisticRegression().fit(codes[:half], persons[:half])
    accuracy = attacker.score(codes[half:], persons[half:])
    assert accuracy == pytest.approx(1 - FLIP, abs=0.04), "the attacker should reach the bound"
    assert accuracy <= certificate.best_accuracy + 0.04


def test_without_a_head_nothing_is_subtracted():
    clips, actions, persons = toy_clips()
    certificate = certify(ToyAnonymizer("fixed"), clips.split(512), actions, persons)
    # Against the even prior, the token of the person costs 2 - h(.2) bits, that of the action 2.
    assert certificate.rate.value == pytest.approx(4 - binary_entropy(FLIP), abs=1e-3)
    assert certificate.utility_bits == 0 and certificate.max_bits == 4
    assert not certificate.is_useful and certificate.best_accuracy == 1
    assert "no useful bound (3.28 bits of 1.00)" in certificate.describe()


def test_attackers_on_several_releases_stay_below_the_sum():
    anonymizer = ToyAnonymizer("action")
    clips, actions, persons = toy_clips()
    certificate = certify(anonymizer, clips.split(512), actions, persons)
    posterior = anonymizer.encode(clips)
    codes = torch.cat([anonymizer.bottleneck.sample(posterior) for _ in range(3)], dim=1).detach().numpy()
    half = len(codes) // 2
    accuracy = LogisticRegression().fit(codes[:half], persons[:half]).score(codes[half:], persons[half:])
    assert 0.86 < accuracy <= certificate.for_releases(3).best_accuracy
    assert certificate.for_releases(3).bound_bits == pytest.approx(3 * certificate.bound_bits, abs=1e-6)


def make(**changes):
    rng = np.random.default_rng(0)
    count = 200
    values = {
        "rate_bits": rng.gamma(2.0, 1.0, count),
        "actions": np.arange(count) % 5,
        "private": np.arange(count) // 5 % 4,
        "beyond_action": True,
    }
    return make_certificate(**{**values, **changes})


def test_the_worst_ends_count():
    certificate = make()
    assert certificate.rate.low < certificate.rate.value < certificate.rate.high
    assert certificate.bound_bits == pytest.approx(certificate.rate.high + certificate.action_bits)
    losses = np.random.default_rng(1).gamma(1.0, 0.3, 200)
    one_prior = make(beyond_action=False, cross_entropy_bits=losses)
    assert 0 < one_prior.utility_bits < math.log2(5) - losses.mean()
    assert one_prior.bound_bits == pytest.approx(certificate.bound_bits - one_prior.utility_bits)


def test_releases_clips_and_windows():
    certificate = make(beyond_action=False, cross_entropy_bits=np.full(200, 0.1))
    utility = certificate.utility_bits
    twice = certificate.for_releases(2)
    assert twice.bound_bits == pytest.approx(2 * certificate.rate.high - utility + certificate.action_bits)
    assert certificate.for_clips(3).bound_bits == pytest.approx(3 * certificate.bound_bits)
    with pytest.raises(ValueError, match="releases must be at least 1, got 0"):
        certificate.for_releases(0)
    # Ten clips of one video, which share action and person: their rates are summed, the action is subtracted once.
    videos = np.arange(200) // 10
    whole = make(
        actions=videos % 5,
        private=videos // 5,
        videos=videos,
        beyond_action=False,
        cross_entropy_bits=np.full(200, 0.1),
    )
    assert whole.rate.value == pytest.approx(10 * certificate.rate.value) and whole.rate.groups == 20
    assert whole.utility_bits == pytest.approx(math.log2(5) - 0.1)


def test_an_action_that_gives_the_person_away_is_counted():
    same = np.arange(200) % 4
    certificate = make(rate_bits=np.full(200, 0.01), actions=same, private=same)
    assert certificate.action_bits == pytest.approx(2) and not certificate.is_useful


def test_what_a_code_can_carry_is_a_bound_too():
    certificate = make(max_bits=0.5)
    assert certificate.bound_bits == 0.5 and "so no attacker is right more often than" in certificate.describe()
    assert dataclasses.asdict(certificate)["rate"]["level"] == 0.95


def test_unknown_labels():
    private = np.arange(200) // 5 % 4
    private[:40] = -1
    certificate = make(private=private)
    assert certificate.classes == 4 and certificate.majority == pytest.approx(0.25)
    with pytest.raises(ValueError, match=r"1 actions are -1 \(unknown\); leave these clips out"):
        make(actions=np.r_[-1, np.zeros(199, int)])
    with pytest.raises(ValueError, match="cross_entropy_bits are for one prior"):
        make(cross_entropy_bits=np.zeros(200))


@pytest.mark.parametrize("prior", ["fixed", "action"])
def test_a_real_model(prior):
    torch.manual_seed(0)
    config = PrivRateConfig.tiny(
        num_frames=4, image_size=(32, 32), prior=prior, num_actions=2 if prior == "action" else None
    )
    model = PrivRateAnonymizer(config).eval()
    head = FeatureRecognizer(FeatureRecognizerConfig(input_size=32, num_layers=1, num_labels=2))
    clips, actions, persons = torch.rand(8, 4, 3, 32, 32), [0, 1] * 4, [0, 0, 1, 1] * 2
    certificate = certify(model, clips.split(3), actions, persons, strength=0.9, latent_head=head)
    with torch.no_grad():
        posterior = model.encode(clips, 0.9)
        rates = model.bottleneck.rate(posterior, torch.tensor(actions) if prior == "action" else None)
    assert certificate.rate.value == pytest.approx(float(rates.mean()) / math.log(2), rel=1e-4)
    assert not certificate.is_useful and "no useful bound" in certificate.describe()
    with pytest.raises(ValueError, match="there are 6 clips but 8 actions"):
        certify(model, clips[:6].split(3), actions, persons)
    with pytest.raises(ValueError, match="but 6 actions"):
        certify(model, clips.split(8), actions[:6], persons[:6])
    with pytest.raises(ValueError, match="is in training mode"):
        certify(model.train(), clips.split(3), actions, persons)
