"""One way to name a privacy classifier: a shipped checkpoint, a directory, a Hub id, two parts, or a model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoConfig, PreTrainedConfig, PreTrainedModel

from ...shipped import find_shipped, list_checkpoints
from ..base import AnonymizerConfig, AnonymizerModel
from ..loading import ModelError, check_place, first_line, hub_arguments, list_anonymizers
from ..recognizers.modeling_recognizer import RecognizerModel
from .configuration_privacy_classifier import PrivacyClassifierConfig
from .modeling_privacy_classifier import PrivacyVideoClassifier

DEFAULT_CHECKPOINT = "stage-privrate-tiny"
_EXAMPLE = 'anonymizer="blur-strong", recognizer="microsoft/xclip-base-patch16-zero-shot", candidate_labels=[...]'


def load_privacy_classifier(
    model: str | os.PathLike[str] | PreTrainedModel | None = None,
    *,
    anonymizer: str | os.PathLike[str] | AnonymizerModel | None = None,
    recognizer: str | os.PathLike[str] | RecognizerModel | None = None,
    candidate_labels: Sequence[str] | None = None,
    hypothesis_template: str = "{}",
    revision: str | None = None,
    device: str | torch.device | None = None,
    **kwargs: Any,
) -> PrivacyVideoClassifier:
    """Load a privacy classifier in eval mode, or combine one from its parts.

    Args:
        model: shipped name (`list_checkpoints`), directory, Hub id or model; None is the shipped default.
        anonymizer, recognizer: the parts, instead of `model`.
        candidate_labels, hypothesis_template: for an X-CLIP as recognizer, see `PrivacyVideoClassifier.from_parts`.
        revision: branch, tag or commit of `model` on the Hub.
        device: where to put it; None leaves it on the CPU.
        kwargs: for `from_pretrained`, such as `token` and `cache_dir`.
    """
    if anonymizer is None and recognizer is None:
        loaded = _load_whole(model, revision, kwargs)
        if candidate_labels is not None:
            loaded.set_labels(candidate_labels, hypothesis_template)
    else:
        _check_parts(model, anonymizer, recognizer, {"revision": revision, **kwargs})
        loaded = PrivacyVideoClassifier.from_parts(
            anonymizer,  # type: ignore[arg-type]
            recognizer,  # type: ignore[arg-type]
            candidate_labels=candidate_labels,
            hypothesis_template=hypothesis_template,
        )
    loaded.eval()
    return loaded if device is None else loaded.to(device)


def _load_whole(model: Any, revision: str | None, kwargs: dict[str, Any]) -> PrivacyVideoClassifier:
    if isinstance(model, PrivacyVideoClassifier):
        return model
    if isinstance(model, PreTrainedModel):
        raise ModelError(explain_refusal(type(model).__name__, model.config))
    name = DEFAULT_CHECKPOINT if model is None else os.fspath(model)
    return _load_saved(find_shipped(name), revision, kwargs)


def _load_saved(name: str, revision: str | None, kwargs: dict[str, Any]) -> PrivacyVideoClassifier:
    check_place(name, f", and the shipped ones are {', '.join(list_checkpoints())}")
    try:
        config = AutoConfig.from_pretrained(name, revision=revision, **hub_arguments(kwargs))
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"cannot load {name}: {first_line(error)}") from error
    if not isinstance(config, PrivacyClassifierConfig):
        raise ModelError(explain_refusal(name, config))
    # A directory that carries its code is loaded with the code that is installed.
    for pointer in ("auto_map", "custom_pipelines"):
        config.__dict__.pop(pointer, None)
    try:
        return PrivacyVideoClassifier.from_pretrained(name, config=config, revision=revision, **kwargs)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise ModelError(f"cannot load {name}: {first_line(error)}") from error


def _check_parts(model: Any, anonymizer: Any, recognizer: Any, rest: dict[str, Any]) -> None:
    if model is not None:
        raise ModelError("give model=, or anonymizer= and recognizer=, but not both")
    if anonymizer is None:
        raise ModelError(
            "recognizer= is given without anonymizer=, and raw frames are never classified; "
            f"add anonymizer=, one of {', '.join(list_anonymizers())}, or a directory or Hub id of an anonymizer"
        )
    if recognizer is None:
        raise ModelError(
            "anonymizer= is given without recognizer=; add a directory or Hub id of a recognizer, a video classifier "
            "of transformers or an X-CLIP"
        )
    given = {name: value for name, value in rest.items() if value is not None}
    if given:
        name, value = next(iter(given.items()))
        raise ModelError(f"{name}={value!r} belongs to model=; load the parts with theirs and give the models")


def explain_refusal(name: str, config: PreTrainedConfig) -> str:
    """Why another kind of model is not a privacy classifier, and how to make one of it."""
    if isinstance(config, AnonymizerConfig):
        return (
            f"{name} is an anonymizer ({config.model_type!r}), which names nothing; "
            f"give it as anonymizer= and add recognizer=, such as {_EXAMPLE}"
        )
    return (
        f"{name} is a {config.model_type!r} model without an anonymizer, and raw frames are never classified; give it "
        f"as recognizer= and add anonymizer=, one of {', '.join(list_anonymizers())}, or a directory or Hub id"
    )
