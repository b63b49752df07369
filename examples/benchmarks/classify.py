"""Classifying behind an anonymizer against transformers' own `video-classification`, side by side in one run.

    python examples/benchmarks/classify.py

Both pipelines have the same VideoMAE (ViT-Tiny, random weights: speed does not depend on them) and look at the same 16
frames of the same generated 640x480 files. Ours decodes them at the size of its anonymizer and anonymizes them first.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from anonymize import FPS, make_video
from memory import peak_megabytes
from timing import best_seconds
from transformers import VideoMAEConfig, VideoMAEForVideoClassification, VideoMAEImageProcessorPil, pipeline

from hf_ppar import PrivacyVideoClassifier, load_anonymizer
from hf_ppar.models.privrate import PrivRateAnonymizer, PrivRateConfig
from hf_ppar.pipelines.views import Views, part_indices
from hf_ppar.processing import to_clip
from hf_ppar.video import read_video, write_clip

TASK = "privacy-video-classification"
FILES, WINDOW = 32, 10.0
# The stock pipeline takes the first 16 * SAMPLING frames evenly, rounded down: of 256 they are those that we take.
SAMPLING, FRAMES = 16, 256


def save_recognizer(place: Path) -> str:
    """A VideoMAE with its processor, as the Hub has them."""
    config = VideoMAEConfig(
        hidden_size=192, num_hidden_layers=12, num_attention_heads=3, intermediate_size=768, num_labels=400
    )
    VideoMAEForVideoClassification(config).save_pretrained(place)
    VideoMAEImageProcessorPil().save_pretrained(place)
    return str(place)


def make_files(folder: Path) -> list[str]:
    """Copies of a video of `FRAMES` frames."""
    seconds = make_video(folder / "seconds.mp4", FRAMES // FPS + 2)
    write_clip(folder / "0.mp4", read_video(seconds)[:FRAMES], FPS)
    copies = [folder / f"{number}.mp4" for number in range(FILES)]
    for copy in copies[1:]:
        shutil.copy(copies[0], copy)
    return [str(copy) for copy in copies]


def check_frames() -> None:
    """Refuse to compare pipelines that look at different frames."""
    stock = np.linspace(0, 16 * SAMPLING - 1, num=16, dtype=np.int64)  # as transformers has it
    if not np.array_equal(part_indices(FRAMES, 1, 16)[0], stock):
        raise SystemExit("the two read other frames: the comparison would be unfair")


def compare(stock: Any, ours: dict[str, Any], files: list[str], rounds: int) -> None:
    """End to end, in turns."""
    one = files if len(files) > 1 else files[0]
    contenders = {"transformers": lambda: stock(one, frame_sampling_rate=SAMPLING)}
    contenders |= {name: lambda pipe=pipe: pipe(one, num_clips=1) for name, pipe in ours.items()}  # type: ignore[misc]
    seconds = best_seconds(contenders, rounds)
    for name, taken in seconds.items():
        each, ratio = 1000 * taken / len(files), taken / seconds["transformers"]
        print(f"  {name:<28} {each:8.1f} ms a file   {ratio:6.2f} x transformers")


def split_time(pipe: Any, video: str) -> None:
    """What a call of ours consists of."""
    model = pipe.model
    views = Views.for_model(model.config, 1, None)
    clip = torch.stack([to_clip(views.read(video)[0][0])])
    released = model.anonymizer(clip).videos
    shown = model(clip).anonymized
    seconds = best_seconds(
        {
            "decode": lambda: views.read(video),
            "anonymize": lambda: model.anonymizer(clip),
            "fit": lambda: model._fit(released),
            "recognise": lambda: model.recognizer(shown),
        },
        rounds=5,
    )
    whole = sum(seconds.values())
    print("  " + ", ".join(f"{name} {1000 * taken:.0f} ms ({taken / whole:.0%})" for name, taken in seconds.items()))


def measure_lengths(pipe: Any, video: str, seconds: int) -> None:
    """A whole video by several clips, and as a timeline."""
    taken = best_seconds(
        {
            "one clip": lambda: pipe(video, num_clips=1),
            "whole video": lambda: pipe(video),
            f"timeline, {WINDOW:g} s windows": lambda: pipe(video, window=WINDOW),
            "decoding every frame": lambda: read_video(video, (64, 64)),
        },
        rounds=2,
    )
    for name, value in taken.items():
        print(f"  {name:<28} {value:8.2f} s   {seconds / value:6.1f} x real time")


def measure_peaks(model: Path, videos: dict[str, Path]) -> None:
    """Memory of timelines, each in a process of its own."""
    code = (
        "import sys, hf_ppar\nfrom transformers import pipeline\n"
        f"pipeline('{TASK}', model=sys.argv[1])(sys.argv[2], window={WINDOW})"
    )
    peaks = {length: peak_megabytes(code, model, video) for length, video in videos.items()}
    first = next(iter(peaks.values()))
    for length, peak in peaks.items():
        print(f"  {length:<28} {peak:8.0f} MB   {peak / first:6.2f} x the first (goal: under 1.1 x)")


def main() -> None:
    """Print all comparisons."""
    torch.manual_seed(0)
    check_frames()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recognizer = save_recognizer(folder / "videomae")
        parts = {
            "privrate": PrivRateAnonymizer(PrivRateConfig.tiny(frame_rate=12.5)),
            "blur-strong": load_anonymizer("blur-strong"),
        }
        models = {kind: PrivacyVideoClassifier.from_parts(part, recognizer) for kind, part in parts.items()}
        stock = pipeline("video-classification", model=recognizer)
        ours = {f"hf_ppar, {kind}": pipeline(TASK, model=model) for kind, model in models.items()}
        files = make_files(folder)
        for chosen, rounds in ((files[:1], 7), (files, 2)):
            print(f"\n{len(chosen)} file(s) of {FRAMES} frames, 640x480, {os.cpu_count()} cores")
            compare(stock, ours, chosen, rounds)
        print("\nParts of a call")
        for kind, pipe in ours.items():
            print(f"  {kind}:")
            split_time(pipe, files[0])
        minute, long = (make_video(folder / f"{seconds}s.mp4", seconds) for seconds in (60, 600))
        print("\nhf_ppar, privrate, on 60 s")
        measure_lengths(ours["hf_ppar, privrate"], str(minute), 60)
        print("\nPeak memory of a timeline")
        models["privrate"].save_pretrained(folder / "model")
        measure_peaks(folder / "model", {"60 s": minute, "600 s": long})


if __name__ == "__main__":
    with torch.inference_mode():
        main()
