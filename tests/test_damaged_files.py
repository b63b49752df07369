"""Cut and flip bytes of real and made clips: never a crash, never a raw frame in the output."""

import functools
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hf_ppar import VideoError, anonymize_video
from hf_ppar.video import read_even_frames, read_video

from .conftest import moving_square, write_with_av


@functools.cache
def clips() -> list[bytes]:
    """Bytes of small clips of several containers; the shortest real ones as well where there are any."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        made = [
            write_with_av(Path(folder) / "a.mp4", moving_square(12), options={"g": "4"}),
            write_with_av(Path(folder) / "b.avi", moving_square(12), codec="mpeg4", options={"bf": "2"}),
            write_with_av(Path(folder) / "c.mkv", moving_square(12), audio="aac"),
        ]
        contents = [path.read_bytes() for path in made]
    if os.environ.get("HF_PPAR_DATA"):
        real = sorted((Path(os.environ["HF_PPAR_DATA"]) / "clips").iterdir(), key=lambda path: path.stat().st_size)
        contents += [path.read_bytes() for path in real[:3]]
    return contents


@st.composite
def damaged(draw) -> bytes:
    content = bytearray(draw(st.sampled_from(clips())))
    for _ in range(draw(st.integers(0, 4))):
        # Headers are small and matter most: half of the flips go there.
        place = draw(st.one_of(st.integers(0, min(600, len(content) - 1)), st.integers(0, len(content) - 1)))
        content[place] = draw(st.integers(0, 255))
    if draw(st.booleans()):
        del content[draw(st.integers(1, len(content))) :]
    return bytes(content)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=damaged())
def test_damage_is_an_error_or_a_black_video(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("out")
    try:
        anonymize_video(content, folder / "o.mp4", "blacken")
    except VideoError:
        assert list(folder.iterdir()) == []
    else:
        assert [path.name for path in folder.iterdir()] == ["o.mp4"]
        assert read_video(folder / "o.mp4", size=(32, 32)).max() < 8


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=damaged())
def test_picking_from_damage_is_an_error_or_frames(content):
    try:
        frames = read_even_frames(content, 4, size=(16, 16))
    except VideoError:
        return
    assert frames.shape == (4, 16, 16, 3)


def test_undamaged_clips_are_read():
    for content in clips():
        assert len(read_even_frames(content, 4, size=(16, 16))) == 4


def test_black_really_distinguishes_raw_frames(tmp_path):
    """The check above would notice a raw frame."""
    assert np.asarray(moving_square(2)).max() > 8
    with pytest.raises(AssertionError):
        assert read_video(clips()[0], size=(32, 32)).max() < 8
