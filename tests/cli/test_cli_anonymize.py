import json
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from hf_ppar.cli.main import app
from hf_ppar.video import probe, read_video

from ..conftest import moving_square, write_with_av

runner = CliRunner()


def run(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


def test_no_option_does_the_job(square_mp4):
    result = run("anonymize", square_mp4)
    assert result.exit_code == 0, result.stderr
    written = square_mp4.with_name("square_anonymized.mp4")
    assert read_video(written).shape == (20, 48, 64, 3)
    assert "model blur-strong on cpu" in result.stderr
    assert "20 frames" in result.stderr and "frames/s" in result.stderr and "nothing to drop" in result.stderr


def test_it_says_what_it_dropped(tmp_path, square):
    source = write_with_av(tmp_path / "in.mp4", square, audio="aac", metadata={"title": "a name"})
    assert "dropped audio (aac), metadata" in run("anonymize", source).stderr


def test_all_options(tmp_path, square):
    source = write_with_av(tmp_path / "in.avi", square, codec="mpeg4", audio="pcm_s16le")
    target = tmp_path / "out.mkv"
    result = run(
        *("anonymize", source, "-o", target, "--model", "pixelate", "--strength", "0.7", "--size", "96"),
        *("--quality", "30", "--codec", "libx265", "--keep-audio", "--keep-metadata", "--device", "cpu"),
        *("--overwrite", "--preview", "3", "--receipt", "--no-progress"),
    )
    assert result.exit_code == 0, result.stderr
    info = probe(target)
    assert (info.height, info.width, info.video_codec, info.audio_codecs) == (96, 128, "hevc", ("aac",))
    receipt = json.loads((tmp_path / "out_receipt.json").read_text())
    assert receipt["model"] == "pixelate" and receipt["strength"] == 0.7 and receipt["frames"] == 20
    assert "in" not in json.dumps(receipt).split() and str(tmp_path) not in json.dumps(receipt)
    picture = Image.open(tmp_path / "out_preview.png")
    assert picture.width > 3 * 160 and picture.height > 2 * 160
    assert "shows raw frames" in result.stderr


def test_no_preview_and_no_receipt_unless_asked(square_mp4):
    run("anonymize", square_mp4)
    assert sorted(path.name for path in square_mp4.parent.iterdir()) == ["square.mp4", "square_anonymized.mp4"]


def test_several_files_and_folders_with_a_bad_one(tmp_path):
    folder = tmp_path / "videos"
    folder.mkdir()
    write_with_av(folder / "a.mp4", moving_square(5))
    (folder / "bad.mp4").write_text("not a video")
    write_with_av(folder / "c.mkv", moving_square(5))
    (folder / "notes.txt").write_text("not even named like one")
    write_with_av(tmp_path / "d.mp4", moving_square(5))
    result = run("anonymize", folder, tmp_path / "d.mp4", "-o", tmp_path / "safe", "--model", "blacken")
    assert result.exit_code == 1
    assert sorted(path.name for path in (tmp_path / "safe").iterdir()) == [
        "a_anonymized.mp4",
        "c_anonymized.mp4",
        "d_anonymized.mp4",
    ]
    assert result.stderr.count("error:") == 1 and "bad.mp4" in result.stderr


def test_a_second_run_over_a_folder_skips_results(tmp_path):
    write_with_av(tmp_path / "a.mp4", moving_square(5))
    assert run("anonymize", tmp_path, "--model", "blacken").exit_code == 0
    assert run("anonymize", tmp_path, "--model", "blacken", "--overwrite").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mp4", "a_anonymized.mp4"]


def test_names_that_would_clash(tmp_path, square):
    for name in ("a.mp4", "a.mkv"):
        write_with_av(tmp_path / name, square)
    result = run("anonymize", tmp_path)
    assert result.exit_code == 2 and "several videos would be written to" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["none.mp4"], 1, "there is no such file"),
        (["IN", "--model", "blur-stronk"], 2, "unknown model 'blur-stronk'"),
        (["IN", "--model", "FOLDER"], 2, "holds no model: there is no config.json"),
        (["IN", "--strength", "2"], 2, "strength must be between 0"),
        (["IN", "--model", "blacken", "--strength", "0.5"], 2, "has no strength to set"),
        (["IN", "--size", "100000"], 1, "is too large"),
        (["IN", "--size", "0"], 1, "the short side must be at least 2 pixels, got 0"),
        (["IN", "--codec", "libnothing"], 1, "there is no encoder 'libnothing'"),
        (["IN", "--quality", "99"], 1, "quality must be from 0"),
        (["IN", "--device", "abacus"], 2, "--device abacus cannot be used here"),
        (["IN", "-o", "out.xyz"], 1, "unknown suffix '.xyz'"),
        (["IN", "-o", "IN"], 1, "it is the source itself"),
        (["FOLDER"], 1, "holds no videos"),
        (["IN", "-o", "missing/out.mp4"], 1, "the folder missing does not exist"),
        (["EMPTY"], 1, "the file is empty"),
        (["TEXT"], 1, "it is not a video"),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path, monkeypatch, square, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "empty_folder"
    folder.mkdir()
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "text.mp4").write_text("hello " * 500)
    source = write_with_av(tmp_path / "in.mp4", square)
    before = sorted(tmp_path.rglob("*"))
    names = {"IN": source, "FOLDER": folder, "EMPTY": tmp_path / "empty.mp4", "TEXT": tmp_path / "text.mp4"}
    result = run("anonymize", *(names.get(argument, argument) for argument in arguments))
    assert result.exit_code == code, result.stderr
    errors = [line for line in result.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 1 and message in errors[0]
    assert "Traceback" not in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_unwritable_folder(tmp_path, square_mp4, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    # Root may write anywhere, so the refusal of the system is played.
    monkeypatch.setattr("hf_ppar.video.writing.tempfile.mkstemp", refuse)
    result = run("anonymize", square_mp4)
    assert result.exit_code == 1 and "Permission denied" in result.stderr and "Traceback" not in result.stderr


def test_debug_shows_the_traceback(tmp_path):
    result = run("anonymize", tmp_path / "none.mp4", "--debug")
    assert result.exit_code == 1 and "Traceback" in result.stderr


def test_progress_bar_can_be_turned_off(square_mp4):
    command = [sys.executable, "-c", "from hf_ppar.cli.main import run; run()", "anonymize", str(square_mp4)]
    quiet = subprocess.run([*command, "--no-progress"], capture_output=True, text=True, check=True)
    assert "frame/s]" not in quiet.stderr


def test_help_is_instant_and_imports_no_torch(tmp_path):
    script = tmp_path / "hf-ppar"
    script.write_text(
        "import sys, time\n"
        "from hf_ppar.cli.main import run\n"
        "try:\n    run()\n"
        "finally:\n"
        "    print('CPU', time.process_time(), 'TORCH', 'torch' in sys.modules, file=sys.stderr)\n"
    )
    for arguments in (["--help"], ["anonymize", "--help"], ["--version"]):
        done = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, check=True)
        _, seconds, _, torch_loaded = done.stderr.split()
        assert torch_loaded == "False"
        assert float(seconds) < 0.5


def test_anonymized_pixels_differ_from_the_source(square_mp4):
    run("anonymize", square_mp4)
    result = read_video(square_mp4.with_name("square_anonymized.mp4")).astype(int)
    source = read_video(square_mp4).astype(int)
    assert np.abs(result - source).mean() > 3
