"""Turn `**options` of a data set into its options class, refusing unknown names with the list of known ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

Options = TypeVar("Options")


def checked_options(kind: type[Options], dataset: str, values: Mapping[str, Any]) -> Options:
    """An instance of the dataclass `kind`; its own `__post_init__` checks the values."""
    known = [item.name for item in fields(kind)]  # type: ignore[arg-type]
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise ValueError(f"{dataset} has no option {', '.join(unknown)}; it takes {', '.join(known)}.")
    return kind(**values)
