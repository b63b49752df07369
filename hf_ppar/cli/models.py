"""`hf-ppar models`: the trained models that come with the package."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from .errors import FAILED, exit_on_error
from .text_table import align

if TYPE_CHECKING:
    from ..shipped import Shipped

_TARGETS = ("action", "person", "attributes")
_LEGEND = (
    "Figures are those of the reports, on the test split of the data that a name begins with, with chance and the\n"
    "same on raw videos beside them. action, person: share of clips named right; attributes: mean average precision.\n"
    "Of a privacy classifier, person and attributes are what the strongest attacker that was trained on its output\n"
    "reaches; of an attacker, what it reaches itself."
)


def models(
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """List the trained models that come with the package: task, size, licence, utility and privacy."""
    with exit_on_error(FAILED, debug):
        from ..shipped import list_shipped

        found = list_shipped()
        if as_json:
            typer.echo(json.dumps([{**asdict(shipped), "bytes": shipped.bytes} for shipped in found], indent=2))
            return
        for task in dict.fromkeys(shipped.task for shipped in found):
            typer.echo(f"{task}\n{format_models([shipped for shipped in found if shipped.task == task])}\n")
        typer.echo(_LEGEND)


def format_models(found: list[Shipped]) -> str:
    """A table of models of one task, with the figures that they have."""
    targets = [target for target in _TARGETS if any(target in shipped.figures for shipped in found)]
    head = ["name", "MB", "licence", *(f"{target} (chance, raw)" for target in targets)]
    rows = [
        [
            shipped.name,
            f"{shipped.bytes / 1e6:.1f}",
            shipped.license,
            *(format_figure(shipped.figures.get(target)) for target in targets),
        ]
        for shipped in found
    ]
    return align([head, *rows])


def format_figure(figure: dict[str, Any] | None) -> str:
    """A figure with what it is to be compared with; a dash for one that was not measured."""
    value, chance, raw = ((figure or {}).get(name) for name in ("value", "chance", "raw"))
    texts = ["-" if number is None else f"{number:.3f}" for number in (value, chance, raw)]
    return "-" if value is None else f"{texts[0]} ({texts[1]}, {texts[2]})"
