import json

import pytest
from typer.testing import CliRunner

from hf_ppar.cli.main import app
from hf_ppar.cli.settings import parse_settings
from hf_ppar.models.recognizers import load_recognizer
from hf_ppar.training.log import read_log
from hf_ppar.training.plan import make_plan

runner = CliRunner()
STAGE = ["data.train_clips=16", "data.validation_clips=8", "data.test_clips=8", "data.persons=2"]


@pytest.fixture(autouse=True)
def own_place(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_settings_find_their_owner(tmp_path):
    plan = make_plan(
        "recognizer",
        "stage",
        tmp_path,
        settings=parse_settings(["kind=r2plus1d", "epochs=3", "frames=4", "batch_size=2", "seed=7", "data.persons=5"]),
    )
    assert plan.options.kind == "r2plus1d" and plan.options.epochs == 3 and plan.options.preset == "tiny"
    assert plan.clip.frames == 4 and plan.loading.batch_size == 2 and plan.data_options == {"persons": 5}
    assert plan.arguments.seed == plan.loading.seed == 7 and plan.flip
    assert not make_plan("recognizer", "lsa64", tmp_path).flip


def test_presets(tmp_path):
    paper = make_plan("recognizer", "stage", tmp_path, preset="paper")
    assert (paper.clip.frames, paper.clip.size, paper.options.epochs) == (16, (112, 112), 80)
    assert paper.options.reference_batch == 512 and paper.options.weight_decay == 0.05


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"recipe": "alchemy"}, "unknown recipe 'alchemy'; choose one of: recognizer"),
        ({"preset": "huge"}, "preset='huge' is unknown"),
        ({"settings": {"colour": 1}}, "unknown settings colour; known are"),
        ({"settings": {"kind": "oracle"}}, "kind='oracle' is unknown; choose one of: tubelet"),
        ({"settings": {"targets": ["mood"]}}, "must be some of: action, person, attributes"),
    ],
)
def test_wrong_plans(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        make_plan(**{"recipe": "recognizer", "dataset": "stage", "output": tmp_path, **arguments})


def test_command_trains_resumes_and_leaves_a_model(tmp_path):
    command = [
        "train",
        "recognizer",
        "--dataset",
        "stage",
        "-o",
        "out",
        "kind=frame-resnet",
        "frames=4",
        "size=(32,32)",
    ]
    command += ["batch_size=8", "targets=('person','attributes')", *STAGE]
    dry = runner.invoke(app, [*command, "--dry-run", "epochs=1"])
    assert dry.exit_code == 0 and json.loads(dry.stdout)["options"]["kind"] == "frame-resnet"
    assert not (tmp_path / "out").exists()
    result = runner.invoke(app, [*command, "epochs=2"])
    assert result.exit_code == 0, result.stderr
    assert "person_top1" in result.stdout and "attributes_accuracy" in result.stdout
    model = load_recognizer(tmp_path / "out" / "modules" / "recognizer")
    assert set(model.config.heads) == {"person", "attributes"}
    again = runner.invoke(app, [*command, "epochs=2"])
    assert again.exit_code == 1 and "holds checkpoints already; resume" in again.stderr
    more = runner.invoke(app, [*command, "epochs=3", "--resume"])
    assert more.exit_code == 0, more.stderr
    assert read_log(tmp_path / "out")[-1]["step"] == 6


def test_yaml_file(tmp_path):
    (tmp_path / "run.yaml").write_text(
        "recipe: recognizer\ndataset: stage\noutput: from_file\npreset: tiny\n"
        "settings:\n  epochs: 1\n  kind: frame-resnet\n"
    )
    result = runner.invoke(app, ["train", "run.yaml", "--dry-run", "epochs=5"])
    plan = json.loads(result.stdout)
    assert plan["arguments"]["output"] == "from_file" and plan["options"]["epochs"] == 5
    (tmp_path / "wrong.yaml").write_text("recipes: []\n")
    wrong = runner.invoke(app, ["train", "wrong.yaml"])
    assert wrong.exit_code == 2 and "must be a mapping with the keys" in wrong.stderr


def test_missing_arguments():
    result = runner.invoke(app, ["train", "recognizer"])
    assert result.exit_code == 2 and "--dataset is missing" in result.stderr
