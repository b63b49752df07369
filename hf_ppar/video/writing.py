"""Frames -> files: written under a temporary name beside the target, synced, checked, renamed at the end."""

from __future__ import annotations

import os
import tempfile
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import cast

import av
import numpy as np
from av.video.reformatter import Colorspace, Interpolation, VideoReformatter

from .audio import AudioTrack
from .errors import VideoError
from .info import check_size, recorded
from .reading import FrameBatch, VideoReader

_CONTAINERS = {".mp4": "libx264", ".m4v": "libx264", ".mov": "libx264", ".mkv": "libx264", ".webm": "libvpx-vp9"}
# Codecs steered by a constant rate factor, with settings that keep pace with decoding. No B-frames: their reordering
# makes mp4 lose the last durations of a variable frame rate.
_CRF_CODECS = {
    "libx264": {"preset": "veryfast", "bf": "0"},
    "libx265": {"preset": "veryfast", "bf": "0", "x265-params": "log-level=error"},
    "libvpx-vp9": {"deadline": "realtime", "cpu-used": "5", "row-mt": "1"},
    "libsvtav1": {"preset": "10"},
}
_DEFAULT_QUALITY = 20


@dataclass(frozen=True)
class WriteOptions:
    """How to encode.

    Args:
        codec: encoder name as PyAV knows it; None takes the container's usual one (H.264, or VP9 for webm).
        quality: constant rate factor from 0 (best) to 51 (smallest); None is 20. Only for H.264, H.265, VP9 and AV1.
        overwrite: replace an existing target.
    """

    codec: str | None = None
    quality: int | None = None
    overwrite: bool = False


class VideoWriter(AbstractContextManager["VideoWriter"]):
    """Writes one video; leaving the `with` block normally publishes it, leaving it by an exception removes it.

    Args:
        target: path whose suffix names the container: .mp4, .m4v, .mov, .mkv or .webm.
        size: (height, width) of the file; frames of another size are scaled.
        fps: nominal rate.
        time_base: seconds per tick of the times given to `write`; None is one tick a frame.
        aspect: shape of a pixel, width over height.
    """

    def __init__(
        self,
        target: str | os.PathLike[str],
        size: tuple[int, int],
        fps: Fraction,
        time_base: Fraction | None = None,
        aspect: Fraction = Fraction(1),
        options: WriteOptions | None = None,
    ) -> None:
        self.options = options or WriteOptions()
        self.target = Path(target)
        self.size = size
        self.frames_written = 0
        self._durations: dict[int | None, int] = {}
        self.audio_tracks: dict[int, AudioTrack] = {}
        self.codec = check_target(self.target, self.options)
        check_size(size[1], size[0], f"cannot write {self.target}")
        self._partial = _create_partial(self.target)
        try:
            self._open(fps, time_base or 1 / fps, aspect)
        except BaseException:
            self._discard()
            raise

    def _open(self, fps: Fraction, time_base: Fraction, aspect: Fraction) -> None:
        # bitexact: no encoder name and no date in the file. faststart: plays before it is fully downloaded.
        flags = {"fflags": "+bitexact", "movflags": "+faststart"}
        self.container = av.open(str(self._partial), "w", container_options=flags)
        stream = self.container.add_stream(self.codec, rate=fps, options=self._codec_options())
        self.stream = cast(av.VideoStream, stream)
        height, width = self.size
        self.stream.width, self.stream.height = width, height
        self.stream.pix_fmt = self._pixel_format()
        self.time_base = time_base
        context = self.stream.codec_context
        context.time_base = time_base
        if aspect != 1:
            context.sample_aspect_ratio = aspect
        self.colorspace = Colorspace.ITU709 if height >= 720 else Colorspace.ITU601
        context.colorspace, context.color_range = int(self.colorspace), 1
        self._scaler = VideoReformatter()

    def _codec_options(self) -> dict[str, str]:
        if self.codec not in _CRF_CODECS:
            return {}
        quality = _DEFAULT_QUALITY if self.options.quality is None else self.options.quality
        constant_quality = {"b:v": "0"} if self.codec == "libvpx-vp9" else {}
        return {"crf": str(quality), **_CRF_CODECS[self.codec], **constant_quality}

    def _pixel_format(self) -> str:
        """4:2:0 for every player; an odd side needs 4:4:4, whose chroma is not shared between two pixels."""
        if all(side % 2 == 0 for side in self.size):
            return "yuv420p"
        formats = [format.name for format in av.codec.Codec(self.codec, "w").video_formats or []]
        if "yuv444p" not in formats:
            height, width = self.size
            raise VideoError(f"cannot write {self.target}: {self.codec} needs even sides, got {width}x{height}")
        return "yuv444p"

    def copy_audio(self, reader: VideoReader) -> None:
        """Prepare to carry the reader's audio streams; call before the first `write`."""
        offset = (reader.first_time or 0) * reader.time_base
        for stream in reader.audio_streams:
            self.audio_tracks[stream.index] = AudioTrack(self.container, stream, offset)

    def copy_metadata(self, reader: VideoReader) -> None:
        """Carry container and stream metadata and chapters; call before the first `write`."""
        self.container.metadata.update(recorded(reader.container.metadata))
        self.stream.metadata.update(recorded(reader.stream.metadata))
        for index, track in self.audio_tracks.items():
            track.stream.metadata.update(recorded(reader.container.streams[index].metadata))
        if reader.container.chapters():
            self.container.set_chapters(reader.container.chapters())

    def write(self, batch: FrameBatch) -> None:
        """Encode a batch: its frames at its times, then its audio packets."""
        try:
            for index, (array, time) in enumerate(zip(batch.frames, batch.times, strict=True)):
                is_last = index == len(batch) - 1
                self._encode(array, time, batch.duration if is_last else batch.times[index + 1] - time)
            for packet in batch.audio:
                self.audio_tracks[packet.stream.index].write(packet)
        except (av.error.FFmpegError, OSError) as error:
            raise self._failure(error) from error

    def _encode(self, array: np.ndarray, time: int, duration: int) -> None:
        height, width = self.size
        frame = self._scaler.reformat(
            av.VideoFrame.from_ndarray(np.ascontiguousarray(array), format="rgb24"),
            width,
            height,
            format=self.stream.pix_fmt,
            dst_colorspace=self.colorspace,
            interpolation=Interpolation.BICUBIC,
            threads=1,
        )
        frame.pts, frame.time_base = time, self.time_base
        self._durations[time] = duration
        self._mux(frame)
        self.frames_written += 1

    def _mux(self, frame: av.VideoFrame | None) -> None:
        for packet in self.stream.encode(frame):
            # Encoders replace the duration by one nominal frame, which is wrong for the last of a variable rate.
            packet.duration = self._durations.pop(packet.pts, None) or packet.duration
            self.container.mux(packet)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self._discard()
            return
        try:
            self._publish()
        except BaseException:
            self._discard()
            raise

    def _publish(self) -> None:
        if self.frames_written == 0:
            raise VideoError(f"cannot write {self.target}: there are no frames")
        try:
            self._mux(None)
            for track in self.audio_tracks.values():
                track.finish()
            self.container.close()
            self._check_complete()
            _sync(self._partial)
            if self.target.exists() and not self.options.overwrite:
                raise VideoError(_exists_message(self.target))
            os.replace(self._partial, self.target)
            _sync(self.target.parent)
        except (av.error.FFmpegError, OSError) as error:
            raise self._failure(error) from error

    def _check_complete(self) -> None:
        """Count what stands in the file: some disks report that they are full only by short writes."""
        with av.open(str(self._partial)) as written:
            packets = sum(1 for packet in written.demux(video=0) if packet.size)
        if packets != self.frames_written:
            raise VideoError(f"cannot write {self.target}: {packets} of {self.frames_written} frames reached the disk")

    def _discard(self) -> None:
        container = getattr(self, "container", None)
        if container is not None:
            # Closing writes a trailer, which fails on the same full disk; the file is removed all the same.
            with suppress(av.error.FFmpegError, OSError, ValueError):
                container.close()
        self._partial.unlink(missing_ok=True)

    def _failure(self, error: Exception) -> VideoError:
        return VideoError(f"cannot write {self.target}: {getattr(error, 'strerror', None) or error}")


def write_clip(
    target: str | os.PathLike[str],
    frames: np.ndarray,
    fps: Fraction | float = 25,
    options: WriteOptions | None = None,
) -> None:
    """Write frames (T, H, W, 3) uint8 at a constant rate."""
    rate = Fraction(fps).limit_denominator(1001)
    with VideoWriter(target, (frames.shape[1], frames.shape[2]), rate, options=options) as writer:
        writer.write(FrameBatch(frames, list(range(len(frames))), 1 / rate, duration=1))


def check_target(target: Path, options: WriteOptions) -> str:
    """Refuse a target that cannot be written, before any work is done; returns the encoder to use."""
    suffix = target.suffix.lower()
    if suffix not in _CONTAINERS:
        raise VideoError(f"cannot write {target}: unknown suffix {suffix!r}, use one of {', '.join(_CONTAINERS)}")
    codec = options.codec or _CONTAINERS[suffix]
    try:
        encoder = av.codec.Codec(codec, "w")
    except ValueError as error:
        raise VideoError(
            f"cannot write {target}: there is no encoder {codec!r} in this build of PyAV; "
            f"try {', '.join(_CRF_CODECS)} or leave the codec out"
        ) from error
    if encoder.type != "video":
        raise VideoError(f"cannot write {target}: {codec!r} encodes {encoder.type}, not video")
    if options.quality is not None and (codec not in _CRF_CODECS or not 0 <= options.quality <= 51):
        raise VideoError(
            f"quality must be from 0 (best) to 51 and is known to {', '.join(_CRF_CODECS)}, "
            f"got {options.quality} for {codec}"
        )
    if target.is_dir():
        raise VideoError(f"cannot write {target}: it is a directory")
    if target.exists() and not options.overwrite:
        raise VideoError(_exists_message(target))
    if not target.parent.is_dir():
        raise VideoError(f"cannot write {target}: the folder {target.parent} does not exist")
    return codec


def _exists_message(target: Path) -> str:
    return f"cannot write {target}: it exists already; choose another name or allow overwriting"


def _create_partial(target: Path) -> Path:
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{target.stem}.", suffix=f".partial{target.suffix}", dir=target.parent
        )
    except OSError as error:
        raise VideoError(f"cannot write {target}: {error.strerror}") from error
    umask = os.umask(0)
    os.umask(umask)
    with os.fdopen(handle, "wb") as file:
        os.fchmod(file.fileno(), 0o666 & ~umask)
    return Path(name)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
