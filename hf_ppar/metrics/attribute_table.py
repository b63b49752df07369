"""The per-attribute table of a card: every attribute metric with its levels, one row an attribute."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from .attributes import AttributeScores, as_columns, check_names, score_attributes
from .average_precision import cmap
from .chance import Levels
from .checks import UNKNOWN, as_labels, as_probabilities
from .f1 import f1_macro, f1_positive
from .roc import area_under_roc

Row = dict[str, str | int | float | None]


def attribute_table(probabilities: ArrayLike, labels: ArrayLike, names: Sequence[str] | None = None) -> list[Row]:
    """One dict an attribute: counts, positive rate, and each metric with `_chance`, `_majority` and `_gain` beside it.

    `probabilities` (N, A), `labels` (N, A) 0/1, or -1 for unknown. An attribute with one class only keeps its row: its
    metrics are None and `left_out` gives the reason (None for the others).
    """
    array = as_probabilities("probabilities", as_columns(probabilities, "probabilities"), 2)
    known = as_labels("labels", as_columns(labels, "labels"), array.shape, classes=2)
    named = check_names(names, array.shape[1])
    results = (
        cmap(array, known, named),
        score_attributes("roc_auc", array, known, named, area_under_roc, lambda positive: Levels(0.5, 0.5)),
        f1_positive(array, known, named),
        f1_macro(array, known, named),
    )
    table: list[Row] = []
    for column, name in enumerate(named):
        of_column = known[:, column][known[:, column] != UNKNOWN]
        row: Row = {"attribute": name, "count": of_column.size, "unknown": len(known) - of_column.size}
        row["positive_rate"] = float(of_column.mean()) if of_column.size else None
        for result in results:
            row.update(_cells(result, name))
        row["left_out"] = results[0].left_out.get(name)
        table.append(row)
    return table


def _cells(result: AttributeScores, name: str) -> Row:
    metric = "average_precision" if result.metric == "cmap" else result.metric
    score = next((row for row in result.rows if row.name == name), None)
    if score is None:
        return dict.fromkeys((metric, f"{metric}_chance", f"{metric}_majority", f"{metric}_gain"))
    return {
        metric: score.value,
        f"{metric}_chance": score.levels.chance,
        f"{metric}_majority": score.levels.majority,
        f"{metric}_gain": score.gain,
    }
