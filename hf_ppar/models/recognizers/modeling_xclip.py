"""Zero-shot recognition with X-CLIP: the labels are texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoConfig, AutoTokenizer, XCLIPModel

from ..base import check_weights
from .configuration_xclip import XCLIPRecognizerConfig
from .fitting import fit_picture
from .heads import Labels
from .modeling_recognizer import RecognizerModel, RecognizerOutput
from .pixel_statistics import read_pixel_statistics


class XCLIPRecognizer(RecognizerModel):
    """Similarity of a clip to the text of each label, as logits.

    The labels' tokens are kept in the config, so that a saved model needs no tokenizer. The text encoder runs in
    every forward, since X-CLIP adapts texts to the clip.

    Example:
        >>> model = XCLIPRecognizer.from_xclip("microsoft/xclip-base-patch16", ["running", "waving"])
        >>> model(torch.rand(1, 8, 3, 224, 224)).logits.softmax(-1).shape
        torch.Size([1, 2])
    """

    config_class = XCLIPRecognizerConfig
    _supports_sdpa = True

    def __init__(self, config: XCLIPRecognizerConfig) -> None:
        super().__init__(config)
        self.xclip = XCLIPModel(config.xclip)
        self.post_init()

    def forward(self, pixel_values: torch.Tensor, labels: Labels | None = None) -> RecognizerOutput:
        """Clip (batch, num_frames, 3, height, width) in [0, 1] -> logits (batch, num_labels)."""
        clip = self.prepare(pixel_values)
        if clip.shape[1] != self.config.num_frames:
            raise ValueError(
                f"X-CLIP takes clips of exactly {self.config.num_frames} frames, got {clip.shape[1]}; "
                "its weights fix the number, so sample that many frames (hf_ppar.video.even_indices)"
            )
        input_ids, attention_mask = self._texts(clip.device)
        output = self.xclip(
            input_ids=input_ids,
            attention_mask=attention_mask,
            pixel_values=fit_picture(clip, self.config.frame_size),
        )
        return self.answer(output.logits_per_video, labels, output.video_embeds)

    def _texts(self, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
        """Token ids and their mask, both (num_labels, longest text)."""
        if self.config.label_token_ids is None:
            raise ValueError("this X-CLIP has no labels yet; give it some with set_labels(labels, tokenizer)")
        texts = [torch.tensor(ids, device=device) for ids in self.config.label_token_ids]
        masks = [torch.ones_like(text) for text in texts]
        return pad_sequence(texts, batch_first=True), pad_sequence(masks, batch_first=True)

    def set_labels(self, labels: Sequence[str], tokenizer: Callable[..., Any], template: str = "{}") -> None:
        """Choose from other labels; `template` makes a text of a label, X-CLIP's own is the bare name."""
        config = self.config
        config.label_token_ids = tokenize_labels(labels, tokenizer, template, config.xclip.text_config)
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: index for index, label in enumerate(labels)}

    @classmethod
    def from_xclip(
        cls, name: str, labels: Sequence[str], *, template: str = "{}", revision: str | None = None
    ) -> XCLIPRecognizer:
        """Wrap the X-CLIP in a directory or under a Hub id, with these labels to choose from."""
        xclip_config = AutoConfig.from_pretrained(name, revision=revision)
        mean, std = read_pixel_statistics(name, xclip_config.model_type, revision)
        recognizer = cls(cls.config_class(xclip=xclip_config, image_mean=mean, image_std=std))
        recognizer.xclip, info = XCLIPModel.from_pretrained(
            name, revision=revision, use_safetensors=True, output_loading_info=True
        )
        check_weights(name, info)
        recognizer.set_labels(labels, AutoTokenizer.from_pretrained(name, revision=revision), template)
        return recognizer.eval()


def tokenize_labels(
    labels: Sequence[str], tokenizer: Callable[..., Any], template: str, text_config: Any
) -> list[list[int]]:
    """Token ids of each label's text, not padded."""
    if isinstance(labels, str) or len(labels) < 2 or len(set(labels)) != len(labels):
        raise ValueError(f"labels must be at least two different texts, got {labels!r}")
    texts = [template.format(label) for label in labels]
    tokens = tokenizer(texts, truncation=True, max_length=text_config.max_position_embeddings)
    return [[int(token) for token in ids] for ids in tokens["input_ids"]]
