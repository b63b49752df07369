import os
import stat
from fractions import Fraction

import av
import numpy as np
import pytest

from hf_ppar.video import (
    FrameBatch,
    VideoError,
    VideoWriter,
    WriteOptions,
    fit_short_side,
    open_video,
    probe,
    read_video,
    resize_frames,
    write_clip,
)

from ..conftest import moving_square, write_with_av


@pytest.mark.parametrize("suffix", [".mp4", ".m4v", ".mov", ".mkv", ".webm"])
def test_round_trip(tmp_path, square, suffix):
    target = tmp_path / f"out{suffix}"
    write_clip(target, square, 30)
    info = probe(target)
    assert (info.width, info.height, info.fps) == (64, 48, 30)
    assert float(info.duration) == pytest.approx(20 / 30, abs=2e-3)
    read = read_video(target)
    assert read.shape == square.shape
    assert np.abs(read.astype(int) - square).mean() < 4


@pytest.mark.parametrize("height", [48, 720])
def test_colours_survive(tmp_path, height):
    colours = np.zeros((3, height, 96, 3), np.uint8)
    colours[:, :, :32], colours[:, :, 32:64], colours[:, :, 64:] = (220, 30, 30), (30, 200, 40), (40, 40, 220)
    write_clip(tmp_path / "c.mp4", colours)
    read = read_video(tmp_path / "c.mp4")
    centres = read[1, height // 2, [16, 48, 80]].astype(int)
    assert np.abs(centres - colours[1, 0, [16, 48, 80]]).max() < 12


def test_odd_size_is_kept(tmp_path):
    frames = moving_square(5, 47, 63)
    write_clip(tmp_path / "odd.mp4", frames)
    assert read_video(tmp_path / "odd.mp4").shape == frames.shape
    with pytest.raises(VideoError, match="mpeg4 needs even sides, got 63x47"):
        write_clip(tmp_path / "odd4.mp4", frames, options=WriteOptions(codec="mpeg4"))
    assert not (tmp_path / "odd4.mp4").exists()


def test_variable_frame_rate_and_last_duration(tmp_path, square):
    times = [0, 40, 50, 200, 210, 500]
    base = Fraction(1, 1000)
    with VideoWriter(tmp_path / "v.mp4", (48, 64), Fraction(25), base) as writer:
        writer.write(FrameBatch(square[:4], times[:4], base, duration=10))
        writer.write(FrameBatch(square[4:6], times[4:], base, duration=100))
    info = probe(tmp_path / "v.mp4")
    assert info.frames == 6
    assert float(info.duration) == pytest.approx(0.6, abs=1e-3)
    with open_video(tmp_path / "v.mp4") as reader:
        seconds = [float(time * batch.time_base) for batch in reader.batches(10) for time in batch.times]
    assert seconds == pytest.approx([time / 1000 for time in times], abs=1e-3)


def test_quality_and_codec(tmp_path):
    noise = np.random.default_rng(0).integers(0, 255, (10, 64, 64, 3)).astype(np.uint8)
    sizes = []
    for quality in (10, 40):
        path = tmp_path / f"{quality}.mp4"
        write_clip(path, noise, options=WriteOptions(quality=quality))
        sizes.append(path.stat().st_size)
    assert sizes[0] > 2 * sizes[1]
    write_clip(tmp_path / "h265.mp4", noise, options=WriteOptions(codec="libx265"))
    assert probe(tmp_path / "h265.mp4").video_codec == "hevc"


def test_nothing_but_the_picture_is_written(tmp_path, square):
    write_clip(tmp_path / "bare.mp4", square)
    with av.open(str(tmp_path / "bare.mp4")) as container:
        assert not set(container.metadata) - {"major_brand", "minor_version", "compatible_brands"}
        assert [stream.type for stream in container.streams] == ["video"]


def test_existing_target_is_kept(tmp_path, square):
    target = tmp_path / "out.mp4"
    target.write_text("precious")
    with pytest.raises(VideoError, match="it exists already"):
        write_clip(target, square)
    assert target.read_text() == "precious"
    write_clip(target, square, options=WriteOptions(overwrite=True))
    assert read_video(target).shape == square.shape


def test_an_exception_leaves_nothing(tmp_path, square):
    target = tmp_path / "out.mp4"
    with pytest.raises(KeyboardInterrupt), VideoWriter(target, (48, 64), Fraction(25)) as writer:
        writer.write(FrameBatch(square, list(range(20)), Fraction(1, 25), 1))
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_no_frames_is_an_error(tmp_path):
    with (
        pytest.raises(VideoError, match="there are no frames"),
        VideoWriter(tmp_path / "o.mp4", (48, 64), Fraction(25)),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("out.xyz", {}, r"unknown suffix '\.xyz', use one of \.mp4"),
        ("out.mp4", {"codec": "libnothing"}, "there is no encoder 'libnothing'"),
        ("out.mp4", {"codec": "aac"}, "'aac' encodes audio, not video"),
        ("out.mp4", {"quality": 99}, r"quality must be from 0 \(best\) to 51"),
        ("none/out.mp4", {}, "the folder .*none does not exist"),
    ],
)
def test_targets_that_cannot_be_written(tmp_path, square, name, options, message):
    with pytest.raises(VideoError, match=message):
        write_clip(tmp_path / name, square, options=WriteOptions(**options))
    assert list(tmp_path.iterdir()) == []


def test_size_out_of_bounds(tmp_path):
    with pytest.raises(VideoError, match="the picture size 20000x10 is too large"):
        VideoWriter(tmp_path / "o.mp4", (10, 20000), Fraction(25))
    assert list(tmp_path.iterdir()) == []


def test_permissions_follow_the_umask(tmp_path, square):
    previous = os.umask(0o027)
    try:
        write_clip(tmp_path / "o.mp4", square)
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "o.mp4").stat().st_mode) == 0o640


def copy_with_writer(source, target, audio=True, metadata=False):
    with (
        open_video(source, keep_audio=audio) as reader,
        VideoWriter(target, (48, 64), reader.info.fps, reader.time_base) as writer,
    ):
        if audio:
            writer.copy_audio(reader)
        if metadata:
            writer.copy_metadata(reader)
        for batch in reader.batches(7):
            writer.write(batch)


@pytest.mark.parametrize(("name", "codec", "kept"), [("a.mp4", "aac", "aac"), ("a.avi", "pcm_s16le", "aac")])
def test_audio_is_copied_or_encoded(tmp_path, square, name, codec, kept):
    video_codec = "mpeg4" if name.endswith("avi") else "libx264"
    source = write_with_av(tmp_path / name, square, codec=video_codec, audio=codec)
    copy_with_writer(source, tmp_path / "out.mp4")
    info = probe(tmp_path / "out.mp4")
    assert info.audio_codecs == (kept,)
    with av.open(str(tmp_path / "out.mp4")) as container:
        sound = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])
    assert abs(len(sound) / 44100 - 0.8) < 0.1
    assert np.abs(sound).max() > 0.1


def test_metadata_is_copied_when_asked(tmp_path, square):
    source = write_with_av(tmp_path / "m.mp4", square, metadata={"title": "ward 7"})
    copy_with_writer(source, tmp_path / "kept.mp4", audio=False, metadata=True)
    copy_with_writer(source, tmp_path / "dropped.mp4", audio=False)
    assert "title" in probe(tmp_path / "kept.mp4").metadata
    assert "title" not in probe(tmp_path / "dropped.mp4").metadata


def test_resize_frames_and_fit():
    frames = moving_square(3, 40, 80)
    small = resize_frames(frames, (20, 40))
    assert np.abs(small - frames.reshape(3, 20, 2, 40, 2, 3).mean((2, 4))).mean() < 2
    assert resize_frames(frames, (40, 80)) is frames
    assert fit_short_side(1080, 1920, 480) == (480, 854)
    assert fit_short_side(1920, 1080, 240) == (426, 240)
    with pytest.raises(ValueError, match="the short side must be at least 2 pixels, got 0"):
        fit_short_side(10, 10, 0)
