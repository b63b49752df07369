"""Pick single frames or clips out of a video without decoding more than needed.

One sequential scan beats a seek per frame unless the wanted frames lie far apart: a seek has to decode from the
keyframe before. Both costs are known in frames once the packets have been listed (which decodes nothing), so the
cheaper one is taken. `examples/benchmarks/video.py` measures both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import av
import numpy as np

from .errors import VideoError
from .info import VideoInfo
from .reading import ArrayReader, FrameConverter, VideoReader
from .sampling import clip_indices, even_indices
from .scaling import resize_frames
from .sources import VideoSource, as_array

Size = tuple[int, int] | Callable[[VideoInfo], tuple[int, int]] | None

# A scan this short is never worth planning.
_SHORT_SCAN = 256
# Frames a seek costs beyond those between the keyframe and the wanted frame: flushed threads, reordering.
_SEEK_OVERHEAD = 16
# Containers may declare this many more frames than can be decoded (Xvid's empty packets); the last one stands in.
_DECLARED_SLACK = 2


@dataclass
class _Visit:
    """One seek: the keyframe's time, and the wanted times decoded after it."""

    keyframe: int
    wanted: dict[int, int] = field(default_factory=dict)  # time -> frame number


def read_frames(
    source: VideoSource, indices: Sequence[int] | np.ndarray, size: tuple[int, int] | None = None
) -> np.ndarray:
    """Frames (n, H, W, 3) uint8 by frame number, in the order given; numbers may repeat.

    Args:
        indices: frame numbers from 0.
        size: (height, width) to scale to while converting; None keeps the video's own.
    """
    return read_chosen(source, lambda length: np.asarray(indices, dtype=np.int64), size)


def read_even_frames(source: VideoSource, count: int, size: tuple[int, int] | None = None) -> np.ndarray:
    """`count` frames (count, H, W, 3) spread evenly over the whole video."""
    return read_chosen(source, lambda length: even_indices(length, count), size)


def read_clips(
    source: VideoSource, clips: int, count: int, stride: int = 1, size: tuple[int, int] | None = None
) -> np.ndarray:
    """`clips` clips of `count` frames (clips, count, H, W, 3) whose starts are spread evenly over the video."""
    return read_chosen(source, lambda length: clip_indices(length, clips, count, stride), size)


def estimate_frames(source: VideoSource) -> int:
    """Number of frames without decoding: what the container declares, else its packets counted."""
    frames = as_array(source)
    if frames is not None:
        return len(frames)
    with VideoReader(source) as reader:
        return _estimate(reader)


def read_chosen(source: VideoSource, choose: Callable[[int], np.ndarray], size: Size = None) -> np.ndarray:
    """Frames at `choose(length)`, shaped like it plus (H, W, 3); the video is opened once.

    Args:
        choose: number of frames -> frame numbers, an array of any shape.
        size: (height, width), or a function of the `VideoInfo` that gives it, to scale to; None keeps the video's own.
    """
    frames = as_array(source)
    if frames is not None:
        return _pick_from_array(frames, _checked(choose(len(frames))), _resolve(size, ArrayReader(frames).info))
    with VideoReader(source) as reader:
        indices = _checked(choose(_estimate(reader)))
        numbers, places = np.unique(indices, return_inverse=True)
        picked = _pick(reader, numbers.tolist(), _resolve(size, reader.info))
    return np.stack([picked[number] for number in numbers.tolist()])[places.reshape(indices.shape)]


def _resolve(size: Size, info: VideoInfo) -> tuple[int, int] | None:
    return size(info) if callable(size) else size


def _pick_from_array(frames: np.ndarray, indices: np.ndarray, size: tuple[int, int] | None) -> np.ndarray:
    if indices.max() >= len(frames):
        raise VideoError(f"frame {indices.max()} does not exist: the array has {len(frames)} frames")
    picked = frames[indices.ravel()]
    picked = picked if size is None else resize_frames(picked, size)
    return picked.reshape(*indices.shape, *picked.shape[1:])


def _checked(indices: np.ndarray) -> np.ndarray:
    if indices.size == 0 or indices.min() < 0:
        raise VideoError(f"frame numbers must be 0 or more and at least one, got {indices.tolist()}")
    return indices


def _estimate(reader: VideoReader) -> int:
    return reader.info.frames or len(_list_packets(reader))


def _pick(reader: VideoReader, wanted: list[int], size: tuple[int, int] | None) -> dict[int, np.ndarray]:
    plan = _plan_visits(reader, wanted) if wanted[-1] >= _SHORT_SCAN else None
    picked = _pick_by_seeking(reader, plan, size) if plan else _pick_in_order(reader, wanted, size)
    beyond = [number for number in wanted if number not in picked]
    if beyond:
        raise VideoError(f"frame {beyond[0]} of {reader.name} does not exist or cannot be decoded")
    return picked


def _pick_in_order(reader: VideoReader, wanted: list[int], size: tuple[int, int] | None) -> dict[int, np.ndarray]:
    """Decode front to back and convert only the wanted frame numbers; stops after the last one."""
    convert = FrameConverter(reader.orientation, size)
    missing = set(wanted)
    picked: dict[int, np.ndarray] = {}
    for index, frame in enumerate(reader.rest()):
        if index in missing:
            picked[index] = convert(frame)
            missing.remove(index)
        if not missing:
            return picked
    if reader.info.frames is not None and reader.info.frames - index - 1 <= _DECLARED_SLACK:
        picked |= {number: convert(frame) for number in missing if number < reader.info.frames}
    return picked


def _list_packets(reader: VideoReader) -> list[tuple[int, bool]]:
    """(time, is keyframe) of every packet in display order; empty when times are missing."""
    reader.container.seek(0)
    try:
        packets = [packet for packet in reader.container.demux(reader.stream) if packet.size]
    except av.error.FFmpegError as error:
        raise VideoError(f"cannot read {reader.name}: the video is damaged ({error.strerror})") from error
    reader.restart()
    timed = [(packet.pts, packet.is_keyframe) for packet in packets if packet.pts is not None]
    if len(timed) < len(packets):
        return [(number, number == 0) for number in range(len(packets))]
    return sorted(timed)


def _plan_visits(reader: VideoReader, wanted: list[int]) -> list[_Visit] | None:
    """Seeks that decode clearly fewer frames than a scan to the last wanted one, or None."""
    if "mp4" not in reader.info.container and "matroska" not in reader.info.container:
        return None  # only these give exact times for every packet
    first_time = reader.first_time or 0  # edit lists hide the packets before it
    packets = [packet for packet in _list_packets(reader) if packet[0] >= first_time]
    if wanted[-1] >= len(packets):
        return None
    keyframes = [number for number, (_, is_keyframe) in enumerate(packets) if is_keyframe]
    visits: list[_Visit] = []
    cost = 0
    previous = -1
    for number in wanted:
        keyframe = keyframes[bisect_right(keyframes, number) - 1]
        if visits and visits[-1].keyframe == packets[keyframe][0]:
            cost += number - previous
        else:
            visits.append(_Visit(packets[keyframe][0]))
            cost += number - keyframe + _SEEK_OVERHEAD
        visits[-1].wanted[packets[number][0]] = number
        previous = number
    return visits if 2 * cost < wanted[-1] else None


def _pick_by_seeking(reader: VideoReader, visits: list[_Visit], size: tuple[int, int] | None) -> dict[int, np.ndarray]:
    convert = FrameConverter(reader.orientation, size)
    picked: dict[int, np.ndarray] = {}
    for visit in visits:
        reader.container.seek(visit.keyframe, stream=reader.stream)
        last = max(visit.wanted)
        for frame in _decode_from_here(reader):
            if frame.pts in visit.wanted:
                picked[visit.wanted[frame.pts]] = convert(frame)
            if frame.pts is not None and frame.pts >= last:
                break
    return picked


def _decode_from_here(reader: VideoReader) -> Iterator[av.VideoFrame]:
    try:
        yield from reader.container.decode(reader.stream)
    except av.error.FFmpegError as error:
        raise VideoError(f"cannot read {reader.name}: the video is damaged ({error.strerror})") from error
