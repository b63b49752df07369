import json

import pytest
import torch
import torch.nn.functional as F
from typer.testing import CliRunner

from hf_ppar import load_anonymizer
from hf_ppar.cli.main import app
from hf_ppar.losses import masked_difference
from hf_ppar.metrics import ssim
from hf_ppar.models.lafprivacy import load_vision_language_model
from hf_ppar.models.recognizers import load_recognizer
from hf_ppar.recipes.lafprivacy import LaFPrivacyOptions, LaFPrivacyRecipe
from hf_ppar.recipes.registry import find_recipe
from hf_ppar.training import TrainingArguments, train
from hf_ppar.training.log import read_log

from ..conftest import moving_square, write_with_av
from ..vlms import save_clip, save_xclip

CLIP = (4, 24, 24)


@pytest.fixture(scope="module")
def vlm(tmp_path_factory):
    return str(save_xclip(tmp_path_factory.mktemp("xclip")))


@pytest.fixture
def batch():
    return {"pixel_values": torch.rand(3, 4, 3, 24, 24, generator=torch.Generator().manual_seed(1))}


def build(vlm, **changes):
    torch.manual_seed(0)
    recipe = LaFPrivacyRecipe(LaFPrivacyOptions.tiny(vlm=vlm, **changes), {}, CLIP)
    recipe.modules["anonymizer"].train()
    torch.nn.init.normal_(recipe.modules["anonymizer"].scores.layers[-1].weight)
    return recipe


def test_defaults_are_the_papers():
    options = LaFPrivacyOptions("some/xclip")
    assert options.epochs == (60, 20, 40) and options.lr == (1e-3, 1e-3, 5e-4)
    assert options.visual_weight == (1.0, 0.0, 0.5) and options.mask_weight == options.action_weight == 1
    assert options.pixel_weight == options.ssim_weight == 1 and options.pixel_loss == "mse"
    assert set(options.level_weights.values()) == {1.0} and options.mask_loss == "l1"
    assert options.masking == ("off", "soft", "straight-through") and options.temperature == 0.05
    assert (options.optimizer, options.momentum, options.weight_decay) == ("sgd", 0.9, 0)
    assert (options.reconstruction_epochs, options.reconstruction_lr) == (10, 1e-4)
    clips = find_recipe("lafprivacy").clips["paper"]
    assert (clips.frames, clips.size, clips.fit) == (8, (224, 224), "stretch")


def test_phases_of_appendix_a(vlm):
    recipe = build(vlm, epochs=(6, 2, 4))
    assert [(phase.name, phase.epochs) for phase in recipe.phases] == [
        ("reconstruction", 6),
        ("phase-1", 6),
        ("phase-2", 2),
        ("phase-3", 4),
    ]
    assert [phase.updates[0].optimization.lr for phase in recipe.phases[1:]] == [1e-3, 1e-3, 5e-4]
    assert [phase.name for phase in build(vlm, epochs=(0, 0, 4), reconstruction_epochs=0).phases] == ["phase-3"]
    assert list(recipe.modules) == ["anonymizer"], "the frozen model is neither trained nor saved"


@pytest.mark.parametrize("phase", [0, 1, 2])
def test_the_loss_is_section_3_4_4(vlm, batch, phase):
    recipe = build(vlm, visual_weight=(1.0, 0.0, 0.5), mask_weight=2.0)
    losses = recipe.loss(batch, recipe.modules, phase)
    output = recipe.modules["anonymizer"].release(batch["pixel_values"], ("off", "soft", "straight-through")[phase])
    raw, anonymized = (recipe.vlm.embed(clip) for clip in (batch["pixel_values"], output.videos))
    action = sum(F.mse_loss(anonymized[level], raw[level]) for level in ("patch", "class", "video"))
    visual = masked_difference(batch["pixel_values"], output.videos, output.kept).mean()
    visual = visual + 1 - ssim(batch["pixel_values"], output.videos).mean()
    expected = action - (1.0, 0.0, 0.5)[phase] * visual + (0.0, 2.0, 2.0)[phase] * output.mask.mean()
    assert losses["loss"].item() == pytest.approx(expected.item(), abs=1e-5)
    names = [{"visual"}, {"mask"}, {"visual", "mask"}][phase]
    assert set(losses) == {"loss", "action", "kept"} | names
    losses["loss"].backward()
    scores = [value.grad for value in recipe.modules["anonymizer"].scores.parameters()]
    assert all(grad is None for grad in scores) == (phase == 0), "the mask waits for phase 2"
    assert all(value.grad is None for value in recipe.vlm.parameters())


def test_a_fixed_ratio_is_table_6(vlm, batch):
    recipe = build(vlm, mask_loss="ratio", keep_ratio=0.7)
    mask = torch.rand(3, 4, 1, 24, 24)
    shares = mask.mean((2, 3, 4))
    assert recipe.mask_loss(mask).item() == pytest.approx((shares - 0.7).square().mean().item(), abs=1e-6)


def test_ablations_of_table_2(vlm, batch):
    clips = batch["pixel_values"]
    recipe = build(vlm, pixel_loss="l1", ssim_weight=0.0, patch_weight=0.0, class_weight=0.0)
    losses = recipe.loss(batch, recipe.modules, 0)
    output = recipe.modules["anonymizer"].release(clips, "off")
    raw, anonymized = (recipe.vlm.embed(clip)["video"] for clip in (clips, output.videos))
    assert losses["visual"].item() == pytest.approx(F.l1_loss(output.videos, clips).item(), abs=1e-6)
    assert losses["action"].item() == pytest.approx(F.mse_loss(anonymized, raw).item(), abs=1e-6)
    unmasked = build(vlm, masked=False)
    assert unmasked.loss(batch, unmasked.modules, 2)["kept"] == 1


def test_training_lowers_the_loss_without_labels_and_leaves_the_vlm_to_the_bit(vlm, batch, tmp_path):
    recipe = build(vlm, epochs=(2, 2, 2), reconstruction_epochs=2, lr=(3e-3, 3e-3, 3e-3))
    before = {name: value.clone() for name, value in recipe.vlm.state_dict().items()}
    own = {name: value.clone() for name, value in recipe.modules["anonymizer"].state_dict().items()}

    class Loader(torch.utils.data.DataLoader):
        def set_epoch(self, epoch):
            pass

    clips = [{"pixel_values": clip} for clip in batch["pixel_values"].repeat(4, 1, 1, 1, 1)]
    first = recipe.reconstruction_loss(batch, recipe.modules)["loss"].item()
    arguments = TrainingArguments(tmp_path, progress=False, log_every=1)
    train(recipe, arguments, Loader(clips, batch_size=3), Loader(clips[:3], batch_size=3))
    assert all(torch.equal(value, before[name]) for name, value in recipe.vlm.state_dict().items())
    moved = {n for n, v in recipe.modules["anonymizer"].state_dict().items() if not torch.equal(v, own[n])}
    assert {name.split(".")[0] for name in moved} == {
        "blocks",
        "decoder",
        "embedding",
        "norm",
        "positions",
        "scores",
    }
    log = read_log(tmp_path)
    lines = {name: [entry for entry in log if entry.get("phase") == name] for name in ("reconstruction", "phase-3")}
    steps = [entry["anonymizer.loss"] for entry in lines["reconstruction"] if entry["kind"] == "train"]
    assert steps[-1] < first
    last = lines["phase-3"][-1]
    assert {"action_distance", "visual_difference", "video_cosine", "kept"} <= set(last) and 0 < last["kept"] < 1
    assert load_anonymizer(tmp_path / "modules" / "anonymizer").config.trained_against == recipe.vlm.fingerprint


def test_clip_serves_as_well(tmp_path, batch):
    recipe = build(str(save_clip(tmp_path)))
    assert recipe.loss(batch, recipe.modules, 2)["loss"].isfinite()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vlm": None}, r"vlm is missing: name the X-CLIP or CLIP .* vlm=microsoft/xclip-base-patch32"),
        ({"epochs": (1, 2)}, "must be 3 values, one for each phase"),
        ({"lr": 1e-3}, "lr=0.001 must be 3 values"),
        ({"masking": ("off", "soft", "magic")}, "must be some of: off, soft, straight-through, hard"),
        ({"pixel_loss": "l7"}, "pixel_loss='l7' is unknown; choose one of: mse, l1"),
        ({"epochs": (0, 0, 0), "reconstruction_epochs": 0}, "must be at least 0, and one of them more"),
        ({"patch_weight": 0, "class_weight": 0, "video_weight": 0}, "must be more than 0"),
    ],
)
def test_wrong_options(changes, message):
    with pytest.raises(ValueError, match=message):
        LaFPrivacyOptions.tiny(**{"vlm": "some/xclip", **changes})


def test_clips_of_another_length_are_refused(vlm):
    with pytest.raises(ValueError, match="frames=16: this xclip takes clips of exactly 4 frames"):
        LaFPrivacyRecipe(LaFPrivacyOptions.tiny(vlm=vlm), {}, (16, 24, 24))


def test_the_road_from_a_folder_of_videos_to_ones_own_labels(tmp_path, monkeypatch, vlm):
    """Videos without any label and an X-CLIP are enough; the result goes into that X-CLIP."""
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))
    for split, count in (("train", 4), ("validation", 2)):
        (tmp_path / "my_videos" / split).mkdir(parents=True)
        for number in range(count):
            write_with_av(tmp_path / "my_videos" / split / f"{number}.mp4", moving_square(8, 24, 32, number))
    folder = ["--dataset", "folder", "--data-dir", str(tmp_path / "my_videos"), "-o", str(tmp_path / "run")]
    settings = ["frames=4", "size=(24,24)", "batch_size=2", "epochs=(1,1,1)", "reconstruction_epochs=1"]
    result = CliRunner().invoke(app, ["train", "lafprivacy", *folder, f"vlm={vlm}", *settings])
    assert result.exit_code == 0, result.output
    phases = {entry["phase"] for entry in read_log(tmp_path / "run") if entry["kind"] == "train"}
    assert phases == {"reconstruction", "phase-1", "phase-2", "phase-3"}
    model = load_anonymizer(tmp_path / "run" / "modules" / "anonymizer")
    with torch.inference_mode():
        anonymized = model(torch.rand(1, 4, 3, 24, 24)).videos
        mine = load_recognizer(vlm, candidate_labels=["a person walks", "running"])
        assert mine(anonymized).logits.shape == (1, 2)
    assert json.loads((tmp_path / "run/modules/anonymizer/config.json").read_text())["trained_against"] == (
        load_vision_language_model(vlm).fingerprint
    )
    missing = CliRunner().invoke(app, ["train", "lafprivacy", *folder, *settings])
    assert missing.exit_code == 2 and "vlm is missing" in missing.output
