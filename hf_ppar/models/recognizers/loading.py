"""One way to name a recognizer: a directory, a Hub id, or a model already in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModel

from ...shipped import find_shipped
from ..loading import ModelError, check_place, first_line
from .configuration_recognizer import RecognizerConfig
from .modeling_recognizer import RecognizerModel
from .modeling_video_classifier import VideoClassifierRecognizer
from .modeling_xclip import XCLIPRecognizer

VIDEO_CLASSIFIERS = ("videomae", "vivit", "timesformer", "vjepa2")


def load_recognizer(
    model: str | os.PathLike[str] | RecognizerModel,
    *,
    candidate_labels: Sequence[str] | None = None,
    revision: str | None = None,
    device: str | torch.device | None = None,
    **kwargs: Any,
) -> RecognizerModel:
    """Load a recognizer in eval mode; ready-made models of transformers are wrapped.

    Args:
        model: shipped name, directory or Hub id of a recognizer, of a VideoMAE, ViViT, TimeSformer or V-JEPA 2
            classifier or of an X-CLIP; or a model.
        candidate_labels: the labels that an X-CLIP chooses from.
        revision: branch, tag or commit of a Hub id.
        device: where to put it; None leaves it on the CPU.
        kwargs: for a ready-made classifier `num_labels`, `problem_type` and the like, which give it a new head; for
            an X-CLIP `template`; for a recognizer those of `from_pretrained`.
    """
    if isinstance(model, RecognizerModel):
        loaded = model
    else:
        name = find_shipped(os.fspath(model))
        try:
            loaded = _load_named(name, candidate_labels, revision, kwargs)
        except (OSError, RuntimeError, SafetensorError) as error:
            raise ModelError(f"cannot load {name}: {first_line(error)}") from error
    loaded.eval()
    return loaded if device is None else loaded.to(device)


def _load_named(
    name: str, candidate_labels: Sequence[str] | None, revision: str | None, kwargs: dict[str, Any]
) -> RecognizerModel:
    check_place(name)
    config = AutoConfig.from_pretrained(name, revision=revision)
    if config.model_type == "xclip":
        if candidate_labels is None:
            raise ModelError(f"{name} is an X-CLIP, which chooses between texts: give candidate_labels")
        return XCLIPRecognizer.from_xclip(name, candidate_labels, revision=revision, **kwargs)
    if candidate_labels is not None:
        raise ModelError(f"candidate_labels are for an X-CLIP; {name} holds a {config.model_type!r} model")
    if config.model_type in VIDEO_CLASSIFIERS:
        return VideoClassifierRecognizer.from_classifier(name, revision=revision, **kwargs)
    if isinstance(config, RecognizerConfig):
        return AutoModel.from_pretrained(name, revision=revision, **kwargs)
    raise ModelError(
        f"{name} holds a {config.model_type!r} model, which is not a recognizer; "
        f"give a recognizer, an X-CLIP, or a classifier of {', '.join(VIDEO_CLASSIFIERS)}"
    )
