"""Teach a recognizer what an anonymizer leaves of your own videos, and keep both as one model.

    python examples/05_fine_tune_on_anonymized_clips.py [FOLDER] [--anonymizer motion-mask] [--output my_model]

FOLDER holds train/ACTION/*.mp4 and, if there are enough, validation/ and test/ likewise, or a metadata.csv (see
`hf-ppar data inspect folder --data-dir FOLDER`). Without it some clips are rendered. The recognizer starts from the
one of the shipped classifier, or from `--recognizer`, a directory or Hub id of a video model of transformers such as
MCG-NJU/videomae-base; its last layer is new. It never sees a raw frame, neither here nor later.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samples import SAMPLES, render_video
from torch import Tensor
from transformers import pipeline

from hf_ppar import PrivacyVideoClassifier, load_privacy_classifier
from hf_ppar.data import LOADERS, ClipOptions, LoadingOptions, build_loader, class_names, load_ppar_dataset
from hf_ppar.models.recognizers import RecognizerModel, load_recognizer
from hf_ppar.recipes import Batch, Losses, Modules, Optimization, Phase, Update
from hf_ppar.training import TrainingArguments, train

ACTIONS = ("walk", "clap", "squat", "kick")
SPLITS = {"train": 12, "validation": 4, "test": 4}  # clips of each action


class FineTuning:
    """A recipe of one phase and one update: the recognizer learns, the anonymizer stays as it is."""

    name = "fine-tuning"

    def __init__(self, model: PrivacyVideoClassifier, epochs: int, lr: float) -> None:
        self.model = model
        self.modules = {"anonymizer": model.anonymizer, "recognizer": model.recognizer}
        optimization = Optimization(lr=lr, weight_decay=0.05, schedule="cosine", clip_norm=1.0)
        update = Update("recognizer", ("recognizer",), self.loss, optimization)
        self.phases = (Phase("fine-tuning", epochs, (update,)),)

    def loss(self, batch: Batch, modules: Modules) -> Losses:
        """Cross entropy on anonymized clips."""
        return {"loss": self.model(batch["pixel_values"], labels=batch["labels"]).loss}

    def score(self, batch: Batch, modules: Modules) -> dict[str, Tensor]:
        """1 for each clip whose action is named."""
        answers = self.model(batch["pixel_values"]).logits.argmax(-1)
        return {"top1": (answers == batch["labels"]).float()}


def start_recognizer(name: str | None, labels: Sequence[str]) -> RecognizerModel:
    """A trained recognizer whose last layer is new, for these labels."""
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
    if name is not None:
        return load_recognizer(name, **names)
    trained = load_privacy_classifier().recognizer
    fresh = type(trained)(type(trained.config)(**{**trained.config.to_dict(), "heads": None, **names}))
    kept = {key: value for key, value in trained.state_dict().items() if not key.startswith("classifier.")}
    fresh.load_state_dict(kept, strict=False)
    return fresh


def render_folder(folder: Path) -> Path:
    """Clips of a few actions by several persons, in the layout of a folder of one's own."""
    places = [(split, action, n) for split, count in SPLITS.items() for action in ACTIONS for n in range(count)]
    for seed, (split, action, number) in enumerate(places):
        render_video(folder / split / action / f"{number}.mp4", [action], person=seed % 20, seed=seed, side=64)
    return folder


def main(arguments: Sequence[str] | None = None) -> None:
    """Load, train, save, and let the pipeline answer about the test clips."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="your videos; none renders some")
    parser.add_argument("--anonymizer", default="motion-mask", help="name, directory or Hub id")
    parser.add_argument("--recognizer", help="VideoMAE or the like to start from; none is the shipped one")
    parser.add_argument("--output", type=Path, default=SAMPLES / "fine_tuned", help="folder for the model")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=1e-3)
    given = parser.parse_args(arguments)

    folder = given.folder or render_folder(SAMPLES / "my_videos")
    splits = {split: load_ppar_dataset("folder", folder, split) for split in LOADERS["folder"].splits(folder)}
    labels = class_names(splits["train"], "action")
    model = PrivacyVideoClassifier.from_parts(given.anonymizer, start_recognizer(given.recognizer, labels))
    frames, size = model.config.anonymizer_clip
    clip = ClipOptions(frames=frames, size=size, fit="stretch")  # whole pictures, as the pipeline takes them
    loaders: dict[str, Any] = {
        split: build_loader(data, clip, loading=LoadingOptions(given.batch_size, shuffle=split == "train"))
        for split, data in splits.items()
    }
    with tempfile.TemporaryDirectory() as checkpoints:
        recipe, loop = FineTuning(model, given.epochs, given.lr), TrainingArguments(Path(checkpoints))
        # Where there is a validation split, the weights that are best on it are kept.
        result = train(recipe, loop, loaders["train"], loaders.get("validation"), lambda metrics: metrics["top1"])
    print(f"{result.steps} steps; best validation top-1: {result.best_score}")
    model.eval().save_pretrained(given.output)

    classify = pipeline("privacy-video-classification", model=str(given.output), top_k=1)
    test = splits.get("test", splits["train"])
    answers = classify(test["video"])
    right = sum(answer[0]["label"] == labels[truth] for answer, truth in zip(answers, test["action"], strict=True))
    print(f"{right} of {len(test)} {test.split} videos named right (chance {len(test) / len(labels):.0f})")
    print(f"the model: {given.output}")


if __name__ == "__main__":
    main()
