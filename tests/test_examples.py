"""The numbers in the README are those of the committed reports, and the examples run."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from hf_ppar import list_anonymizers
from hf_ppar.evaluation import read_report

ROOT = Path(__file__).parent.parent
RESULTS = sorted((ROOT / "examples" / "results").iterdir())


def load_example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reports_of(folder):
    return [read_report(folder / f"{model}.json") for model in ["raw", *list_anonymizers()]]


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


@pytest.mark.slow
def test_stage_sheet(tmp_path):
    script = ROOT / "examples" / "stage_sheet.py"
    subprocess.run([sys.executable, str(script), str(tmp_path / "sheet.png")], check=True)
    assert Image.open(tmp_path / "sheet.png").size == (7 * 180, 2 * 260)
