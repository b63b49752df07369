"""Labels as texts: what a zero-shot recognizer may be asked to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def check_labels(labels: Any) -> list[str]:
    """At least two different texts, stripped; anything else is refused."""
    if isinstance(labels, str) or not isinstance(labels, Sequence):
        raise ValueError(f'candidate_labels must be a list of texts such as ["walk", "wave"], got {labels!r}')
    strangers = [label for label in labels if not isinstance(label, str) or not label.strip()]
    if strangers:
        raise ValueError(f"candidate_labels must be texts that are not empty, got {strangers[0]!r} among them")
    names = [label.strip() for label in labels]
    if len(names) < 2:
        raise ValueError(
            f"candidate_labels must hold at least two labels to choose from, got {names}; "
            'add what else it could be, such as "something else"'
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"candidate_labels must differ from each other, but {', '.join(twice)} is there twice")
    return names


def check_template(template: Any) -> str:
    """A text with one {} for the label."""
    if not isinstance(template, str) or template.count("{}") != 1:
        raise ValueError(
            f'hypothesis_template must be a text with one {{}} for the label, such as "a person who {{}}", '
            f"got {template!r}"
        )
    return template
