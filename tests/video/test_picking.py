import numpy as np
import pytest

from hf_ppar.video import (
    VideoError,
    clip_indices,
    estimate_frames,
    even_indices,
    picking,
    read_clips,
    read_even_frames,
    read_frames,
    read_video,
)

from ..conftest import moving_square, write_with_av


@pytest.fixture(scope="module")
def long_video(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    return write_with_av(
        folder / "long.mp4", moving_square(900), options={"g": "12", "x264-params": "open-gop=1:bframes=2"}
    )


def test_frames_by_number_in_any_order_with_repeats(square_mp4):
    everything = read_video(square_mp4)
    numbers = [5, 0, 5, 19, 3]
    assert np.array_equal(read_frames(square_mp4, numbers), everything[numbers])
    assert np.array_equal(read_frames(everything, numbers), everything[numbers])


def test_even_frames_and_clips(square_mp4):
    everything = read_video(square_mp4)
    assert np.array_equal(read_even_frames(square_mp4, 4), everything[even_indices(20, 4)])
    clips = read_clips(square_mp4, clips=5, count=8, stride=2)
    assert np.array_equal(clips, everything[clip_indices(20, 5, 8, 2)])
    assert read_clips(everything, 5, 8, 2, size=(10, 12)).shape == (5, 8, 10, 12, 3)


def test_seeking_and_scanning_agree(long_video, monkeypatch):
    numbers = even_indices(900, 7).tolist()
    plans = []
    plan = picking._plan_visits
    monkeypatch.setattr(picking, "_plan_visits", lambda *args: plans.append(plan(*args)) or plans[-1])
    by_seeking = read_frames(long_video, numbers)
    assert plans[0] is not None, "far apart frames of a short-GOP video should be sought"
    monkeypatch.setattr(picking, "_plan_visits", lambda *args: None)
    assert np.array_equal(by_seeking, read_frames(long_video, numbers))


def test_near_frames_are_scanned(long_video, monkeypatch):
    plans = []
    plan = picking._plan_visits
    monkeypatch.setattr(picking, "_plan_visits", lambda *args: plans.append(plan(*args)) or plans[-1])
    read_frames(long_video, range(0, 900, 10))
    assert plans == [None]


@pytest.mark.parametrize("suffix", [".mkv", ".ts"])
def test_files_without_a_frame_count(tmp_path, suffix):
    frames = moving_square(40)
    path = write_with_av(tmp_path / f"x{suffix}", frames)
    assert estimate_frames(path) == 40
    assert np.array_equal(read_even_frames(path, 5), read_video(path)[even_indices(40, 5)])


def test_numbers_beyond_the_end(square_mp4):
    with pytest.raises(VideoError, match=r"frame 25 of .*square.mp4 does not exist"):
        read_frames(square_mp4, [1, 25])
    with pytest.raises(VideoError, match="frame 25 does not exist: the array has 20 frames"):
        read_frames(read_video(square_mp4), [25])
    with pytest.raises(VideoError, match="frame numbers must be 0 or more and at least one"):
        read_frames(square_mp4, [-1])


def test_real_avi_that_declares_a_frame_too_many(real_clips):
    for path in real_clips:
        frames = read_even_frames(path, 16, size=(32, 32))
        assert np.array_equal(frames[-1], read_video(path, size=(32, 32))[-1])
