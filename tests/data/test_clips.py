import numpy as np
import pytest

from hf_ppar.data import ClipOptions, load_ppar_dataset, read_example_frames
from hf_ppar.data.clips import read_clips_of, read_one_clip, video_name
from hf_ppar.data.stage import render_clip, spec_from_uri
from hf_ppar.video import VideoError, read_frames, read_video

from ..conftest import moving_square, write_with_av


def test_a_stage_address_is_rendered_on_reading():
    video = load_ppar_dataset("stage", train_clips=4)[1]["video"]
    clip = render_clip(spec_from_uri(video["path"])).rgb
    assert np.array_equal(read_example_frames(video), clip)
    assert np.array_equal(read_example_frames(video["path"], [3, 0]), clip[[3, 0]])
    assert np.array_equal(read_example_frames(video, lambda length: [length - 1]), clip[-1:])
    assert read_example_frames(video, [0], (32, 48), "crop").shape == (1, 32, 48, 3)


def test_files_are_read_like_hf_ppar_video_does(square_mp4):
    assert np.array_equal(read_example_frames({"path": str(square_mp4), "bytes": None}), read_video(square_mp4))
    assert np.array_equal(read_example_frames(square_mp4, [4, 2], (24, 32)), read_frames(square_mp4, [4, 2], (24, 32)))
    from_bytes = read_example_frames({"path": None, "bytes": square_mp4.read_bytes()}, lambda length: [length - 1])
    assert np.array_equal(from_bytes, read_frames(square_mp4, [19]))


def test_crop_keeps_proportions_and_the_centre(square_mp4):
    cropped = read_example_frames(square_mp4, [0], (24, 24), "crop")
    assert np.array_equal(cropped, read_frames(square_mp4, [0], (24, 32))[:, :, 4:28])
    tall = read_example_frames(square_mp4, [0], (48, 16), "crop")
    assert np.array_equal(tall, read_frames(square_mp4, [0])[:, :, 24:40])


def test_clips_of_a_video(tmp_path):
    path = write_with_av(tmp_path / "long.mp4", moving_square(40))
    options = ClipOptions(frames=4, stride=2, clips=3, size=(24, 24))
    clips = read_clips_of(path, options)
    assert clips.shape == (3, 4, 24, 24, 3) and clips.dtype == np.uint8
    for number in range(3):
        assert np.array_equal(read_one_clip(path, options, number), clips[number])
    assert options.indices(40).tolist()[0] == [0, 2, 4, 6] and options.indices(40)[-1, -1] == 39


def test_without_a_stride_a_clip_spans_the_video():
    assert ClipOptions(frames=3).indices(11).tolist() == [[0, 5, 10]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"frames": 0}, "frames=0 must be a whole number of at least 1"),
        ({"clips": 2}, "clips=2 needs a stride"),
        ({"stride": 0}, "stride=0 must be a whole number"),
        ({"size": (112,)}, r"size=\(112,\) must be \(height, width\)"),
        ({"fit": "pad"}, "fit='pad' is unknown; choose one of: crop, stretch"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        ClipOptions(**options)


def test_an_unreadable_file_says_its_name(tmp_path):
    (tmp_path / "broken.mp4").write_text("no video")
    with pytest.raises(VideoError, match=r"broken.mp4: it is not a video"):
        read_clips_of({"path": str(tmp_path / "broken.mp4"), "bytes": None}, ClipOptions())


def test_names_for_messages():
    assert video_name({"path": "a.mp4", "bytes": b"xx"}) == "a.mp4"
    assert video_name({"path": None, "bytes": b"xx"}) == "<2 bytes>"
