import math
import os
import signal
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import torch

import hf_ppar
from hf_ppar import AnonymizeOptions, VideoError, WriteOptions, anonymize, anonymize_video
from hf_ppar.models.base import AnonymizerConfig, AnonymizerModel, AnonymizerOutput
from hf_ppar.models.classic.modeling_classic import ClassicModel
from hf_ppar.video import open_video, probe, read_video

from .conftest import moving_square, write_with_av


class WindowedModel(ClassicModel):
    """Negates windows of exactly eight small frames and says what it spent: a stand-in for a learned method."""

    config_class = AnonymizerConfig

    def anonymize(self, pixel_values, strength, generator):
        assert pixel_values.shape[1] == self.config.num_frames
        return AnonymizerOutput(videos=1 - pixel_values, rate_bits=torch.full((len(pixel_values),), 2.5))


def windowed(window="blend", image_size=(24, 32)) -> AnonymizerModel:
    return WindowedModel(AnonymizerConfig(num_frames=8, window=window, image_size=image_size)).eval()


@pytest.mark.parametrize("length", [1, 7, 16, 37])
def test_a_model_sees_a_fast_video_at_its_own_rate(tmp_path, length):
    frames = moving_square(length)
    source = write_with_av(tmp_path / "fast.mp4", frames)
    model = windowed("disjoint", image_size=(48, 64))
    model.config.frame_rate = float(probe(source).fps) / 2
    receipt = anonymize_video(source, tmp_path / "out.mp4", model)
    shown = read_video(tmp_path / "out.mp4").astype(int)
    expected = 255 - read_video(source)[np.arange(length) // 2 * 2].astype(int)
    assert len(shown) == length and np.abs(shown - expected).mean() < 4
    assert receipt.rate_bits == 2.5 * math.ceil(length / 16), "half as many windows spend half the bits"


@pytest.mark.parametrize(("length", "seconds"), [(20, 0.4), (20, 2.0), (5, 1.0), (1, 0.2)])
def test_fixed_length(tmp_path, length, seconds):
    times = [40 * number + (7 if number % 2 else 0) for number in range(length)]
    source = write_with_av(tmp_path / "v.mp4", moving_square(length), times=times, time_base=Fraction(1, 1000))
    options = AnonymizeOptions(fixed_length=seconds)
    receipt = anonymize_video(source, tmp_path / "out.mp4", "downsample-2x", options)
    result, rate = probe(tmp_path / "out.mp4"), probe(source).fps
    assert receipt.frames == result.frames == max(1, round(seconds * rate))
    assert receipt.duration_seconds == seconds
    with open_video(tmp_path / "out.mp4") as reader:
        shown = [float(time * batch.time_base) for batch in reader.batches(9) for time in batch.times]
    assert np.diff(shown) == pytest.approx(float(1 / rate), abs=1e-3)
    frames = read_video(tmp_path / "out.mp4").astype(int)
    if receipt.frames > length:
        assert np.abs(frames[length:] - frames[length - 1]).mean() < 2


def test_fixed_length_refuses_what_tells_the_length(tmp_path, square_mp4):
    with pytest.raises(ValueError, match="the sound would tell the true length"):
        anonymize_video(square_mp4, tmp_path / "o.mp4", options=AnonymizeOptions(fixed_length=1, keep_audio=True))
    with pytest.raises(ValueError, match="must be a number of seconds above 0, got -1"):
        anonymize_video(square_mp4, tmp_path / "o.mp4", options=AnonymizeOptions(fixed_length=-1))
    assert not (tmp_path / "o.mp4").exists()


def test_file_to_file(tmp_path, square_mp4):
    steps = []
    receipt = anonymize_video(
        square_mp4, tmp_path / "out.mp4", "pixelate", progress=lambda done, total: steps.append((done, total))
    )
    assert steps[-1] == (20, 20)
    source, result = probe(square_mp4), probe(tmp_path / "out.mp4")
    assert (result.width, result.height, result.fps, result.frames) == (64, 48, source.fps, 20)
    assert float(result.duration) == pytest.approx(float(source.duration), abs=1e-3)
    assert receipt.frames == 20 and receipt.model == "pixelate" and receipt.frames_per_second > 0
    shown, expected = read_video(tmp_path / "out.mp4"), anonymize(read_video(square_mp4), "pixelate")
    assert np.abs(shown.astype(int) - expected).mean() < 4


@pytest.mark.parametrize("name", hf_ppar.list_anonymizers())
def test_chunks_do_not_show(name, monkeypatch):
    frames = moving_square(30)
    whole = anonymize(frames, name)
    monkeypatch.setattr("hf_ppar.windows._CHUNK_PIXELS", 7 * 48 * 64)
    assert np.array_equal(anonymize(frames, name), whole)


def test_variable_frame_rate_survives(tmp_path, square):
    times = [0, 40, 50, 200, 210, 500]
    source = write_with_av(tmp_path / "v.mp4", square[:6], times=times, time_base=Fraction(1, 1000))
    anonymize_video(source, tmp_path / "o.mp4", "blacken")
    with open_video(tmp_path / "o.mp4") as reader:
        seconds = [float(time * batch.time_base) for batch in reader.batches(9) for time in batch.times]
    assert seconds == pytest.approx([time / 1000 for time in times], abs=1e-3)


def test_rotation_is_baked_in(tmp_path, square):
    source = write_with_av(tmp_path / "r.mp4", square, rotation=90)
    anonymize_video(source, tmp_path / "o.mp4", "downsample-2x")
    info = probe(tmp_path / "o.mp4")
    assert (info.height, info.width, info.rotation) == (64, 48, 0)


@pytest.mark.parametrize("length", [1, 3, 8, 12, 29])
@pytest.mark.parametrize("window", ["blend", "disjoint"])
def test_windowed_model_at_its_own_size(tmp_path, length, window):
    frames = moving_square(length)
    source = write_with_av(tmp_path / "s.mp4", frames)
    receipt = anonymize_video(source, tmp_path / "o.mp4", windowed(window))
    result = read_video(tmp_path / "o.mp4")
    assert result.shape == frames.shape
    assert np.abs(result.astype(int) - (255 - read_video(source).astype(int))).mean() < 12
    windows = -(-length // 8) if window == "disjoint" else max(1, -(-(length - 8) // 4) + 1)
    assert receipt.rate_bits == pytest.approx(2.5 * windows)


def test_output_size_is_independent_of_the_working_size(tmp_path, square_mp4):
    receipt = anonymize_video(square_mp4, tmp_path / "o.mp4", windowed(), AnonymizeOptions(size=96))
    assert (receipt.height, receipt.width) == (96, 128) == read_video(tmp_path / "o.mp4").shape[1:3]


def test_sound_and_metadata_only_when_asked(tmp_path, square):
    source = write_with_av(tmp_path / "s.mp4", square, audio="aac", metadata={"title": "a name"})
    bare = anonymize_video(source, tmp_path / "bare.mp4", "blacken")
    assert bare.dropped == ["audio (aac)", "metadata"]
    info = probe(tmp_path / "bare.mp4")
    assert not info.has_audio and "title" not in info.metadata
    full = anonymize_video(
        source, tmp_path / "full.mp4", "blacken", AnonymizeOptions(keep_audio=True, keep_metadata=True)
    )
    assert full.dropped == [] and full.kept_audio and full.kept_metadata
    info = probe(tmp_path / "full.mp4")
    assert info.audio_codecs == ("aac",) and "title" in info.metadata


def test_target_is_source(square_mp4):
    before = square_mp4.read_bytes()
    with pytest.raises(VideoError, match="it is the source itself"):
        anonymize_video(square_mp4, square_mp4, "blacken", AnonymizeOptions(write=WriteOptions(overwrite=True)))
    assert square_mp4.read_bytes() == before


class FailingModel(WindowedModel):
    def anonymize(self, pixel_values, strength, generator):
        self.calls = getattr(self, "calls", 0) + 1
        if self.calls > 1:
            raise self.error
        return super().anonymize(pixel_values, strength, generator)


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), KeyboardInterrupt()])
def test_a_crash_leaves_nothing(tmp_path, error):
    source = write_with_av(tmp_path / "s.mp4", moving_square(400))
    folder = tmp_path / "out"
    folder.mkdir()
    model = FailingModel(AnonymizerConfig(num_frames=8, image_size=(480, 640))).eval()
    model.error = error
    with pytest.raises(type(error)):
        anonymize_video(source, folder / "o.mp4", model)
    assert list(folder.iterdir()) == []


def test_a_damaged_source_leaves_nothing(tmp_path):
    source = write_with_av(tmp_path / "s.mkv", moving_square(200), options={"g": "5"})
    damaged = bytearray(source.read_bytes())
    damaged[len(damaged) // 2 : len(damaged) // 2 + 400] = os.urandom(400)
    folder = tmp_path / "out"
    folder.mkdir()
    try:
        anonymize_video(bytes(damaged), folder / "o.mp4", "blacken")
    except VideoError:
        assert list(folder.iterdir()) == []
    else:
        assert read_video(folder / "o.mp4").max() < 8


def test_full_disk(tmp_path):
    """A limit on file size stands in for a full disk; it needs no rights and hits the same writes."""
    code = (
        "import resource, sys, numpy as np, hf_ppar\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "frames = np.random.default_rng(0).integers(0, 255, (60, 96, 96, 3)).astype(np.uint8)\n"
        "try:\n"
        "    hf_ppar.anonymize_video(frames, sys.argv[1], 'downsample-2x')\n"
        "except hf_ppar.VideoError as error:\n"
        "    sys.exit(f'VideoError: {error}')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "o.mp4")], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 1 and "cannot write" in run.stderr, run.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_kill_leave_nothing_unfinished(tmp_path, signal_number):
    source = write_with_av(
        tmp_path / "s.mp4", np.tile(moving_square(60, 240, 320), (30, 1, 1, 1)), options={"preset": "ultrafast"}
    )
    folder = tmp_path / "out"
    folder.mkdir()
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'hf-ppar'; from hf_ppar.cli.main import run; run()"]
    process = subprocess.Popen(
        [*command, "anonymize", str(source), "-o", str(folder / "o.mp4")], stderr=subprocess.PIPE, text=True
    )
    while not any(path.stat().st_size > 10_000 for path in folder.iterdir()):  # encoding is under way
        assert process.poll() is None
    process.send_signal(signal_number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted" in errors and "Traceback" not in errors
    assert list(folder.iterdir()) == []


def peak_memory(path, target):
    # Not getrusage: its peak starts from the memory of the process that started this one.
    code = (
        "import sys, hf_ppar\n"
        "hf_ppar.anonymize_video(sys.argv[1], sys.argv[2], 'blur-strong')\n"
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))\n"
    )
    run = subprocess.run([sys.executable, "-c", code, path, target], capture_output=True, text=True, check=True)
    return int(run.stdout)


def test_memory_does_not_grow_with_the_length(tmp_path):
    short = write_with_av(tmp_path / "s.mp4", moving_square(100, 240, 320), options={"preset": "ultrafast"})
    long = write_with_av(tmp_path / "l.mp4", np.tile(moving_square(100, 240, 320), (10, 1, 1, 1)))
    ratio = peak_memory(long, tmp_path / "lo.mp4") / peak_memory(short, tmp_path / "so.mp4")
    assert ratio < 1.15


def test_real_clips_keep_their_shape(tmp_path, real_clips):
    for path in real_clips:
        receipt = anonymize_video(path, tmp_path / f"{path.stem}.mp4", "pixelate")
        with open_video(path) as reader:
            times = [float(t * reader.time_base) for batch in reader.batches(64, (16, 16)) for t in batch.times]
        with open_video(tmp_path / f"{path.stem}.mp4") as reader:
            written = [float(t * reader.time_base) for batch in reader.batches(64, (16, 16)) for t in batch.times]
        assert receipt.frames == len(times)
        assert written == pytest.approx(times, abs=2e-3)
