import pytest

from hf_ppar.evaluation import evaluate
from hf_ppar.models import AnonymizerConfig

from .conftest import case, tinted
from .toys import LeakyModel


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("leaky")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_PPAR_CACHE", str(folder / "cache"))
        return evaluate(case(folder, LeakyModel(AnonymizerConfig()).eval(), tinted(folder / "videos")))


def test_pixels_tell_nothing_and_latents_tell_all(report):
    panel, latent = report.attackers["person"]
    assert panel.judge == "frame-resnet" and latent.judge == "latent-mlp"
    assert panel.value <= panel.majority < 0.6 and latent.value > 0.9


def test_the_latent_attacker_is_the_headline(report):
    assert report.privacy["person"].judge == "latent-mlp"
    assert report.multi_clip["5"][0] >= report.multi_clip["1"][0] > 0.9  # by the strongest


def test_bits_are_reported(report, tmp_path):
    assert report.rate_bits == 12.0
    assert "A test clip spends 12.0 bits on average." in report.as_markdown()
