"""One way to name an anonymizer: a built-in name, a directory, a Hub id, or a model already in memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModel

from ..shipped import find_shipped, list_checkpoints
from .base import AnonymizerConfig, AnonymizerModel
from .classic import CLASSIC_ANONYMIZERS


class ModelError(ValueError):
    """A name, directory or Hub id does not lead to the model wanted; the message says why and what to do."""


def list_anonymizers() -> list[str]:
    """Names of the built-in anonymizers that need no training."""
    return list(CLASSIC_ANONYMIZERS)


def load_anonymizer(
    model: str | os.PathLike[str] | AnonymizerModel,
    *,
    revision: str | None = None,
    device: str | torch.device | None = None,
    **kwargs: Any,
) -> AnonymizerModel:
    """Load an anonymizer in eval mode.

    Args:
        model: built-in name (`list_anonymizers`, `list_checkpoints`), directory, Hub id `owner/name`, or a model. Of a
            privacy classifier the anonymizer is taken.
        revision: branch, tag or commit of a Hub id.
        device: where to put it; None leaves it on the CPU.
        kwargs: for `from_pretrained`, such as `token` and `cache_dir`.
    """
    loaded = model if isinstance(model, AnonymizerModel) else _load_named(os.fspath(model), revision, kwargs)
    loaded.eval()
    return loaded if device is None else loaded.to(device)


def _load_named(name: str, revision: str | None, kwargs: dict[str, Any]) -> AnonymizerModel:
    config = CLASSIC_ANONYMIZERS.get(name)
    if config is not None:
        return _build(name, config)
    return _load_saved(find_shipped(name), revision, kwargs)


def _build(name: str, config: AnonymizerConfig) -> AnonymizerModel:
    # Through a dict, so that no two models share one config object.
    model = AutoModel.from_config(type(config).from_dict(config.to_dict()))
    model.config._name_or_path = name
    return model


def _load_saved(name: str, revision: str | None, kwargs: dict[str, Any]) -> AnonymizerModel:
    check_place(name, f", and the built-in ones are {', '.join((*CLASSIC_ANONYMIZERS, *list_checkpoints()))}")
    try:
        config = AutoConfig.from_pretrained(name, revision=revision, **hub_arguments(kwargs))
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"cannot load {name}: {first_line(error)}") from error
    is_whole = isinstance(getattr(config, "anonymizer", None), AnonymizerConfig)
    if not is_whole and not isinstance(config, AnonymizerConfig):
        raise ModelError(
            f"{name} holds a {config.model_type!r} model, which is not an anonymizer; "
            f"give one of {', '.join(CLASSIC_ANONYMIZERS)}, or a directory or Hub id of an anonymizer"
        )
    try:
        model = AutoModel.from_pretrained(name, config=config, revision=revision, **kwargs)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise ModelError(f"cannot load {name}: {first_line(error)}") from error
    if not is_whole:
        return model
    model.anonymizer.config._name_or_path = name
    return model.anonymizer


def hub_arguments(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Those of `from_pretrained` that say how to reach the Hub, which a config needs as well."""
    return {name: kwargs[name] for name in ("token", "cache_dir", "local_files_only") if name in kwargs}


def check_place(name: str, hint: str = "") -> None:
    """Decide by looks whether this is a directory or a Hub id, so that a typo is never sent to the Hub."""
    path = Path(name)
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(f"the directory {name} holds no model: there is no config.json in it")
        return
    if path.is_file():
        raise ModelError(f"{name} is a file; give the directory that holds config.json and the weights")
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise ModelError(f"unknown model {name!r}: it is neither a directory nor a Hub id (owner/name){hint}")


def first_line(error: Exception) -> str:
    """The gist of an error whose message has several lines."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
