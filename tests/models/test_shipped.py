import json
from pathlib import Path

import numpy as np
import pytest
import torch

from hf_ppar import anonymize, list_checkpoints, load_anonymizer, load_privacy_classifier
from hf_ppar.data import ClipOptions, LoadingOptions, build_loader, load_ppar_dataset
from hf_ppar.models.privacy_classifier.loading import DEFAULT_CHECKPOINT
from hf_ppar.models.recognizers import load_recognizer
from hf_ppar.shipped import ATTACKER, CHECKPOINTS, CLASSIFIER, list_shipped

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.mark.parametrize("name", list_checkpoints())
def test_a_shipped_classifier_is_an_anonymizer_too(name):
    model = load_privacy_classifier(name)
    assert model.dtype == torch.float32
    frames = np.random.default_rng(0).integers(0, 256, (20, 36, 48, 3), dtype=np.uint8)
    anonymizer = load_anonymizer(name)
    assert anonymize(frames, anonymizer).shape == frames.shape
    kept = model.anonymizer.state_dict()
    assert all(torch.equal(value, kept[key]) for key, value in anonymizer.state_dict().items())


@pytest.mark.parametrize("shipped", list_shipped(), ids=lambda shipped: shipped.name)
def test_every_shipped_checkpoint_has_a_card_and_figures(shipped):
    text = (ROOT / "model_cards" / f"{shipped.name}.md").read_text(encoding="utf-8")
    assert f"license: {shipped.license}" in text and "hf-ppar " in text
    assert shipped.figures and all(f"{figure['value']:.3f}" in text for figure in shipped.figures.values())


@pytest.mark.parametrize("shipped", list_shipped(CLASSIFIER), ids=lambda shipped: shipped.name)
def test_figures_are_those_of_the_reports(shipped):
    report = json.loads((ROOT / "examples" / "results" / shipped.data / f"{shipped.sees}.json").read_text())
    numbers = {"action": report["utility"], **report["privacy"]}
    assert {target: figure["value"] for target, figure in shipped.figures.items()} == {
        target: number["value"] for target, number in numbers.items()
    }


def test_what_ships_is_small_and_knows_no_real_person():
    sizes = [path.stat().st_size for path in CHECKPOINTS.rglob("*") if path.is_file()]
    assert DEFAULT_CHECKPOINT in list_checkpoints() and sum(sizes) < 25e6
    assert {shipped.data for shipped in list_shipped(ATTACKER)} == {"stage"}
    assert sorted(path.name for path in CHECKPOINTS.iterdir()) == [shipped.name for shipped in list_shipped()]


def test_the_default_names_actions_and_hides_people():
    dataset = load_ppar_dataset("stage", split="test").select(range(84))
    model = load_privacy_classifier()
    frames, size = model.config.anonymizer_clip
    loader = build_loader(
        dataset, ClipOptions(frames=frames, size=size, fit="stretch"), loading=LoadingOptions(84, shuffle=False)
    )
    batch = next(iter(loader))
    with torch.inference_mode():
        output = model(batch["pixel_values"], generator=torch.Generator().manual_seed(0))
        named = output.logits.argmax(-1)
        raw = load_recognizer("stage-attacker-raw-tiny")(shrink(batch["pixel_values"]))
        hidden = load_recognizer("stage-attacker-privrate-tiny")(output.anonymized)
    assert (named == batch["labels"]).float().mean() > 0.8
    assert (raw.head_logits["person"].argmax(-1) == batch["person"]).float().mean() > 0.5
    assert (hidden.head_logits["person"].argmax(-1) == batch["person"]).float().mean() < 0.25


def shrink(clips):
    """As judges see raw clips."""
    small = torch.nn.functional.interpolate(clips[:, ::2].flatten(0, 1), (48, 48), mode="area")
    return small.unflatten(0, (len(clips), 8))
