import json
import random
from types import SimpleNamespace

import pytest
import torch
from transformers import XCLIPModel
from typer.testing import CliRunner

from hf_ppar.cli.main import app
from hf_ppar.data.stage import ACTIONS, COMPOUNDS
from hf_ppar.models.lafprivacy import load_vision_language_model
from hf_ppar.recipes.xclip import (
    JOINTS,
    XCLIPOptions,
    XCLIPRecipe,
    join_clips,
    phrase_action,
    plan_fading,
    score_xclip,
)
from hf_ppar.training.log import read_log

CLIP = (4, 16, 16)
SEEN, ALL = len(ACTIONS), len(ACTIONS + COMPOUNDS)


def build(actions=ALL, **changes):
    torch.manual_seed(0)
    return XCLIPRecipe(XCLIPOptions.tiny(hidden_size=32, num_layers=1, **changes), {"action": actions}, CLIP)


def batch_of(labels):
    generator = torch.Generator().manual_seed(1)
    return {"pixel_values": torch.rand(len(labels), *CLIP[:1], 3, 16, 16, generator=generator), "labels": labels}


def test_compounds_are_held_out():
    read = []

    def run(clips, texts, modules):
        read.extend(texts)
        return SimpleNamespace(logits_per_video=torch.randn(len(clips), len(texts)))

    recipe = build(head_weight=0.0)
    recipe.run = run
    losses = recipe.loss(batch_of(torch.arange(ALL)), recipe.modules)
    assert len(read) == SEEN and 0 <= losses["right"] <= 1
    held_out = {text for action in COMPOUNDS for text in phrase_action(action)}
    assert not held_out & set(read)
    clips, pairs = join_clips(torch.rand(SEEN, 4, 3, 16, 16), torch.arange(SEEN), 1.0)
    assert len({tuple(pair) for pair in pairs.tolist()}) == SEEN and clips.shape[1] == 4


def test_the_vocabulary_has_every_word_of_the_compounds():
    """Their words are known from single actions, or else nothing could be named."""
    recipe = build()
    texts = [text for action in ACTIONS + COMPOUNDS for text in phrase_action(action)]
    for text in texts:
        assert len(recipe.tokenizer.tokenize(text)) == len(text.replace(",", " ,").split())
    longest = max(len(recipe.tokenizer(joint.format(a, a))["input_ids"]) for joint in JOINTS for a in texts[:90])
    assert longest <= recipe.tokenizer.model_max_length


def test_joined_clips_show_one_action_first_and_another_then():
    clips = torch.arange(4.0).view(4, 1, 1, 1, 1).expand(4, 4, 3, 2, 2)
    joined, pairs = join_clips(clips, torch.tensor([5, 3, 3, 9]), 0.5)
    assert joined[:, :, 0, 0, 0].tolist() == [[0, 0, 1, 1], [1, 1, 0, 0], [2] * 4, [3] * 4]
    assert pairs.tolist() == [[3, 5], [3, 5], [3, 3], [9, 9]]
    untouched, pairs = join_clips(clips, torch.tensor([5, 3, 3, 9]), 0.0)
    assert torch.equal(untouched, clips) and (pairs[:, 0] == pairs[:, 1]).all()


def test_descriptions_are_drawn_and_joined():
    recipe = build()
    random.seed(0)
    texts = {recipe.describe(0, 0) for _ in range(60)}
    assert texts == set(phrase_action("walk"))
    joined = [recipe.describe(0, 1) for _ in range(20)]
    assert all(any(part in text for part in (" and ", " while ", " meanwhile")) for text in joined)


def test_scores_are_among_seen_unseen_and_all():
    recipe = build()
    labels = torch.tensor([0, 3, SEEN, ALL - 1, -1])
    sizes = [len(texts) for texts in recipe.phrasings]

    def answer(clips, texts, modules):
        wanted = torch.zeros(len(clips), ALL)
        for row, label in enumerate((0, 4, SEEN, 0, 0)):
            wanted[row, label] = 5.0
        wanted[3, ALL - 1] = 4.0  # the best of the compounds, but not of all
        logits = torch.cat([wanted[:, [i]].expand(-1, size) for i, size in enumerate(sizes)], dim=1)
        return SimpleNamespace(logits_per_video=logits)

    recipe.run = answer
    scores = {
        name: [round(v, 3) for v in value.tolist()] for name, value in recipe.score(batch_of(labels), {}).items()
    }
    assert scores["seen_top1"][:2] == [1, 0] and all(v != v for v in scores["seen_top1"][2:])
    assert scores["unseen_top1"][2:4] == [1, 1] and scores["all_top1"][:4] == [1, 0, 1, 0]
    assert score_xclip({"seen_top1": 0.8, "unseen_top1": 0.4, "all_top1": 0.0}) == pytest.approx(0.6)
    assert "unseen_top1" not in build(SEEN).score(batch_of(torch.tensor([1])), build(SEEN).modules)


def test_it_learns_to_tell_clips_apart():
    recipe = build(joined=0.0)
    batch = batch_of(torch.tensor([0, 3, 7, 11]))
    batch["pixel_values"] = torch.stack([torch.full((4, 3, 16, 16), v) for v in (0.0, 0.3, 0.6, 1.0)])
    model = recipe.modules["xclip"].train()
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    random.seed(0)
    history = []
    for _ in range(30):
        losses = recipe.loss(batch, recipe.modules)
        losses["loss"].backward()
        optimizer.step()
        optimizer.zero_grad()
        history.append(losses["loss"].item())
    assert sum(history[-5:]) < 0.7 * sum(history[:5])
    assert recipe.loss(batch_of(torch.tensor([ALL - 1])), recipe.modules)["loss"] == 0, "nothing to learn from"


def test_clips_fade_in_over_their_motion_masks():
    assert plan_fading(40, None, 8) == [(1.0, 40)]
    plan = plan_fading(40, (0.25, 0.8), 8)
    assert plan[0] == (0.0, 10) and plan[-1] == (1.0, 8) and sum(epochs for _, epochs in plan) == 40
    levels = [level for level, _ in plan]
    assert levels == sorted(set(levels))
    recipe = build(epochs=4)
    seen = []
    recipe.run = lambda clips, texts, modules: (
        seen.append(clips)
        or SimpleNamespace(
            logits_per_video=torch.zeros(len(clips), len(texts)),
            mit_output=SimpleNamespace(pooler_output=torch.zeros(len(clips), recipe.modules["head"].in_features)),
        )
    )
    batch = batch_of(torch.zeros(2, dtype=torch.long)) | {"pixel_values": torch.full((2, 4, 3, 16, 16), 0.5)}
    for phase in recipe.phases:
        phase.updates[0].loss(batch, recipe.modules)
    assert seen[0].max() == 0, "nothing moves, so that the first phase sees nothing"
    assert torch.equal(seen[-1], batch["pixel_values"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"joined": 2.0}, "joined must be from 0 to 1"), ({"hidden_size": 40}, "must be a multiple of 32")],
)
def test_wrong_options(changes, message):
    with pytest.raises(ValueError, match=message):
        XCLIPOptions.tiny(**changes)


def test_other_data_is_refused():
    with pytest.raises(
        ValueError, match=r"18 actions and 10 compounds, but the data set has 5 actions; use --dataset"
    ):
        build(5)
    with pytest.raises(ValueError, match=r"X-CLIP takes square pictures; set size=\(16,16\)"):
        XCLIPRecipe(XCLIPOptions.tiny(), {"action": SEEN}, (4, 16, 32))


def test_command_leaves_an_ordinary_xclip(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))
    stage = ["data.train_clips=8", "data.validation_clips=28", "data.test_clips=4", "data.persons=2"]
    settings = ["frames=4", "size=(16,16)", "batch_size=8", "epochs=1", "hidden_size=32", "num_layers=1"]
    command = ["train", "xclip", "--dataset", "stage", "-o", str(tmp_path / "run"), *settings, *stage]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    folder = tmp_path / "run" / "modules" / "xclip"
    assert XCLIPModel.from_pretrained(folder).config.unseen_actions == list(COMPOUNDS)
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["XCLIPModel"]
    vlm = load_vision_language_model(folder)
    assert vlm.num_frames == 4 and vlm.compare(torch.rand(1, 4, 3, 16, 16), ["walk", "walk and clap"]).shape == (1, 2)
    last = [entry for entry in read_log(tmp_path / "run") if entry["kind"] == "evaluate"][-1]
    assert {"seen_top1", "unseen_top1", "all_top1", "score"} <= set(last)
