"""Batches for domain transfer: half from a source data set, half from a target data set."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from torch.utils.data import Dataset as TorchDataset
from torch.utils.data import Sampler

from .batches import ClipLoader, LoadingOptions, collate_clips, shuffled
from .clip_dataset import ClipDataset, Example
from .schema import UNKNOWN

SOURCE, TARGET = 0, 1


class MixedClips(TorchDataset[Example]):
    """Source clips, then target clips, in one numbering; each example says its `domain`, 0 source or 1 target.

    Args:
        hide_target_labels: give -1 for the target's actions, as unsupervised domain adaptation must.
    """

    def __init__(self, source: ClipDataset, target: ClipDataset, hide_target_labels: bool = False) -> None:
        _check_same("actions", source.action_names, target.action_names)
        _check_same("attributes", source.attribute_names, target.attribute_names)
        self.source, self.target, self.hide_target_labels = source, target, hide_target_labels

    def __len__(self) -> int:
        return len(self.source) + len(self.target)

    def __getitem__(self, key: tuple[int, int]) -> Example:
        epoch, position = key
        if position < len(self.source):
            return {**_shared(self.source[epoch, position]), "domain": SOURCE}
        example = {**_shared(self.target[epoch, position - len(self.source)]), "domain": TARGET}
        if self.hide_target_labels and "labels" in example:
            example["labels"] = UNKNOWN
        return example


class MixedBatchSampler(Sampler[list[tuple[int, int]]]):
    """Batches of (epoch, position), the first half source and the second half target.

    An epoch goes once through the longer of the two; the shorter one is shuffled anew each time it is used up.
    """

    def __init__(self, source: int, target: int, batch_size: int, seed: int = 0) -> None:
        if batch_size < 2 or batch_size % 2:
            raise ValueError(f"batch_size={batch_size} must be even: half source, half target.")
        self.half, self.seed, self.epoch = batch_size // 2, seed, 0
        self.lengths = {SOURCE: source, TARGET: target}
        shortest = min(source, target)
        if shortest < 1:
            raise ValueError(f"source has {source} clips and target {target}; both need at least one.")

    def __len__(self) -> int:
        return max(1, max(self.lengths.values()) // self.half)

    def set_epoch(self, epoch: int) -> None:
        """Make the next pass epoch number `epoch`."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        epoch, self.epoch = self.epoch, self.epoch + 1
        source, target = self._order(SOURCE, epoch), self._order(TARGET, epoch)
        for start in range(0, len(self) * self.half, self.half):
            positions = source[start : start + self.half]
            positions += [self.lengths[SOURCE] + position for position in target[start : start + self.half]]
            yield [(epoch, position) for position in positions]

    def _order(self, domain: int, epoch: int) -> list[int]:
        order: list[int] = []
        while len(order) < len(self) * self.half:
            order += shuffled(self.lengths[domain], self.seed, epoch, domain, len(order))
        return order


def build_mixed_loader(
    source: ClipDataset, target: ClipDataset, loading: LoadingOptions | None = None, hide_target_labels: bool = False
) -> ClipLoader:
    """A loader whose batches are half source, half target, told apart by `domain` (B,), 0 or 1.

    Both must give clips of one size and have the same actions and attributes in the same order.
    """
    loading = loading or LoadingOptions()
    return ClipLoader(
        MixedClips(source, target, hide_target_labels),
        batch_sampler=MixedBatchSampler(len(source), len(target), loading.batch_size, loading.seed),
        num_workers=loading.workers,
        collate_fn=partial(collate_clips, as_float=loading.as_float),
        persistent_workers=loading.workers > 0,
    )


def _shared(example: Example) -> Example:
    """Without `person`: the people of two data sets are numbered independently."""
    return {name: value for name, value in example.items() if name != "person"}


def _check_same(what: str, source: tuple[str, ...], target: tuple[str, ...]) -> None:
    if source == target:
        return
    only_source, only_target = sorted(set(source) - set(target)), sorted(set(target) - set(source))
    difference = f"only in source: {only_source}, only in target: {only_target}"
    if not only_source and not only_target:
        difference = f"the order differs: {list(source)} and {list(target)}"
    raise ValueError(f"source and target must have the same {what} in the same order; {difference}.")
