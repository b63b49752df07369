"""What happens when in a long video: one answer a window, in memory that does not grow with the video's length.

    python examples/03_timeline_of_a_long_video.py [VIDEO] [--window 4] [--stride 2] [--csv FILE]

Without a video it renders a person who does one action after the other. A window should last about as long as the
clips that the model was trained on, which is 1.28 s for the shipped one.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from samples import SAMPLES, SECONDS, render_video
from transformers import pipeline

import hf_ppar  # noqa: F401 - adds the task to transformers

ACTIONS = ("walk", "walk", "walk", "clap", "clap", "squat", "squat", "squat", "walk", "walk")


def join_windows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Windows of one label in a row as one stretch, with the mean of their scores."""
    stretches = []
    for label, same in groupby(rows, key=lambda row: row["label"]):
        windows = list(same)
        score = sum(row["score"] for row in windows) / len(windows)
        stretches.append({"start": windows[0]["start"], "end": windows[-1]["end"], "label": label, "score": score})
    return stretches


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """A line for each window."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ["start", "end", "label", "score"])
        table.writeheader()
        table.writerows(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Classify window by window and print the stretches."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", nargs="?", help="file or http(s) address; none renders one")
    parser.add_argument("--model", help="shipped name, directory or Hub id; none is the shipped default")
    parser.add_argument("--window", type=float, default=SECONDS, help="seconds that one answer is about")
    parser.add_argument("--stride", type=float, help="seconds from one window to the next; none is the window")
    parser.add_argument("--csv", type=Path, help="file to write all windows to")
    given = parser.parse_args(arguments)

    video = given.video or str(render_video(SAMPLES / "long.mp4", ACTIONS, person=4))
    classify = pipeline("privacy-video-classification", model=given.model)
    rows = classify(video, window=given.window, stride=given.stride)
    print(f"{video}: {len(rows)} windows")
    for stretch in join_windows(rows):
        print(f"  {stretch['start']:8.2f} - {stretch['end']:8.2f} s  {stretch['score']:6.1%}  {stretch['label']}")
    if given.csv:
        write_csv(given.csv, rows)
        print(f"all windows: {given.csv}")


if __name__ == "__main__":
    main()
