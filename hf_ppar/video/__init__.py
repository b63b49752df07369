"""Video files <-> frames. Nothing here knows about privacy."""

from .errors import VideoError
from .info import VideoInfo
from .picking import estimate_frames, read_chosen, read_clips, read_even_frames, read_frames
from .reading import FrameBatch, VideoReader, count_frames, open_video, probe, read_video
from .sampling import (
    CropBox,
    clip_indices,
    even_indices,
    play_backwards,
    square_crops,
    strided_indices,
    window_indices,
    window_starts,
)
from .scaling import cover_size, fit_short_side, resize_frames
from .sources import VIDEO_SUFFIXES, VideoSource
from .writing import VideoWriter, WriteOptions, write_clip

__all__ = [
    "VIDEO_SUFFIXES",
    "CropBox",
    "FrameBatch",
    "VideoError",
    "VideoInfo",
    "VideoReader",
    "VideoSource",
    "VideoWriter",
    "WriteOptions",
    "clip_indices",
    "count_frames",
    "cover_size",
    "estimate_frames",
    "even_indices",
    "fit_short_side",
    "open_video",
    "play_backwards",
    "probe",
    "read_chosen",
    "read_clips",
    "read_even_frames",
    "read_frames",
    "read_video",
    "resize_frames",
    "square_crops",
    "strided_indices",
    "window_indices",
    "window_starts",
    "write_clip",
]
