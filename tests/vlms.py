"""Vision-language models for the tests: tiny, with random weights, saved as transformers saves them."""

from __future__ import annotations

import torch
from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPProcessor

from hf_ppar.models.lafprivacy.small_xclip import LONGEST_TEXT, build_xclip, tiny_config, word_tokenizer

WORDS = ["a person walks, waving both hands", "running while clapping"]


def save_xclip(path, frames=4, side=24, seed=0, unseen=()):
    """An X-CLIP for clips of (frames, side, side) in a directory."""
    torch.manual_seed(seed)
    config = tiny_config(frames, side, hidden_size=32, intermediate_size=32, num_attention_heads=2)
    config.unseen_actions = list(unseen)
    build_xclip(config, WORDS).save_pretrained(path)
    return path


def save_clip(path, side=24, seed=0):
    """A CLIP for pictures of (side, side) in a directory."""
    torch.manual_seed(seed)
    width = {"hidden_size": 32, "intermediate_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2}
    tokenizer = word_tokenizer(WORDS)
    words = {"vocab_size": len(tokenizer), "max_position_embeddings": LONGEST_TEXT}
    words |= {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    words |= {"pad_token_id": tokenizer.pad_token_id}
    vision = {**width, "image_size": side, "patch_size": 8}
    CLIPModel(CLIPConfig(text_config={**width, **words}, vision_config=vision, projection_dim=32)).save_pretrained(
        path
    )
    pixels = CLIPImageProcessorPil(size={"shortest_edge": side}, crop_size={"height": side, "width": side})
    CLIPProcessor(image_processor=pixels, tokenizer=tokenizer).save_pretrained(path)
    return path
