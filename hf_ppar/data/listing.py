"""Compare a list of videos with the folder that should hold them: nothing is ever dropped silently."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from pathlib import Path

from ..video import VIDEO_SUFFIXES

logger = logging.getLogger(__name__)

ON_MISMATCH = ("raise", "skip")
_SHOWN = 5


class ListingMismatch(ValueError):
    """A list and its folder disagree.

    `missing` are listed but not there, `unlisted` are there but not listed; both are names relative to `folder`.
    """

    def __init__(self, folder: Path, missing: Collection[str], unlisted: Collection[str]) -> None:
        self.folder, self.missing, self.unlisted = folder, sorted(missing), sorted(unlisted)
        parts = []
        if missing:
            parts.append(f"{len(missing)} listed videos are missing: {shorten(self.missing)}")
        if unlisted:
            parts.append(f"{len(unlisted)} videos are not in the list: {shorten(self.unlisted)}")
        super().__init__(
            f"{folder}: {'; '.join(parts)}. Complete the folder or the list, "
            'or pass on_mismatch="skip" to go on without them.'
        )


def check_listing(folder: Path, listed: Iterable[str], present: Iterable[str], on_mismatch: str = "raise") -> set[str]:
    """Names that are missing, after raising `ListingMismatch` or, with "skip", warning about any difference."""
    if on_mismatch not in ON_MISMATCH:
        raise ValueError(f"on_mismatch={on_mismatch!r} is unknown; choose one of: {', '.join(ON_MISMATCH)}.")
    wanted, there = set(listed), set(present)
    missing, unlisted = wanted - there, there - wanted
    if not missing and not unlisted:
        return set()
    mismatch = ListingMismatch(folder, missing, unlisted)
    if on_mismatch == "raise":
        raise mismatch
    logger.warning("going on without them: %s", mismatch)
    return missing


def find_videos(folder: Path) -> list[str]:
    """Paths of the videos in a folder and below, relative to it, sorted; hidden files and folders are left out."""
    names = []
    for path in folder.rglob("*"):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        if path.suffix.lower() in VIDEO_SUFFIXES and not hidden and path.is_file():
            names.append(relative.as_posix())
    return sorted(names)


def shorten(names: Collection[str]) -> str:
    """The first few names, and how many more there are."""
    first = sorted(names)[:_SHOWN]
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")
