"""`hf-ppar train`: carry out a recipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from .errors import FAILED, USAGE, exit_on_error
from .settings import parse_settings


def train(
    recipe: str = typer.Argument(help="Name of a recipe, or a YAML file with recipe, dataset, output and settings."),
    settings: list[str] = typer.Argument(
        None, help="key=value ..., such as kind=tubelet epochs=30 data.train_clips=500"
    ),
    dataset: str | None = typer.Option(None, help="Name of a data set, see `hf-ppar data list`."),
    data_dir: Path | None = typer.Option(None, "--data-dir", help="Folder of its videos."),
    preset: str | None = typer.Option(None, help="tiny or paper. [default: tiny]"),
    output: Path | None = typer.Option(
        None, "-o", "--output", help="Folder for checkpoints, log and trained modules."
    ),
    report_to: list[str] = typer.Option([], "--report-to", help="tensorboard or trackio, besides the JSONL log."),
    resume: bool = typer.Option(False, "--resume", help="Go on from the newest checkpoint in the output folder."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Print the resolved plan and stop."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """Train a model by a recipe; the validation split chooses the checkpoint."""
    with exit_on_error(USAGE, debug):
        from ..training.plan import make_plan

        given = _read_file(recipe)
        pairs = {**given.pop("settings", {}), **parse_settings(settings or [])}
        if report_to:
            pairs["report_to"] = tuple(report_to)
        named = {"dataset": dataset, "data_dir": data_dir, "preset": preset, "output": output}
        given |= {key: value for key, value in named.items() if value is not None}
        for needed in ("recipe", "dataset", "output"):
            if needed not in given:
                raise ValueError(f"--{needed} is missing: name it on the command line or in the YAML file")
        plan = make_plan(
            given["recipe"],
            given["dataset"],
            Path(given["output"]),
            Path(given["data_dir"]) if "data_dir" in given else None,
            given.get("preset", "tiny"),
            pairs,
            resume,
        )
        typer.echo(json.dumps(plan.describe(), indent=2, default=str))
    if dry_run:
        return
    with exit_on_error(FAILED, debug):
        result = plan.run()
        metrics = ", ".join(f"{name} {value:.3f}" for name, value in result.metrics.items())
        typer.echo(f"{result.modules}: {result.steps} steps, last validation {metrics}")


def _read_file(recipe: str) -> dict[str, Any]:
    """The content of a YAML file, or the recipe's name alone."""
    if Path(recipe).suffix not in (".yaml", ".yml"):
        return {"recipe": recipe}
    import yaml

    values = yaml.safe_load(Path(recipe).read_text(encoding="utf-8"))
    known = {"recipe", "dataset", "data_dir", "preset", "output", "settings"}
    if not isinstance(values, dict) or set(values) - known:
        raise ValueError(f"{recipe} must be a mapping with the keys {', '.join(sorted(known))}")
    return values
