import json

import pytest
import torch
from typer.testing import CliRunner

from hf_ppar import PrivRateAnonymizer, load_anonymizer
from hf_ppar.cli.main import app
from hf_ppar.models.recognizers import (
    ResNet3DRecognizer,
    ResNet3DRecognizerConfig,
    XCLIPRecognizer,
    XCLIPRecognizerConfig,
)
from hf_ppar.recipes.privrate import PrivRateOptions, PrivRateRecipe, consistency, score_privrate, smooth_labels
from hf_ppar.recipes.registry import find_recipe

CLIP = (4, 32, 32)


class PublicBatch(dict):
    """A batch whose private labels must not be looked at."""

    def __getitem__(self, key):
        assert key not in ("person", "attributes"), f"the recipe read the private label {key!r}"
        return super().__getitem__(key)

    get = pop = None


def make_batch(count=8, labels=True):
    """Squares that move right (0) or down (1)."""
    generator = torch.Generator().manual_seed(0)
    clips = torch.zeros(count, 4, 3, 32, 32)
    for index in range(count):
        row, column = torch.randint(4, 12, (2,), generator=generator).tolist()
        for time in range(4):
            down, right = (4 * time, 0) if index % 2 else (0, 4 * time)
            clips[index, time, :, row + down : row + down + 8, column + right : column + right + 8] = 1
    batch = {"pixel_values": clips, "person": torch.zeros(count), "attributes": torch.zeros(count, 2)}
    return PublicBatch(batch | ({"labels": torch.arange(count) % 2} if labels else {}))


def build(**changes):
    torch.manual_seed(0)
    options = {"video_share": 1.0, "epochs": 4, **changes}
    return PrivRateRecipe(PrivRateOptions.tiny(**options), {"action": 2, "person": 3}, CLIP)


def train(recipe, batch, steps):
    for module in recipe.modules.values():
        module.train()
    parameters = [value for module in recipe.modules.values() for value in module.parameters()]
    optimizer = torch.optim.Adam(parameters, 2e-3)
    history = []
    for _ in range(steps):
        losses = recipe.loss(batch, recipe.modules)
        losses["loss"].backward()
        silent = [name for name, module in recipe.modules.items() if all(p.grad is None for p in module.parameters())]
        assert silent == []
        optimizer.step()
        optimizer.zero_grad()
        history.append({name: value.item() for name, value in losses.items()})
    return history


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"dial": False, "price": 0.01, "prior": "fixed"},
        {"latent": "discrete", "latent_tokens": 4, "codes": 8, "prior": "learned"},
        {"label_smoothing": 0.1, "consistency": 0.1, "encoder": "r2plus1d", "video_share": 0.5},
        {"encoder": "tubelet", "decoder_heads": 2, "decoder_channels": 3},
    ],
)
def test_the_loss_falls_and_private_labels_are_not_read(changes):
    recipe, batch = build(**changes), make_batch()
    history = train(recipe, batch, 25)
    first = sum(losses["loss"] for losses in history[:5])
    assert sum(losses["loss"] for losses in history[-5:]) < first
    for module in recipe.modules.values():
        module.eval()
    with torch.no_grad():
        scores = recipe.score(batch, recipe.modules)
    assert set(scores) == {"latent_top1", "video_top1", "rate_bits"}
    assert all(value.shape == (8,) for value in scores.values())


def test_it_learns_to_tell_movements_apart():
    recipe, batch = build(dial=False, price=0.005), make_batch(16)
    history = train(recipe, batch, 40)
    assert history[-1]["latent"] < 0.2 and history[-1]["video"] < 0.3
    assert history[-1]["mask"] < history[0]["mask"]


def test_a_higher_price_buys_fewer_bits():
    rates = [
        train(build(dial=False, price=price, prior="fixed"), make_batch(), 25)[-1]["rate"] for price in (0.001, 0.3)
    ]
    assert rates[1] < 0.7 * rates[0]


def test_phases():
    recipe = build(epochs=20, price_warmup=5)
    assert [(phase.name, phase.epochs) for phase in recipe.phases] == [("warm-up", 5), ("priced", 15)]
    assert [phase.name for phase in build(price_warmup=0).phases] == ["priced"]
    torch.manual_seed(0)
    cheap = recipe.cheap_loss(make_batch(), recipe.modules)
    torch.manual_seed(0)
    full = recipe.loss(make_batch(), recipe.modules)
    assert full["loss"] > cheap["loss"] and torch.equal(full["latent"], cheap["latent"])


@pytest.mark.parametrize("kind", ["resnet3d", "xclip"])
@pytest.mark.parametrize("utility", ["embeddings", "both"])
def test_embeddings_of_a_frozen_model(tmp_path, kind, utility):
    torch.manual_seed(0)
    if kind == "resnet3d":
        model = ResNet3DRecognizer(ResNet3DRecognizerConfig.tiny(num_labels=2))
    else:
        model = XCLIPRecognizer(XCLIPRecognizerConfig.tiny())
    model.save_pretrained(tmp_path)
    recipe = build(utility=utility, prior="learned", feature_model=str(tmp_path))
    batch = make_batch(labels=utility == "both")
    before = {name: value.clone() for name, value in recipe.feature_model.state_dict().items()}
    history = train(recipe, batch, 20)
    assert sum(h["embedding"] for h in history[-5:]) < sum(h["embedding"] for h in history[:5])
    assert ("latent_head" in recipe.modules) == (utility == "both") and "feature_model" not in recipe.modules
    assert all(torch.equal(value, before[name]) for name, value in recipe.feature_model.state_dict().items())
    with torch.no_grad():
        scores = recipe.score(batch, recipe.modules)
    assert {"embedding_cosine", "rate_bits"} <= set(scores)
    assert score_privrate({"embedding_cosine": 0.5, "rate_bits": 10.0}) == pytest.approx(0.48)


def test_parts_of_the_loss():
    labels = torch.tensor([0, 1, 0, -1])
    smooth = smooth_labels(labels, 4, 0.2)
    assert smooth[1].tolist() == pytest.approx([0.05, 0.85, 0.05, 0.05]) and (smooth[3] == -1).all()
    assert smooth_labels(labels, 4, 0.0) is labels
    centres = torch.tensor([[1.0, 0.0], [5.0, 5.0], [3.0, 0.0], [100.0, 0.0]])
    # Two clips of action 0, each (1, 0) from their mean; the one of action 1 is its own mean; the last is unknown.
    assert consistency(centres, labels).item() == pytest.approx((0.5 + 0.0 + 0.5) / 3)
    assert score_privrate({"latent_top1": 0.9, "video_top1": 0.8, "rate_bits": 10.0}) == pytest.approx(0.83)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"encoder": "oracle"}, "encoder='oracle' is unknown; choose one of: tubelet, resnet3d, r2plus1d"),
        ({"utility": "embeddings"}, "embeddings, and only they, come from a feature_model"),
        ({"utility": "embeddings", "feature_model": "x"}, 'choose prior="fixed" or "learned"'),
        ({"price_warmup": 4}, "price_warmup must be from 0 to epochs - 1 = 3, got 4"),
        ({"price": 0.0}, "prices must be price > 0"),
        ({"video_share": 0.0}, "video_share must be greater than 0 and at most 1, got 0.0"),
    ],
)
def test_wrong_options(changes, message):
    with pytest.raises(ValueError, match=message):
        build(**changes)


def test_a_data_set_without_actions_is_refused():
    with pytest.raises(ValueError, match='has no actions; choose utility="embeddings"'):
        PrivRateRecipe(PrivRateOptions.tiny(), {"person": 3}, CLIP)


def test_command_leaves_an_anonymizer(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    command = ["train", "privrate", "--dataset", "stage", "-o", "out", "frames=4", "size=(32,32)", "batch_size=8"]
    command += ["data.train_clips=16", "data.validation_clips=8", "data.test_clips=8", "data.persons=2"]
    dry = CliRunner().invoke(app, [*command, "--dry-run"])
    assert dry.exit_code == 0 and json.loads(dry.stdout)["options"]["epochs"] == 60
    result = CliRunner().invoke(app, [*command, "epochs=2", "price_warmup=1"])
    assert result.exit_code == 0, result.stderr
    assert "rate_bits" in result.stdout and "latent_top1" in result.stdout and "video_top1" in result.stdout
    model = load_anonymizer(tmp_path / "out" / "modules" / "anonymizer")
    assert isinstance(model, PrivRateAnonymizer) and model.config.prior == "action" and model.config.has_strength
    assert {path.name for path in (tmp_path / "out" / "modules").iterdir()} >= {"latent_head", "video_head"}
    assert find_recipe("privrate").clips["tiny"].size == (64, 64)
