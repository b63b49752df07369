"""An anonymizer of your own and any recognizer as one model, in one directory that the pipeline loads.

    python examples/04_combine_anonymizer_and_recognizer.py [VIDEO ...] [--recognizer OWNER/NAME]

An anonymizer is a config and a model with one method, `anonymize`. Here it draws outlines. The recognizer is the one
of the shipped classifier unless `--recognizer` names another: a directory or Hub id of a video classifier, such as
MCG-NJU/videomae-base-finetuned-kinetics. It has never seen an outline and may well guess: the next example teaches a
recognizer what an anonymizer leaves, and `hf-ppar evaluate` says what attackers still find in it.
"""

# No postponed annotations in this file: `strict` checks only types it can see.
import argparse
from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from huggingface_hub.dataclasses import strict
from samples import SAMPLES, render_samples
from transformers import AutoConfig, AutoModel, pipeline

from hf_ppar import (
    AnonymizerConfig,
    AnonymizerModel,
    AnonymizerOutput,
    PrivacyVideoClassifier,
    load_privacy_classifier,
)

TASK = "privacy-video-classification"


@strict
class OutlineConfig(AnonymizerConfig):
    """`strength` sets the threshold: 0.02 at 0, 0.32 at 1.

    Args:
        threshold: change of the grey level from one pixel to the next that makes an outline.
    """

    model_type = "example_outline"
    has_strength = True

    threshold: float = 0.1


class OutlineModel(AnonymizerModel):
    """White outlines on black: no colour, no texture; shape and movement stay, so people may still be recognised."""

    config_class = OutlineConfig

    def __init__(self, config: OutlineConfig) -> None:
        super().__init__(config)
        self.anchor = torch.nn.Parameter(torch.zeros(1))  # transformers saves no model without a weight
        self.post_init()

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> AnonymizerOutput:
        """Clip (batch, frames, 3, height, width) in [0, 1] -> the same shape and range."""
        grey = pixel_values.mean(2)
        down = F.pad(grey.diff(dim=-2), (0, 0, 0, 1))
        right = F.pad(grey.diff(dim=-1), (0, 1))
        threshold = self.config.threshold if strength is None else 0.02 + 0.3 * strength
        drawn = torch.maximum(down.abs(), right.abs()) > threshold  # (batch, frames, height, width)
        return AnonymizerOutput(videos=drawn.unsqueeze(2).to(pixel_values.dtype).expand_as(pixel_values))


AutoConfig.register(OutlineConfig.model_type, OutlineConfig, exist_ok=True)  # so that a saved one is found again
AutoModel.register(OutlineConfig, OutlineModel, exist_ok=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Combine, compare with a built-in method, save, load, classify."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("videos", nargs="*", help="files or http(s) addresses; none renders some")
    parser.add_argument("--recognizer", help="directory or Hub id; none is that of the shipped classifier")
    parser.add_argument("--other", default="blur-strong", help="anonymizer to compare with")
    parser.add_argument("--output", type=Path, default=SAMPLES / "outline_classifier", help="folder for the model")
    given = parser.parse_args(arguments)

    videos = given.videos or render_samples()
    recognizer = given.recognizer or load_privacy_classifier().recognizer
    combined = PrivacyVideoClassifier.from_parts(OutlineModel(OutlineConfig()), recognizer)
    combined.save_pretrained(given.output)
    pipes = {
        "outlines": pipeline(TASK, model=str(given.output)),
        "outlines, strength 1": pipeline(TASK, model=str(given.output), strength=1.0),
        given.other: pipeline(TASK, anonymizer=given.other, recognizer=recognizer),
    }
    for video in videos:
        print(video)
        for name, classify in pipes.items():
            best = classify(video, top_k=1)[0]
            print(f"  {name:<22}{best['score']:6.1%}  {best['label']}")
    pipes["outlines"](videos[0], save_anonymized=given.output.parent, overwrite=True)
    print(f"the model: {given.output}; what its recognizer saw of the first video lies beside it")


if __name__ == "__main__":
    main()
