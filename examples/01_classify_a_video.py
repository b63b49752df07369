"""Name what happens in videos, seen through an anonymizer: the recognizer gets nothing else.

    python examples/01_classify_a_video.py [VIDEO ...] [--strength 0.8] [--save FOLDER]

Without a video it renders three, each named by what it shows. The shipped model adds noise that protects, so that its
answers differ a little from call to call. It knows 28 actions of rendered people and has nothing sensible to say about
other footage: for that give `--model`, a directory or Hub id of a privacy classifier, or labels of your own, as the
next example does.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samples import render_samples
from transformers import pipeline

import hf_ppar  # noqa: F401 - adds the task to transformers


def describe(video: str, answer: Any) -> str:
    """The answer to one video in a few lines."""
    if "error" in answer:  # in a list, a video that cannot be read does not stop the others
        return f"{video}: {answer['error']}"
    rows = answer["labels"] if isinstance(answer, dict) else answer
    lines = [video, *(f"  {row['score']:6.1%}  {row['label']}" for row in rows)]
    if isinstance(answer, dict):
        lines.append(f"  what the recognizer saw: {answer['path']}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Classify each video."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("videos", nargs="*", help="files or http(s) addresses; none renders some")
    parser.add_argument("--model", help="shipped name, directory or Hub id; none is the shipped default")
    parser.add_argument("--strength", type=float, help="of the anonymizer, 0 to 1, 1 is most private")
    parser.add_argument("--top-k", type=int, default=3, help="labels to name")
    parser.add_argument("--save", type=Path, help="folder to write what the recognizer saw to")
    given = parser.parse_args(arguments)

    videos = given.videos or render_samples()
    classify = pipeline("privacy-video-classification", model=given.model, strength=given.strength, top_k=given.top_k)
    answers = classify(videos, save_anonymized=given.save, overwrite=True)
    for video, answer in zip(videos, answers, strict=True):
        print(describe(video, answer))


if __name__ == "__main__":
    main()
