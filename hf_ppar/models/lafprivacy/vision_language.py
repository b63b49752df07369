"""Frozen vision-language models: clips and texts in one space, whatever the kind of model.

A model embeds a clip on three levels, which LaF-Privacy holds together (section 3.4.2), and names it by texts. X-CLIP
has a transformer over frames and adapts texts to the clip; CLIP averages its frames.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from safetensors import SafetensorError
from torch import nn
from transformers import AutoConfig, AutoTokenizer, CLIPModel, PreTrainedModel, XCLIPModel

from ..base import check_weights
from ..layers import normalize_clip
from ..loading import ModelError, check_place, first_line
from ..recognizers.fitting import fit_picture
from ..recognizers.pixel_statistics import PixelStatistics, read_pixel_statistics

Embeddings = dict[str, torch.Tensor]


class VisionLanguageModel(nn.Module):
    """A vision-language model that never changes: always in eval mode, no gradients for its weights.

    Args:
        tokenizer: texts -> `input_ids` and `attention_mask`, as those of transformers.
        statistics: mean and standard deviation of the pixels that it takes.
    """

    kind: str

    def __init__(self, model: PreTrainedModel, tokenizer: Any, statistics: PixelStatistics) -> None:
        super().__init__()
        self.model = model.eval().requires_grad_(False)
        self.tokenizer, self.statistics = tokenizer, statistics

    @property
    def config(self) -> Any:
        """The model's own."""
        return self.model.config

    @property
    def num_frames(self) -> int | None:
        """Frames of a clip, no more and no fewer; None takes any number."""
        return None

    @property
    def frame_size(self) -> tuple[int, int]:
        """(height, width) of the frames; others are fitted."""
        side = self.config.vision_config.image_size
        return (side, side)

    @property
    def fingerprint(self) -> str:
        """Which model it is, by kind and weights: "xclip-" and 16 hexadecimal digits."""
        digest = hashlib.sha256()
        for name, value in sorted(self.model.state_dict().items()):
            digest.update(name.encode())
            digest.update(value.detach().float().cpu().contiguous().numpy().tobytes())
        return f"{self.kind}-{digest.hexdigest()[:16]}"

    def train(self, mode: bool = True) -> VisionLanguageModel:
        """Stays in eval mode."""
        return super().train(False)

    def embed(self, clip: torch.Tensor) -> Embeddings:
        """Clip (batch, frames, 3, height, width) in [0, 1] -> its embeddings; gradients reach the clip.

        "patch": (batch, frames, patches, hidden), last hidden states. "class": (batch, frames, width), projected.
        "video": (batch, width).
        """
        frames = self.prepare(clip)
        vision = self.model.vision_model(pixel_values=frames.flatten(0, 1))
        classes = self.model.visual_projection(vision.pooler_output).unflatten(0, frames.shape[:2])
        patches = vision.last_hidden_state[:, 1:].unflatten(0, frames.shape[:2])
        return {"patch": patches, "class": classes, "video": self.join_frames(classes)}

    def prepare(self, clip: torch.Tensor) -> torch.Tensor:
        """Refuse a clip of another length, fit its picture, normalise it."""
        self.check_frames(clip.shape[1])
        return normalize_clip(fit_picture(clip.to(self.model.dtype), self.frame_size), *self.statistics)

    def check_frames(self, frames: int) -> None:
        """Refuse clips of another length than the weights are made for."""
        if self.num_frames not in (None, frames):
            raise ValueError(
                f"frames={frames}: this {self.kind} takes clips of exactly {self.num_frames} frames, which is fixed "
                f"in its weights; set frames={self.num_frames}"
            )

    def embed_texts(self, texts: Sequence[str]) -> torch.Tensor:
        """Texts -> (texts, width), not adapted to a clip."""
        return self.model.get_text_features(**self.tokenize(texts)).pooler_output

    def tokenize(self, texts: Sequence[str]) -> dict[str, torch.Tensor]:
        """`input_ids` and `attention_mask`, both (texts, longest text)."""
        longest = self.config.text_config.max_position_embeddings
        tokens = self.tokenizer(list(texts), padding=True, truncation=True, max_length=longest, return_tensors="pt")
        return {name: tokens[name].to(self.model.device) for name in ("input_ids", "attention_mask")}

    def join_frames(self, classes: torch.Tensor) -> torch.Tensor:
        """Class embeddings (batch, frames, width) -> video embeddings (batch, width)."""
        raise NotImplementedError

    def compare(self, clip: torch.Tensor, texts: Sequence[str]) -> torch.Tensor:
        """How well each text fits each clip: logits (batch, texts)."""
        raise NotImplementedError


class XCLIP(VisionLanguageModel):
    """X-CLIP (Ni et al., ECCV 2022); the number of frames is part of its weights."""

    kind = "xclip"

    @property
    def num_frames(self) -> int:
        return self.config.vision_config.num_frames

    def join_frames(self, classes: torch.Tensor) -> torch.Tensor:
        return self.model.mit(classes).pooler_output

    def compare(self, clip: torch.Tensor, texts: Sequence[str]) -> torch.Tensor:
        return self.model(pixel_values=self.prepare(clip), **self.tokenize(texts)).logits_per_video


class FrameCLIP(VisionLanguageModel):
    """CLIP (Radford et al., 2021) on every frame; a video is the mean of its frames, as in ActionCLIP's "meanP"."""

    kind = "clip"

    def join_frames(self, classes: torch.Tensor) -> torch.Tensor:
        return classes.mean(dim=1)

    def compare(self, clip: torch.Tensor, texts: Sequence[str]) -> torch.Tensor:
        videos, words = (F.normalize(e, dim=-1) for e in (self.embed(clip)["video"], self.embed_texts(texts)))
        return self.model.logit_scale.exp() * videos @ words.T


# model_type of transformers -> its class and ours.
KINDS: dict[str, tuple[type[PreTrainedModel], type[VisionLanguageModel]]] = {
    XCLIP.kind: (XCLIPModel, XCLIP),
    FrameCLIP.kind: (CLIPModel, FrameCLIP),
}


def load_vision_language_model(
    name: str | os.PathLike[str], revision: str | None = None, device: str | torch.device | None = None
) -> VisionLanguageModel:
    """The X-CLIP or CLIP in a directory or under a Hub id, frozen.

    Args:
        revision: branch, tag or commit of a Hub id.
        device: where to put it; None leaves it on the CPU.
    """
    name = os.fspath(name)
    check_place(name)
    try:
        config = AutoConfig.from_pretrained(name, revision=revision)
        if config.model_type not in KINDS:
            raise ModelError(
                f"{name} holds a {config.model_type!r} model, which does not compare videos with texts; "
                f"give one of: {', '.join(KINDS)}"
            )
        model_class, wrapper = KINDS[config.model_type]
        model, info = model_class.from_pretrained(
            name, revision=revision, use_safetensors=True, output_loading_info=True
        )
        check_weights(name, info)
        tokenizer = AutoTokenizer.from_pretrained(name, revision=revision)
        loaded = wrapper(model, tokenizer, read_pixel_statistics(name, config.model_type, revision))
    except (OSError, RuntimeError, SafetensorError) as error:
        raise ModelError(f"cannot load {name}: {first_line(error)}") from error
    return loaded if device is None else loaded.to(device)
