import subprocess
import sys

import pytest
from PIL import Image
from typer.testing import CliRunner

from hf_ppar.cli.data import data_app
from hf_ppar.data import ClipOptions, load_ppar_dataset, open_clip_cache

from ..conftest import moving_square, write_with_av

runner = CliRunner()


def run(*arguments):
    return runner.invoke(data_app, [str(argument) for argument in arguments])


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Pictures are written to the current folder by default."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "videos"
    root.mkdir()
    for name in ("a.mp4", "b.mp4"):
        write_with_av(root / name, moving_square())
    (root / "metadata.csv").write_text("file_name,action,face\na.mp4,walk,1\nb.mp4,wave,0\n")
    return root


def test_list():
    result = run("list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["stage", "lsa64", "folder"]


def test_inspect_prints_counts_and_chance_levels_and_writes_a_picture(folder, tmp_path):
    result = run("inspect", "folder", "--data-dir", folder, "--output", tmp_path / "sheet.png")
    assert result.exit_code == 0, result.stderr
    assert "train: 2 clips" in result.stdout and "chance 0.500" in result.stdout and "face" in result.stdout
    assert "shows raw frames, do not share it" in result.stderr
    assert Image.open(tmp_path / "sheet.png").width > 1000
    assert run("inspect", "folder", "--data-dir", folder).exit_code == 0
    assert (tmp_path / "folder_samples.png").is_file()


def test_inspect_names_missing_files_and_fails(folder):
    (folder / "b.mp4").unlink()
    result = run("inspect", "folder", "--data-dir", folder)
    assert result.exit_code == 1
    assert "missing files: 1: b.mp4" in result.stdout and "listed videos are missing in train" in result.stderr


def test_inspect_opens_every_video_on_request(folder):
    assert "train: 2 of 2 videos open" in run("inspect", "folder", "--data-dir", folder, "--check").stdout
    (folder / "b.mp4").write_text("no video")
    assert run("inspect", "folder", "--data-dir", folder, "--no-picture").exit_code == 0
    result = run("inspect", "folder", "--data-dir", folder, "--check", "--no-picture")
    assert result.exit_code == 1 and "train: 1 of 2 videos open" in result.stdout
    assert "b.mp4: it is not a video" in result.stderr


def test_inspect_takes_options_of_the_data_set():
    result = run("inspect", "stage", "--option", "train_clips=3", "--option", "domain=dark")
    assert result.exit_code == 0, result.stderr
    assert "train: 3 clips" in result.stdout and "dark" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kinetics"], "name='kinetics' is not a known data set; choose one of: stage"),
        (["lsa64"], "data_dir is missing"),
        (["stage", "--option", "seed"], "'seed' must be name=value"),
        (["stage", "--output", "sheet.jpg"], "must end in .png"),
        (["stage", "--output", "nowhere/sheet.png"], "the folder nowhere does not exist"),
    ],
)
def test_inspect_usage_errors(arguments, message):
    result = run("inspect", *arguments)
    assert result.exit_code == 2 and message in result.stderr


def test_inspect_real_data(real_data):
    result = run("inspect", "lsa64", "--data-dir", real_data / "lsa64")
    assert result.exit_code == 0, result.stderr
    assert "train: 820 clips" in result.stdout and "person: 10 different; chance 0.100" in result.stdout


def test_stage_writes_a_folder_that_loads(tmp_path):
    result = run("stage", tmp_path / "out", "--clips", "3", "--seed", "5", "--domain", "dark", "--frames", "4")
    assert result.exit_code == 0, result.stderr
    assert "5 clips" in result.stderr
    dataset = load_ppar_dataset("folder", tmp_path / "out")
    assert len(dataset) == 3 and set(dataset["domain"]) == {"dark"}
    again = run("stage", tmp_path / "out")
    assert again.exit_code == 1 and "choose a new or empty folder" in again.stderr


def test_stage_usage_errors(tmp_path):
    result = run("stage", tmp_path / "out", "--domain", "night")
    assert result.exit_code == 2 and "domain='night' is not a domain of the stage" in result.stderr
    assert not (tmp_path / "out").exists()


def test_stage_interrupted_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("hf_ppar.data.stage_export.write_clip", interrupt)
    result = run("stage", tmp_path / "out", "--clips", "2")
    assert result.exit_code == 130 and "nothing unfinished was left behind" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_clear_cache(folder, tmp_path):
    open_clip_cache(load_ppar_dataset("folder", folder), ClipOptions(frames=2, size=(16, 16)), tmp_path / "cache")
    result = run("clear-cache", "--cache-dir", tmp_path / "cache")
    assert result.exit_code == 0 and "removed 1 caches" in result.stderr
    assert list((tmp_path / "cache").iterdir()) == []


def test_help_does_not_import_torch():
    code = """
import sys
sys.argv = ["hf-ppar"]
import hf_ppar.cli.data
sys.exit(any(name in sys.modules for name in ("torch", "datasets", "av")))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
