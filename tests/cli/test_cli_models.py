import json

import pytest
from typer.testing import CliRunner

from hf_ppar.cli.main import app
from hf_ppar.cli.models import format_figure
from hf_ppar.shipped import CHECKPOINTS, list_shipped


def run(*arguments):
    result = CliRunner().invoke(app, ["models", *arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def lines():
    return run().splitlines()


@pytest.mark.parametrize("shipped", list_shipped(), ids=lambda shipped: shipped.name)
def test_every_shipped_model_has_a_row_under_its_task(lines, shipped):
    place = next(i for i, line in enumerate(lines) if line.split()[:1] == [shipped.name])
    assert [line for line in lines[:place] if line and not line.startswith(" ")][-1] == shipped.task
    size = sum(path.stat().st_size for path in (CHECKPOINTS / shipped.name).iterdir()) / 1e6
    assert lines[place].split()[1:3] == [f"{size:.1f}", shipped.license]
    for figure in shipped.figures.values():
        assert f"{figure['value']:.3f} ({figure['chance']:.3f}, " in lines[place]


def test_figures_stand_under_their_heading(lines):
    head = next(line for line in lines if "action (chance, raw)" in line)
    row = next(line for line in lines if line.startswith("  stage-privrate-tiny"))
    figures = next(shipped for shipped in list_shipped() if shipped.name == "stage-privrate-tiny").figures
    for target, figure in figures.items():
        assert row[head.index(f"{target} (chance, raw)") :].startswith(format_figure(figure))


def test_the_table_fits_a_terminal_of_120_columns(lines):
    assert max(map(len, lines)) <= 120


def test_json_for_programs():
    found = json.loads(run("--json"))
    assert [entry["name"] for entry in found] == [shipped.name for shipped in list_shipped()]
    assert all(entry["bytes"] > 100_000 and entry["figures"] and entry["license"] for entry in found)


def test_what_was_not_measured_is_a_dash():
    assert format_figure(None) == "-"
    assert format_figure({"value": 0.5, "chance": 0.25, "raw": None}) == "0.500 (0.250, -)"
