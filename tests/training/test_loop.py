import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from hf_ppar.training import CheckpointError, TrainingArguments, train
from hf_ppar.training.checkpoint import list_checkpoints
from hf_ppar.training.log import read_log

from .toy import ToyRecipe, numbers_loader

QUIET = {"progress": False, "log_every": 1}


def run(output, recipe=None, resume=False, select=None, batch_size=8, **arguments):
    settings = TrainingArguments(Path(output), resume=resume, **{**QUIET, **arguments})
    return train(
        recipe or ToyRecipe(),
        settings,
        numbers_loader(batch_size=batch_size),
        numbers_loader(40, 8, shuffle=False),
        select,
    )


def losses(output, kind="train"):
    return [line for line in read_log(Path(output)) if line["kind"] == kind]


def test_it_learns_and_logs(tmp_path):
    result = run(tmp_path, ToyRecipe(epochs=(16, 2)))
    assert result.metrics["accuracy"] > 0.9
    lines = losses(tmp_path)
    assert len(lines) == result.steps == 18 * 8
    assert [line["phase"] for line in lines[:1] + lines[-1:]] == ["initial", "adversarial"]
    assert {"defend.loss", "defend.utility", "defend.leak"} <= set(lines[-2]) and "attack.loss" in lines[-1]
    assert len(losses(tmp_path, "evaluate")) == 18


def test_same_seed_same_losses(tmp_path):
    run(tmp_path / "a")
    run(tmp_path / "b")
    strip = [{key: value for key, value in line.items() if key != "seconds"} for line in losses(tmp_path / "a")]
    assert strip == [{k: v for k, v in line.items() if k != "seconds"} for line in losses(tmp_path / "b")]


class Stop(Exception):
    """Ends a run from inside its loss."""


class StoppingRecipe(ToyRecipe):
    def __init__(self, after, **kwargs):
        self.left = after
        super().__init__(**kwargs)

    def encode(self, batch, modules):
        self.left -= 1
        if self.left < 0:
            raise Stop
        return super().encode(batch, modules)


@pytest.mark.parametrize("after", [4, 8, 16, 25, 33])
@pytest.mark.parametrize("settings", [{}, {"optimizer": "sgd", "ema_decay": 0.9}, {"schedule": "plateau"}])
def test_resume_gives_the_same_next_losses(tmp_path, after, settings):
    select = lambda metrics: metrics["accuracy"]  # noqa: E731
    run(tmp_path / "whole", ToyRecipe(**settings), select=select, save_every=3)
    with pytest.raises(Stop):
        run(tmp_path / "cut", StoppingRecipe(after, **settings), select=select, save_every=3)
    run(tmp_path / "cut", ToyRecipe(seed=9, **settings), resume=True, select=select, save_every=3)
    expected = {line["step"]: line for line in losses(tmp_path / "whole")}
    for line in losses(tmp_path / "cut"):
        same = expected[line["step"]]
        assert {k: v for k, v in line.items() if k != "seconds"} == {k: v for k, v in same.items() if k != "seconds"}
    for name in ("encoder", "head", "adversary"):
        whole, cut = (load_file(tmp_path / which / "modules" / f"{name}.safetensors") for which in ("whole", "cut"))
        assert all(torch.equal(whole[key], cut[key]) for key in whole)


@pytest.mark.parametrize("after", [5, 10, 14, 25])
def test_resume_in_the_middle_of_an_accumulation(tmp_path, after):
    settings = {"accumulate": 3, "save_every": 1}
    run(tmp_path / "whole", ToyRecipe(), **settings)
    with pytest.raises(Stop):
        run(tmp_path / "cut", StoppingRecipe(after), **settings)
    run(tmp_path / "cut", ToyRecipe(seed=9), resume=True, **settings)
    for name in ("encoder", "head", "adversary"):
        whole, cut = (load_file(tmp_path / which / "modules" / f"{name}.safetensors") for which in ("whole", "cut"))
        assert all(torch.equal(whole[key], cut[key]) for key in whole)


def test_resume_of_a_finished_run_changes_nothing(tmp_path):
    first = run(tmp_path)
    again = run(tmp_path, ToyRecipe(seed=3), resume=True)
    assert again.steps == first.steps


def test_killed_at_any_moment_it_resumes(tmp_path):
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from toy import ToyRecipe, numbers_loader\n"
        "from hf_ppar.training import TrainingArguments, train\n"
        "train(ToyRecipe(epochs=(300, 300)), TrainingArguments(Path(sys.argv[2]), progress=False, save_every=1, "
        "resume=True), numbers_loader())\n"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path / "out")]
    for _ in range(2):
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        while not list_checkpoints(tmp_path / "out"):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        time.sleep(0.4)
        process.send_signal(signal.SIGKILL)
        process.wait()
    folder = list_checkpoints(tmp_path / "out")[-1]
    step = json.loads((folder / "state.json").read_text())["position"]["step"]
    assert step > 1
    with pytest.raises(Stop):
        run(tmp_path / "out", StoppingRecipe(3, epochs=(300, 300)), resume=True)
    assert losses(tmp_path / "out")[-1]["step"] >= step


def test_only_the_updates_modules_move(tmp_path):
    recipe = ToyRecipe(epochs=(1, 0))
    before = {name: value.clone() for name, value in recipe.modules["adversary"].state_dict().items()}
    run(tmp_path, recipe)
    after = recipe.modules["adversary"].state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)  # running statistics included


def test_parameters_frozen_by_the_recipe_stay_frozen(tmp_path):
    recipe = ToyRecipe()
    frozen = recipe.modules["head"].weight.requires_grad_(False).clone()
    run(tmp_path, recipe)
    assert torch.equal(recipe.modules["head"].weight, frozen)


def test_select_keeps_the_best_weights_of_validation(tmp_path):
    scores = iter([0.1, 0.9, 0.3, 0.2, 0.4])
    kept = {}
    recipe = ToyRecipe()

    def select(metrics):
        score = next(scores)
        kept[score] = {k: v.clone() for k, v in recipe.modules["encoder"].state_dict().items()}
        return score

    result = run(tmp_path, recipe, select=select)
    assert result.best_score == 0.9
    saved = load_file(tmp_path / "modules" / "encoder.safetensors")
    assert all(torch.equal(saved[key], value) for key, value in kept[0.9].items())


def test_accumulation_equals_a_larger_batch(tmp_path):
    small = ToyRecipe(epochs=(2, 0), noise=0.0)
    large = ToyRecipe(epochs=(2, 0), noise=0.0)
    settings = {"schedule": "constant", "optimizer": "sgd"}
    small, large = (ToyRecipe(epochs=(2, 0), noise=0.0, **settings) for _ in range(2))
    run(tmp_path / "small", small, accumulate=2, batch_size=8)
    run(tmp_path / "large", large, batch_size=16)
    for a, b in zip(small.modules["encoder"].parameters(), large.modules["encoder"].parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-6)


def test_checkpoints_are_pruned_and_whole(tmp_path):
    run(tmp_path, keep=3)
    assert len(list_checkpoints(tmp_path)) == 3
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_bf16_runs(tmp_path):
    assert run(tmp_path, precision="bf16").steps == 40


def test_refusals(tmp_path, monkeypatch):
    run(tmp_path / "a")
    with pytest.raises(ValueError, match="holds checkpoints already; resume, or choose another folder"):
        run(tmp_path / "a")
    other = ToyRecipe()
    other.name = "other"
    with pytest.raises(CheckpointError, match="is a checkpoint of the recipe 'toy', not of 'other'"):
        run(tmp_path / "a", other, resume=True)
    with pytest.raises(ValueError, match="fewer training examples than the batch size of 100"):
        train(ToyRecipe(), TrainingArguments(tmp_path / "b"), numbers_loader(64, 100))
    with pytest.raises(ValueError, match='precision must be "no" or "bf16"'):
        TrainingArguments(tmp_path, precision="fp8")
    with pytest.raises(ValueError, match='has the schedule "plateau", which needs validation and select'):
        run(tmp_path / "plateau", ToyRecipe(schedule="plateau"))
    with pytest.raises(ValueError, match="report_to knows tensorboard and trackio, got wandb"):
        TrainingArguments(tmp_path, report_to=("wandb",))
    monkeypatch.setattr("hf_ppar.training.arguments.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="report_to=trackio is not installed: pip install trackio"):
        TrainingArguments(tmp_path, report_to=("trackio",))
    with pytest.raises(FloatingPointError, match="is not finite at step"):
        run(tmp_path / "nan", ToyRecipe(lr=1e30, optimizer="sgd"))


TWO = """
import sys, json
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import torch
from toy import ToyRecipe, numbers_loader
from hf_ppar.training import TrainingArguments, train
from accelerate import PartialState
recipe = ToyRecipe(noise=0.0)
out = Path(sys.argv[2])
result = train(recipe, TrainingArguments(out, progress=False), numbers_loader(), numbers_loader(37, 8, shuffle=False))
rank = PartialState().process_index
weights = {name: [p.flatten().tolist() for p in module.parameters()] for name, module in recipe.modules.items()}
(out / f"rank{rank}.json").write_text(json.dumps({"weights": weights, "metrics": result.metrics}))
"""


def test_two_processes_agree_with_each_other_and_with_one(tmp_path):
    script = tmp_path / "two.py"
    script.write_text(TWO)
    environment = {**os.environ, "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    for processes in (1, 2):
        subprocess.run(
            [
                *(sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes}"),
                *(str(script), str(Path(__file__).parent), str(tmp_path / f"out{processes}")),
            ],
            env=environment,
            check=True,
            capture_output=True,
            timeout=300,
        )
    one, first, second = (
        json.loads((tmp_path / place).read_text())
        for place in ("out1/rank0.json", "out2/rank0.json", "out2/rank1.json")
    )
    assert first == second
    assert first["metrics"] == pytest.approx(one["metrics"])
    for name, values in one["weights"].items():
        for a, b in zip(values, first["weights"][name], strict=True):
            assert a == pytest.approx(b, abs=1e-5)


def test_a_checkpoint_of_another_recipe_is_refused(tmp_path):
    run(tmp_path)
    other = ToyRecipe()
    other.name = "other"
    with pytest.raises(CheckpointError, match="is a checkpoint of the recipe 'toy', not of 'other'"):
        run(tmp_path, other, resume=True)


def test_a_phase_begins_once_and_not_again_when_resumed(tmp_path):
    begun = []

    def recipe(epochs):
        toy = ToyRecipe(epochs=epochs)
        toy.phases = (toy.phases[0], replace(toy.phases[1], begin=lambda modules: begun.append(sorted(modules))))
        return toy

    run(tmp_path, recipe((2, 1)))
    assert begun == [["adversary", "encoder", "head"]]
    run(tmp_path, recipe((2, 3)), resume=True)
    assert len(begun) == 1
