"""Small videos made on the spot, and real ones where HF_PPAR_DATA points to them."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test asks the Hub


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real videos and labels."""
    folder = os.environ.get("HF_PPAR_DATA")
    if not folder:
        pytest.skip("HF_PPAR_DATA is not set: no real videos to test with")
    return Path(folder)


@pytest.fixture(scope="session")
def real_clips(real_data: Path) -> list[Path]:
    return sorted((real_data / "clips").iterdir())


def moving_square(frames: int = 20, height: int = 48, width: int = 64, seed: int = 0) -> np.ndarray:
    """A bright square that moves over a smooth coloured background, (T, H, W, 3) uint8."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:height, 0:width]
    base = np.stack([60 + rows * 80 / height, 60 + columns * 80 / width, np.full((height, width), 90.0)], -1)
    video = np.repeat(base[None], frames, 0) + rng.normal(0, 2, (1, height, width, 1))
    side = max(4, height // 4)
    for time in range(frames):
        left = (time * 2) % (width - side)
        video[time, side : 2 * side, left : left + side] = (240, 200, 60)
    return video.clip(0, 255).astype(np.uint8)


def write_with_av(
    path: Path,
    frames: np.ndarray,
    codec: str = "libx264",
    pixel_format: str = "yuv420p",
    rate: Fraction | int = 25,
    times: list[int] | None = None,
    time_base: Fraction | None = None,
    options: dict[str, str] | None = None,
    rotation: int | None = None,
    audio: str | None = None,
    metadata: dict[str, str] | None = None,
) -> Path:
    """Write a video with PyAV alone, so that reading is not tested against our own writing."""
    with av.open(str(path), "w") as container:
        container.metadata.update(metadata or {})
        stream = container.add_stream(codec, rate=rate, options=options or {})
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt = pixel_format
        if time_base is not None:
            stream.codec_context.time_base = time_base
        if rotation is not None:
            stream.set_display_rotation(rotation)
        sound = container.add_stream(audio, rate=44100) if audio else None
        for index, array in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(array, format="rgb24")
            if times is not None:
                frame.pts, frame.time_base = times[index], time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if sound is not None:
            _add_tone(container, sound, seconds=len(frames) / 25)
    return path


def _add_tone(container: av.container.OutputContainer, stream: av.AudioStream, seconds: float) -> None:
    samples = int(44100 * seconds)
    tone = (0.3 * np.sin(2 * np.pi * 440 * np.arange(samples) / 44100)).astype(np.float32)
    is_integer = stream.codec_context.name.startswith("pcm")
    for start in range(0, samples, 1024):
        piece = tone[None, start : start + 1024]
        if is_integer:
            frame = av.AudioFrame.from_ndarray((piece * 32767).astype(np.int16), format="s16", layout="mono")
        else:
            frame = av.AudioFrame.from_ndarray(piece, format="fltp", layout="mono")
        frame.sample_rate, frame.pts = 44100, start
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


@pytest.fixture
def square() -> np.ndarray:
    return moving_square()


@pytest.fixture
def square_mp4(tmp_path: Path, square: np.ndarray) -> Path:
    return write_with_av(tmp_path / "square.mp4", square)
