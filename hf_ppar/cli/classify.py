"""`hf-ppar classify`: what happens in videos, seen through an anonymizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .anonymize import choose_device, expand_videos
from .errors import FAILED, USAGE, complain, exit_on_error

if TYPE_CHECKING:
    from ..models.privacy_classifier import PrivacyVideoClassifier


def classify(
    videos: list[str] = typer.Argument(help="Video files, http(s) addresses, or folders of videos."),
    model: str | None = typer.Option(
        None, help="Shipped name, directory or Hub id of a privacy classifier. [default: the shipped one]"
    ),
    anonymizer: str | None = typer.Option(
        None, help="Instead of --model: built-in name, directory or Hub id of an anonymizer."
    ),
    recognizer: str | None = typer.Option(
        None, help="Instead of --model: directory or Hub id of a recognizer, a video classifier or an X-CLIP."
    ),
    labels: str | None = typer.Option(None, help='What an X-CLIP chooses from: "a person falls, a person walks".'),
    template: str | None = typer.Option(None, help='Text made of each label, with {} for it: "a video of {}".'),
    timeline: bool = typer.Option(False, "--timeline", help="One row for each window of a long video."),
    window: float = typer.Option(5.0, help="Seconds of a window of the timeline."),
    top_k: int | None = typer.Option(None, "--top-k", help="Labels to name. [default: 5, or 1 a window]"),
    strength: float | None = typer.Option(None, help="0 to 1, 1 is most private. [default: the anonymizer's own]"),
    save_anonymized: Path | None = typer.Option(
        None, "--save-anonymized", help="Folder to write what the recognizer saw to."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    device: str = typer.Option("auto", help="cpu, cuda, cuda:1, mps or auto."),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace existing files."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """Name what happens in each video; only anonymized frames reach the recognizer."""
    with exit_on_error(USAGE, debug):
        sources, failed = expand_videos(videos)
        from ..pipelines import PrivacyVideoClassificationPipeline
        from ..public import load_privacy_classifier

        names = None if labels is None else [label.strip() for label in labels.split(",")]
        loaded = load_privacy_classifier(
            model,
            anonymizer=anonymizer,
            recognizer=recognizer,
            candidate_labels=names,
            hypothesis_template=template or "{}",
        )
        pipe = PrivacyVideoClassificationPipeline(
            loaded,
            device=choose_device(device),
            top_k=top_k,
            strength=strength,
            window=window if timeline else None,
            save_anonymized=save_anonymized,
            overwrite=overwrite,
        )
        typer.echo(describe(loaded), err=True)
    answers: list[dict[str, Any]] = []
    for source in sources:
        with exit_on_error(FAILED, debug):
            answer = pipe([source])[0]  # in a list, a video that cannot be read does not raise
        if isinstance(answer, list):
            answer = {"timeline" if timeline else "labels": answer}
        answers.append({"video": source, **answer})
        if "error" in answer:
            complain(answer["error"])
            failed += 1
        elif not as_json:
            typer.echo(format_answer(answers[-1]))
    if as_json:
        typer.echo(json.dumps(answers, indent=2))
    if failed:
        raise typer.Exit(FAILED)


def describe(model: PrivacyVideoClassifier) -> str:
    """The model in one line, and what it knows: a closed set of actions says nothing sensible about others."""
    parts = f"{model.config.anonymizer.model_type} + {model.config.recognizer.model_type} on {model.device}"
    names = model.label_names
    known = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    hint = "" if model.tokenizer is not None else "; for others give an X-CLIP as --recognizer, and --labels"
    return f"{parts}; chooses from {known}{hint}"


def format_answer(answer: dict[str, Any]) -> str:
    """A table for people: scores in percent, windows in seconds."""
    lines = [answer["video"]]
    for row in answer.get("labels", []):
        lines.append(f"  {row['score']:7.1%}  {row['label']}")
    for row in answer.get("timeline", []):
        lines.append(f"  {row['start']:8.1f} - {row['end']:8.1f} s  {row['score']:7.1%}  {row['label']}")
    if "path" in answer:
        lines.append(f"  saved what the recognizer saw to {answer['path']}")
    return "\n".join(lines)
