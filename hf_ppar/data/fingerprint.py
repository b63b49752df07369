"""When do two reads give the same pixels? Digests of the videos, the settings and the code that renders."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..version import __version__
from . import stage
from .clips import ClipOptions, is_rendered, video_name

FORMAT = 1
"""Raise it when the layout of the cache, or what decoding gives, changes."""


def settings_digest(videos: Iterable[Any], options: ClipOptions) -> str:
    """Digest of which videos are read and how: 16 hexadecimal digits."""
    names = [video_name(video) for video in videos]
    return _digest({"format": FORMAT, "options": asdict(options), "videos": names})


def content_digest(videos: Iterable[Any]) -> str:
    """Digest of what is in the videos: bytes, the stage's own code, and size and time of change of files.

    Reading every file to hash it would cost as much as decoding it. Web addresses count by name only.
    """
    return _digest({"version": __version__, "videos": [_content(video) for video in videos]})


def _content(video: Any) -> list[Any]:
    name = video_name(video)
    if is_rendered(video):
        return [name, _stage_code()]
    if isinstance(video, Mapping) and video.get("bytes") is not None:
        return [name, hashlib.sha256(video["bytes"]).hexdigest()]
    try:
        status = os.stat(name)
    except OSError:  # an address, or a file that is gone: reading it will say so
        return [name, None]
    return [name, status.st_size, status.st_mtime_ns]


@lru_cache(maxsize=1)
def _stage_code() -> str:
    folder = Path(stage.__file__).parent
    code = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        code.update(path.read_bytes())
    return code.hexdigest()


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
