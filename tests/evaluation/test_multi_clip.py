import numpy as np
import pytest

from hf_ppar.evaluation.multi_clip import bag_accuracy, fit_temperature, multi_clip_attack


def weak_attacker(persons=10, clips=40, signal=0.5, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(persons), clips)
    logits = rng.normal(size=(len(labels), persons))
    logits[np.arange(len(labels)), labels] += signal
    return logits, labels, np.tile(np.arange(clips), persons)


def test_one_clip_is_plain_accuracy():
    logits, labels, actions = weak_attacker()
    single = bag_accuracy(logits, labels, actions, 1, bags=2000)
    assert single == pytest.approx((logits.argmax(1) == labels).mean(), abs=0.02)


def test_more_clips_say_more():
    logits, labels, actions = weak_attacker()
    result = multi_clip_attack(logits, labels, actions, temperature=1.0, resamples=5)
    values = [result[size][0] for size in (1, 5, 20)]
    assert values == sorted(values) and values[2] > values[0] + 0.3
    assert all(low <= high for _, low, high in result.values())


def test_nothing_to_learn_stays_at_chance():
    logits, labels, actions = weak_attacker(signal=0.0)
    assert bag_accuracy(logits, labels, actions, 20) == pytest.approx(0.1, abs=0.12)


def test_bags_hold_distinct_actions():
    labels, actions = np.zeros(40, int), np.repeat(np.arange(20), 2)
    logits = np.zeros((40, 2))
    logits[:, 0] = np.where(actions == 3, 100.0, -1.0)  # only clips of action 3 betray the person
    assert bag_accuracy(logits, labels, actions, 20) == 1.0  # each bag of 20 distinct actions has one


def test_temperature_calms_an_overconfident_attacker():
    logits, labels, _ = weak_attacker()
    assert fit_temperature(8 * logits, labels) > 2 * fit_temperature(logits, labels)


def test_too_few_clips_is_not_a_number():
    logits, labels, actions = weak_attacker(clips=3)
    assert np.isnan(bag_accuracy(logits, labels, actions, 5))
