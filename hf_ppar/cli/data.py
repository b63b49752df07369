"""`hf-ppar data`: what data sets there are, what is in them, clips to try things on, the clip cache."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .errors import FAILED, USAGE, complain, exit_on_error
from .settings import parse_settings

if TYPE_CHECKING:
    from datasets import Dataset

data_app = typer.Typer(
    name="data", help="Look at data sets, write rendered clips, clear the cache.", no_args_is_help=True
)


@data_app.command("list")
def list_datasets(debug: bool = typer.Option(False, "--debug", help="Show tracebacks.")) -> None:
    """Print the data sets that can be loaded by name."""
    with exit_on_error(FAILED, debug):
        from ..data import LOADERS

        width = max(len(name) for name in LOADERS)
        for name, loader in LOADERS.items():
            place = "" if loader.needs_data_dir else " (needs no --data-dir)"
            typer.echo(f"{name:<{width}}  {loader.description}{place}")


@data_app.command()
def inspect(
    name: str = typer.Argument(help="Name of a data set, see `hf-ppar data list`."),
    data_dir: Path | None = typer.Option(None, "--data-dir", help="Folder of its videos."),
    output: Path | None = typer.Option(
        None, "-o", "--output", help="PNG of raw sample frames to write. [default: NAME_samples.png]"
    ),
    picture: bool = typer.Option(True, "--picture/--no-picture", help="Write the PNG."),
    option: list[str] = typer.Option([], "--option", help="An option of the data set, such as session=1. Repeatable."),
    check: bool = typer.Option(False, "--check", help="Also open every video and name those that cannot be read."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """Print counts, positive rates, chance levels, persons and missing files of every split; draw sample frames."""
    with exit_on_error(USAGE, debug):
        from ..data.inspection import describe_split, load_splits, sample_sheet, summarize

        output = output or Path(f"{name}_samples.png")
        _check_picture(output)
        loaded = load_splits(name, data_dir, **parse_settings(option))
    summaries = [summarize(dataset, mismatch) for dataset, mismatch in loaded]
    for summary in summaries:
        typer.echo(describe_split(summary))
    if picture:
        with exit_on_error(FAILED, debug):
            sample_sheet([dataset for dataset, _ in loaded]).save(output, format="PNG")
            typer.echo(f"{output}: shows raw frames, do not share it", err=True)
    problems = [summary.split for summary in summaries if summary.missing]
    if problems:
        complain(f"listed videos are missing in {', '.join(problems)}, see above")
    if check:
        with exit_on_error(FAILED, debug):
            problems += [reason for dataset, _ in loaded for reason in _name_unreadable(dataset)]
    if problems:
        raise typer.Exit(FAILED)


def _name_unreadable(dataset: Dataset) -> list[str]:
    from ..data import find_unreadable

    reasons = list(find_unreadable(dataset).values())
    for reason in reasons:
        complain(reason)
    typer.echo(f"{dataset.split}: {len(dataset) - len(reasons)} of {len(dataset)} videos open")
    return reasons


@data_app.command()
def stage(
    output: Path = typer.Argument(help="New folder for the clips."),
    clips: int = typer.Option(100, help="Training clips; validation and test get a fifth of it each."),
    domain: str = typer.Option("normal", help="normal, dark, drone, backgrounds or camera."),
    seed: int = typer.Option(0, help="Seed of the data set."),
    persons: int = typer.Option(20, help="How many different people."),
    frames: int = typer.Option(16, help="Frames a clip."),
    size: int = typer.Option(64, help="Height and width in pixels."),
    bias: str | None = typer.Option(None, help="Private attribute to tie to the action."),
    gait: bool = typer.Option(False, "--gait", help="Also write the gallery and probe walks of every person."),
    quality: int = typer.Option(15, help="Constant rate factor, 0 (best) to 51 (smallest)."),
    progress: bool = typer.Option(True, "--progress/--no-progress", help="Show a progress bar."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """Write rendered clips as mp4 files with a metadata.csv a split, to load with the name `folder`."""
    with exit_on_error(USAGE, debug):
        from ..data.stage import GAIT_SPLITS, SPLITS, StageOptions
        from ..data.stage_export import write_stage

        fifth = max(1, clips // 5)
        options = StageOptions(
            seed=seed,
            persons=persons,
            train_clips=clips,
            validation_clips=fifth,
            test_clips=fifth,
            frames=frames,
            height=size,
            width=size,
            domain=domain,
            bias=bias,
        )
    with exit_on_error(FAILED, debug):
        written = write_stage(output, options, (*SPLITS, *(GAIT_SPLITS if gait else ())), quality, progress)
        typer.echo(f"{output}: {written} clips; hf-ppar data inspect folder --data-dir {output}", err=True)


@data_app.command("clear-cache")
def clear_clip_cache(
    cache_dir: Path | None = typer.Option(
        None, "--cache-dir", help="[default: HF_PPAR_CACHE or ~/.cache/hf_ppar/clips]"
    ),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """Remove the decoded clips that training has kept on disk."""
    with exit_on_error(FAILED, debug):
        from ..data import clear_cache

        cleared = clear_cache(cache_dir)
        typer.echo(f"{cleared.root}: removed {cleared.caches} caches, {cleared.size / 1e6:.1f} MB", err=True)


def _check_picture(output: Path) -> None:
    if output.suffix.lower() != ".png":
        raise ValueError(f"--output {output} must end in .png")
    if not output.parent.is_dir():
        raise ValueError(f"--output {output}: the folder {output.parent} does not exist")
