import pytest
import torch

from hf_ppar.evaluation import evaluate, read_report
from hf_ppar.models.privrate import PrivRateAnonymizer, PrivRateConfig

from .conftest import case, tinted


def build(prior, bits):
    """A model that spends about this many bits on every clip, whatever it shows."""
    torch.manual_seed(0)
    actions = 2 if prior == "action" else None
    config = PrivRateConfig.tiny(num_frames=4, image_size=(32, 32), latent_size=4, prior=prior, num_actions=actions)
    model = PrivRateAnonymizer(config).eval()
    with torch.no_grad():
        model.bottleneck.mean_weight.zero_()
        model.bottleneck.scale_weight.zero_()
        model.bottleneck.scale_bias.zero_()
        model.bottleneck.mean_bias.fill_((2 * bits * 0.6931 / 4) ** 0.5)
        if prior == "action":
            model.bottleneck.prior_mean.zero_()
    return model


@pytest.mark.parametrize("prior", ["fixed", "action"])
def test_a_report_carries_rate_and_bound(tmp_path, monkeypatch, prior):
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))
    report = evaluate(case(tmp_path, build(prior, 0.25), tinted(tmp_path / "videos")))
    certificate = report.certificates["person"]
    assert certificate["rate_bits"][0] == pytest.approx(0.25, abs=0.02)
    assert certificate["beyond_action"] == (prior == "action")
    assert certificate["bound_bits"] >= certificate["rate_bits"][2] - certificate["utility_bits"]
    if certificate["is_useful"]:
        assert report.privacy["person"].value <= certificate["best_accuracy"] + 0.15, "few clips, but not that few"
    report.write(tmp_path / "out")
    assert read_report(tmp_path / "out" / "report.json").certificates == report.certificates
    assert "Certificate for person" in (tmp_path / "out" / "report.md").read_text()


def test_a_bound_above_all_there_is_to_know_is_not_useful(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))
    report = evaluate(case(tmp_path, build("action", 20.0), tinted(tmp_path / "videos")))
    certificate = report.certificates["person"]
    assert not certificate["is_useful"] and certificate["best_accuracy"] == 1
    assert "no useful bound" in certificate["text"]
