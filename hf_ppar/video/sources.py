"""Everything that may stand for a video, turned into something to open."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

import av
import numpy as np

from .errors import VideoError

# What a caller may hand over: a path, bytes, a file object, an http(s) URL, a `datasets` {"path", "bytes"} value or
# an array of frames. Kept as Any because arrays include torch tensors, which this package does not import.
VideoSource = Any

VIDEO_SUFFIXES = frozenset(
    {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".mts", ".wmv", ".flv", ".3gp"}
)

_NETWORK_SECONDS = 30.0
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+)://")
# Demuxers that open further files named inside the file: a "video" must not be able to read its neighbours.
_PLAYLISTS = {"hls", "concat", "dash", "imf", "image2", "tty"}


@dataclass(frozen=True)
class OpenableSource:
    """A source PyAV can open, and the name to use for it in messages."""

    file: str | IO[bytes]
    name: str

    def open(self) -> av.container.InputContainer:
        """Open for reading. Metadata that is not UTF-8 is tolerated; playlists are refused."""
        options: dict[str, str] = {}
        timeout = None
        if isinstance(self.file, str):
            options = {"protocol_whitelist": "file,http,https,tcp,tls,crypto"}
            timeout = _NETWORK_SECONDS if _SCHEME.match(self.file) else None
        else:
            self.file.seek(0)
        try:
            container = av.open(self.file, "r", container_options=options, metadata_errors="ignore", timeout=timeout)
        except av.error.FFmpegError as error:
            raise VideoError(_explain_open_error(self.name, error)) from error
        if _PLAYLISTS & set(container.format.name.split(",")):
            kind = container.format.name
            container.close()
            raise VideoError(f"cannot read {self.name}: {kind!r} lists other files; give the video file itself")
        return container


def as_array(source: VideoSource) -> np.ndarray | None:
    """Frames (T, H, W, 3) uint8 when the source is an array or tensor, else None."""
    if not hasattr(source, "__array__"):
        return None
    frames = np.asarray(source)
    if frames.ndim != 4 or frames.shape[-1] != 3 or frames.dtype != np.uint8 or 0 in frames.shape:
        raise VideoError(
            f"a video array must be uint8 of shape (frames, height, width, 3) and not empty, "
            f"got {frames.dtype} of shape {frames.shape}"
        )
    return frames


def openable(source: VideoSource) -> OpenableSource:
    """Normalise any source but an array, and refuse early what cannot be a video."""
    if isinstance(source, Mapping):
        return _from_mapping(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        if len(source) == 0:
            raise VideoError("cannot read the video: it has no bytes")
        return OpenableSource(io.BytesIO(source), f"<{len(source)} bytes>")
    if isinstance(source, (str, os.PathLike)):
        return _from_path(os.fspath(source))
    if hasattr(source, "read") and hasattr(source, "seek"):
        return OpenableSource(source, f"<{getattr(source, 'name', 'file object')}>")
    raise VideoError(
        f"cannot read a video from {type(source).__name__}; give a path, bytes, a seekable file object, "
        'an http(s) URL, a {"path", "bytes"} mapping or a uint8 array (frames, height, width, 3)'
    )


def _from_mapping(value: Mapping[str, Any]) -> OpenableSource:
    if value.get("bytes") is not None:
        source = openable(value["bytes"])
        return OpenableSource(source.file, value.get("path") or source.name)
    if value.get("path") is not None:
        return openable(value["path"])
    raise VideoError(f'a video mapping needs "bytes" or "path", got the keys {sorted(value)}')


def _from_path(path: str) -> OpenableSource:
    scheme = _SCHEME.match(path)
    if scheme:
        if scheme.group(1).lower() not in ("http", "https"):
            raise VideoError(f"cannot read {path}: only http:// and https:// addresses are supported")
        return OpenableSource(path, path)
    if os.path.isdir(path):
        raise VideoError(f"cannot read {path}: it is a directory; give a video file")
    if not os.path.exists(path):
        raise VideoError(f"cannot read {path}: there is no such file")
    if os.path.isfile(path) and os.path.getsize(path) == 0:
        raise VideoError(f"cannot read {path}: the file is empty")
    # Absolute, so that a name such as "concat:a|b" is never taken for a protocol.
    return OpenableSource(os.path.abspath(path), path)


def _explain_open_error(name: str, error: av.error.FFmpegError) -> str:
    if isinstance(error, (av.error.InvalidDataError, av.error.EOFError)):
        return f"cannot read {name}: it is not a video, or it is cut off or damaged; check that it plays"
    return f"cannot read {name}: {error.strerror}"
