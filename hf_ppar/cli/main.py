"""`hf-ppar`: the entry point."""

from __future__ import annotations

import typer

from ..version import __version__
from .anonymize import anonymize
from .classify import classify
from .data import data_app
from .demo import demo
from .evaluate import evaluate
from .models import models
from .train import train

app = typer.Typer(
    name="hf-ppar",
    help="Understand what happens in a video without exposing who is in it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(anonymize)
app.command()(classify)
app.command()(models)
app.command()(demo)
app.command()(train)
app.command()(evaluate)
app.add_typer(data_app)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"hf-ppar {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Understand what happens in a video without exposing who is in it."""


def run() -> None:
    """Run the command line."""
    app()
