"""What a video file says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import av

from .errors import VideoError

MAX_SIDE = 16384  # the largest side H.264 can carry
MAX_PIXELS = 8192 * 8192

_FORMAT_KEYS = {"major_brand", "minor_version", "compatible_brands", "encoder", "duration"}
_FORMAT_VALUES = {"und", "VideoHandler", "SoundHandler", "[0][0][0][0]"}


@dataclass(frozen=True)
class VideoInfo:
    """A video as it is displayed.

    `fps` is the exact average rate. `frames` is the count the container declares, None when it declares none.
    `duration` is in seconds. `width` and `height` are those after `rotation` (degrees clockwise) is applied.
    `metadata` names the keys that came with the recording.
    """

    width: int
    height: int
    fps: Fraction
    duration: Fraction | None
    frames: int | None
    rotation: int = 0
    container: str = "array"
    video_codec: str = "raw"
    pixel_format: str = "rgb24"
    sample_aspect_ratio: Fraction = Fraction(1)
    audio_codecs: tuple[str, ...] = ()
    subtitles: int = 0
    attached_pictures: int = 0
    chapters: int = 0
    metadata: tuple[str, ...] = ()

    @property
    def has_audio(self) -> bool:
        """Whether there is at least one audio stream."""
        return bool(self.audio_codecs)


def check_size(width: int, height: int, name: str) -> None:
    """Refuse picture sizes no video has, before anything of that size is allocated."""
    if width < 1 or height < 1:
        raise VideoError(f"{name}: the picture size {width}x{height} is not usable")
    if max(width, height) > MAX_SIDE or width * height > MAX_PIXELS:
        raise VideoError(
            f"{name}: the picture size {width}x{height} is too large; "
            f"at most {MAX_SIDE} pixels a side and {MAX_PIXELS} in all"
        )


def main_video_stream(container: av.container.InputContainer, name: str) -> av.VideoStream:
    """The first video stream that is not an attached picture (a cover)."""
    streams = [stream for stream in container.streams.video if not _is_picture(stream)]
    if not streams:
        raise VideoError(f"cannot read {name}: it has no video stream")
    stream = streams[0]
    if stream.codec_context is None:
        raise VideoError(f"cannot read {name}: its video codec is not supported by this build of PyAV")
    check_size(stream.codec_context.width, stream.codec_context.height, f"cannot read {name}")
    return stream


def describe(container: av.container.InputContainer, stream: av.VideoStream, rotation: int) -> VideoInfo:
    """Collect what the container and its streams declare."""
    width, height = stream.codec_context.width, stream.codec_context.height
    aspect = stream.sample_aspect_ratio or Fraction(1)
    if rotation in (90, 270):
        width, height, aspect = height, width, 1 / aspect
    fps = stream.average_rate or stream.guessed_rate or stream.base_rate or Fraction(25)
    return VideoInfo(
        width=width,
        height=height,
        fps=Fraction(fps),
        duration=_duration(container, stream),
        frames=stream.frames or None,
        rotation=rotation,
        container=container.format.name,
        video_codec=stream.codec_context.name,
        pixel_format=stream.codec_context.pix_fmt or "unknown",
        sample_aspect_ratio=aspect,
        audio_codecs=tuple(audio.codec_context.name for audio in container.streams.audio if audio.codec_context),
        subtitles=len(container.streams.subtitles),
        attached_pictures=sum(_is_picture(video) for video in container.streams.video),
        chapters=len(container.chapters()),
        metadata=tuple(
            sorted({key for holder in (container, *container.streams) for key in recorded(holder.metadata)})
        ),
    )


def recorded(metadata: Mapping[str, str]) -> dict[str, str]:
    """The metadata that came with the recording, without what every muxer writes about its own format."""
    return {
        key: value
        for key, value in metadata.items()
        if key.lower() not in _FORMAT_KEYS and value not in _FORMAT_VALUES
    }


def _is_picture(stream: av.VideoStream) -> bool:
    return bool(stream.disposition & av.stream.Disposition.attached_pic)


def _duration(container: av.container.InputContainer, stream: av.VideoStream) -> Fraction | None:
    if stream.duration is not None and stream.time_base is not None:
        return stream.duration * stream.time_base
    if container.duration is not None:
        return Fraction(container.duration, av.time_base)
    return None
