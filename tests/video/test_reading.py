import functools
import http.server
import io
import itertools
import threading
from fractions import Fraction

import av
import numpy as np
import pytest

from hf_ppar.video import VideoError, count_frames, open_video, probe, read_video

from ..conftest import moving_square, write_with_av


def stored(path):
    """The frames as PyAV alone decodes them."""
    with av.open(str(path)) as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])


def test_every_kind_of_source_gives_the_same_frames(square_mp4):
    expected = stored(square_mp4)
    raw = square_mp4.read_bytes()
    sources = [square_mp4, str(square_mp4), raw, io.BytesIO(raw), {"path": str(square_mp4), "bytes": None}]
    sources.append({"path": "named.mp4", "bytes": raw})
    for source in sources:
        assert np.array_equal(read_video(source), expected)
    with square_mp4.open("rb") as file:
        assert np.array_equal(read_video(file), expected)
    assert np.array_equal(read_video(expected), expected)


def test_http_source(square_mp4):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(square_mp4.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/square.mp4"
        assert np.array_equal(read_video(url), stored(square_mp4))
        with pytest.raises(VideoError, match=r"cannot read http://.*none\.mp4: .*404"):
            probe(f"http://127.0.0.1:{server.server_port}/none.mp4")
        server.shutdown()


def test_info(tmp_path, square):
    path = write_with_av(
        tmp_path / "a.mp4", square, rate=Fraction(30000, 1001), audio="aac", metadata={"title": "a name"}
    )
    info = probe(path)
    assert (info.width, info.height, info.frames, info.rotation) == (64, 48, 20, 0)
    assert info.fps == Fraction(30000, 1001)
    assert float(info.duration) == pytest.approx(20 * 1001 / 30000, abs=1e-3)  # mp4 rounds to milliseconds
    assert info.video_codec == "h264" and info.audio_codecs == ("aac",) and info.has_audio
    assert "title" in info.metadata


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_display_rotation_is_applied(tmp_path, square, rotation):
    path = write_with_av(tmp_path / "r.mp4", square, rotation=rotation)
    upright = np.rot90(stored(path), rotation // 90, axes=(1, 2))  # FFmpeg's angle is counter-clockwise
    assert np.array_equal(read_video(path), upright)
    info = probe(path)
    assert (info.height, info.width) == upright.shape[1:3]
    assert info.rotation == (360 - rotation) % 360
    assert read_video(path, size=(20, 30)).shape == (20, 20, 30, 3)


def test_variable_frame_rate_times(tmp_path, square):
    times = [0, 40, 50, 200, 210, 500]
    path = write_with_av(tmp_path / "v.mp4", square[:6], times=times, time_base=Fraction(1, 1000))
    with open_video(path) as reader:
        seconds = [time * batch.time_base for batch in reader.batches(4) for time in batch.times]
    assert [round(1000 * second) for second in seconds] == times


@pytest.mark.parametrize(
    ("name", "codec", "pixel_format", "options"),
    [
        ("ten_bit.mp4", "libx265", "yuv420p10le", {"x265-params": "log-level=error"}),
        ("grey.mkv", "ffv1", "gray", {}),
        ("alpha.mov", "prores_ks", "yuva444p10le", {}),
        ("open_gop.mp4", "libx264", "yuv420p", {"g": "8", "x264-params": "open-gop=1:bframes=3"}),
        ("no_count.mkv", "libx264", "yuv420p", {}),
        ("no_count.ts", "libx264", "yuv420p", {}),
        ("xvid.avi", "mpeg4", "yuv420p", {"bf": "2"}),
    ],
)
def test_unusual_files(tmp_path, name, codec, pixel_format, options):
    frames = moving_square(30)
    path = write_with_av(tmp_path / name, frames, codec, pixel_format, options=options)
    read = read_video(path)
    assert read.shape == frames.shape and read.dtype == np.uint8
    shown = frames if pixel_format != "gray" else frames.mean(-1, keepdims=True)
    assert np.abs(read.astype(float) - shown).mean() < 12
    assert count_frames(path) == 30


def test_odd_size(tmp_path):
    frames = moving_square(5, 47, 63)
    path = write_with_av(tmp_path / "odd.mp4", frames, pixel_format="yuv444p")
    assert read_video(path).shape == (5, 47, 63, 3)


def test_batches_are_bounded_and_complete(square_mp4):
    with open_video(square_mp4) as reader:
        sizes = [len(batch) for batch in reader.batches(8)]
    assert sizes == [8, 8, 4]


def test_scaling_while_reading(square_mp4):
    small = read_video(square_mp4, size=(24, 32))
    reference = stored(square_mp4).reshape(20, 24, 2, 32, 2, 3).mean((2, 4))
    assert np.abs(small - reference).mean() < 3


def test_truncated_file_is_an_error(tmp_path):
    whole = write_with_av(tmp_path / "w.mp4", moving_square(60), options={"g": "10"}).read_bytes()
    moved = tmp_path / "front.mp4"
    with (
        av.open(str(tmp_path / "w.mp4")) as source,
        av.open(str(moved), "w", container_options={"movflags": "+faststart"}) as target,
    ):
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.size:
                packet.stream = stream
                target.mux(packet)
    assert count_frames(moved) == 60
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(moved.read_bytes()[: int(0.7 * moved.stat().st_size)])
    with pytest.raises(VideoError, match=r"cut\.mp4: the video is (cut off|damaged)"):
        read_video(cut)
    tail_missing = tmp_path / "no_index.mp4"
    tail_missing.write_bytes(whole[: int(0.7 * len(whole))])
    with pytest.raises(VideoError, match="it is not a video, or it is cut off or damaged"):
        read_video(tail_missing)


def test_array_sources_are_checked():
    with pytest.raises(
        VideoError, match=r"uint8 of shape \(frames, height, width, 3\).*got float64 of shape \(2, 3\)"
    ):
        read_video(np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: folder / "none.mp4", "there is no such file"),
        (lambda folder: folder, "it is a directory"),
        (lambda folder: b"", "it has no bytes"),
        (lambda folder: {"path": None, "bytes": None}, 'a video mapping needs "bytes" or "path"'),
        (lambda folder: 7, "cannot read a video from int"),
        (lambda folder: "rtsp://camera/1", "only http:// and https:// addresses are supported"),
        (lambda folder: "file:///etc/hosts", "only http:// and https:// addresses are supported"),
    ],
)
def test_wrong_sources(tmp_path, make, message):
    with pytest.raises(VideoError, match=message):
        probe(make(tmp_path))


def test_playlists_cannot_reach_other_files(tmp_path, square_mp4):
    listing = tmp_path / "list.mp4"
    listing.write_text(f"ffconcat version 1.0\nfile {square_mp4.name}\n")
    with pytest.raises(VideoError, match="cannot read"):
        probe(listing)
    playlist = tmp_path / "list.m3u8"
    playlist.write_text(f"#EXTM3U\n#EXTINF:1,\n{square_mp4.name}\n#EXT-X-ENDLIST\n")
    with pytest.raises(VideoError, match="cannot read"):
        probe(playlist)


def test_audio_only_and_text(tmp_path):
    sound = tmp_path / "sound.m4a"
    with av.open(str(sound), "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 44100
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(VideoError, match="it has no video stream"):
        probe(sound)
    text = tmp_path / "text.mp4"
    text.write_text("not a video\n" * 100)
    with pytest.raises(VideoError, match="it is not a video"):
        probe(text)


@pytest.mark.parametrize("name", ["zero.mp4", "zero.mkv", "zero.avi"])
def test_zero_frames(tmp_path, name):
    with av.open(str(tmp_path / name), "w") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        container.start_encoding()
    with pytest.raises(VideoError, match=rf"cannot read .*{name}: it "):
        probe(tmp_path / name)


def test_real_clips(real_clips):
    assert len(real_clips) == 9
    for path in real_clips:
        frames = read_video(path, size=(32, 32))
        declared = probe(path).frames
        assert declared - 2 <= len(frames) <= declared


def test_packed_b_frames_of_real_avi_come_in_order(real_clips):
    for path in (clip for clip in real_clips if clip.suffix == ".avi"):
        with open_video(path) as reader:
            times = [time for batch in reader.batches(16, (16, 16)) for time in batch.times]
        assert times[0] == 0 and all(a < b for a, b in itertools.pairwise(times))
