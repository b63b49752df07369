"""Choose between labels of your own: a zero-shot recognizer compares an anonymized video with texts.

    python examples/02_zero_shot_with_your_labels.py [VIDEO ...] --labels "a person falls" "a person walks" \\
        --anonymizer blur-strong --recognizer microsoft/xclip-base-patch16-zero-shot

Without a video it renders some, and without labels it describes those. No zero-shot model comes with the package yet:
give a recognizer, here from the Hub, behind any anonymizer, or `--model`, a privacy classifier with an X-CLIP in it.

In Python it is

    classify = pipeline(
        "privacy-video-classification",
        anonymizer="blur-strong",
        recognizer="microsoft/xclip-base-patch16-zero-shot",
        candidate_labels=["a person falls", "a person walks"],
    )
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from samples import render_samples
from transformers import pipeline

import hf_ppar  # noqa: F401 - adds the task to transformers
from hf_ppar.data.stage import describe_action

ACTIONS = ("walk", "clap", "squat")


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask which label fits each video."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("videos", nargs="*", help="files or http(s) addresses; none renders some")
    parser.add_argument("--labels", nargs="+", help="texts to choose from; none describes the rendered actions")
    parser.add_argument("--template", default="{}", help='text made of each label, such as "a video of {}"')
    parser.add_argument("--model", help="directory or Hub id of a zero-shot privacy classifier")
    parser.add_argument("--anonymizer", help="with --recognizer, instead of --model: name, directory or Hub id")
    parser.add_argument("--recognizer", help="directory or Hub id of an X-CLIP")
    given = parser.parse_args(arguments)

    in_parts = given.anonymizer is not None or given.recognizer is not None
    if given.model is None and not in_parts:
        parser.error("give --anonymizer and --recognizer, or --model")
    videos = given.videos or render_samples(ACTIONS)
    labels = given.labels or [describe_action(action)[0] for action in ACTIONS]
    classify = pipeline(
        "privacy-video-classification",
        model=given.model,
        anonymizer=given.anonymizer,
        recognizer=given.recognizer,
        candidate_labels=labels,
        hypothesis_template=given.template,
    )
    for video in videos:
        print(video)
        for row in classify(video):
            print(f"  {row['score']:6.1%}  {row['label']}")

    # Labels may change from call to call; the model is loaded once.
    other = [*labels[:2], "nobody is there"]
    best = classify(videos[0], candidate_labels=other)[0]
    print(f"{videos[0]}, asked again with {other}: {best['label']}")


if __name__ == "__main__":
    main()
