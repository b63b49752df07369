"""Files -> frames: open a video from anywhere, stream it in bounded batches, or pick frames out of it."""

from __future__ import annotations

import heapq
import os
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from fractions import Fraction
from types import TracebackType
from typing import cast

import av
import numpy as np
from av.video.reformatter import Interpolation, VideoReformatter

from .errors import VideoError
from .info import VideoInfo, describe, main_video_stream
from .orientation import Orientation, read_orientation
from .scaling import resize_frames
from .sources import VideoSource, as_array, openable

# Frames held back to put timestamps in order; packed B-frames in avi come out swapped with their neighbour.
_REORDER_DEPTH = 4
# Beyond this, more threads only add delay and memory.
_MAX_THREADS = 16


@dataclass
class FrameBatch:
    """Consecutive frames (n, H, W, 3) uint8 RGB, upright, with their presentation times.

    `times` are in units of `time_base` seconds and start near 0. `duration` is that of the last frame, where known.
    `audio` holds the compressed audio packets met on the way, when they were asked for.
    """

    frames: np.ndarray
    times: list[int]
    time_base: Fraction
    duration: int = 0
    audio: list[av.Packet] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.frames)


class VideoReader(AbstractContextManager["VideoReader"]):
    """One open video file, read front to back once.

    Reading past damage is never silent: a packet that cannot be decoded, or a file that ends before the number of
    frames it declares, raises `VideoError`.

    Args:
        source: path, bytes, file object, http(s) URL or `datasets` {"path", "bytes"} value.
        keep_audio: also collect audio packets in each batch.
    """

    def __init__(self, source: VideoSource, *, keep_audio: bool = False) -> None:
        opened = openable(source)
        self.name = opened.name
        self.container = opened.open()
        self._decoded = self._decode()
        try:
            self.stream = main_video_stream(self.container, self.name)
            # One thread a core: FFmpeg's own choice, one more, is slower on small machines.
            self.stream.thread_type = "AUTO"
            self.stream.codec_context.thread_count = min(os.cpu_count() or 1, _MAX_THREADS)
            self.audio_streams = list(self.container.streams.audio) if keep_audio else []
            self._audio: list[av.Packet] = []
            self._first = next(self._decoded, None)
            if self._first is None:
                raise VideoError(f"cannot read {self.name}: it has no frames")
            self.orientation = read_orientation(self._first)
            self.first_time: int | None = self._first.pts
            self.info: VideoInfo = describe(self.container, self.stream, self.orientation.rotation)
        except BaseException:
            self.close()
            raise

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Release the file, and the decoder's threads with it: left to the garbage collector, a forked process would
        crash on them."""
        self._decoded.close()
        self._first = None
        self.container.close()

    def restart(self) -> None:
        """Go back to the first frame."""
        self._decoded.close()
        self._first = None
        self.container.seek(0)
        self._decoded = self._decode()

    def batches(self, batch_size: int, size: tuple[int, int] | None = None) -> Iterator[FrameBatch]:
        """Yield every remaining frame in order, `batch_size` at a time.

        Args:
            size: (height, width) to scale each frame to while converting it (area averaging); None keeps the size.
        """
        convert = FrameConverter(self.orientation, size)
        batch: list[np.ndarray] = []
        times: list[int] = []
        duration = 0
        for frame, time in self._timed_frames():
            batch.append(convert(frame))
            times.append(time)
            duration = frame.duration or 0
            if len(batch) == batch_size:
                yield self._batch(batch, times, duration)
                batch, times = [], []
        if batch or self._audio:
            yield self._batch(batch, times, duration)

    def _batch(self, frames: list[np.ndarray], times: list[int], duration: int) -> FrameBatch:
        audio, self._audio = self._audio, []
        stacked = np.stack(frames) if frames else np.empty((0, self.info.height, self.info.width, 3), np.uint8)
        return FrameBatch(stacked, times, self.time_base, duration, audio)

    @property
    def time_base(self) -> Fraction:
        """Seconds per tick of the batch times."""
        return Fraction(self.stream.time_base or 1 / self.info.fps)

    def _timed_frames(self) -> Iterator[tuple[av.VideoFrame, int]]:
        """Frames in display order with strictly increasing times, the first at 0."""
        frames: deque[av.VideoFrame] = deque()
        times: list[int] = []
        step = max(1, round(1 / (self.info.fps * self.time_base)))
        state = _Clock(step)
        for frame in self.rest():
            frames.append(frame)
            heapq.heappush(times, state.guess(frame.pts))
            if len(frames) > _REORDER_DEPTH:
                yield frames.popleft(), state.emit(heapq.heappop(times))
        while frames:
            yield frames.popleft(), state.emit(heapq.heappop(times))

    def rest(self) -> Iterator[av.VideoFrame]:
        """Decoded frames as PyAV gives them, from the first one on."""
        if self._first is not None:
            first, self._first = self._first, None
            yield first
        yield from self._decoded

    def _decode(self) -> Generator[av.VideoFrame]:
        packets = 0
        try:
            for packet in self.container.demux(self.stream, *self.audio_streams):
                if packet.stream.index != self.stream.index:
                    if packet.size:
                        self._audio.append(packet)
                    continue
                packets += packet.size > 0
                yield from cast(list[av.VideoFrame], packet.decode())
        except av.error.FFmpegError as error:
            raise VideoError(
                f"cannot read {self.name}: the video is damaged after {packets} packets ({error.strerror})"
            ) from error
        if packets < self.stream.frames:
            raise VideoError(
                f"cannot read {self.name}: the video is cut off, {packets} of {self.stream.frames} packets are there"
            )


class _Clock:
    """Turns raw timestamps, which may be missing or repeated, into strictly increasing ones from 0."""

    def __init__(self, step: int) -> None:
        self.step = step
        self.start: int | None = None
        self.guessed = -step
        self.emitted = -1

    def guess(self, pts: int | None) -> int:
        self.guessed = self.guessed + self.step if pts is None else pts
        return self.guessed

    def emit(self, time: int) -> int:
        if self.start is None:
            self.start = time
        self.emitted = max(time - self.start, self.emitted + 1)
        return self.emitted


class FrameConverter:
    """Decoded frame -> upright RGB array. One instance a video: building a scaler anew for each frame costs more
    than scaling it."""

    def __init__(self, orientation: Orientation, size: tuple[int, int] | None) -> None:
        self.orientation = orientation
        self.size = size[::-1] if size and orientation.transpose else size
        self.scaler = VideoReformatter()

    def __call__(self, frame: av.VideoFrame) -> np.ndarray:
        # A stream may change its size half-way: everything follows the first frame.
        if self.size is None:
            self.size = (frame.height, frame.width)
        height, width = self.size
        rgb = self.scaler.reformat(
            frame, width, height, format="rgb24", interpolation=Interpolation.AREA, threads=1
        ).to_ndarray()
        return self.orientation.apply(rgb)


class ArrayReader(AbstractContextManager["ArrayReader"]):
    """An array of frames (T, H, W, 3) uint8 behind the interface of `VideoReader`."""

    def __init__(self, frames: np.ndarray, fps: Fraction | float = 25) -> None:
        rate = Fraction(fps).limit_denominator(1001)
        length, height, width, _ = frames.shape
        self.name = f"<array of {length} frames>"
        self.frames = frames
        self.time_base = 1 / rate
        self.audio_streams: list[av.AudioStream] = []
        self.info = VideoInfo(width, height, rate, length / rate, length)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Nothing to release."""

    def batches(self, batch_size: int, size: tuple[int, int] | None = None) -> Iterator[FrameBatch]:
        """Yield the frames in order, `batch_size` at a time, scaled to (height, width) when `size` is given."""
        for start in range(0, len(self.frames), batch_size):
            frames = self.frames[start : start + batch_size]
            frames = frames if size is None else resize_frames(frames, size)
            yield FrameBatch(frames, list(range(start, start + len(frames))), self.time_base, duration=1)


def open_video(
    source: VideoSource, *, fps: Fraction | float = 25, keep_audio: bool = False
) -> VideoReader | ArrayReader:
    """Open any source for streaming. `fps` is used for arrays, which have none of their own."""
    frames = as_array(source)
    if frames is not None:
        return ArrayReader(frames, fps)
    return VideoReader(source, keep_audio=keep_audio)


def probe(source: VideoSource) -> VideoInfo:
    """What the video says about itself; decodes one frame.

    Example:
        >>> probe("street.mp4").fps
        Fraction(30000, 1001)
    """
    with open_video(source) as reader:
        return reader.info


def count_frames(source: VideoSource) -> int:
    """Exact number of frames, by decoding: container headers may be missing or wrong (Xvid avi)."""
    frames = as_array(source)
    if frames is not None:
        return len(frames)
    with VideoReader(source) as reader:
        return sum(1 for _ in reader.rest())


def read_video(source: VideoSource, size: tuple[int, int] | None = None) -> np.ndarray:
    """All frames (T, H, W, 3) of a short video, optionally scaled to (height, width)."""
    with open_video(source) as reader:
        return np.concatenate([batch.frames for batch in reader.batches(64, size)])
