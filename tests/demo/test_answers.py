"""Attackers are shown what they were trained on, and zero-shot classifiers can take part."""

import numpy as np
import pytest
import torch

from hf_ppar import PrivacyVideoClassifier, load_privacy_classifier
from hf_ppar.data.clips import read_one_clip
from hf_ppar.data.stage import StageOptions
from hf_ppar.demo import answers
from hf_ppar.demo.answers import answer_anonymized, answer_raw, attack
from hf_ppar.demo.opponents import attacker_of, raw_recognizer
from hf_ppar.demo.samples import choose_samples, write_sample
from hf_ppar.evaluation import find_budget
from hf_ppar.models.recognizers import load_recognizer
from hf_ppar.processing import to_clip, to_frames

from ..vlms import save_xclip


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    chosen = choose_samples(tmp_path_factory.mktemp("samples"))[0]
    write_sample(chosen)
    return chosen


@pytest.fixture
def seen(monkeypatch):
    """The clips that attackers are shown."""
    clips = []

    def record(frames, attacker):
        clips.append(frames)
        return attack(frames, attacker)

    monkeypatch.setattr(answers, "attack", record)
    return clips


def test_raw_videos_are_seen_as_in_training(sample, seen):
    attacker = load_recognizer(attacker_of("raw").name)
    answer = answer_raw([sample.video], load_recognizer(raw_recognizer().name), attacker)[0]
    rendered = read_one_clip(sample.spec.uri, find_budget("small").clip)  # what training reads
    assert seen[0].shape == rendered.shape == (8, 48, 48, 3)
    moved = np.abs(rendered[0].astype(int) - rendered[3]).mean()
    assert np.abs(seen[0].astype(int) - rendered).mean() < min(5, moved)
    assert (answer.action, answer.person) == (sample.spec.action, sample.person)
    assert answer.attributes == sample.spec.attributes


def test_an_attacker_sees_what_the_recognizer_sees(sample, seen):
    classifier = load_privacy_classifier("stage-privrate-tiny")
    shown = []
    classifier.recognizer.register_forward_pre_hook(lambda module, inputs: shown.append(inputs[0]))
    answer_anonymized([sample.video], classifier, load_recognizer(attacker_of("privrate-tiny").name))
    assert np.array_equal(seen[0], to_frames(shown[0][0])) and seen[0].shape == (8, 48, 48, 3)


def test_names_belong_to_the_right_head(sample):
    attacker = load_recognizer(attacker_of("raw").name)
    frames = read_one_clip(sample.spec.uri, find_budget("small").clip)
    person, attributes = attack(frames, attacker)
    with torch.inference_mode():
        logits = attacker(to_clip(frames)[None]).head_logits
    assert person == f"person_{int(logits['person'].argmax()):02d}"
    assert list(attributes.values()) == [int(value > 0) for value in logits["attributes"][0]]


def test_a_zero_shot_classifier_chooses_from_the_actions(sample, seen, tmp_path):
    classifier = PrivacyVideoClassifier.from_parts(
        "blur-weak", save_xclip(tmp_path / "xclip"), candidate_labels=["walks", "waves"]
    )
    attacker = load_recognizer(attacker_of("raw").name)
    answer = answer_anonymized([sample.video], classifier, attacker)[0]
    assert answer.action in StageOptions().class_names
    assert seen[0].shape == (8, 48, 48, 3) and classifier.label_names == ["walks", "waves"]
