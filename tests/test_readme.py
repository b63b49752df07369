"""Every python block and every hf-ppar line of the README runs."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from hf_ppar.cli.main import app

from .conftest import moving_square, write_with_av

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = moving_square(75, 90, 120)
    write_with_av(tmp_path / "ward.mp4", source, audio="aac", metadata={"title": "ward"})
    (tmp_path / "recordings").mkdir()
    write_with_av(tmp_path / "recordings" / "a.mp4", source[:10])
    return tmp_path


def test_python_blocks_run_in_order(workplace):
    assert len(blocks("python")) >= 3
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), names)
    assert isinstance(names["frames"], np.ndarray) and names["output"].videos.shape == (1, 16, 3, 112, 112)
    assert names["batch"]["pixel_values"].shape == (4, 8, 3, 48, 48)
    assert names["receipt"].dropped == ["audio (aac)", "metadata"]


def test_hf_ppar_lines_run(workplace):
    lines = [line for block in blocks("bash") for line in block.splitlines() if line.startswith("hf-ppar ")]
    assert len(lines) >= 3
    for line in lines:
        result = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
        assert result.exit_code == 0, f"{line}: {result.stderr}"


def test_make_targets_exist():
    makefile = (Path(__file__).parent.parent / "Makefile").read_text()
    targets = set(re.findall(r"^make ([a-z]+)", "\n".join(blocks("bash")), flags=re.MULTILINE))
    assert targets and all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in targets)


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (Path(__file__).parent.parent / target).exists(), target
