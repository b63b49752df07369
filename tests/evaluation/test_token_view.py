from dataclasses import replace

import numpy as np
import pytest
import torch

from hf_ppar.data import ClipOptions
from hf_ppar.data.batches import LoadingOptions, load_batches
from hf_ppar.evaluation import evaluate
from hf_ppar.evaluation.judges import JudgedSplit
from hf_ppar.evaluation.token_view import VisibleClips, VisibleTokensRecipe
from hf_ppar.models.layers import TubeletGrid
from hf_ppar.recipes.recognizer import RecognizerOptions

from .conftest import case, tinted
from .toys import SizedConfig, SizedModel, TubeletConfig, TubeletModel

CLIP = ClipOptions(frames=4, size=(32, 32), fit="stretch")
GRID = TubeletGrid.of(4, 32, 32, (2, 8, 8))


class StripedClips:
    """A white left column of tubelets, the only visible one."""

    failures: dict[int, str] = {}  # noqa: RUF012
    shape = (6, 1, 4, 32, 32, 3)

    def __init__(self):
        self.token_mask = np.zeros((6, 1, *GRID), np.uint8)
        self.token_mask[..., 0] = 1
        self.token_mask = self.token_mask.reshape(6, 1, -1)

    def read(self, row, number=0):
        clip = np.zeros(self.shape[2:], np.uint8)
        clip[:, :, :8] = 255
        return clip


def test_masks_are_mirrored_with_their_clips(tmp_path):
    split = JudgedSplit(tinted(tmp_path, counts=(6, 1, 1))["train"], StripedClips())
    batch = next(iter(load_batches(VisibleClips(split, CLIP, GRID, True, 0), LoadingOptions(batch_size=6))))
    columns = batch["token_mask"].view(6, *GRID)[:, 0, 0]
    white = batch["pixel_values"][:, 0, 0, 0, 4::8]  # the middle of each tubelet of the top row
    assert torch.equal(columns, white) and 0 < columns[:, 0].sum() < 6


def test_the_recognizer_has_the_tubelets_of_the_anonymizer_and_sees_no_others():
    options = RecognizerOptions.tiny(targets=("person",))
    recipe = VisibleTokensRecipe(options, {"person": 3}, CLIP, (2, 8, 8))
    model = recipe.modules["recognizer"].eval()
    assert model.config.tubelet_size == (2, 8, 8) and model.config.grid == GRID
    clip = torch.rand(2, 4, 3, 32, 32)
    batch = {"pixel_values": clip, "person": torch.tensor([0, 1]), "token_mask": torch.ones(2, GRID.tokens)}
    batch["token_mask"][:, 1:] = 0  # only the first tubelet is left
    other = clip.clone()
    other[:, 2:] = 0
    losses = [recipe.loss({**batch, "pixel_values": pixels}, recipe.modules)["loss"] for pixels in (clip, other)]
    assert torch.allclose(*losses, atol=1e-6)
    assert set(recipe.score(batch, recipe.modules)) == {"person_top1"}


@pytest.mark.parametrize("kept", [1.0, 0.0])
def test_dropped_tubelets_betray_nobody(tmp_path, kept):
    model = TubeletModel(TubeletConfig(kept=kept)).eval()  # leaves all pixels in: only the mask hides them
    budget = replace(case(tmp_path).budget, epochs=15)
    report = evaluate(case(tmp_path, model, tinted(tmp_path / "videos"), view="missing", budget=budget))
    (attack,) = report.attackers["person"]
    assert attack.judge == "tubelet-missing" and report.view == "missing"
    assert attack.value > 0.8 if kept else attack.value <= attack.majority
    assert "Judges never get the tubelets that were dropped." in report.as_markdown()
    assert sorted(path.name for path in (tmp_path / "work" / "judges").iterdir()) == [
        "tubelet-missing-action-0",
        "tubelet-missing-person-attributes-0",
    ]


def test_judges_take_the_size_of_the_anonymizer(tmp_path):
    model = TubeletModel(TubeletConfig(num_frames=6, image_size=(16, 24)))
    panel = case(tmp_path, model, view="missing").panel
    assert (panel.kinds, panel.frames, panel.size) == (("tubelet",), 6, (16, 24))


def test_other_anonymizers_are_refused(tmp_path):
    for name in ("blacken", "raw"):
        with pytest.raises(ValueError, match=f"for anonymizers that drop tubelets; '{name}' has no tubelet_size"):
            evaluate(case(tmp_path, name, view="missing"))
    with pytest.raises(ValueError, match="view='hidden' is unknown; choose one of: black, missing"):
        evaluate(case(tmp_path, view="hidden"))
    assert not (tmp_path / "work").exists()
    sized = SizedModel(SizedConfig(num_frames=4, image_size=(32, 32)))
    sized.config.tubelet_size = (2, 8, 8)
    with pytest.raises(ValueError, match="view='missing' needs an anonymizer that returns a mask"):
        evaluate(case(tmp_path, sized, view="missing"))
