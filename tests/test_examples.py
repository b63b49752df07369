"""The numbers in the README are those of the committed reports, and the examples run."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from PIL import Image

from hf_ppar import list_anonymizers
from hf_ppar.evaluation import read_report
from hf_ppar.training.plan import make_plan

ROOT = Path(__file__).parent.parent
RESULTS = sorted((ROOT / "examples" / "results").iterdir())


def load_example(name):
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def reports_of(folder):
    trained = load_example("verdicts").list_trained(folder.name)
    return [read_report(folder / f"{model}.json") for model in ["raw", *list_anonymizers(), *trained]]


@pytest.mark.parametrize("folder", RESULTS, ids=lambda folder: folder.name)
def test_the_readme_table_is_that_of_the_reports(folder):
    table = load_example("verdicts").table(reports_of(folder))
    assert table in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", RESULTS, ids=lambda folder: folder.name)
def test_reports_carry_what_a_number_needs(folder):
    for report in reports_of(folder):
        assert report.budget == "small" and report.command.startswith("hf-ppar evaluate") and report.seconds > 0
        assert len({number.judge for number in report.recognizers}) == 3
        for number in [report.utility, *report.privacy.values()]:
            assert number.raw is not None and number.low <= number.value <= number.high
        assert " /" not in report.command, "a report must not name a folder of one machine"


@pytest.mark.parametrize("folder", RESULTS, ids=lambda folder: folder.name)
def test_the_court_is_strong_enough_on_raw_video(folder):
    raw = read_report(folder / "raw.json")
    if folder.name == "lsa64":
        assert raw.utility.value >= 0.97 and raw.privacy["person"].value >= 0.97


@pytest.mark.parametrize("folder", sorted((ROOT / "examples" / "results").glob("*/dials/*")), ids=lambda f: f.name)
def test_dials_are_drawn(folder):
    reports = [read_report(path) for path in folder.glob("*.json")]
    assert len(reports) >= 3 and all(report.model == folder.name for report in reports)
    assert {f"{report.strength:g}" for report in reports} == {path.stem for path in folder.glob("*.json")}
    dataset = folder.parent.parent.name
    assert (ROOT / "examples" / "images" / f"dial_{dataset}_{folder.name}.png").is_file()
    assert f"dial_{dataset}_{folder.name}.png" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "runs").glob("*/*.yaml")), ids=lambda p: p.stem)
def test_runs_are_plans(path, tmp_path):
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert given["dataset"] == path.parent.name and path.stem.endswith(given["preset"])
    plan = make_plan(given["recipe"], given["dataset"], tmp_path, None, given["preset"], given["settings"])
    assert plan.clip.fit == "stretch" and (plan.clip.frames, plan.clip.size) == (16, (64, 64))


@pytest.mark.slow
def test_stage_sheet(tmp_path):
    script = ROOT / "examples" / "stage_sheet.py"
    subprocess.run([sys.executable, str(script), str(tmp_path / "sheet.png")], check=True)
    assert Image.open(tmp_path / "sheet.png").size == (7 * 180, 2 * 260)
