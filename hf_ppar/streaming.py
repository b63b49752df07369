"""Anonymize a whole video: decoding, model and encoding side by side, in memory that does not grow with its length.

Fails closed. The target's name exists only after every frame went through the anonymizer and reached the disk; on any
exception, Ctrl-C included, nothing is left under it.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import torch

from .background import BackgroundCalls, read_ahead
from .fixed_length import fix_length
from .models import AnonymizerModel, load_anonymizer
from .processing import to_clip, to_frames
from .receipt import Receipt, sum_certificates
from .version import __version__
from .video import (
    FrameBatch,
    VideoError,
    VideoInfo,
    VideoReader,
    VideoSource,
    VideoWriter,
    WriteOptions,
    fit_short_side,
    open_video,
    resize_frames,
)
from .video.reading import ArrayReader
from .video.writing import check_target
from .windows import Joiner, Window, WindowPlan, cut_windows

# Called with (frames done, frames in all or None when the source does not say).
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class AnonymizeOptions:
    """How to anonymize and write a video.

    Args:
        strength: from 0 to 1, 1 is most private; None is the model's own.
        size: short side of the output in pixels; None keeps the source's size.
        keep_audio: carry the audio streams over (voices identify people).
        keep_metadata: carry container and stream metadata and chapters over.
        fixed_length: seconds that every result lasts, at an even rate: longer videos are cut off, shorter ones end in
            a still picture. None keeps the source's length and times, which can say something about a person.
        write: codec, quality, overwriting.
    """

    strength: float | None = None
    size: int | None = None
    keep_audio: bool = False
    keep_metadata: bool = False
    fixed_length: float | None = None
    write: WriteOptions = field(default_factory=WriteOptions)


def anonymize_video(
    source: VideoSource,
    target: str | os.PathLike[str],
    anonymizer: str | os.PathLike[str] | AnonymizerModel = "blur-strong",
    options: AnonymizeOptions | None = None,
    *,
    generator: torch.Generator | None = None,
    progress: Progress | None = None,
) -> Receipt:
    """Write an anonymized copy of a video, with the source's frame count, timestamps, duration and size.

    Args:
        source: path, bytes, file object, URL, `datasets` value or array.
        target: path to write; its suffix names the container.
        anonymizer: name, directory, Hub id or model.
        generator: source of noise, for tests.
        progress: called as frames are done.

    Example:
        >>> anonymize_video("ward.mp4", "ward_anonymized.mp4", "motion-mask").frames
        451
    """
    options = options or AnonymizeOptions()
    _check_length(options)
    target = Path(target)
    _refuse_same_file(source, target)
    check_target(target, options.write)
    started = time.perf_counter()
    model = load_anonymizer(anonymizer)
    with open_video(source, keep_audio=options.keep_audio) as reader:
        stream = AnonymizedStream(reader, model, options.strength, generator)
        with (
            _open_writer(reader, target, options) as writer,
            BackgroundCalls(writer.write) as encoder,
            closing(stream.batches()) as batches,
        ):
            done = 0
            for batch in _with_length(batches, reader, options):
                encoder.submit(batch)
                done += len(batch)
                if progress is not None:
                    progress(done, reader.info.frames)
        receipt = stream.receipt(options)
        receipt.frames = writer.frames_written
        receipt.height, receipt.width = writer.size
    receipt.output_sha256 = _sha256(target)
    receipt.elapsed_seconds = time.perf_counter() - started
    return receipt


def anonymize(
    source: VideoSource,
    anonymizer: str | os.PathLike[str] | AnonymizerModel = "blur-strong",
    strength: float | None = None,
    generator: torch.Generator | None = None,
) -> np.ndarray:
    """Anonymize in memory: frames (T, H, W, 3) uint8, or any short video; frames of the source's size come back.

    Example:
        >>> anonymize(frames, "pixelate", strength=0.8).shape == frames.shape
        True
    """
    model = load_anonymizer(anonymizer)
    with open_video(source) as reader:
        size = (reader.info.height, reader.info.width)
        with closing(AnonymizedStream(reader, model, strength, generator).batches()) as batches:
            return np.concatenate([resize_frames(batch.frames, size) for batch in batches])


class AnonymizedStream:
    """The anonymized frames of an open video, batch by batch, with the source's times and (if read) audio packets.

    Frames come at the model's working size.
    """

    def __init__(
        self,
        reader: VideoReader | ArrayReader,
        model: AnonymizerModel,
        strength: float | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        config = model.config
        self.reader = reader
        self.model = model
        self.strength = config.resolve_strength(strength)
        self.generator = generator
        self.size = None if config.image_size is None else (config.image_size[0], config.image_size[1])
        height, width = self.size or (reader.info.height, reader.info.width)
        rate = reader.info.fps if isinstance(reader, VideoReader) else None  # an array does not say
        self.plan = WindowPlan.for_model(config, height, width, rate)
        self.rate_bits: float | None = None
        self.windows = 0
        self._times: deque[int] = deque()
        self._audio: deque[av.Packet] = deque()
        self._duration = 0

    def batches(self) -> Generator[FrameBatch]:
        """Iterate once, and close before the reader: a thread reads ahead."""
        joiner = Joiner(self.plan)
        with closing(read_ahead(self._window_batches())) as groups:
            for windows in groups:
                for window, answer in zip(windows, self._answer(windows), strict=True):
                    yield self._batch(joiner.add(answer, window))
        rest = joiner.finish()
        if rest is not None or self._audio:
            yield self._batch(torch.empty(0, 3, 1, 1) if rest is None else rest)
        if self._times:
            raise RuntimeError(f"{len(self._times)} frames of {self.reader.name} got no anonymized frame")

    def receipt(self, options: AnonymizeOptions) -> Receipt:
        """The account of what was done, frames and size still open."""
        info = self.reader.info
        return Receipt(
            model=_public_name(self.model),
            revision=getattr(self.model.config, "_commit_hash", None),
            strength=self.strength,
            device=str(self.model.device),
            duration_seconds=options.fixed_length or (None if info.duration is None else float(info.duration)),
            kept_audio=options.keep_audio and info.has_audio,
            kept_metadata=options.keep_metadata,
            dropped=dropped_from(info, options),
            rate_bits=self.rate_bits,
            mean_rate_bits=None if self.rate_bits is None else self.rate_bits / self.windows,
            bounds=self._bounds(),
            hf_ppar_version=__version__,
        )

    def _bounds(self) -> dict[str, dict[str, Any]]:
        """What a certificate of the model comes to for this video; it is for the default strength alone."""
        config = self.model.config
        if self.strength != config.resolve_strength(None):
            return {}
        return sum_certificates(getattr(config, "certificates", None), self.windows)

    def _window_batches(self) -> Iterator[list[Window]]:
        """Windows in groups of one model call; runs in the reading thread."""
        group: list[Window] = []
        for window in cut_windows(self._raw_chunks(), self.plan):
            group.append(window)
            if len(group) == self.plan.batch:
                yield group
                group = []
        if group:
            yield group

    def _raw_chunks(self) -> Iterator[np.ndarray]:
        for batch in self.reader.batches(self.plan.hop * self.plan.batch, self.size):
            # Deques are safe to fill here while the main thread empties them: a frame's time is always in before
            # the frame itself reaches the model.
            self._times.extend(batch.times)
            self._audio.extend(batch.audio)
            self._duration = batch.duration or self._duration
            yield batch.frames

    def _answer(self, windows: list[Window]) -> torch.Tensor:
        """The model's answers (windows, n, 3, H, W)."""
        with torch.inference_mode():
            clips = torch.stack([to_clip(window.frames[:: self.plan.stride]) for window in windows])
            clips = clips.to(self.model.device)
            output = self.model(clips, strength=self.strength, generator=self.generator)
        self.windows += len(windows)
        if output.rate_bits is not None:
            self.rate_bits = (self.rate_bits or 0.0) + float(output.rate_bits.sum())
        videos = output.videos.cpu()
        return videos if self.plan.stride == 1 else videos.repeat_interleave(self.plan.stride, dim=1)

    def _batch(self, clip: torch.Tensor) -> FrameBatch:
        times = [self._times.popleft() for _ in range(len(clip))]
        audio = [self._audio.popleft() for _ in range(len(self._audio))]
        return FrameBatch(to_frames(clip), times, Fraction(self.reader.time_base), self._duration, audio)


def dropped_from(info: VideoInfo, options: AnonymizeOptions) -> list[str]:
    """What the source has and the result will not have."""
    dropped = []
    if info.has_audio and not options.keep_audio:
        dropped.append(f"audio ({', '.join(info.audio_codecs)})")
    if info.subtitles:
        dropped.append(f"subtitles ({info.subtitles})")
    if info.attached_pictures:
        dropped.append(f"attached pictures ({info.attached_pictures})")
    if not options.keep_metadata:
        dropped += [f"chapters ({info.chapters})"] if info.chapters else []
        dropped += ["metadata"] if info.metadata else []
    return dropped


def _open_writer(reader: VideoReader | ArrayReader, target: Path, options: AnonymizeOptions) -> VideoWriter:
    info = reader.info
    size = (info.height, info.width)
    if options.size is not None:
        size = fit_short_side(*size, options.size)
    time_base = Fraction(reader.time_base) if options.fixed_length is None else 1 / info.fps
    writer = VideoWriter(target, size, info.fps, time_base, info.sample_aspect_ratio, options=options.write)
    if isinstance(reader, VideoReader):
        if options.keep_audio:
            writer.copy_audio(reader)
        if options.keep_metadata:
            writer.copy_metadata(reader)
    return writer


def _check_length(options: AnonymizeOptions) -> None:
    if options.fixed_length is None:
        return
    if not 0 < options.fixed_length < float("inf"):
        raise ValueError(f"fixed_length must be a number of seconds above 0, got {options.fixed_length}")
    if options.keep_audio:
        raise ValueError("fixed_length and keep_audio do not go together: the sound would tell the true length")


def _with_length(
    batches: Iterator[FrameBatch], reader: VideoReader | ArrayReader, options: AnonymizeOptions
) -> Iterator[FrameBatch]:
    if options.fixed_length is None:
        return batches
    rate = Fraction(reader.info.fps)
    return fix_length(batches, max(1, round(options.fixed_length * rate)), rate)


def _refuse_same_file(source: VideoSource, target: Path) -> None:
    is_path = isinstance(source, (str, os.PathLike)) and os.path.exists(source)
    if is_path and target.exists() and os.path.samefile(source, target):
        raise VideoError(f"cannot write {target}: it is the source itself; choose another name")


def _public_name(model: AnonymizerModel) -> str:
    """Hub id or built-in name as given; of a local directory only its own name, not where it lies."""
    name = model.config._name_or_path or type(model).__name__
    return Path(name).name if os.path.isdir(name) else name


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
