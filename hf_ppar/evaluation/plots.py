"""Pictures of reports: the trade-off between utility and leakage, the attributes one by one, a dial."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from .measure import Number
from .report import Report


def plot_tradeoff(reports: Sequence[Report], target: str, path: Path) -> None:
    """Utility against what the strongest attacker gets, one point a report, with chance lines; top left is best."""
    figure, axes = _figure()
    for report, marker in zip(reports, cycle("os^vDP*X<>hp"), strict=False):
        leak, gain = report.privacy[target], _utility(report)
        spreads = [[[n.value - n.low], [n.high - n.value]] for n in (leak, gain)]
        axes.errorbar(
            leak.value,
            gain.value,
            xerr=spreads[0],
            yerr=spreads[1],
            fmt=marker,
            capsize=2,
            label=report.model,
            alpha=0.8,
        )
    first = reports[0]
    axes.axvline(first.privacy[target].chance, color="grey", linestyle=":", linewidth=1)
    axes.axhline(_utility(first).chance, color="grey", linestyle=":", linewidth=1)
    axes.set_xlabel(f"strongest attacker, {first.privacy[target].metric} (dotted: chance)")
    axes.set_ylabel(f"utility, {_utility(first).metric}")
    axes.set_title(f"{first.dataset}, {first.protocol}, budget {first.budget}")
    axes.set_xlim(0, 1.05)
    axes.set_ylim(0, 1.05)
    axes.legend(fontsize=8, loc="center left")  # many methods share a corner: names beside the points would overlap
    figure.savefig(path, dpi=120, bbox_inches="tight")


def plot_attributes(report: Report, path: Path) -> None:
    """Average precision of the strongest attribute attacker, a bar an attribute, chance beside it."""
    rows = [
        row for row in report.privacy["attributes"].details["per_attribute"] if row["average_precision"] is not None
    ]
    figure, axes = _figure()
    places = range(len(rows))
    axes.bar([place - 0.2 for place in places], [row["average_precision"] for row in rows], 0.4, label="attacker")
    axes.bar([place + 0.2 for place in places], [row["average_precision_chance"] for row in rows], 0.4, label="chance")
    axes.set_xticks(list(places), [row["attribute"] for row in rows])
    axes.set_ylabel("average precision")
    axes.set_ylim(0, 1.05)
    axes.set_title(f"{report.model} on {report.dataset}")
    axes.legend()
    figure.savefig(path, dpi=120, bbox_inches="tight")


def plot_dial(reports: Sequence[Report], path: Path) -> None:
    """Utility and every attack against the strength, for reports of one model; chance is dotted in the same colour."""
    figure, axes = _figure()
    places = [report.strength for report in reports]
    first = reports[0]
    curves = {"action": [_utility(report) for report in reports]}
    curves |= {target: [report.privacy[target] for report in reports] for target in first.privacy}
    for (label, numbers), marker in zip(curves.items(), cycle("osD^"), strict=False):
        values = [number.value for number in numbers]
        spread = [[n.value - n.low for n in numbers], [n.high - n.value for n in numbers]]
        (line, *_) = axes.errorbar(places, values, spread, fmt=f"-{marker}", capsize=2, label=label)
        axes.axhline(numbers[0].chance, color=line.get_color(), linestyle=":", linewidth=1)
    axes.set_xlabel("strength (1 is most private)")
    axes.set_ylabel(f"{_utility(first).metric}, {', '.join(number.metric for number in first.privacy.values())}")
    axes.set_title(f"{first.model} on {first.dataset}, budget {first.budget} (dotted: chance)")
    axes.set_ylim(0, 1.05)
    axes.legend()
    figure.savefig(path, dpi=120, bbox_inches="tight")


def _utility(report: Report) -> Number:
    if report.utility is None:
        raise ValueError(f"the report of {report.model} by {report.protocol} has no utility to draw")
    return report.utility


def _figure() -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError("pictures need matplotlib: pip install 'hf-ppar[attack]'") from error
    figure = Figure(figsize=(6.5, 5))
    return figure, figure.add_subplot()
