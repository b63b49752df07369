import json

import pytest
import torch
import torch.nn.functional as F
from typer.testing import CliRunner

from hf_ppar import load_anonymizer
from hf_ppar.cli.main import app
from hf_ppar.losses import sparsity
from hf_ppar.recipes.stprivacy import STPrivacyOptions, STPrivacyRecipe
from hf_ppar.training.log import read_log
from hf_ppar.training.optimization import Optimizer

OUTPUTS = {"action": 5, "person": 3, "attributes": 2}
CLIP = (4, 24, 24)


def build(**changes):
    torch.manual_seed(0)
    papers = {"sparsity_weight": 1.0, "confusion": "negated", "action_weight": 0.5, "privacy_weight": 0.5}
    options = STPrivacyOptions.tiny(**{"private": ("person",), "adversaries": ("resnet3d",), **papers, **changes})
    return STPrivacyRecipe(options, OUTPUTS, CLIP)


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(1)
    return {
        "pixel_values": torch.rand(4, 4, 3, 24, 24, generator=generator),
        "labels": torch.tensor([0, 3, 4, 1]),
        "person": torch.tensor([0, 1, 2, 0]),
        "attributes": torch.tensor([[0, 1], [1, 1], [0, 0], [1, -1]]),
    }


def freeze(recipe, moving):
    """What the loop does around an update."""
    for name, module in recipe.modules.items():
        module.train(name in moving).requires_grad_(name in moving)


def value_of(losses):
    return losses["loss"].item()


def moved(recipe):
    return {name for name, m in recipe.modules.items() if any(p.grad is not None for p in m.parameters())}


def test_defaults_are_the_papers():
    options = STPrivacyOptions()
    assert (options.init_epochs, options.adversarial_epochs) == (80, 40)
    assert (options.lr, options.reference_batch, options.weight_decay) == (1e-3, 512, 0.05)
    assert (options.keep_ratio, options.action_weight, options.privacy_weight) == (0.7, 0.5, 0.5)
    assert (options.backbone_factor, options.hold_epochs, options.sparsity_weight) == (0.1, 2, 1)
    assert options.judges == options.adversaries == ("tubelet",) and options.confusion == "negated"


def test_initial_loss_is_equation_12(batch):
    recipe = build()
    freeze(recipe, {"anonymizer", "action_head"})
    torch.manual_seed(3)
    losses = recipe.initial_loss(batch, recipe.modules)
    torch.manual_seed(3)
    output = recipe.modules["anonymizer"](batch["pixel_values"])
    kept = [tokens[mask > 0] for tokens, mask in zip(output.tokens, output.token_mask, strict=True)]
    pooled = torch.stack([tokens.mean(0).nan_to_num(0) for tokens in kept])
    action = F.cross_entropy(recipe.modules["action_head"](pooled), batch["labels"])
    assert value_of(losses) == pytest.approx((action + sparsity(output.decisions, 2, 0.7)).item(), abs=1e-5)
    losses["loss"].backward()
    assert moved(recipe) == {"anonymizer", "action_head"}
    parts = {name: value.grad for name, value in recipe.modules["anonymizer"].named_parameters()}
    without = {name for name, grad in parts.items() if grad is None or not grad.any()}
    assert without <= {"to_pixels.weight", "to_pixels.bias"}, "only the painter waits for the second phase"


@pytest.mark.parametrize("seen", ["raw", "difference"])
def test_a_start_at_random_learns_to_paint_what_it_sees(batch, seen):
    recipe = build(input=seen)
    freeze(recipe, {"anonymizer"})
    torch.manual_seed(3)
    losses = recipe.reconstruction_loss(batch, recipe.modules)
    torch.manual_seed(3)
    painted = recipe.modules["anonymizer"](batch["pixel_values"]).pixels
    clips = batch["pixel_values"]
    moves = torch.cat([torch.zeros_like(clips[:, :1]), clips[:, 1:] - clips[:, :-1]], 1).abs().amax(2, keepdim=True)
    target = clips if seen == "raw" else (10 * moves).clamp(max=1).expand_as(clips)
    assert value_of(losses) == pytest.approx(((painted - target) ** 2).mean().item(), abs=1e-6)


def test_decisions_do_not_learn_from_painting():
    recipe = build()
    phase = next(phase for phase in recipe.phases if phase.name == "reconstruction")
    (update,) = phase.updates
    assert update.optimization.slow["anonymizer.predictors"] == 0
    assert "reconstruction" not in [phase.name for phase in build(reconstruction_epochs=0).phases]


def test_decisions_begin_at_the_keep_ratio(batch):
    recipe = build(keep_ratio=0.4)
    anonymizer = recipe.modules["anonymizer"]
    tokens = torch.randn(2, 18, anonymizer.config.hidden_size)
    for predictor in anonymizer.predictors:
        assert predictor(tokens, 2)[..., 0].exp().detach().numpy() == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize("kinds", [("resnet3d",), ("tubelet",)])
def test_adversarial_loss_is_equation_13(batch, kinds):
    recipe = build(judges=kinds, adversaries=kinds)
    freeze(recipe, {"anonymizer"})
    torch.manual_seed(3)
    losses = recipe.adversarial_loss(batch, recipe.modules)
    torch.manual_seed(3)
    output = recipe.modules["anonymizer"](batch["pixel_values"])
    judge, adversary = recipe.modules[f"action_{kinds[0]}"], recipe.modules[f"privacy_{kinds[0]}"]
    seen = (output.videos,) if kinds == ("resnet3d",) else (output.pixels, None, output.token_mask)
    action = F.cross_entropy(judge(*seen).logits, batch["labels"])
    privacy = F.cross_entropy(adversary(*seen).logits, batch["person"])
    expected = sparsity(output.decisions, 2, 0.7) + 0.5 * action - 0.5 * privacy
    assert value_of(losses) == pytest.approx(expected.item(), abs=1e-5)
    losses["loss"].backward()
    assert moved(recipe) == {"anonymizer"}, "frozen judges must not learn from the anonymizer's turn"
    without = [n for n, v in recipe.modules["anonymizer"].named_parameters() if v.grad is None or not v.grad.any()]
    assert not without


def test_judges_see_clips_with_drawn_decisions(batch):
    recipe = build()
    freeze(recipe, {"action_resnet3d", "privacy_resnet3d"})
    seen = []
    recipe.modules["anonymizer"].register_forward_hook(lambda module, *rest: seen.append(module.training))
    recipe.judging_loss(batch, recipe.modules)
    assert seen == [True]


def test_judges_learn_from_the_released_clip_alone(batch):
    recipe = build(adversaries=("resnet3d", "tubelet"), private=("person", "attributes"))
    judges = {"action_resnet3d", "privacy_resnet3d", "privacy_tubelet"}
    freeze(recipe, judges)
    losses = recipe.judging_loss(batch, recipe.modules)
    losses["loss"].backward()
    assert moved(recipe) == judges
    assert value_of(losses) == pytest.approx(sum(losses[name].item() for name in judges), abs=1e-5)


def test_dropped_pixels_do_not_reach_tubelet_judges(batch):
    """Reading 5 of FACTS: the pixels painted on dropped tubelets are not seen in training either."""
    recipe = build(judges=("tubelet",))
    freeze(recipe, {"anonymizer"})
    output = recipe.modules["anonymizer"](batch["pixel_values"])
    hidden = output.mask == 0
    judge = recipe.modules["action_tubelet"].eval()
    other = torch.where(hidden, torch.rand_like(output.pixels), output.pixels)
    answers = [judge(clip, token_mask=output.token_mask).logits for clip in (output.pixels, other)]
    assert hidden.any() and torch.allclose(*answers, atol=1e-5)


def test_against_the_worst(batch):
    recipe = build(adversaries=("resnet3d", "frame-resnet"), against="worst", confusion="uniform")
    freeze(recipe, {"anonymizer"})
    torch.manual_seed(3)
    worst = recipe.adversarial_loss(batch, recipe.modules)["privacy"]
    recipe.options.__dict__["against"] = "all"
    torch.manual_seed(3)
    assert worst > recipe.adversarial_loss(batch, recipe.modules)["privacy"]


def test_rounds_restart_adversaries():
    recipe = build(rounds=2, adversarial_epochs=4, catch_up_epochs=1)
    names = [phase.name for phase in recipe.phases]
    assert names == ["initialisation", "reconstruction", "catch-up-1", "adversarial-1", "catch-up-2", "adversarial-2"]
    assert [phase.epochs for phase in recipe.phases][2:] == [1, 2, 1, 2]
    assert [phase.begin is not None for phase in recipe.phases] == [False, False, False, False, True, False]
    adversary, judge = (recipe.modules[name] for name in ("privacy_resnet3d", "action_resnet3d"))
    before = [{key: value.clone() for key, value in m.state_dict().items()} for m in (adversary, judge)]
    recipe.phases[4].begin(recipe.modules)
    changed = [
        any(not torch.equal(v, old[k]) for k, v in m.state_dict().items())
        for m, old in zip((adversary, judge), before, strict=True)
    ]
    assert changed == [True, False]


def test_rates_of_the_paper():
    recipe = build(backbone_factor=0.1, hold_epochs=2.0, lr=1e-3)
    update = recipe.phases[0].updates[0]
    optimizer = Optimizer(update, recipe.modules, 4, 10)
    rate = {id(p): g["lr"] for g in optimizer.torch.param_groups for p in g["params"]}
    model = recipe.modules["anonymizer"]
    assert rate[id(model.predictors[0].decide[0].weight)] == pytest.approx(1e-3)
    assert rate[id(model.blocks[0].mlp.expand.weight)] == pytest.approx(1e-4)
    optimizer.set_rate(1.0)
    rate = {id(p): g["lr"] for g in optimizer.torch.param_groups for p in g["params"]}
    assert rate[id(model.blocks[0].mlp.expand.weight)] == 0 and rate[id(model.predictors[0].decide[0].weight)] > 0
    optimizer.set_rate(2.0)
    assert min(group["lr"] for group in optimizer.torch.param_groups) > 0


def test_freezing_sparsification():
    recipe = build(freeze_sparsification=True, catch_up_epochs=0)
    optimizer = Optimizer(recipe.phases[-1].updates[1], recipe.modules, 4, 10)
    rate = {id(p): g["lr"] for g in optimizer.torch.param_groups for p in g["params"]}
    learning = {n for n, p in recipe.modules["anonymizer"].named_parameters() if rate[id(p)] > 0}
    assert {name.split(".")[0] for name in learning} == {"blocks", "norm", "to_pixels"}
    assert {name for name in learning if name.startswith("blocks")} == {
        name for name in learning if name.startswith("blocks.3.")
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"private": ("mood",)}, "must be some of: person, attributes"),
        ({"private": ()}, "must be some of: person, attributes"),
        ({"judges": ("oracle",)}, "judges and adversaries must be some of"),
        ({"confusion": "hope"}, "confusion='hope' is unknown"),
        ({"rounds": 20}, "must be at least 1, and a round an epoch"),
        ({"against": "nobody"}, 'against must be "all" or "worst"'),
    ],
)
def test_wrong_options(changes, message):
    with pytest.raises(ValueError, match=message):
        STPrivacyOptions.tiny(**changes)


def test_a_data_set_without_the_private_label_is_refused():
    with pytest.raises(ValueError, match="has no labels of attributes"):
        STPrivacyRecipe(STPrivacyOptions.tiny(), {"action": 5, "person": 3}, CLIP)


def test_command_trains_and_leaves_an_anonymizer(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))
    stage = ["data.train_clips=8", "data.validation_clips=4", "data.test_clips=4", "data.persons=2"]
    settings = [
        "frames=4",
        "size=(24,24)",
        "batch_size=4",
        "init_epochs=1",
        "reconstruction_epochs=1",
        "adversarial_epochs=2",
        "rounds=2",
        "catch_up_epochs=0",
    ]
    kinds = ["adversaries=['tubelet','frame-resnet']", "judges=tubelet", "private=['person','attributes']"]
    command = [
        "train",
        "stprivacy",
        "--dataset",
        "stage",
        "--output",
        str(tmp_path / "run"),
        *settings,
        *kinds,
        *stage,
    ]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    model = load_anonymizer(tmp_path / "run" / "modules" / "anonymizer")
    assert tuple(model.config.image_size) == (24, 24) and model.config.num_frames == 4
    phases = [entry["phase"] for entry in read_log(tmp_path / "run") if entry["kind"] == "train"]
    assert sorted(set(phases)) == ["adversarial-1", "adversarial-2", "initialisation", "reconstruction"]
    last = [entry for entry in read_log(tmp_path / "run") if entry["kind"] == "evaluate"][-1]
    assert {"action_tubelet.action_top1", "privacy_tubelet.person_top1"} <= set(last), json.dumps(last)
