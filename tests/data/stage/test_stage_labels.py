"""Labels of the stage: shares, independence, bias, specifications and their addresses."""

import numpy as np
import pytest

from hf_ppar.data.stage import (
    ACTIONS,
    ATTRIBUTES,
    COMPOUND_PARTS,
    COMPOUNDS,
    DOMAINS,
    VIEWS,
    StageOptions,
    clip_specs,
    describe_action,
    sample_spec,
    spec_from_uri,
)


def table(options, split="train"):
    specs = clip_specs(options, split)
    action = np.array([options.class_names.index(spec.action) for spec in specs])
    person = np.array([spec.person for spec in specs])
    return action, person, np.array([spec.flags for spec in specs])


def chi_square(rows, columns):
    """Pearson statistic of a contingency table minus its mean, in standard deviations of the null distribution."""
    counts = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(counts, (rows, columns), 1)
    expected = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum()
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return (((counts - expected) ** 2 / expected).sum() - freedom) / np.sqrt(2 * freedom)


def test_default_sizes_and_shares():
    options = StageOptions()
    for split, count in (("train", 2000), ("validation", 400), ("test", 400)):
        action, person, flags = table(options, split)
        assert len(action) == count
        assert set(person) == set(range(20))
        assert np.ptp(np.bincount(action)) <= 1 and np.ptp(np.bincount(person)) <= 1
        assert len(np.bincount(action)) == len(ACTIONS) + len(COMPOUNDS)
        assert np.all((flags.mean(0) > 0.2) & (flags.mean(0) < 0.8))
        assert np.all(flags[:, ATTRIBUTES.index("skin")] >= flags[:, ATTRIBUTES.index("nudity")])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_action_says_nothing_about_identity_or_attributes(seed):
    action, person, flags = table(StageOptions(seed=seed))
    assert abs(chi_square(action, person)) < 4
    for column in range(len(ATTRIBUTES)):
        assert abs(chi_square(action, flags[:, column])) < 4
        assert abs(chi_square(person, flags[:, column])) < 4


@pytest.mark.parametrize("bias", ATTRIBUTES)
def test_bias_ties_one_attribute_to_the_action(bias):
    action, _, flags = table(StageOptions(bias=bias, bias_strength=0.9))
    agreement = {name: np.mean(flags[:, i] == (action % 2 == 0)) for i, name in enumerate(ATTRIBUTES)}
    assert agreement.pop(bias) == pytest.approx(0.9, abs=0.03)
    partner = {"skin": "nudity", "nudity": "skin"}.get(bias)
    for name, value in agreement.items():
        if name != partner:
            assert value == pytest.approx(0.5, abs=0.06)


def test_full_bias_is_a_rule():
    action, _, flags = table(StageOptions(bias="face", bias_strength=1.0))
    assert np.array_equal(flags[:, 0], action % 2 == 0)


def test_without_compounds_only_base_actions_occur():
    specs = clip_specs(StageOptions(compounds=False, train_clips=100), "train")
    assert {spec.action for spec in specs} == set(ACTIONS)


def test_actions_and_descriptions():
    assert len(ACTIONS) >= 16 and len(set(ACTIONS + COMPOUNDS)) == len(ACTIONS) + len(COMPOUNDS)
    for name in ACTIONS + COMPOUNDS:
        assert len(set(describe_action(name))) >= 3
    for lower, upper in COMPOUND_PARTS.values():
        assert lower in ACTIONS and upper in ACTIONS
    texts = [text for name in ACTIONS + COMPOUNDS for text in describe_action(name)]
    assert len(set(texts)) == len(texts)


def test_text_belongs_to_the_action():
    for spec in clip_specs(StageOptions(train_clips=60), "train"):
        assert spec.text in describe_action(spec.action)


def test_gait_set_has_four_gallery_and_two_probe_walks():
    options = StageOptions(persons=3)
    gallery, probe = clip_specs(options, "gallery"), clip_specs(options, "probe")
    assert len(gallery) == 3 * len(VIEWS) * 4 and len(probe) == 3 * len(VIEWS) * 3 * 2
    assert {spec.condition for spec in gallery} == {"normal"}
    assert {spec.condition for spec in probe} == {"normal", "coat", "bag"}
    assert {spec.view for spec in probe} == set(VIEWS)
    assert {spec.action for spec in gallery + probe} == {"walk"}


@pytest.mark.parametrize("domain", DOMAINS)
def test_uri_round_trip(domain):
    plain = StageOptions(domain=domain)
    odd = StageOptions(
        seed=7, persons=3, train_clips=9, fps=25, height=48, domain=domain, bias="face", compounds=False
    )
    for options in (plain, odd):
        for split in ("train", "test", "gallery", "probe"):
            spec = clip_specs(options, split)[5]
            assert spec_from_uri(spec.uri) == spec
    sample = sample_spec("walk_and_clap", 2, seed=5, view=-20, options=odd, face=0, relationship=1)
    assert spec_from_uri(sample.uri) == sample


def test_uri_is_short_and_leaves_out_defaults():
    assert clip_specs(StageOptions(), "train")[17].uri == "stage://normal/train/17"
    assert clip_specs(StageOptions(persons=5), "test")[3].uri == "stage://normal/test/3?persons=5"


def test_specs_can_be_hashed_and_do_not_share_state():
    first = clip_specs(StageOptions(), "train")[0]
    first.attributes["face"] = 9
    assert clip_specs(StageOptions(), "train")[0].attributes["face"] in (0, 1)
    assert len({first, clip_specs(StageOptions(), "train")[0]}) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": -1}, "seed=-1 must be a whole number of at least 0."),
        ({"persons": 0}, "persons=0 must be a whole number of at least 1."),
        ({"persons": True}, "persons=True must be a whole number of at least 1."),
        ({"train_clips": 1.5}, "train_clips=1.5 must be a whole number of at least 0."),
        ({"validation_clips": -3}, "validation_clips=-3 must be a whole number of at least 0."),
        ({"test_clips": "4"}, "test_clips='4' must be a whole number of at least 0."),
        ({"frames": 0}, "frames=0 must be a whole number of at least 1."),
        ({"height": 8}, "height=8 must be a whole number of at least 16."),
        ({"width": 0}, "width=0 must be a whole number of at least 16."),
        ({"fps": 0}, "fps=0 must be a number, positive and finite."),
        ({"fps": float("nan")}, "fps=nan must be a number, positive and finite."),
        ({"bias_strength": 0.2}, "bias_strength=0.2 must be a number, between 0.5 and 1."),
        (
            {"domain": "moon"},
            "domain='moon' is not a domain of the stage; choose one of: normal, dark, drone, backgrounds, camera.",
        ),
        (
            {"bias": "hat"},
            "bias='hat' is not an attribute; choose None or one of: face, skin, gender, nudity, relationship.",
        ),
        ({"compounds": 1}, "compounds=1 must be True or False."),
    ],
)
def test_option_errors_name_argument_value_and_remedy(change, message):
    with pytest.raises(ValueError) as error:
        StageOptions(**change)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clip_specs(StageOptions(), "dev"), "split='dev' is not a split of the stage; choose one of: train,"),
        (lambda: describe_action("fly"), "action='fly' is not an action of the stage; choose one of: walk, run,"),
        (lambda: sample_spec("walk", 20), "person=20 must be a whole number from 0 to 19."),
        (lambda: sample_spec("walk", seed=-2), "seed=-2 must be a whole number of at least 0."),
        (lambda: sample_spec("walk", view=200), "view=200 must be a whole number of degrees from -180 to 180."),
        (
            lambda: sample_spec("walk", condition="hat"),
            "condition='hat' is unknown; choose one of: normal, coat,",
        ),
        (lambda: sample_spec("walk", face=2), "face=2 must be 0 or 1."),
        (lambda: sample_spec("walk", hat=1), "hat=1: no such attribute; choose from: face, skin,"),
        (lambda: sample_spec("walk", nudity=1, skin=0), "nudity=1 with skin=0 is contradictory"),
        (lambda: spec_from_uri("http://normal/train/1"), "uri='http://normal/train/1' is not a stage address"),
        (lambda: spec_from_uri("stage://normal/train/9999"), "names clip 9999, but split 'train' has 2000 clips."),
        (lambda: spec_from_uri("stage://normal/train/1?hat=1"), "has an unknown option 'hat'; known: seed, persons,"),
        (lambda: spec_from_uri("stage://normal/sample/0?action=walk"), "lacks person, view, condition, clip_seed"),
    ],
)
def test_other_errors_name_argument_value_and_remedy(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert message in str(error.value)
