"""How fast clips reach a training loop: decoding against the clip cache, by number of workers.

Reads LSA64 from the folder `lsa64` below the one that the environment variable HF_PPAR_DATA names.

    HF_PPAR_DATA=/path/to/data python examples/benchmarks/data.py
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import av
import numpy as np
from datasets import Dataset
from PIL import Image

from hf_ppar.data import ClipDataset, ClipOptions, LoadingOptions, load_ppar_dataset, open_clip_cache
from hf_ppar.data.batches import load_batches

CLIPS = 320
OPTIONS = ClipOptions(frames=16, size=(64, 64), fit="stretch")
WORKERS = (0, 1, 2)
BATCH = 16
GOAL = 20


def plain_loop(dataset: Dataset) -> Iterable[np.ndarray]:
    """What one would write without this library: open, decode, pick, scale."""
    height, width = OPTIONS.size
    for example in dataset:
        with av.open(example["video"]["path"]) as container:
            frames = list(container.decode(video=0))
        numbers = np.linspace(0, len(frames) - 1, OPTIONS.frames).round().astype(int)
        pictures = [frames[number].to_image().resize((width, height), Image.Resampling.BOX) for number in numbers]
        yield np.stack([np.asarray(picture) for picture in pictures])


def clips_per_second(iterate: Callable[[], Iterable[object]], clips: int, epochs: int = 1) -> float:
    """Clips a second over whole epochs."""
    start = time.perf_counter()
    for _ in range(epochs):
        for _ in iterate():
            pass
    return clips * epochs / (time.perf_counter() - start)


def measure(clips: ClipDataset, workers: int, as_float: bool, epochs: int) -> float:
    loading = LoadingOptions(batch_size=BATCH, workers=workers, as_float=as_float)
    loader = load_batches(clips, loading)
    clips_per_second(lambda: loader, len(clips))  # starts the workers
    return clips_per_second(lambda: loader, len(clips) // BATCH * BATCH, epochs)


def main() -> None:
    folder = os.environ.get("HF_PPAR_DATA")
    if not folder or not (Path(folder) / "lsa64").is_dir():
        print("skipped: HF_PPAR_DATA does not name a folder with lsa64/ in it")
        return
    dataset = load_ppar_dataset("lsa64", Path(folder) / "lsa64").shuffle(seed=0).select(range(CLIPS))
    print(f"{CLIPS} clips of LSA64 (256x144) as {OPTIONS.frames} frames of {OPTIONS.size}")
    clips_per_second(lambda: plain_loop(dataset), CLIPS)  # warms the page cache
    plain = clips_per_second(lambda: plain_loop(dataset), CLIPS)
    print(f"plain PyAV loop            {plain:8.0f} clips/s")
    with tempfile.TemporaryDirectory() as cache_dir:
        start = time.perf_counter()
        cache = open_clip_cache(dataset, OPTIONS, cache_dir)
        print(f"building the cache         {CLIPS / (time.perf_counter() - start):8.0f} clips/s")
        print("workers  batches   decoding clips/s (x plain)  cached clips/s (x plain)  cached / decoding")
        best = {"decoding": 0.0, "cached": 0.0}
        for workers in WORKERS:
            for as_float in (False, True):
                decoded = measure(ClipDataset(dataset, OPTIONS), workers, as_float, epochs=1)
                cached = measure(ClipDataset(dataset, OPTIONS, cache=cache), workers, as_float, epochs=10)
                kind = "float" if as_float else "uint8"
                by_decoding, by_cache = (
                    f"{decoded:.0f} ({decoded / plain:.1f})",
                    f"{cached:.0f} ({cached / plain:.0f})",
                )
                verdict = "goal met" if cached / decoded >= GOAL else f"below the goal of {GOAL}x"
                print(f"{workers:7}  {kind:7}{by_decoding:>28}{by_cache:>26}{cached / decoded:10.0f}x  {verdict}")
                if as_float:
                    best = {"decoding": max(best["decoding"], decoded), "cached": max(best["cached"], cached)}
    print(f"best cached / best decoding, float batches: {best['cached'] / best['decoding']:.0f}x (goal {GOAL}x)")


if __name__ == "__main__":
    main()
