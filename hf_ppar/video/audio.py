"""Carry a source's audio into a written video: packets copied where the container takes the codec, else as AAC."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import av

# Codecs every player of the container understands; anything else is re-encoded.
_COPYABLE = {
    "mp4": {"aac", "mp3", "ac3", "eac3", "opus", "flac", "alac"},
    "mov": {"aac", "mp3", "ac3", "eac3", "alac"},
    "matroska": {"aac", "mp3", "ac3", "eac3", "opus", "flac", "vorbis", "alac"},
    "webm": {"opus", "vorbis"},
}


class AudioTrack:
    """One audio stream of an output container.

    Args:
        container: the open output.
        source: the stream the packets come from.
        offset: seconds to take off every timestamp, so that sound stays with the first video frame.
    """

    def __init__(self, container: av.container.OutputContainer, source: av.AudioStream, offset: Fraction) -> None:
        self.container = container
        self.source = source
        self.offset = offset
        self.copies = source.codec_context.name in _COPYABLE.get(container.format.name, set())
        if self.copies:
            self.stream = container.add_stream_from_template(source)
        else:
            codec = "libopus" if container.format.name == "webm" else "aac"
            # Opus knows 48 kHz only among the usual rates; AAC keeps the source's.
            rate = 48000 if codec == "libopus" else source.codec_context.sample_rate
            self.stream = cast(av.AudioStream, container.add_stream(codec, rate=rate))
            self.resampler = av.AudioResampler("flt" if codec == "libopus" else "fltp", "stereo", rate)

    def write(self, packet: av.Packet) -> None:
        """Add one packet of the source."""
        if self.copies:
            shift = round(self.offset / packet.time_base)
            packet.pts = None if packet.pts is None else packet.pts - shift
            packet.dts = None if packet.dts is None else packet.dts - shift
            packet.stream = self.stream
            self.container.mux(packet)
            return
        for frame in cast(list[av.AudioFrame], packet.decode()):
            if frame.pts is not None and frame.time_base is not None:
                frame.pts -= round(self.offset / frame.time_base)
            self._encode(frame)

    def finish(self) -> None:
        """Flush what the decoder, resampler and encoder still hold."""
        if self.copies:
            return
        self._encode(None)
        self.container.mux(self.stream.encode(None))

    def _encode(self, frame: av.AudioFrame | None) -> None:
        for resampled in self.resampler.resample(frame):
            self.container.mux(self.stream.encode(resampled))
