"""Speed and memory of reading and anonymizing, as ratios measured side by side in one run (`make bench`).

Everything runs on one generated 640x480 H.264 video, so nothing has to be downloaded. Each figure is the best of a few
runs; the programs compared take turns, so that a busy machine slows all of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import av
import numpy as np
from memory import peak_megabytes
from timing import best_seconds

from hf_ppar import AnonymizeOptions, WriteOptions, anonymize_video, load_anonymizer
from hf_ppar.data.stage import render_clip, sample_spec
from hf_ppar.video import VideoWriter, even_indices, read_even_frames, read_frames
from hf_ppar.video.reading import FrameBatch

FPS = 25


def make_video(path: Path, seconds: int) -> Path:
    """A rendered person, played over and over; written in pieces so that an hour would fit in memory."""
    from fractions import Fraction

    scene = render_clip(sample_spec("walk_and_wave_one_hand"), height=480, width=640, frames=50, fps=FPS).rgb
    with VideoWriter(path, (480, 640), Fraction(FPS)) as writer:
        for start in range(0, seconds * FPS, len(scene)):
            frames = scene if (start // len(scene)) % 2 == 0 else scene[::-1]
            writer.write(FrameBatch(frames, list(range(start, start + len(frames))), Fraction(1, FPS), 1))
    return path


def compare_with_deface(video: Path, folder: Path) -> None:
    """Frames per second of whole-frame blur against deface's face blur, both on files."""
    command = shutil.which("deface", path=os.path.dirname(sys.executable))
    if command is None:
        print("deface is not installed: skipped (pip install 'hf-ppar[bench]')")
        return
    model = load_anonymizer("blur-strong")
    options = AnonymizeOptions(write=WriteOptions(overwrite=True))
    deface = [command, str(video), "--output", str(folder / "deface.mp4"), "--backend", "onnxrt"]
    seconds = best_seconds(
        {
            "hf_ppar blur-strong": lambda: anonymize_video(video, folder / "ours.mp4", model, options),
            "deface 1.5.0": lambda: subprocess.run(deface, check=True, capture_output=True),
        },
        rounds=2,
    )
    frames = 10 * FPS
    for name, taken in seconds.items():
        print(f"{name:<28} {frames / taken:8.1f} frames/s   {seconds['deface 1.5.0'] / taken:6.2f} x deface")


def plain_pyav(video: Path) -> np.ndarray:
    """What most scripts do: decode in order, keep the wanted frames."""
    with av.open(str(video)) as container:
        wanted = set(even_indices(container.streams.video[0].frames, 16).tolist())
        frames = enumerate(container.decode(video=0))
        return np.stack([frame.to_ndarray(format="rgb24") for index, frame in frames if index in wanted])


def transformers_loader(video: Path) -> np.ndarray:
    """transformers' own PyAV loader, on the same frames."""
    from transformers.video_utils import read_video_pyav

    def sample(metadata: object, **_: object) -> np.ndarray:
        return even_indices(metadata.total_num_frames, 16)  # type: ignore[attr-defined]

    return read_video_pyav(str(video), sample)[0]


def compare_reading(video: Path) -> None:
    """Time to get 16 even frames of one video."""
    expected = read_even_frames(video, 16)
    contenders = {
        "hf_ppar": lambda: read_even_frames(video, 16),
        "plain PyAV loop": lambda: plain_pyav(video),
        "transformers loader": lambda: transformers_loader(video),
    }
    for name, run in contenders.items():
        if not np.array_equal(run(), expected):
            raise SystemExit(f"{name} reads other frames: the comparison would be unfair")
    seconds = best_seconds(contenders, rounds=15)
    for name, taken in seconds.items():
        print(f"{name:<28} {1000 * taken:8.1f} ms         {taken / seconds['hf_ppar']:6.2f} x our time")


def compare_seeking(video: Path) -> None:
    """Why far-apart frames of a long video are sought and near ones scanned."""
    from hf_ppar.video import picking

    numbers = even_indices(600 * FPS, 16)
    plan = picking._plan_visits

    def scan() -> None:
        picking._plan_visits = lambda *args: None  # type: ignore[assignment]
        try:
            read_frames(video, numbers)
        finally:
            picking._plan_visits = plan

    seconds = best_seconds({"as chosen (seeks)": lambda: read_frames(video, numbers), "scan": scan}, rounds=2)
    for name, taken in seconds.items():
        print(f"{name:<28} {1000 * taken:8.1f} ms         {taken / seconds['scan']:6.2f} x the scan")


def peak_of_anonymizing(video: Path, folder: Path) -> float:
    """Peak memory of anonymizing the video, in megabytes."""
    code = "import sys, hf_ppar\nhf_ppar.anonymize_video(sys.argv[1], sys.argv[2], 'blur-strong')"
    return peak_megabytes(code, video, folder / f"peak_{video.stem}.mp4")


def main() -> None:
    """Print all comparisons."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ten, minute, long = (make_video(folder / f"{s}s.mp4", s) for s in (10, 60, 600))
        print(f"\nAnonymizing a 10 s 640x480 video, {os.cpu_count()} cores")
        compare_with_deface(ten, folder)
        print("\nReading 16 even frames of the 10 s video")
        compare_reading(ten)
        print("\nReading 16 even frames of a 600 s video")
        compare_seeking(long)
        print("\nPeak memory of anonymizing")
        peaks = {"60 s": peak_of_anonymizing(minute, folder), "600 s": peak_of_anonymizing(long, folder)}
        for label, peak in peaks.items():
            print(f"{label:<28} {peak:8.0f} MB         {peak / peaks['60 s']:6.2f} x the 60 s video")


if __name__ == "__main__":
    main()
