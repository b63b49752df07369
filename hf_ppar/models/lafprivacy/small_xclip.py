"""A small X-CLIP to be trained from scratch, with a vocabulary of its own.

CLIP's 49408 pieces of words are made for the texts of the web; a few hundred do for the descriptions of one data set.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from transformers import CLIPTokenizer, VideoMAEImageProcessorPil, XCLIPConfig, XCLIPModel, XCLIPProcessor

from ..layers.normalization import IMAGENET_MEAN, IMAGENET_STD

_END = "</w>"  # how CLIP marks the end of a word
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789,.;:!?-'"
_SPECIAL = ("<|startoftext|>", "<|endoftext|>")
LONGEST_TEXT = 40


class SmallXCLIP(XCLIPModel):
    """An ordinary X-CLIP that saves its processor beside itself."""

    processor: XCLIPProcessor | None = None

    def save_pretrained(self, save_directory: str | os.PathLike[str], *args: Any, **kwargs: Any) -> None:
        """As `XCLIPModel` does, under that name, and with the processor."""
        super().save_pretrained(save_directory, *args, **kwargs)
        self.config.architectures = [XCLIPModel.__name__]
        self.config.save_pretrained(save_directory)
        if self.processor is not None:
            self.processor.save_pretrained(save_directory)


def build_xclip(config: XCLIPConfig, texts: Iterable[str]) -> SmallXCLIP:
    """A fresh X-CLIP whose tokenizer knows the words of `texts`; `config` gets its vocabulary."""
    tokenizer = word_tokenizer(texts)
    words = config.text_config
    words.vocab_size, words.max_position_embeddings = len(tokenizer), LONGEST_TEXT
    words.bos_token_id, words.eos_token_id = tokenizer.bos_token_id, tokenizer.eos_token_id
    words.pad_token_id = tokenizer.pad_token_id
    model = SmallXCLIP(config)
    # For classes of other packages transformers leaves X-CLIP's own initialisation out.
    model.load_state_dict(XCLIPModel(config).state_dict())
    side = config.vision_config.image_size
    pixels = VideoMAEImageProcessorPil(
        size={"shortest_edge": side},
        crop_size={"height": side, "width": side},
        image_mean=list(IMAGENET_MEAN),
        image_std=list(IMAGENET_STD),
    )
    model.processor = XCLIPProcessor(image_processor=pixels, tokenizer=tokenizer)
    return model


def tiny_config(frames: int, side: int, **vision: Any) -> XCLIPConfig:
    """An X-CLIP of 0.8 M parameters for square clips; `vision` changes its vision part."""
    width = {"hidden_size": 96, "intermediate_size": 192, "num_attention_heads": 3}
    sizes = {
        **width,
        "num_hidden_layers": 3,
        "image_size": side,
        "patch_size": 8,
        "num_frames": frames,
        "mit_hidden_size": 96,
        "mit_intermediate_size": 192,
        "mit_num_attention_heads": 3,
        **vision,
    }
    text = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2, "num_hidden_layers": 2}
    return XCLIPConfig(
        text_config=text,
        vision_config=sizes,
        projection_dim=sizes["mit_hidden_size"],
        prompt_num_attention_heads=sizes["mit_num_attention_heads"],
    )


def word_tokenizer(texts: Iterable[str]) -> CLIPTokenizer:
    """A CLIP tokenizer to which every word of `texts` is one token; other words are spelled in pieces."""
    split = CLIPTokenizer().backend_tokenizer
    words = {
        word
        for text in texts
        for word, _ in split.pre_tokenizer.pre_tokenize_str(split.normalizer.normalize_str(text))
    }
    merges = word_merges(sorted(words))
    pieces = {*_LETTERS, *(letter + _END for letter in _LETTERS), *("".join(pair) for pair in merges)}
    # X-CLIP finds the end of a text by the highest number.
    numbers = {piece: number for number, piece in enumerate([*sorted(pieces), *_SPECIAL])}
    return CLIPTokenizer(vocab=numbers, merges=merges, model_max_length=LONGEST_TEXT)


def word_merges(words: Sequence[str]) -> list[tuple[str, str]]:
    """Byte-pair merges that make one piece of each word.

    A word is merged by the rules that are there, and gets new ones for what is left. New rules come after the old
    ones, so that they change nothing about earlier words.
    """
    ranks: dict[tuple[str, str], int] = {}
    for word in words:
        pieces = [*word[:-1], word[-1] + _END]
        while len(pieces) > 1:
            pairs = list(pairwise(pieces))
            known = [(ranks[pair], place) for place, pair in enumerate(pairs) if pair in ranks]
            place = min(known)[1] if known else 0
            ranks.setdefault(pairs[place], len(ranks))
            pieces[place : place + 2] = ["".join(pairs[place])]
    return list(ranks)
