"""`hf-ppar evaluate`: judge an anonymizer by attackers trained afresh on its output."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .errors import FAILED, USAGE, exit_on_error
from .settings import parse_settings

if TYPE_CHECKING:
    from ..evaluation import Case, Report


def evaluate(
    model: str = typer.Argument(help='Built-in name, directory or Hub id of an anonymizer; "raw" for none.'),
    dataset: str = typer.Option(..., help="Name of a data set, see `hf-ppar data list`."),
    output: Path = typer.Option(
        ..., "-o", "--output", help="Folder for the report; an interrupted run goes on there."
    ),
    data_dir: Path | None = typer.Option(None, "--data-dir", help="Folder of its videos."),
    protocol: str = typer.Option(
        "same-dataset",
        help="same-dataset, unseen-actions, cross-dataset, domain-transfer, frame-level, vispr, zero-shot or "
        "cross-vlm.",
    ),
    budget: str = typer.Option("small", help="quick (one judge), small (the tiny panel) or paper."),
    strength: float | None = typer.Option(None, help="0 to 1, 1 is most private."),
    name: str | None = typer.Option(None, help="What the report calls the model. [default: as given]"),
    seed: int = typer.Option(0, help="Seed of the judges."),
    seeds: int = typer.Option(1, help="Train the judges this often: mean utility, strongest attack."),
    view: str = typer.Option("black", help="How judges see dropped tubelets: black, or missing (STPrivacy)."),
    vlm: str | None = typer.Option(
        None, help="For zero-shot and cross-vlm: directory or Hub id of an X-CLIP or CLIP."
    ),
    labels_from: str = typer.Option("names", "--labels-from", help="Its candidate texts: names or descriptions."),
    option: list[str] = typer.Option([], "--option", help="An option of the data set, such as session=1. Repeatable."),
    source: str | None = typer.Option(None, help="For domain-transfer: the data set that recognizers learn from."),
    source_dir: Path | None = typer.Option(None, "--source-dir", help="Folder of its videos."),
    source_option: list[str] = typer.Option([], "--source-option", help="An option of the source. Repeatable."),
    raw: Path | None = typer.Option(None, help="report.json of the raw videos, for the upper bound."),
    compare: list[Path] = typer.Option([], "--compare", help="Other report.json files for the scatter. Repeatable."),
    gallery: bool = typer.Option(False, "--gallery", help="Also write gallery.png, which shows raw frames."),
    face_reid: bool = typer.Option(False, "--face-reid", help="Also attack by a ready-made face recognizer."),
    epochs: int | None = typer.Option(None, help="Train the judges shorter than the budget says."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """Train recognizers and attackers on the anonymized train split, test them, and write a report."""
    with exit_on_error(USAGE, debug):
        from ..data import load_ppar_dataset
        from ..evaluation import Case, find_budget, read_report
        from ..evaluation.case import SPLITS
        from ..evaluation.face_reid import load_face_embedder, reidentify_faces
        from ..models.lafprivacy import load_vision_language_model
        from ..public import load_anonymizer

        if gallery and model == "raw":
            raise ValueError("--gallery shows videos before and after an anonymizer, and the model 'raw' has none")
        embed = load_face_embedder() if face_reid else None
        spent = find_budget(budget)
        spent = spent if epochs is None else spent.shortened(epochs)
        anonymizer = None if model == "raw" else load_anonymizer(model)
        if anonymizer is not None:
            anonymizer.config.resolve_strength(strength)
        options = parse_settings(option)
        splits = {name: load_ppar_dataset(dataset, data_dir, name, **options) for name in SPLITS}
        learned = None
        if source is not None:
            chosen = parse_settings(source_option)
            learned = {name: load_ppar_dataset(source, source_dir, name, **chosen) for name in ("train", "validation")}
        others = [read_report(path) for path in compare]
        upper = None if raw is None else read_report(raw)
        case = Case(
            *(protocol, dataset, splits, anonymizer, name or model, spent, output / "work"),
            strength=strength,
            seed=seed,
            flip=dataset != "lsa64",
            source=learned,
            view=view,
            seeds=seeds,
            vlm=None if vlm is None else load_vision_language_model(vlm),
            labels_from=labels_from,
        )
    with exit_on_error(FAILED, debug):
        from ..evaluation import evaluate as judge

        report = judge(case)
        report.face_reid = None if embed is None else reidentify_faces(case, embed)
        report.command = portable_command(sys.argv[1:])
        if model == "raw":
            report.compare_with_raw(report)
        elif upper is not None:
            report.compare_with_raw(upper)
        report.write(output)
        _draw(report, others, output)
        if gallery:
            _show(case, output / "gallery.png")
        typer.echo(report.as_markdown())


def portable_command(arguments: list[str]) -> str:
    """The command without the folders of one machine: data below $HF_PPAR_DATA, other places by their last name."""
    data = os.environ.get("HF_PPAR_DATA")
    shown = []
    for argument in arguments:
        if data and Path(argument).is_absolute() and Path(argument).is_relative_to(data):
            shown.append(f"$HF_PPAR_DATA/{Path(argument).relative_to(data)}")
        else:
            shown.append(shlex.quote(Path(argument).name if Path(argument).is_absolute() else argument))
    return " ".join(["hf-ppar", *shown])


def _show(case: Case, path: Path) -> None:
    from ..evaluation.gallery import write_gallery

    write_gallery(case, path)
    typer.echo(f"{path} shows raw frames: keep it as private as the videos")


def _draw(report: Report, others: list[Report], output: Path) -> None:
    from ..evaluation.plots import plot_attributes, plot_tradeoff

    others = [other for other in others if other.utility is not None]
    for target in () if report.utility is None else report.privacy:
        plot_tradeoff([report, *others], target, output / f"tradeoff_{target}.png")
    if "attributes" in report.privacy:
        plot_attributes(report, output / "attributes.png")
