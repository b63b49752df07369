"""Augmentations that treat all frames of a clip alike.

Every one is called with a clip and a seed or `torch.Generator`, and returns a clip of the same layout: uint8 frames
(T, H, W, 3), or a float clip (T, 3, H, W) in [0, 1]. The same generator state gives the same result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import interpolate

Randomness = torch.Generator | int
ClipTransform = Callable[[Tensor, Randomness], Tensor]


@dataclass(frozen=True)
class RandomResizedCrop:
    """Cut out a random box, the same in every frame, and scale it to `size`.

    Args:
        size: (height, width) of the result.
        scale: range of the box's share of the picture's area.
        ratio: range of its width over its height.
    """

    size: tuple[int, int]
    scale: tuple[float, float] = (0.5, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)

    def __post_init__(self) -> None:
        _check_size(self.size)
        for name, (low, high) in {"scale": self.scale, "ratio": self.ratio}.items():
            if not 0 < low <= high or (name == "scale" and high > 1):
                raise ValueError(f"{name}={(low, high)} must be a range above 0{' up to 1' * (name == 'scale')}.")

    def __call__(self, clip: Tensor, generator: Randomness) -> Tensor:
        frames = _channels_first(clip)
        top, left, height, width = self._box(frames.shape[-2], frames.shape[-1], _generator(generator))
        return _like(clip, _resize(frames[..., top : top + height, left : left + width], self.size))

    def _box(self, height: int, width: int, generator: torch.Generator) -> tuple[int, int, int, int]:
        area, shape, down, across = torch.rand(4, generator=generator, dtype=torch.float64).tolist()
        share = height * width * (self.scale[0] + area * (self.scale[1] - self.scale[0]))
        low, high = math.log(self.ratio[0]), math.log(self.ratio[1])
        ratio = math.exp(low + shape * (high - low))
        box_height = min(height, max(1, round(math.sqrt(share / ratio))))
        box_width = min(width, max(1, round(math.sqrt(share * ratio))))
        return int(down * (height - box_height + 1)), int(across * (width - box_width + 1)), box_height, box_width


@dataclass(frozen=True)
class HorizontalFlip:
    """Mirror the whole clip with a probability. Leave it out where left and right matter, as in sign language."""

    probability: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.probability <= 1:
            raise ValueError(f"probability={self.probability!r} must be from 0 to 1.")

    def __call__(self, clip: Tensor, generator: Randomness) -> Tensor:
        if torch.rand((), generator=_generator(generator)).item() >= self.probability:
            return clip
        return _like(clip, _channels_first(clip).flip(-1))


@dataclass(frozen=True)
class ResizeAndCenterCrop:
    """The papers' validation view: the short side scaled to `short_side`, then the centre of `size` cut out.

    `short_side` None is the larger of the two sides of `size`: nothing but what sticks out is cut off.
    """

    size: tuple[int, int]
    short_side: int | None = None

    def __post_init__(self) -> None:
        _check_size(self.size)
        if self.short_side is not None and self.short_side < max(self.size):
            raise ValueError(f"short_side={self.short_side} must be at least the larger side of size={self.size}.")

    def __call__(self, clip: Tensor, generator: Randomness = 0) -> Tensor:
        frames = _channels_first(clip)
        height, width = frames.shape[-2:]
        scale = (self.short_side or max(self.size)) / min(height, width)
        height, width = round(height * scale), round(width * scale)
        top, left = (height - self.size[0]) // 2, (width - self.size[1]) // 2
        scaled = _resize(frames, (height, width))
        return _like(clip, scaled[..., top : top + self.size[0], left : left + self.size[1]])


@dataclass(frozen=True)
class InOrder:
    """Several augmentations one after the other, drawing from one generator."""

    steps: Sequence[ClipTransform]

    def __call__(self, clip: Tensor, generator: Randomness) -> Tensor:
        shared = _generator(generator)
        for step in self.steps:
            clip = step(clip, shared)
        return clip


def training_transform(
    size: tuple[int, int], flip: bool = True, scale: tuple[float, float] = (0.5, 1.0)
) -> ClipTransform:
    """Random resized crop, and a random flip unless `flip` is False (signs, text, anything with a left and right)."""
    crop = RandomResizedCrop(size, scale)
    return InOrder([crop, HorizontalFlip()]) if flip else crop


def validation_transform(size: tuple[int, int]) -> ClipTransform:
    """Resize and centre crop; nothing random."""
    return ResizeAndCenterCrop(size)


def _check_size(size: tuple[int, int]) -> None:
    if len(size) != 2 or min(size) < 1:
        raise ValueError(f"size={size!r} must be (height, width), both at least 1.")


def _generator(source: Randomness) -> torch.Generator:
    return source if isinstance(source, torch.Generator) else torch.Generator().manual_seed(source)


def _channels_first(clip: Tensor) -> Tensor:
    """View as (T, 3, H, W): the dtype tells the layouts apart."""
    if clip.ndim == 4 and clip.dtype == torch.uint8 and clip.shape[-1] == 3:
        return clip.permute(0, 3, 1, 2)
    if clip.ndim == 4 and clip.is_floating_point() and clip.shape[1] == 3:
        return clip
    raise ValueError(
        "a clip must be uint8 (frames, height, width, 3) or float (frames, 3, height, width), "
        f"got {clip.dtype} of shape {tuple(clip.shape)}"
    )


def _like(clip: Tensor, frames: Tensor) -> Tensor:
    """Back to the layout of `clip`."""
    return (frames.permute(0, 2, 3, 1) if clip.dtype == torch.uint8 else frames).contiguous()


def _resize(frames: Tensor, size: tuple[int, int]) -> Tensor:
    if tuple(frames.shape[-2:]) == tuple(size):
        return frames
    return interpolate(frames, size, mode="bilinear", antialias=True, align_corners=False)
