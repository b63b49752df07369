"""key=value pairs of a command line."""

from __future__ import annotations

import ast
from typing import Any


def parse_settings(pairs: list[str]) -> dict[str, Any]:
    """["epochs=3", "kind=r2plus1d"] -> {"epochs": 3, "kind": "r2plus1d"}: Python literals, anything else is text."""
    settings: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise ValueError(f"{pair!r} must be name=value, such as session=1")
        try:
            settings[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            settings[key] = value
    return settings
