"""How fast the stage renders: a thousand 16-frame clips of 64 pixels on two processes, and larger pictures."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor

from hf_ppar.data.stage import StageOptions, clip_specs, render_clip, sample_spec

CLIPS = 1000
PROCESSES = 2


def render(index: int) -> int:
    """Render one clip of the default training split; returns its number of frames."""
    return len(render_clip(clip_specs(StageOptions(), "train")[index]).rgb)


def main() -> None:
    """Print seconds and milliseconds a frame."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        list(pool.map(render, range(PROCESSES)))  # starts the processes
        started = time.perf_counter()
        frames = sum(pool.map(render, range(CLIPS), chunksize=25))
        taken = time.perf_counter() - started
    speed = f"{taken:.1f} s (goal: under 60 s), {frames / taken:.0f} frames/s"
    print(f"{CLIPS} clips of 64x64, {PROCESSES} processes: {speed}")
    for height, width, count in ((224, 224, 16), (360, 480, 75)):
        spec = sample_spec("wave_one_hand")
        started = time.perf_counter()
        render_clip(spec, height=height, width=width, frames=count, fps=25)
        each = 1000 * (time.perf_counter() - started) / count
        print(f"{count} frames of {width}x{height}, one process: {each:.0f} ms a frame")


if __name__ == "__main__":
    main()
