import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_ppar.video import (
    clip_indices,
    even_indices,
    play_backwards,
    square_crops,
    strided_indices,
    window_indices,
    window_starts,
)


def test_play_backwards_bounces_at_both_ends():
    assert play_backwards(np.arange(9), 4).tolist() == [0, 1, 2, 3, 2, 1, 0, 1, 2]
    assert play_backwards(np.arange(3), 1).tolist() == [0, 0, 0]


def test_even_indices_reach_both_ends():
    assert even_indices(100, 4).tolist() == [0, 33, 66, 99]
    assert even_indices(2, 4).tolist() == [0, 0, 1, 1]


def test_strided_indices_of_a_short_video_play_backwards():
    assert strided_indices(4, 6).tolist() == [0, 1, 2, 3, 2, 1]
    assert strided_indices(5, 4, stride=2).tolist() == [0, 2, 4, 2]


def test_clip_indices_spread_the_papers_five_clips():
    clips = clip_indices(100, clips=5, count=16, stride=2)
    assert clips.shape == (5, 16)
    assert clips[0, 0] == 0 and clips[-1, -1] == 99
    assert np.ptp(np.diff(clips[:, 0])) <= 1


def test_one_clip_is_the_centre_one():
    assert clip_indices(100, clips=1, count=16)[0, 0] == 42


@given(st.integers(1, 300), st.integers(1, 40), st.integers(1, 40))
def test_windows_cover_every_frame(length, window, hop):
    hop = min(hop, window)
    indices = window_indices(length, window, hop)
    assert indices.shape == (len(window_starts(length, window, hop)), window)
    assert set(indices.ravel()) == set(range(length))


def test_hop_longer_than_window_is_refused():
    with pytest.raises(ValueError, match="hop must be at most the window of 4 frames or frames are missed, got 5"):
        window_starts(10, 4, 5)


@pytest.mark.parametrize(("height", "width"), [(120, 160), (160, 120), (90, 90)])
def test_three_crops_are_left_centre_right(height, width):
    crops = square_crops(height, width, 3)
    assert {(crop.height, crop.width) for crop in crops} == {(min(height, width),) * 2}
    long = [crop.left if width > height else crop.top for crop in crops]
    slack = abs(height - width)
    assert long == [0, slack // 2, slack]
    frames = np.zeros((2, height, width, 3))
    assert all(crop.cut(frames).shape == (2, min(height, width), min(height, width), 3) for crop in crops)


def test_counts_below_one_are_refused():
    with pytest.raises(ValueError, match="count must be at least 1, got 0"):
        even_indices(10, 0)
