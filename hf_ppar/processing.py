"""The processor half of every anonymizer: frames in, clips in [0, 1] out, and back to frames for writing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from transformers import BatchFeature
from transformers.image_processing_utils import BaseImageProcessor

from .video import resize_frames
from .video.sources import as_array

Frames = np.ndarray | torch.Tensor  # (T, H, W, 3) uint8


class AnonymizerProcessor(BaseImageProcessor):
    """Turns frames into what an anonymizer takes and what it returns into frames.

    It needs neither torchvision nor a model-specific mean: an anonymizer works on RGB in [0, 1].

    Args:
        size: {"height", "width"} at which the model works; None keeps the video's own size.

    Example:
        >>> processor = AnonymizerProcessor()
        >>> clip = processor(frames)["pixel_values"]  # frames (T, H, W, 3) uint8 -> (1, T, 3, H, W) in [0, 1]
        >>> processor.postprocess(clip)[0].shape      # back to (T, H, W, 3) uint8
    """

    model_input_names: ClassVar[list[str]] = ["pixel_values"]

    def __init__(self, size: dict[str, int] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = size

    @classmethod
    def for_model(cls, config: Any) -> AnonymizerProcessor:
        """The processor that belongs to a model's config."""
        if config.image_size is None:
            return cls()
        height, width = config.image_size
        return cls(size={"height": height, "width": width})

    def __call__(
        self, videos: Frames | Sequence[Frames], return_tensors: str | None = "pt", **kwargs: Any
    ) -> BatchFeature:
        """Frames (T, H, W, 3) uint8, or a list of such videos of one length, -> pixel_values (B, T, 3, h, w)."""
        if kwargs:
            raise TypeError(f"unknown arguments {sorted(kwargs)}; the processor takes videos and return_tensors")
        several: Sequence[Any] = videos if isinstance(videos, (list, tuple)) else [videos]
        clips = torch.stack([to_clip(self._frames(video)) for video in several])
        return BatchFeature({"pixel_values": clips}, tensor_type=return_tensors)

    def _frames(self, video: Frames) -> np.ndarray:
        frames = as_array(video)
        if frames is None:
            raise ValueError(f"a video must be an array (frames, height, width, 3), got {type(video).__name__}")
        return frames if self.size is None else resize_frames(frames, (self.size["height"], self.size["width"]))

    def postprocess(self, videos: torch.Tensor, size: tuple[int, int] | None = None) -> list[np.ndarray]:
        """Clips (B, T, 3, h, w) in [0, 1] -> B arrays (T, H, W, 3) uint8, scaled to `size` (height, width)."""
        arrays = [to_frames(clip) for clip in videos]
        return arrays if size is None else [resize_frames(array, size) for array in arrays]


def to_clip(frames: np.ndarray) -> torch.Tensor:
    """Frames (T, H, W, 3) uint8 -> one clip (T, 3, H, W) float32 in [0, 1]."""
    tensor = torch.from_numpy(np.ascontiguousarray(frames))
    return tensor.permute(0, 3, 1, 2).to(torch.float32, memory_format=torch.contiguous_format).div_(255)


def to_frames(clip: torch.Tensor) -> np.ndarray:
    """One clip (T, 3, H, W) in [0, 1] -> frames (T, H, W, 3) uint8."""
    levels = clip.detach().float().mul(255).round_().clamp_(0, 255)
    return levels.to(torch.uint8).permute(0, 2, 3, 1).contiguous().cpu().numpy()
